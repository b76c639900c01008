"""Published agents use the tools of their notebook: cells, and the kernel that asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.notebook_tools.in_process import write_notebook
from tests.support.kernel.cells import Cell, Kernel
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.published.programs import PUBLISHED, Published, processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.long]

_AGENTS = [
    pytest.param(agent, id=agent.agent_id)
    for agent in PUBLISHED
    if agent.agent_id in {"opencode", "codex"}
]
_NOTEBOOK = "work/n.ipynb"
_PLOT = """\
import base64
from IPython.display import Image
print(answer)
Image(base64.b64decode("{}"))
""".format(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5Er"
    "kJggg=="
)


@dataclass(frozen=True)
class Place:
    agent: Published
    server: JupyterServer
    user: httpx.Client
    kernel: Kernel
    model: FakeModel

    @property
    def path(self) -> Path:
        return self.server.root / _NOTEBOOK

    def cells(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.path.read_text())["cells"]
        return found

    def turn(self) -> dict[str, Any]:
        """Return the newest turn, with its items; nothing before there is one."""
        states = self.user.get("sessions").json()
        if not states:
            return {}
        items = f"sessions/{states[-1]['session_id']}/items"
        page = self.user.get(items, params={"start": 0, "end": 500}).json()
        newest = next((i["turn_id"] for i in reversed(page["items"]) if i["turn_id"]), "")
        if not newest:
            return {}
        return {**self.user.get(f"turns/{newest}").json(), "id": states[-1]["session_id"]}

    def allow(self, _cell: object = None) -> None:
        """Answer what is asked with yes, once."""
        detail = self.turn()
        for item in detail.get("items", []):
            asked = item.get("permission") or {}
            if asked.get("state") == "pending":
                once = next(o for o in asked["options"] if o["option_kind"] == "allow_once")
                self.user.post(
                    f"sessions/{detail['id']}/permissions/{asked['request_id']}",
                    json={"option_id": once["option_id"]},
                )


@pytest.fixture(scope="module", params=_AGENTS)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    agent: Published = request.param
    folder = tmp_path_factory.mktemp(agent.agent_id)
    home = folder / "agent-home"
    home.mkdir()
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(folder, agents=agents) as server, server.user() as user:
            write_notebook(server.root / _NOTEBOOK, "")
            side = server.start_kernel(_NOTEBOOK)
            with Kernel(server.root, connection_file=side.connection_file) as kernel:
                kernel.run("%load_ext acp_jupyter").ok()
                yield Place(agent, server, user, kernel, model)
        eventually(lambda: not processes_of(home), "processes of the agent are left")


def _script(cells: Callable[[], list[dict[str, Any]]]) -> Callable[[], Steps]:
    """Read a variable, insert a cell, run that cell."""

    def turns() -> Steps:
        ours = [cell["id"] for cell in cells() if "acp" in cell["metadata"]]
        last = cells()[-1]["id"]
        return [
            [Say("Looking.\n"), Use(["list_variables"], {"pattern": "answer"}, exact=True)],
            [Use(["insert_cell"], {"source": _PLOT, "after": last}, exact=True)],
            [Use(["run_cells"], {"cell_ids": ours[-1:]}, exact=True)],
            [Say("Seen.")],
        ]

    return turns


def _play(place: Place, options: str) -> Cell:
    write_notebook(place.path, "%%acp", "answer = 42")
    place.model.scripts["plot"] = _script(place.cells)
    place.kernel.run("answer = 42").ok()
    if place.agent.late_tools and "--new" in options:
        place.kernel.run(f"%%acp {place.agent.agent_id} {options}\n[[mock scenario=hello]]").ok()
        options = options.replace("--new", "")
        eventually(lambda: _offers_tools(place), "the tools of the notebook")
    return place.kernel.run(
        f"%%acp {place.agent.agent_id} {options}\n[[mock scenario=plot]] Plot it.",
        cell_id="cell-0",
        watched=True,
        on_progress=place.allow,
    ).ok()


def _offers_tools(place: Place) -> bool:
    place.kernel.run(f"%%acp {place.agent.agent_id}\n[[mock scenario=hello]]").ok()
    return any("list_variables" in name for name in place.model.tools)


def _check(place: Place, detail: dict[str, Any]) -> None:
    calls = [item for item in detail["items"] if item["kind"] == "tool_call"]
    told = [(call["status"], call["output"]) for call in calls]
    assert [status for status, _ in told] == ["completed"] * 3, told
    listed, _, ran = calls
    assert "answer: int" in listed["output"]
    assert [block["mime_type"] for block in ran["blocks"]] == ["image/png"]
    assert "42" in ran["output"]
    new = place.cells()[-1]
    assert "".join(new["source"]) == _PLOT.rstrip("\n") or "".join(new["source"]) == _PLOT
    assert new["metadata"]["acp"]["agent"] == place.agent.agent_id
    assert new["outputs"][0]["text"] == ["42\n"]
    assert "image/png" in new["outputs"][1]["data"]


def test_while_the_cell_that_asked_blocks(place: Place) -> None:
    _play(place, "--new")
    detail = place.turn()
    assert detail["turn"]["status"] == "done"
    _check(place, detail)


@pytest.mark.long
def test_with_background(place: Place) -> None:
    _play(place, "--background")

    def ended() -> bool:
        place.allow()
        return bool(place.turn()["turn"]["status"] == "done")

    eventually(ended, "the turn's end")
    _check(place, place.turn())
