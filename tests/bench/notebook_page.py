"""A notebook of 300 finished turns in JupyterLab, beside one of 3, and beside their words alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, CDPSession, Page, WebSocket

from tests.support.browser.chromium import Visitor
from tests.support.browser.finished_notebook import write_finished, write_words
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.wait import eventually

__all__ = ["REST_SECONDS", "NotebookCost", "Rest", "measure_notebook_page", "measure_rest"]

REST_SECONDS = 60
_SIZES = (3, 300)
_QUIET_SECONDS = 0.5
_QUIET_PART = 0.05
"""Of that time in which a page that has nothing to do may work all the same."""
_SHOWN = """() => document.querySelector('.jp-Notebook .jp-Cell[data-windowed-list-index="1"]')
  ?.textContent.includes('Answer turn-0-7')"""
_ELEMENTS = "document.querySelectorAll('.jp-OutputArea-output *').length"


@dataclass(frozen=True, slots=True)
class NotebookCost:
    """What one step costs in one notebook; medians of the rounds."""

    step: str
    outputs: str
    """What its cells hold: turns, or the words of these as Markdown."""
    turns: int
    seconds: float
    """Until a person sees it done."""
    page_cpu: float
    """Of the page's main thread, until it has nothing to do."""
    server_cpu: float
    kb: float
    """Over the WebSocket of this extension, both ways."""
    elements: float
    """In outputs, when the page has nothing to do."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a page does that nobody touches."""

    outputs: str
    turns: int
    seconds: float
    page_ms: float
    """Of the page's main thread."""
    script_ms: float
    """Of these in scripts of anybody."""
    requests: int
    own_requests: int
    own_frames: int
    """Over the WebSocket of this extension, both ways; its heartbeat is none of them."""


@dataclass
class _Clock:
    """Reads what a page and its server have used so far."""

    page: Page
    server: psutil.Process
    length: int = field(init=False, default=0)
    """Of all frames, in bytes."""
    frames: int = field(init=False, default=0)
    requests: list[str] = field(init=False, default_factory=list)
    _cdp: CDPSession = field(init=False)

    def __post_init__(self) -> None:
        self._cdp = self.page.context.new_cdp_session(self.page)
        self._cdp.send("Performance.enable")
        self.page.on("websocket", self._on_socket)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def metric(self, name: str) -> float:
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return float(next(m["value"] for m in metrics if m["name"] == name))

    def server_cpu(self) -> float:
        times = self.server.cpu_times()
        return float(times.user + times.system)

    def settle(self) -> None:
        """Wait until the page has nothing to do."""

        def quiet() -> bool:
            before = self.metric("TaskDuration")
            self.page.wait_for_timeout(1_000 * _QUIET_SECONDS)
            return self.metric("TaskDuration") - before < _QUIET_PART * _QUIET_SECONDS

        eventually(quiet, "the page has nothing to do", seconds=300)

    def _on_socket(self, socket: WebSocket) -> None:
        if "/acp-jupyter/api/stream" in socket.url:
            socket.on("framesent", self._on_frame)
            socket.on("framereceived", self._on_frame)

    def _on_frame(self, payload: str | bytes) -> None:
        self.frames += 1
        self.length += len(payload.encode() if isinstance(payload, str) else payload)


@dataclass
class _Book:
    """A notebook that is opened, worked in and closed again and again."""

    lab: LabPage
    clock: _Clock
    outputs: str
    turns: int

    @property
    def path(self) -> str:
        return f"{self.outputs}-{self.turns}.ipynb"

    def open(self) -> OpenNotebook:
        self.lab.command("docmanager:open", {"path": self.path})
        notebook = self.lab.notebook(self.path)
        self.lab.page.wait_for_function(_SHOWN, timeout=120_000)
        return notebook

    def prompt(self, notebook: OpenNotebook) -> None:
        """Run the last cell, until its output is in the file."""
        last = self.turns + 1
        notebook.run_to_end(last)
        if self.outputs == "turns":
            notebook.final_output(last)
        else:
            notebook.save()
        notebook.wait_until_clean()

    def round(self) -> Iterator[NotebookCost]:
        opened: list[OpenNotebook] = []
        yield self._cost("opening", lambda: opened.append(self.open()))
        (notebook,) = opened
        notebook.wait_for_kernel()
        # Who runs the last cell has gone to it.
        notebook.scroll_to(self.turns + 1)
        yield self._cost("next prompt", lambda: self.prompt(notebook))
        notebook.touch()
        yield self._cost("saving", notebook.save)
        yield self._cost("closing", notebook.close)

    def _cost(self, step: str, act: Callable[[], object]) -> NotebookCost:
        clock = self.clock
        clock.settle()
        before = (clock.metric("TaskDuration"), clock.server_cpu(), clock.length)
        began = time.monotonic()
        act()
        seconds = time.monotonic() - began
        clock.settle()
        after = (clock.metric("TaskDuration"), clock.server_cpu(), clock.length)
        page, server, sent = (a - b for a, b in zip(after, before, strict=True))
        elements = float(self.lab.page.evaluate(_ELEMENTS))
        return NotebookCost(
            step, self.outputs, self.turns, seconds, page, server, sent / 1e3, elements
        )


def measure_notebook_page(
    browser: Browser, folder: Path, rounds: int, sizes: Sequence[int] = _SIZES
) -> list[NotebookCost]:
    """Open, prompt, save and close each notebook in turn, in one page."""
    runs: dict[tuple[str, str, int], list[NotebookCost]] = {}
    with _books(browser, folder, sizes) as books:
        for _ in range(rounds):
            for book in books:
                for cost in book.round():
                    runs.setdefault((cost.step, cost.outputs, cost.turns), []).append(cost)
    return [_median(costs) for _, costs in sorted(runs.items())]


def measure_rest(
    browser: Browser, folder: Path, seconds: float = REST_SECONDS, sizes: Sequence[int] = _SIZES
) -> list[Rest]:
    """Leave a page alone with each notebook that is open, after a prompt."""
    rests: list[Rest] = []
    with _books(browser, folder, sizes) as books:
        for book in books:
            notebook = book.open()
            notebook.wait_for_kernel()
            book.prompt(notebook)
            rests.append(_rest(book, seconds))
            notebook.close()
    return rests


def _rest(book: _Book, seconds: float) -> Rest:
    clock = book.clock
    clock.settle()
    before, frames = [clock.metric(f"{name}Duration") for name in ("Task", "Script")], clock.frames
    clock.requests.clear()
    book.lab.page.wait_for_timeout(1_000 * seconds)
    page, script = (
        1e3 * (clock.metric(f"{name}Duration") - former)
        for name, former in zip(("Task", "Script"), before, strict=True)
    )
    own = sum("/acp-jupyter/" in url for url in clock.requests)
    return Rest(
        outputs=book.outputs,
        turns=book.turns,
        seconds=seconds,
        page_ms=page,
        script_ms=script,
        requests=len(clock.requests),
        own_requests=own,
        own_frames=clock.frames - frames,
    )


@contextmanager
def _books(browser: Browser, folder: Path, sizes: Sequence[int]) -> Iterator[list[_Book]]:
    """Write the notebooks, and warm what is warm for whoever works: kernels, agents, scripts."""
    with JupyterServer(
        folder, app="jupyterlab", agents=fake_agents("works"), args=LAB_ARGS
    ) as server:
        for turns in sizes:
            write_finished(server, f"turns-{turns}.ipynb", turns, "works")
            write_words(server, f"words-{turns}.ipynb", f"turns-{turns}.ipynb")
        visitor = Visitor(browser, folder, traced=False)
        lab = LabPage(visitor, server)
        clock = _Clock(lab.page, psutil.Process(server.pid))
        (server.root / "here").mkdir()
        lab.open_empty("here")
        books = [_Book(lab, clock, outputs, n) for outputs in ("words", "turns") for n in sizes]
        for book in books:
            notebook = book.open()
            notebook.load_extension()
            notebook.scroll_to(book.turns + 1)
            book.prompt(notebook)
            notebook.close()
        yield books
        visitor.close()


def _median(costs: Sequence[NotebookCost]) -> NotebookCost:
    columns: dict[str, Any] = {
        name: statistics.median(getattr(cost, name) for cost in costs)
        for name in ("seconds", "page_cpu", "server_cpu", "kb", "elements")
    }
    first = costs[0]
    return NotebookCost(first.step, first.outputs, first.turns, **columns)
