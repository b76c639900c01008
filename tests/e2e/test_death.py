"""Agents that die, and hosts that die: one is told, the other leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.processes import any_alive, family
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import PATIENCE_SECONDS, eventually

LOAD = "%load_ext acp_jupyter"
DEMO = "acp_jupyter.agents.demo"


def test_kill_of_the_agent_in_mid_turn(
    lab: LabPage, workspace: Workspace, server: JupyterServer
) -> None:
    """The turn fails within a second, its question is gone, the next turn works."""
    nb = lab.open(
        workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0", "%%acp demo\nplan rate=0")
    )
    nb.load_extension()
    before = _demo_pids(server)
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    with AsUser(server) as user:
        session_id = user.session_of(nb.path)
        turn_id = user.newest_turn(session_id)
        request = user.permission(turn_id)
        (pid,) = _demo_pids(server) - before
        start = time.time()
        os.kill(pid, signal.SIGKILL)
        ended = user.ended(turn_id)["turn"]
        assert ended["stop_reason"] == "error"
        assert ended["ended_at"] - start < 1.0, "it took longer than a second"
        late = user.answer(session_id, request["request_id"], "once")
    assert (late.status_code, late.json()["reason"]) == (410, "permission_gone")
    expect(turn.permission).to_have_count(0)
    expect(turn.root.get_by_text(re.compile("killed by signal 9")).first).to_be_visible()
    nb.wait_for_end(1)
    assert workspace.clean_py == CLEAN_PY

    turn = nb.run(2)
    nb.wait_for_end(2)
    expect(turn.root).to_contain_text("The plan is ticked off.")
    assert (_demo_pids(server) - before).isdisjoint({pid})


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_agent_outlives_the_server(tmp_path: Path, number: int) -> None:
    """An orderly shutdown and ``kill -9``; the whole tree, with what agents started."""
    with JupyterServer(tmp_path, agents=fake_agents("orphan_grandchild", "slow_stream")) as server:
        with AsUser(server) as user:
            for agent in ("demo", "slow_stream"):
                folder = server.root / agent
                folder.mkdir()
                (folder / "clean.py").write_text(CLEAN_PY)
                session_id = user.new_session(agent, str(folder))
                turn_id = user.prompt(session_id, "edit clean.py rate=0")
                eventually(lambda t=turn_id: user.turn(t)["items"][1:])  # type: ignore[misc]
            session_id = user.new_session("orphan_grandchild", str(server.root))
            detail = user.ended(user.prompt(session_id, "fork"))
        orphan = _orphan(detail["items"])
        processes = family(server.pid)
        assert any(DEMO in command for command in processes.values())
        pids = {*processes, orphan}
        assert set(any_alive(pids)) == pids
        os.kill(server.pid, number)
        eventually(lambda: not any_alive(pids), f"all of {processes} end")


@pytest.mark.long
def test_no_agent_outlives_a_kernel_with_a_host_of_its_own(tmp_path: Path) -> None:
    """A kernel without a server, killed with -9 in mid-turn."""
    (tmp_path / "clean.py").write_text(CLEAN_PY)
    code = (
        "import acp_jupyter\n"
        "turn = acp_jupyter.connect('demo').prompt('slow rate=20')\n"
        "while not turn.text: pass"
    )
    with _lone_kernel(tmp_path) as manager:
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=PATIENCE_SECONDS)
        reply = client.execute_interactive(code, timeout=PATIENCE_SECONDS)
        assert reply["content"]["status"] == "ok", reply["content"]
        client.stop_channels()
        pid = manager.provisioner.pid  # type: ignore[union-attr]
        processes = family(pid)
        assert any(DEMO in command for command in processes.values()), processes
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: not any_alive(processes), f"all of {processes} end")


@contextmanager
def _lone_kernel(folder: Path) -> Iterator[KernelManager]:
    """Start a kernel of which no server knows."""
    env = {
        **os.environ,
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    (folder / "runtime").mkdir()
    env.pop("ACP_JUPYTER_URL", None)
    manager = KernelManager(connection_file=str(folder / "runtime" / "kernel-lone.json"))
    manager.start_kernel(env=env, cwd=str(folder))
    try:
        yield manager
    finally:
        manager.shutdown_kernel(now=True)


def _demo_pids(server: JupyterServer) -> set[int]:
    """Return the demo agents' own processes, not their supervisors."""
    supervised = "acp_jupyter.system.processes.supervise", "supervise.py"
    return {
        pid
        for pid, command in family(server.pid).items()
        if DEMO in command and not any(name in command for name in supervised)
    }


def _orphan(items: list[dict[str, object]]) -> int:
    text = "".join(str(item.get("text", "")) for item in items)
    found = re.search(r"orphan (\d+)", text)
    assert found is not None, text
    return int(found[1])
