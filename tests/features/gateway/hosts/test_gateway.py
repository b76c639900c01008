"""Kernels behind a real Kernel Gateway: cells, tools, and what is told when the way is cut."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.features.gateway.kernel_gateway import CutWay, KernelGateway
from tests.notebook_tools.in_a_server.calls import answers_in, steps
from tests.notebook_tools.in_process import write_notebook
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.environments import gateway_environment
from tests.support.kernel.cells import Cell, Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.long

NOTEBOOKS = Path(__file__).resolve().parents[4] / "notebooks"
TRACES = Path(__file__).resolve().parents[4] / "test-results"
LOAD = "%load_ext acp_jupyter"


@dataclass(frozen=True)
class Behind:
    """A server whose kernels run behind a gateway."""

    server: JupyterServer
    gateway: KernelGateway
    way: CutWay

    def start(self, notebook_path: str) -> str:
        """Start a kernel for a notebook; return its id."""
        wanted = {"path": notebook_path, "name": "", "type": "notebook"}
        with self.server.user() as user:
            answer = user.post(
                f"{self.server.url}api/sessions", json={**wanted, "kernel": {"name": "python3"}}
            ).raise_for_status()
        return str(answer.json()["kernel"]["id"])

    def kernel(self, kernel_id: str) -> Kernel:
        """Return the kernel, as the gateway's machine has it."""
        file = self.gateway.folder / "runtime" / f"kernel-{kernel_id}.json"
        eventually(file.exists, what="the kernel's connection file is there")
        return Kernel(self.server.root, connection_file=file)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gateway_environment(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def behind(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    folder = tmp_path_factory.mktemp("behind")
    with (
        KernelGateway(folder / "gateway", python) as gateway,
        CutWay(gateway.port) as way,
        JupyterServer(
            folder / "server",
            app="jupyterlab",
            agents=agents(),
            args=LAB_ARGS,
            config=gateway.config(way.url),
        ) as server,
    ):
        yield Behind(server, gateway, way)


@pytest.fixture
def path(behind: Behind, request: pytest.FixtureRequest) -> str:
    """A notebook of the test."""
    name = re.sub(r"\W+", "-", request.node.name)
    write_notebook(behind.server.root / name / "n.ipynb", "%%acp", "n = 1")
    return f"{name}/n.ipynb"


@pytest.fixture
def kernel(behind: Behind, path: str) -> Iterator[Kernel]:
    kernel_id = behind.start(path)
    with behind.kernel(kernel_id) as kernel:
        kernel.run(LOAD).ok()
        yield kernel
    with behind.server.user() as user:
        user.delete(f"{behind.server.url}api/kernels/{kernel_id}")


def test_a_cell_with_a_permission_answered_in_the_page(behind: Behind, browser: Browser) -> None:
    workspace = Workspace(behind.server.root, "page")
    visitor = Visitor(browser, TRACES)
    edit = "%%acp demo\nedit clean.py rate=20"
    nb = LabPage(visitor, behind.server).open(
        workspace.notebook(LOAD, edit, "import sys; print(sys.prefix)")
    )
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.plan).to_be_visible()
    expect(turn.diff("clean.py").locator("ins").first).to_be_visible()
    assert workspace.clean_py == CLEAN_PY
    nb.wait_until_running(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    assert "kept = [row.strip() for row in rows]" in workspace.clean_py
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("acp-jupyter-gateway-env")
    nb.saved_output(1)
    visitor.close()


def test_a_cell_that_is_run_while_the_gateway_is_down(behind: Behind, browser: Browser) -> None:
    workspace = Workspace(behind.server.root, "down")
    visitor = Visitor(browser, TRACES)
    nb = LabPage(visitor, behind.server).open(workspace.notebook(LOAD, "print(6 * 7)"))
    nb.load_extension()
    with behind.way.closed():
        nb.run_to_end(1)
        expect(nb.output(1)).to_contain_text("so this cell was not run")

    def run_again() -> bool:
        nb.run_to_end(1)
        return "42" in nb.output(1).inner_text()

    eventually(run_again, "the cell runs when the gateway is back")
    visitor.close()


def test_the_key_of_the_launch_is_shown_nowhere(behind: Behind, kernel: Kernel) -> None:
    said = kernel.run(
        "import os, acp_jupyter\n"
        "from acp_jupyter.features.gateway.channel_transport import launch_key\n"
        "from acp_jupyter.kernel.client.server_client import host_client\n"
        "key, base = launch_key()\n"
        "left = [name for name in os.environ if name.startswith('KERNEL_ACP')]\n"
        "print(host_client().location, key.decode(), base, len(left))"
    ).ok()
    location, key, base, inherited = said.printed.split()
    assert (location, len(key), base, inherited) == ("server", 64, "/", "0")
    assert key not in behind.server.log.read_text()
    assert key not in behind.gateway.log.read_text()
    # What an agent says of it is kept out of the log and the page, as a kernel's own key is.
    turn = kernel.run(f"%%acp says\n{key}", watched=True)
    assert turn.error == "TurnError"
    assert "[redacted]" in turn.traceback
    assert key not in json.dumps([turn.traceback, *(each.states for each in turn.outputs)])


def test_only_the_kernel_with_its_key_is_heard(behind: Behind, kernel: Kernel) -> None:
    forged = """
from acp_jupyter.api import kernel_auth
from acp_jupyter.kernel.client.server_client import KernelIdentity, ServerClient, host_client
from acp_jupyter.features.gateway.channel_transport import ChannelTransport, launch_key
own = host_client()._identity
for identity in (KernelIdentity(own.kernel_id, b"another key"), KernelIdentity("x" * 36, own.key)):
    try:
        ServerClient(ChannelTransport("/"), identity).agents()
    except Exception as error:
        print(type(error).__name__)
"""
    said = kernel.run(forged.replace(".agents()", "._request('GET', 'agents', b'', 3)")).ok()
    assert said.printed.split() == ["NotAllowed", "ServerUnreachable"]


def test_tools_work_in_a_cell_that_waits_and_beside_it(
    behind: Behind, kernel: Kernel, path: str
) -> None:
    calls = steps(
        ("list_variables", {"pattern": "there*"}),
        ("insert_cell", {"source": "there + 1", "after": "cell-1"}),
        ("run_cells", {"cell_ids": ["cell-1"]}),
        ("run_code", {"code": "there = 43"}),
    )
    kernel.run("there = 42").ok()
    ask = f"%%acp notebook_user --policy allow-all\n{calls}"
    kernel.run(ask, cell_id="cell-0", watched=True).ok()
    assert kernel.run("print(there, n)").ok().printed == "43 1\n"
    told = answers_in(kernel.run("print(_acp.text)").ok().printed)
    assert [each["failed"] for each in told] == [False] * 4, told
    with AsUser(behind.server) as user:
        folder = path.partition("/")[0]
        session_id = user.new_session("notebook_user", folder, notebook_path=path)
        calls = steps(
            ("list_variables", {"pattern": "there*"}),
            ("run_code", {"code": "by_panel = 7\nprint(by_panel)"}),
        )
        turn_id = user.prompt(session_id, calls)
        user.answer(session_id, user.permission(turn_id)["request_id"], "allow")
        listed, ran = told_in(user.ended(turn_id))
    assert "there: int" in listed["text"]
    assert 'origin="stdout of the code that you ran in n.ipynb"' in ran["text"]
    assert kernel.run("print(by_panel)").ok().printed == "7\n"


def test_a_tool_restarts_the_kernel(behind: Behind, kernel: Kernel, path: str) -> None:
    calls = steps(
        ("run_code", {"code": "gone = 1"}),
        ("restart_kernel", {}),
        ("run_code", {"code": "print('gone' in globals())"}),
    )
    with AsUser(behind.server) as user:
        folder = path.partition("/")[0]
        session_id = user.new_session(
            "notebook_user", folder, notebook_path=path, policy="allow-all"
        )
        told = told_in(user.ended(user.prompt(session_id, calls)))
    assert [each["failed"] for each in told] == [False] * 3, told
    assert "False" in told[2]["text"]


def test_a_recording_is_played_behind_a_gateway(behind: Behind) -> None:
    folder = behind.server.root / "played"
    folder.mkdir()
    shutil.copy(NOTEBOOKS / "record_and_replay.ipynb", folder)
    shutil.copytree(NOTEBOOKS / "record_and_replay.acp", folder / "record_and_replay.acp")
    path = "played/record_and_replay.ipynb"
    content = json.loads((folder / "record_and_replay.ipynb").read_text())
    with behind.kernel(behind.start(path)) as kernel:
        kernel.run(f"import os; os.chdir({str(folder)!r})").ok()
        for number, cell in enumerate(content["cells"]):
            if cell["cell_type"] == "code":
                kernel.run("".join(cell["source"]), cell_id=f"c{number}").ok()
    with behind.server.user() as user:
        records = user.get("records", params={"notebook_path": path}).json()["outputs"]
    assert len(records) == 2
    assert all("(replayed)" in each["bundle"]["data"]["text/markdown"] for each in records)


def told_in(detail: Any) -> list[dict[str, Any]]:
    messages = (item for item in detail["items"] if item["kind"] == "agent_message")
    return answers_in("".join(item["text"] for item in messages))


def test_long_requests_and_answers_come_in_parts(kernel: Kernel) -> None:
    code = """
import acp_jupyter
from acp_jupyter.kernel.client.server_client import host_client
session = acp_jupyter.connect("hello")
session.prompt("ab" * 400_000).wait()
print(sum(map(len, host_client().traffic(session.id))) > 800_000)
"""
    assert kernel.run(code).ok().printed == "True\n"


def test_a_long_request_that_is_lost_is_sent_again(behind: Behind, kernel: Kernel) -> None:
    kernel.run("import acp_jupyter\nsession = acp_jupyter.connect('hello')").ok()
    behind.way.cut()
    code = """
from acp_jupyter.kernel.client.server_client import host_client
session.prompt("ab" * 400_000).wait()
print(len(host_client().turns(session.id)))
"""
    assert kernel.run(code).ok().printed == "1\n"


def test_what_is_lost_on_the_way_is_asked_for_again(behind: Behind, kernel: Kernel) -> None:
    """All connections with the gateway are cut while a cell waits, three times."""
    cuts: list[float] = []

    def cut(cell: Cell) -> None:
        if cell.outputs and len(cuts) < 3:
            behind.way.cut()
            cuts.append(0)

    turn = kernel.run("%%acp demo\nbench N=60 size=5 rate=10", watched=True, on_progress=cut).ok()
    assert len(cuts) == 3
    assert kernel.run("print(_acp.stop_reason)").ok().printed == "end_turn\n", turn
    # A prompt is done once, however often it was sent.
    code = (
        "import acp_jupyter\n"
        "from acp_jupyter.kernel.client.server_client import host_client\n"
        "(session,) = acp_jupyter.list_sessions()\n"
        "print(len(host_client().turns(session.session_id)))"
    )
    assert kernel.run(code).ok().printed == "1\n"


def test_the_page_sees_that_a_waiting_kernel_is_busy(behind: Behind, kernel: Kernel) -> None:
    kernel_id = kernel_of(kernel)
    states: list[object] = []

    def look(cell: Cell) -> None:
        if cell.outputs and len(states) < 5:
            states.append(behind.gateway.model(kernel_id)["execution_state"])

    kernel.run("%%acp demo\nbench N=100 size=5 rate=10", watched=True, on_progress=look).ok()
    assert states == ["busy"] * 5
    eventually(lambda: behind.gateway.model(kernel_id)["execution_state"] == "idle")


def kernel_of(kernel: Kernel) -> str:
    return Path(kernel.client.connection_file).stem.removeprefix("kernel-")


def test_files_of_the_other_machine_are_not_the_agents(behind: Behind, kernel: Kernel) -> None:
    there = behind.gateway.folder / "there.csv"
    there.write_text("1")
    said = kernel.run(f"%%acp demo --attach {there}\nlist rate=0", watched=True)
    assert "lies outside the session's folder" in said.printed
    assert "This kernel runs behind a gateway" in said.printed
    told = kernel.run("%acp status").ok().output.data["text/markdown"]
    assert "behind its gateway" in told


def test_an_agent_in_a_kernel_of_another_machine_is_not_served(kernel: Kernel) -> None:
    refused = kernel.run("import acp_jupyter\nacp_jupyter.serve(object(), name='librarian')")
    assert refused.message == (
        "This kernel runs behind a gateway, where the Jupyter server can't reach an agent in it. "
        "Serve the agent in a kernel on the server's machine."
    )


def test_a_restarted_kernel_is_heard_again(behind: Behind, kernel: Kernel) -> None:
    kernel.run("%%acp demo\nlist rate=0", watched=True).ok()
    with behind.server.user() as user:
        url = f"{behind.server.url}api/kernels/{kernel_of(kernel)}/restart"
        user.post(url).raise_for_status()
    with behind.kernel(kernel_of(kernel)) as again:
        again.run(LOAD).ok()
        again.run("%%acp demo\nlist rate=0", watched=True).ok()
        assert again.run("print(_acp.stop_reason)").ok().printed == "end_turn\n"


def test_a_gateway_that_is_down(python: Path, tmp_path: Path) -> None:
    """Jupyter refuses a kernel in words, a tool tells its agent, and nothing is lost."""
    gateway = KernelGateway(tmp_path / "gateway", python)
    with (
        gateway,
        JupyterServer(tmp_path / "server", agents=agents(), config=gateway.config()) as server,
    ):
        behind = Behind(server, gateway, CutWay(gateway.port))
        write_notebook(server.root / "n" / "n.ipynb", "n = 1")
        behind.start("n/n.ipynb")
        with AsUser(server) as user:
            session_id = user.new_session(
                "notebook_user", "n", notebook_path="n/n.ipynb", policy="allow-all"
            )
            gateway.__exit__()
            calls = steps(
                ("list_variables", {}), ("insert_cell", {"source": "1", "after": "cell-0"})
            )
            listed, inserted = told_in(user.ended(user.prompt(session_id, calls)))
            assert listed["failed"]
            assert "The gateway that runs this kernel does not answer" in listed["text"]
            assert not inserted["failed"], inserted
        with pytest.raises(httpx.HTTPStatusError) as refused:
            behind.start("n/m.ipynb")
        assert "Gateway" in refused.value.response.json()["message"]
