"""What an agent still says after Stop, in the cell of a notebook that no page shows."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import eventually

CELL = """\
import os, signal, sys, threading, time
from IPython.utils.capture import capture_output
def waits(main=threading.main_thread().ident):
    frame = sys._current_frames()[main]
    while frame is not None and frame.f_code.co_name != "_wait":
        frame = frame.f_back
    return frame is not None
def interrupt():
    while not waits() or 'early' not in _acp.text:
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)
with capture_output() as captured:
    if {interrupted}:
        threading.Thread(target=interrupt).start()
    try:
        get_ipython().run_cell_magic("acp", "lingers", {sign!r})
    except KeyboardInterrupt:
        pass
print(captured.outputs[-1].data["text/markdown"])
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("late")
    with JupyterServer(folder, agents={"lingers": script("lingers")}) as server:
        yield server


class Lingering:
    """A cell whose agent says more when it is let, and what is done meanwhile."""

    def __init__(self, server: JupyterServer, sign: Path, name: str) -> None:
        self._server = server
        self._sign = sign
        self._name = name
        self.kernel = server.start_kernel(name)

    def session(self) -> dict[str, Any]:
        with self._server.user() as user:
            sessions = user.get("sessions").json()
        found = [each for each in sessions if each["notebook_path"] == self._name]
        return dict(found[0]) if found else {}

    def run(self, *, interrupted: bool = False) -> str:
        """Return what the cell shows in the end."""
        return self.kernel.run(CELL.format(sign=str(self._sign), interrupted=interrupted))

    def stop(self) -> None:
        """Stop the turn once the agent has begun, and let that go on once it was told."""
        session = f"sessions/{eventually(self.session)['session_id']}"
        with self._server.user() as user:
            eventually(lambda: "early" in user.get(f"{session}/items?start=0&end=9").text)
            user.post(f"{session}/cancel", json={}).raise_for_status()
        eventually(lambda: self.session()["held"])
        self.let()

    def let(self) -> None:
        self._sign.touch()


def test_a_cell_waits_for_what_comes_after_a_stop(server: JupyterServer, tmp_path: Path) -> None:
    cell = Lingering(server, tmp_path / "go", "stopped.ipynb")
    with ThreadPoolExecutor(1) as threads:
        stopped = threads.submit(cell.stop)
        shown = cell.run()
        stopped.result()
    assert shown.startswith("early and late\n\n*Stopped by you.*"), shown


def test_an_interrupted_cell_says_that_more_may_come(server: JupyterServer, tmp_path: Path) -> None:
    cell = Lingering(server, tmp_path / "go", "interrupted.ipynb")
    shown = cell.run(interrupted=True)
    cell.let()
    assert "*Stopped by you.*" in shown, shown
    session = cell.session()["session_id"][:8]
    assert f"had not answered the stop yet. What it still says is in session {session}." in shown
