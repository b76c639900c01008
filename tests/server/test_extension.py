"""The life of the extension: addresses, ends, and what counts as activity."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.sessions import SessionSummary
from acp_jupyter.server.extension import kernel_url
from acp_jupyter.server.kernels import Activity, Kernels
from tests.support.processes import any_alive, family
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import open_session, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

URL = "http://host.example:8888/base/"


def test_importing_the_package_imports_next_to_nothing() -> None:
    code = (
        "import sys; import acp_jupyter;"
        "print({m.split('.')[0] for m in sys.modules} & {'acp', 'tornado', 'pydantic', 'IPython',"
        " 'jupyter_server', 'traitlets', 'ipywidgets', 'anywidget', 'asyncio'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_neither_the_extension_nor_the_magics_import_the_protocols_sdk() -> None:
    """It takes the most of a second: who starts no agent does not wait for it."""
    code = (
        "import sys, acp_jupyter.server.extension, acp_jupyter.kernel.magics.ipython_extension;"
        "print({m.split('.')[0] for m in sys.modules} & {'acp', 'pydantic'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'pydantic'}"


@pytest.mark.parametrize(
    ("ip", "sock", "url"),
    [
        ("host.example", "", URL),
        ("0.0.0.0", "", "http://127.0.0.1:8888/base/"),
        ("", "", "http://127.0.0.1:8888/base/"),
        ("*", "", "http://127.0.0.1:8888/base/"),
        ("::", "", "http://[::1]:8888/base/"),
        ("localhost", "/run/jupyter.sock", None),
    ],
)
def test_kernels_are_given_an_address_that_resolves(ip: str, sock: str, url: str | None) -> None:
    assert kernel_url(URL, ip, sock) == url


def test_a_kernel_finds_a_server_with_a_base_url_on_every_address(tmp_path: Path) -> None:
    args = ["--ServerApp.ip=0.0.0.0", "--ServerApp.base_url=/pre/fix/"]
    env = {"ACP_JUPYTER_URL": "http://127.0.0.1:1/stale/"}
    with JupyterServer(tmp_path, args=args, env=env) as server:
        kernel = server.start_kernel("a.ipynb")
        found = kernel.run("import os; print(os.environ['ACP_JUPYTER_URL'])").strip()
        assert found.startswith("http://127.0.0.1:")
        assert found.endswith("/pre/fix/")
        server.url = found
        assert kernel.request("GET", "kernel").json()["kernel_id"] == kernel.kernel_id


def end_by_signal(server: JupyterServer) -> None:
    server.__exit__()


def end_by_kill(server: JupyterServer) -> None:
    server.kill()


@pytest.mark.parametrize("end", [end_by_signal, end_by_kill])
def test_no_agent_survives_the_server(tmp_path: Path, end: Callable[[JupyterServer], None]) -> None:
    agents = fake_agents("slow_stream", "orphan_grandchild", "permission")
    with JupyterServer(tmp_path, agents=agents) as server, server.user() as user:
        for agent in agents:
            start_turn(user, open_session(user, agent), "go")

        def running() -> list[str]:
            commands = family(server.pid).values()
            return [name for name in agents if any(f"fake_agent.py {name}" in c for c in commands)]

        eventually(lambda: len(running()) == len(agents))
        below = family(server.pid)
        end(server)
        eventually(lambda: not any_alive(below), f"all of {below} end")


def test_a_stopped_server_says_nothing_of_lost_tasks(tmp_path: Path) -> None:
    with (
        JupyterServer(tmp_path, agents=fake_agents("slow_stream")) as server,
        server.user() as user,
        server.stream() as stream,
    ):
        stream.recv(timeout=PATIENCE_SECONDS)
        start_turn(user, open_session(user, "slow_stream"), "go")
        server.__exit__()
    log = server.log.read_text()
    assert "Traceback" not in log
    assert "never awaited" not in log
    assert "was destroyed" not in log


# -- activity ------------------------------------------------------------------


class FakeKernel:
    last_activity: datetime | None = None


class FakeManagers:
    """A kernel manager with one kernel, and a session manager with its notebook."""

    def __init__(self) -> None:
        self.kernel = FakeKernel()

    def __contains__(self, kernel_id: str) -> bool:
        return kernel_id == "k1"

    def get_kernel(self, kernel_id: str) -> FakeKernel:
        assert kernel_id == "k1"
        return self.kernel

    async def get_session(self, **_where: str) -> dict[str, Any]:
        return {"type": "notebook", "path": "a.ipynb", "kernel": {"id": "k1"}}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "works"),
    [
        ("starting", True),
        ("running", True),
        ("requires_action", True),
        ("idle", False),
        ("stopped", False),
    ],
)
async def test_an_agent_at_work_keeps_server_and_kernel_awake(status: str, works: bool) -> None:
    managers: Any = FakeManagers()
    times: dict[str, datetime] = {}
    summary = SessionSummary.model_validate(
        {
            "session_id": "s",
            "title": "",
            "agent_id": "a",
            "agent_name": "A",
            "status": status,
            "notebook_path": "a.ipynb",
        }
    )

    async def sessions() -> list[SessionSummary]:
        return [summary]

    activity = Activity(times, sessions, Kernels(managers, managers), 24)
    before = datetime.now(UTC)
    await activity.update()
    assert activity.working is works
    assert (managers.kernel.last_activity is not None) is works
    assert list(times) == (["acp_jupyter"] if works else [])
    for moment in times.values():
        assert before <= moment <= datetime.now(UTC)
    if status == "requires_action":
        impatient = Activity({}, sessions, Kernels(managers, managers), 0)
        await impatient.update()
        assert not impatient.working
    summary = summary.model_copy(update={"status": "idle"})
    await activity.update()
    assert not activity.working
    summary = summary.model_copy(update={"background": 1})
    await activity.update()
    assert activity.working
