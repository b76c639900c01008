"""What is measured: a turn in a cell, and the bare loop beside it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import httpx
import psutil
from playwright.sync_api import Browser, Page

from tests.bench.measure import PROBE, Load, Meter, Run, event_text
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

__all__ = ["BareLoop", "CellTurn", "Subject", "bare_loop", "cell_turn"]


class Subject(Protocol):
    """Something that shows a stream."""

    @property
    def name(self) -> str:
        """Of the table's row."""
        ...

    def run(self, load: Load) -> Run:
        """Show a load once."""
        ...


class CellTurn:
    """A blocking ``%%acp`` cell in JupyterLab, with the demo agent."""

    name = "turn in a cell"

    def __init__(self, notebook: OpenNotebook, user: AsUser, meter: Meter) -> None:
        self._notebook = notebook
        self._user = user
        self._meter = meter
        self._armed = 0.0

    def run(self, load: Load) -> Run:
        prompt = f"bench N={load.count} size={load.size} rate={load.rate:g}"
        self._notebook.lab.command("notebook:clear-all-cell-outputs")
        self._meter.arm(load)
        self._armed = time.time()
        self._notebook.run(1, f"%%acp demo\n{prompt}")
        run = self._meter.finish(load, self._writes)
        self._notebook.wait_for_end(1)
        return run

    def _writes(self) -> tuple[float, float]:
        """Read what the agent says of its own writes out of the session's traffic."""
        session_id = self._user.session_of(self._notebook.path)
        turn_id = self._user.newest_turn(session_id)
        self._user.ended(turn_id)
        told = eventually(lambda: self._told(session_id), "what the agent says of its writes")
        assert isinstance(told, dict)
        return told["lastWrite"] - told["seconds"], told["lastWrite"]

    def _told(self, session_id: str) -> dict[str, float] | None:
        """Return what it says of this turn: the page may be done before the log is written."""
        lines = self._user.text(f"sessions/{session_id}/traffic").splitlines()
        result = next(line for line in reversed(lines) if '"lastWrite"' in line)
        told: dict[str, float] = json.loads(result)["m"]["result"]["_meta"]["acp_jupyter.demo"]
        return told if told["lastWrite"] > self._armed else None


@contextmanager
def cell_turn(browser: Browser, folder: Path) -> Iterator[CellTurn]:
    """Open JupyterLab with a notebook whose agent runs."""
    visitor = Visitor(browser, folder, traced=False)
    visitor.context.add_init_script(PROBE)
    with (
        JupyterServer(folder / "server", app="jupyterlab", args=LAB_ARGS) as server,
        AsUser(server) as user,
    ):
        workspace = Workspace(server.root, "bench")
        lab = LabPage(visitor, server)
        # Before the page connects: the handshake is looked at too.
        process = psutil.Process(server.pid)
        drawn = ".jp-Cell-outputWrapper [role=log]"
        meter = Meter(lab.page, process, event_text, drawn, "/extensions/acp-jupyter/")
        notebook = lab.open(workspace.notebook("%load_ext acp_jupyter", "%%acp demo\nhelp"))
        notebook.load_extension()
        notebook.run_to_end(1)
        yield CellTurn(notebook, user, meter)
        visitor.close()


class BareLoop:
    """The control; see `tests.bench.bare_loop`."""

    def __init__(self, page: Page, url: str, meter: Meter, coalesce: float) -> None:
        gathered = f"one message per {coalesce * 1000:.0f} ms" if coalesce else "each chunk"
        self.name = f"bare loop, {gathered}"
        self._coalesce = coalesce
        self._url = url
        self._page = page
        self._meter = meter
        self._before = 0.0

    def run(self, load: Load) -> Run:
        wanted = {"count": load.count, "size": load.size, "rate": load.rate}
        self._meter.arm(load)
        self._page.evaluate("w => run(w)", {**wanted, "coalesce": self._coalesce})
        return self._meter.finish(load, self._writes)

    def _writes(self) -> tuple[float, float]:
        told = httpx.get(f"{self._url}last").raise_for_status().json()
        return told["firstWrite"], told["lastWrite"]


def _bare_text(payload: str) -> str:
    return str(json.loads(payload)["text"])


@contextmanager
def bare_loop(browser: Browser, coalesce: float) -> Iterator[BareLoop]:
    """Start the control and open its page."""
    command = [sys.executable, "-m", "tests.bench.bare_loop"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_init_script(PROBE)
            page = context.new_page()
            meter = Meter(page, psutil.Process(server.pid), _bare_text, "#text")
            page.goto(url)
            yield BareLoop(page, url, meter, coalesce)
            context.close()
        finally:
            server.terminate()
