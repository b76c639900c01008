"""Code that an agent's tools run in a real kernel, with and without a cell that waits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.kernel.cells import Cell, Kernel
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.kernel_tools import DOOR_CONFIG, Tool
from tests.support.wait import PATIENCE_SECONDS, eventually

REPOSITORY = Path(__file__).parents[2]
RED_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAE"
    "hQGAhKmMIQAAAABJRU5ErkJggg=="
)
SHOW = f"""
import base64, sys
from IPython.display import Image, display
print("one")
display(Image(base64.b64decode({RED_DOT!r})))
print("two", file=sys.stderr)
print("three")
made_by_tool = 6 * 7
made_by_tool
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("slow_stream", "permission")
    env = {"PYTHONPATH": str(REPOSITORY)}
    folder = tmp_path_factory.mktemp("server")
    with JupyterServer(folder, agents=agents, config=DOOR_CONFIG, env=env) as server:
        yield server


@pytest.fixture(scope="module")
def side(server: JupyterServer) -> KernelSide:
    return server.start_kernel("own.ipynb")


@pytest.fixture(scope="module")
def tool(server: JupyterServer, side: KernelSide) -> Tool:
    return Tool(server, side.kernel_id)


@pytest.fixture(scope="module")
def kernel(server: JupyterServer, side: KernelSide, tool: Tool) -> Iterator[Kernel]:
    assert tool.run("'it has started'")["status"] == "ok"
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


def while_waiting(kernel: Kernel, work: Callable[[], None], source: str = "%%acp demo") -> Cell:
    """Run a cell whose agent is slow, do something as soon as it waits, and stop the turn."""
    failed: list[BaseException] = []

    def beside() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)

    thread = threading.Thread(target=beside)

    def begin(cell: Cell) -> None:
        if cell.outputs and thread.ident is None:
            thread.start()

    cell = kernel.run(f"{source}\nslow rate=5", watched=True, on_progress=begin)
    thread.join()
    if failed:
        raise failed[0]
    return cell


def stop(server: JupyterServer) -> None:
    with server.user() as user:
        for session in user.get("sessions").json():
            if session["status"] == "running":
                user.post(f"sessions/{session['session_id']}/cancel", json={}).raise_for_status()


def kinds(ran: dict[str, Any]) -> list[str]:
    return [output.get("name", output["output_type"]) for output in ran["outputs"]]


def test_outputs_come_in_their_order_by_the_shell_channel(kernel: Kernel, tool: Tool) -> None:
    ran = tool.run(SHOW)
    assert ran["status"] == "ok"
    # ipykernel sends its two streams apart.
    assert [kind for kind in kinds(ran) if kind != "stderr"] == [
        *("stdout", "display_data", "stdout", "execute_result")
    ]
    assert "stderr" in kinds(ran)
    assert ran["outputs"][1]["data"]["image/png"].strip() == RED_DOT
    assert ran["outputs"][-1]["data"]["text/plain"] == "42"
    assert kernel.run("print(made_by_tool)").ok().printed == "42\n"


def test_the_waiting_cell_runs_it(server: JupyterServer, kernel: Kernel, tool: Tool) -> None:
    found: list[dict[str, Any]] = []

    def work() -> None:
        found.append(tool.run(SHOW.replace("6 * 7", "6 * 8")))
        found.append(tool.run("import threading; threading.current_thread().name"))
        found.append(tool.run("1 / 0"))
        found.append(tool.run("input('Your password?')"))
        found.append(tool.run("import asyncio; awaited = await asyncio.sleep(0, 'slept'); awaited"))
        found.append(tool.run("exit"))
        found.append(tool("variables"))
        found.append(tool("inspect", code="len", position=2))
        found.append(tool("complete", code="made_by_t", position=9))
        stop(server)

    cell = while_waiting(kernel, work)
    assert cell.printed == ""  # nothing of it is in the cell's own output
    assert len(cell.outputs) == 1
    shown, thread, failed, asked, awaited, ended, told, inspected, completed = found
    assert kinds(shown) == ["stdout", "display_data", "stderr", "stdout", "display_data"]
    assert shown["outputs"][1]["data"]["image/png"].strip() == RED_DOT
    assert shown["outputs"][4]["data"]["text/plain"] == "48"
    assert thread["outputs"][0]["data"]["text/plain"] == "'MainThread'"
    assert failed["status"] == "error"
    assert failed["outputs"][0]["ename"] == "ZeroDivisionError"
    assert asked["outputs"][0]["ename"] == "StdinNotImplementedError"
    assert awaited["outputs"][0]["data"]["text/plain"] == "'slept'"
    assert ended["outputs"][0]["text"] == "An agent's code can't end the kernel.\n"
    assert {"made_by_tool", "48"} <= {
        each[key] for each in told["variables"] for key in ("name", "preview")
    }
    assert "number of items" in inspected["text"]
    assert completed["matches"] == ["made_by_tool"]
    assert kernel.run("print(made_by_tool)").ok().printed == "48\n"


def test_an_agents_code_starts_no_agents(server: JupyterServer, kernel: Kernel, tool: Tool) -> None:
    found: list[dict[str, Any]] = []

    def work() -> None:
        magic = "get_ipython().run_cell_magic('acp', 'demo --policy allow-all', 'hello')"
        found.append(tool.run(magic))
        found.append(tool.run("import acp_jupyter; acp_jupyter.connect('demo')"))
        stop(server)

    while_waiting(kernel, work)
    found.append(tool.run("import acp_jupyter; acp_jupyter.connect('demo')"))
    for ran in found:
        assert ran["status"] == "error"
        assert ran["outputs"][0]["ename"] == "NotAllowed"


def test_code_that_takes_too_long_is_stopped_and_the_turn_goes_on(
    server: JupyterServer, kernel: Kernel, tool: Tool
) -> None:
    found: list[dict[str, Any]] = []

    endless = "print('begun'); import time; time.sleep(600)"

    def stopped_when_it_has_begun() -> bool:
        """Give it longer each time, until that is enough to print something."""
        for seconds in (0.5 * 2**number for number in range(8)):
            ran = tool.run(endless, seconds=seconds)
            assert ran["status"] == "timeout"
            if "begun\n" in [output.get("text") for output in ran["outputs"]]:
                return True
        return False

    def work() -> None:
        found.append({"begun": stopped_when_it_has_begun()})
        found.append(tool.run("import asyncio; await asyncio.sleep(600)", seconds=0.5))
        found.append(tool.run("'after'"))
        stop(server)

    while_waiting(kernel, work)
    assert found[0]["begun"]
    assert [ran["status"] for ran in found[1:]] == ["timeout", "ok"]
    assert stopped_when_it_has_begun()


def test_a_tool_that_is_stopped_leaves_the_cell_waiting(
    server: JupyterServer, kernel: Kernel, tool: Tool
) -> None:
    found: list[dict[str, Any]] = []

    def work() -> None:
        ran = tool.later(lambda: tool.run(SLEEPS))
        wait_for_begun(server)
        tool("interrupt")
        found.append(ran.result(PATIENCE_SECONDS))
        found.append(tool.run("'after'"))
        stop(server)

    while_waiting(kernel, work)
    assert [ran["status"] for ran in found] == ["interrupted", "ok"]


def test_the_users_interrupt_stops_the_code_and_then_the_turn(
    server: JupyterServer, side: KernelSide, kernel: Kernel, tool: Tool
) -> None:
    found: list[dict[str, Any]] = []

    def work() -> None:
        ran = tool.later(lambda: tool.run(SLEEPS))
        wait_for_begun(server)
        with server.user() as user:
            user.post(f"{server.url}api/kernels/{side.kernel_id}/interrupt").raise_for_status()
        found.append(ran.result(PATIENCE_SECONDS))

    cell = while_waiting(kernel, work)
    assert found[0]["status"] == "interrupted"
    assert cell.error == "KeyboardInterrupt"


SLEEPS = "open('begun', 'w').close(); import time; time.sleep(600)"


def wait_for_begun(server: JupyterServer) -> None:
    file = server.root / "begun"
    eventually(file.exists, "the code has begun")
    file.unlink()


def test_only_the_kernel_itself_gets_its_work(
    server: JupyterServer, side: KernelSide, kernel: Kernel
) -> None:
    other = server.start_kernel("other.ipynb")
    begun = kernel.run(
        "turn = __import__('acp_jupyter').connect('demo').prompt('slow rate=5')"
    ).ok()
    assert not begun.error
    turn_id = kernel.run("print(turn.id)").ok().printed.strip()
    asked = {"turn_id": turn_id, "wait_seconds": 0.1}
    assert side.request("POST", "kernel/work", asked).status_code == 200
    assert other.request("POST", "kernel/work", asked).json()["reason"] == "unknown_turn"
    with server.user() as user:
        assert user.post("kernel/work", json=asked).status_code == 403
        assert user.post("kernel/work/done", json={"work_id": "x"}).status_code == 403
    assert side.request("POST", "kernel/work", {"wait_seconds": 1e9}).status_code == 400
    kernel.run("turn.cancel()").ok()


class _DiedError(Exception):
    """The kernel of a cell has ended."""


def test_a_kernel_that_dies_is_told(server: JupyterServer) -> None:
    side = server.start_kernel("dies.ipynb")
    tool = Tool(server, side.kernel_id)
    died = tool.run("import os; os._exit(1)")
    assert died["trouble"] == "dead"

    assert tool.run("'restarted by Jupyter'")["status"] == "ok"
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        found: list[dict[str, Any]] = []

        def die(cell: Cell) -> None:
            if cell.outputs and not found:
                found.append(tool.run("import os; os._exit(1)"))
                raise _DiedError

        with pytest.raises(_DiedError):
            kernel.run("%%acp demo\nslow rate=5", watched=True, on_progress=die)
    assert found[0]["trouble"] == "dead"
    stop(server)
    assert Tool(server, "none").run("1")["trouble"] == "no_kernel"


def test_code_for_a_kernel_that_has_just_died_waits_for_the_next(server: JupyterServer) -> None:
    """Jupyter looks every three seconds whether its kernels live, and starts them again."""
    side = server.start_kernel("killed.ipynb")
    tool = Tool(server, side.kernel_id)
    ran = tool.run("import os; os.getpid()")
    killed = int(ran["outputs"][0]["data"]["text/plain"])
    os.kill(killed, signal.SIGKILL)
    again = tool.run("import os; os.getpid()")
    if again.get("trouble") == "dead":  # Jupyter has restarted it in the moment of the first look
        again = tool.run("import os; os.getpid()")
    assert again.get("status") == "ok", again
    assert int(again["outputs"][0]["data"]["text/plain"]) != killed


def test_a_restart_loses_the_variables(server: JupyterServer) -> None:
    side = server.start_kernel("restarts.ipynb")
    tool = Tool(server, side.kernel_id)
    first = tool.run("kept = 1")
    assert first.get("status") == "ok", first
    assert tool("variables")["variables"] == [
        {"name": "kept", "type": "int", "detail": "", "preview": "1"}
    ]
    assert tool("restart") == {}
    assert tool("variables")["variables"] == []


def test_a_turn_goes_on_when_its_kernel_is_restarted(server: JupyterServer) -> None:
    """Jupyter interrupts it first, and its cell takes that for the user's; `%acp cancel` stops."""
    side = server.start_kernel("left.ipynb")

    def restart(cell: Cell) -> None:
        if cell.outputs:
            with server.user() as user:
                user.post(f"{server.url}api/kernels/{side.kernel_id}/restart").raise_for_status()
            raise _DiedError

    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        with pytest.raises(_DiedError):
            kernel.run("%%acp demo\nslow rate=5", watched=True, on_progress=restart)
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        assert kernel.run("%acp cancel").ok().printed == "Stopped 1 turn.\n"


def test_a_busy_kernel_is_told_in_words(
    server: JupyterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = server.start_kernel("busy.ipynb")
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        tool = Tool(server, side.kernel_id)
        asked: list[Future[dict[str, Any]]] = []

        def ask(_cell: Cell) -> None:
            if not asked and (server.root / "begun").exists():
                asked.append(tool.later(lambda: tool.run("'ran behind it'")))

        kernel.run(SLEEPS.replace("600", "1"), on_progress=ask).ok()
        assert (
            asked[0].result(PATIENCE_SECONDS)["outputs"][0]["data"]["text/plain"]
            == "'ran behind it'"
        )
    (server.root / "begun").unlink()


def test_errors_of_the_door_are_seen(tool: Tool) -> None:
    with pytest.raises(httpx.HTTPStatusError):
        tool("no_such_operation")
