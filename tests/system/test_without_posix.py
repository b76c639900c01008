"""Server, kernel, supervisor and demo agent, where the system has nothing but what Windows has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, start_turn

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An environment with all of this one's packages, in each of whose processes POSIX is taken."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(folder)})
    lines = [
        f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})",
        f"import sys; sys.path.append({str(SUPPORT)!r}); import without_posix",
    ]
    Path(packages, "without_posix.pth").write_text("\n".join(lines))
    return str(folder / "bin" / "python")


@pytest.fixture(scope="module")
def server(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A server in that environment."""
    with JupyterServer(
        tmp_path_factory.mktemp("server"),
        python=python,
        config="c.ServerApp.jpserver_extensions = {'acp_jupyter': True}",
        env={"ACP_JUPYTER_PORTABLE": "1", "VIRTUAL_ENV": str(Path(python).parents[1])},
    ) as server:
        (server.root / "data.csv").write_text("a,b\n1,2\n")
        yield server


IMPORTS_ALL = """
import importlib, json, pkgutil, sys
import acp_jupyter

failed, done = {}, 0
for module in pkgutil.walk_packages(acp_jupyter.__path__, "acp_jupyter."):
    if module.name.endswith("__main__") or module.name in sys.argv[1:]:
        continue
    try:
        importlib.import_module(module.name)
        done += 1
    except Exception as error:
        failed[module.name] = repr(error)
print(json.dumps([failed, done]))
"""

POSIX_ONLY = (
    "acp_jupyter.host.sandbox.forward",
    "acp_jupyter.system.processes.job_object",
    "acp_jupyter.system.processes.posix_link",
    "acp_jupyter.system.processes.posix_pipes",
    "acp_jupyter.system.processes.supervise",
)
"""Imported where the system is known to have what they need."""


def test_every_module_can_be_imported(python: str) -> None:
    ended = subprocess.run(
        [python, "-c", IMPORTS_ALL, *POSIX_ONLY],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "ACP_JUPYTER_PORTABLE": "1"},
    )
    failed, done = json.loads(ended.stdout.splitlines()[-1])
    assert failed == {}
    assert done > 400


def test_what_is_taken_is_gone_in_this_package_alone(python: str) -> None:
    code = (
        "import os, acp_jupyter.host.process.agent_process as own;"
        "print(hasattr(os, 'killpg'), hasattr(own.os, 'killpg'), hasattr(own.os, 'getpid'))"
    )
    ended = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "True False True\n"


def test_a_turn_of_the_panel_reads_changes_and_runs(server: JupyterServer) -> None:
    with server.user() as user:
        made = user.post("sessions", json={"agent": "demo", "cwd": str(server.root)})
        session = made.raise_for_status().json()["session_id"]
        turn = finished(user, start_turn(user, session, "What is in this folder?"))
        assert turn["turn"]["stop_reason"] == "end_turn"
        assert "data.csv" in json.dumps(turn)


def test_a_turn_of_a_cell_has_its_output(server: JupyterServer) -> None:
    side = server.start_kernel("a.ipynb")
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        output = kernel.run("%%acp demo\nWhat is in this folder?").ok().output
        assert "data.csv" in output.data["text/plain"]


def test_nothing_failed_late(server: JupyterServer) -> None:
    log = server.log.read_text()
    assert "Traceback" not in log
    assert "has no attribute" not in log
