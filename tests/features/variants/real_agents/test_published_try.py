"""Published agents try one prompt several ways, each in its copy of the folder; one is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.notebook_tools.in_process import write_notebook
from tests.support.host.checkpoints import held
from tests.support.kernel.cells import Kernel
from tests.support.kernel.notebook_file import read_notebook
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.mockllm.tool_names import SHELL
from tests.support.published.programs import PUBLISHED, Published, processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.long]

_AGENTS = tuple(agent for agent in PUBLISHED if agent.agent_id in {"opencode", "claude"})
_IDS = [agent.agent_id for agent in _AGENTS]
_TOOLS = ("list_variables", "run_code", "insert_cell", "run_cells")
_CELL = "doubled = there * 2\nprint(doubled, len(shared))"
_TRY = """\
import acp_jupyter
variants = acp_jupyter.try_several({prompt!r}, {agents!r}, policy="allow-all").wait(240)
for row in variants.rows():
    print(row["agent"], row["status"], row["files"], row["lines_added"])
"""


def _writes() -> Steps:
    """Each writes where it works, so that their files differ."""
    arguments = {"command": "pwd > made.txt", "description": "Write a file"}
    return [[Say("Now.\n"), Use(SHELL, arguments)], [Say("It is made.")]]


def _inserts(agent: Published, model: FakeModel) -> Callable[[], Steps]:
    """Use the kernel, and add a cell that runs there."""
    change = "there += 1; shared.append(there); print('now', there)"
    uses: Steps = [
        [Use(["list_variables"], {}, exact=True)],
        [Use(["run_code"], {"code": change}, exact=True)],
        [Use(["insert_cell"], {"source": _CELL, "after": "cell-1"}, exact=True)],
    ]

    def steps() -> Steps:
        inserted = re.findall(r"Inserted as cell id=(\w+)", model.request)
        runs = Use(["run_cells"], {"cell_ids": inserted[-1:]}, exact=True)
        searches = agent.searches(*_TOOLS)
        return [*searches, *uses, [runs], [Say("It is there.")]]

    return steps


@dataclass(frozen=True)
class Place:
    """A kernel of a notebook in a server with the agents, each with a model of its own."""

    kernel: Kernel
    models: Mapping[str, FakeModel]
    folder: Path
    user: httpx.Client

    def allow(self, _cell: object = None) -> None:
        """Answer what is asked with yes, once: Claude asks before each call of a notebook tool.

        Such a question names no file and no command, so ``allow-all`` leaves it to the user.
        """
        for state in self.user.get("sessions").json():
            session = f"sessions/{state['session_id']}"
            page = self.user.get(f"{session}/items", params={"start": 0, "end": 500}).json()
            for item in page["items"]:
                asked = item.get("permission") or {}
                if asked.get("state") == "pending":
                    kinds = {o["option_kind"]: o["option_id"] for o in asked["options"]}
                    answer = {"option_id": kinds["allow_once"]}
                    self.user.post(f"{session}/permissions/{asked['request_id']}", json=answer)

    @property
    def notebook(self) -> Path:
        return self.folder / "n.ipynb"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    homes = {agent.agent_id: tmp_path / f"home-{agent.agent_id}" for agent in _AGENTS}
    with ExitStack() as stack:
        models = {name: stack.enter_context(FakeModel()) for name in homes}
        for home in homes.values():
            home.mkdir()
        agents = {a.agent_id: a.entry(homes[a.agent_id], models[a.agent_id]) for a in _AGENTS}
        server = stack.enter_context(JupyterServer(tmp_path, agents=agents))
        folder = server.root / "work"
        write_notebook(folder / "n.ipynb", "")
        file = server.start_kernel("work/n.ipynb").connection_file
        kernel = stack.enter_context(Kernel(server.root, connection_file=file))
        yield Place(kernel, models, folder, stack.enter_context(server.user()))
    left = "processes of the agents are left"
    eventually(lambda: not any(processes_of(home) for home in homes.values()), left)


def test_each_works_in_its_copy_and_what_is_kept_is_that_of_one(
    place: Place,
) -> None:
    kernel, folder = place.kernel, place.folder
    for model in place.models.values():
        model.scripts["writes"] = _writes
    before = held(folder)
    prompt = "[[mock scenario=writes]] Write a file."
    tried = kernel.run(_TRY.format(prompt=prompt, agents=_IDS), seconds=300).ok()
    assert tried.printed.splitlines()[-2:] == ["OpenCode end turn 1 1", "Claude Agent end turn 1 1"]
    assert held(folder) == before
    made = folder / "made.txt"
    places: list[str] = []
    for number in range(len(_AGENTS)):
        kernel.run(f"variants[{number}].keep()").ok()
        places.append(made.read_text().strip())
        assert kernel.run("print(variants)").ok().printed.count(": kept, 1 files") == 1
        kernel.run(f"variants[{number}].revert()").ok()
        assert held(folder) == before
    assert len(set(places)) == len(_AGENTS)
    assert str(folder) not in places
    # A copy goes once its agent has ended.
    eventually(lambda: not [place for place in places if Path(place).exists()])


def test_each_uses_a_kernel_of_its_own_and_its_copy_of_the_notebook(place: Place) -> None:
    kernel = place.kernel
    write_notebook(place.notebook, "%%acp", "there = 42")
    kernel.run("%load_ext acp_jupyter\nthere, shared = 42, []").ok()
    for agent in _AGENTS:
        model = place.models[agent.agent_id]
        model.scripts["inserts"] = _inserts(agent, model)
    before = held(place.folder)
    line = f"%%acp {', '.join(_IDS)} --try --policy allow-all"
    prompt = "[[mock scenario=inserts]] Double it."
    kernel.run(
        f"{line}\n{prompt}",
        cell_id="cell-0",
        watched=True,
        on_progress=place.allow,
        seconds=300,
    ).ok()
    rows = kernel.run("print([row['status'] for row in _acp.rows()])").ok().printed
    assert rows == "['end turn', 'end turn']\n"
    for model in place.models.values():
        told = model.request
        assert "there: int = 42" in told
        assert "You alone use this kernel" in told
        assert "now 43" in told
        assert "86 1" in told
    assert kernel.run("print(there, shared, 'doubled' in globals())").ok().printed == (
        "42 [] False\n"
    )
    assert held(place.folder) == before
    for number, agent_id in enumerate(_IDS):
        kernel.run(f"_acp[{number}].keep()").ok()
        cells = read_notebook(place.notebook).cells
        assert [cell.source for cell in cells] == ["%%acp", "there = 42", _CELL]
        assert cells[2].outputs[0].text == "86 1\n"
        assert cells[2].metadata["acp"]["agent"] == agent_id
        kernel.run(f"_acp[{number}].revert()").ok()
        assert held(place.folder) == before
