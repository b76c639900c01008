"""Typing in a cell while an agent streams into the side panel: how late a key is painted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import PanelView
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace

__all__ = ["LATE_MS", "Keys", "Typing", "measure_typing"]

LATE_MS = 50
_RATE = 200
_PACE = 0.08
"""Seconds between two keys: a fast typist."""
_LINE = "total = sum(row.value for row in rows if row.kept) + offset  # so far "
_WATCH = """() => {
  window.acpKeys = { painted: [], told: 0 };
  const painted = at => {
    const channel = new MessageChannel();
    // A message posted in a frame comes when that frame was drawn.
    channel.port1.onmessage = () => acpKeys.painted.push(performance.now() - at);
    channel.port2.postMessage(null);
  };
  document.addEventListener('keydown', event => {
    const at = event.timeStamp;
    requestAnimationFrame(() => painted(at));
  }, true);
  const note = list => {
    for (const entry of list.getEntries()) {
      if (entry.name === 'keydown') acpKeys.told = Math.max(acpKeys.told, entry.duration);
    }
  };
  new PerformanceObserver(note).observe({ type: 'event', durationThreshold: 16 });
}"""


@dataclass(frozen=True, slots=True)
class Keys:
    """Milliseconds from the press of a key to its paint."""

    count: int
    p50: float
    p99: float
    longest: float
    late: int
    """Later than `LATE_MS`."""
    told_longest: float
    """By the browser's own Event Timing, in steps of 8 ms; 0: none over 16 ms."""


@dataclass(frozen=True, slots=True)
class Typing:
    """Each round typed twice, in turns."""

    rate: int
    alone: tuple[Keys, ...]
    streaming: tuple[Keys, ...]


def measure_typing(browser: Browser, folder: Path, rounds: int) -> Typing:
    """Type in a notebook beside the open panel, with and without a stream in it."""
    with JupyterServer(folder, app="jupyterlab", args=LAB_ARGS) as server:
        visitor = Visitor(browser, folder, traced=False)
        lab = LabPage(visitor, server)
        notebook = lab.open(Workspace(server.root, "typing").notebook("", "pass"))
        notebook.wait_for_kernel()
        panel = lab.panel
        panel.choose_agent("demo")
        panel.say("help")
        expect(panel.log).to_have_attribute("aria-busy", "false")
        lab.page.evaluate(_WATCH)
        _type(lab.page, notebook)  # warm
        alone, streaming = [], []
        for _ in range(rounds):
            alone.append(_type(lab.page, notebook))
            streaming.append(_type_beside_stream(lab.page, notebook, panel))
        visitor.close()
    return Typing(_RATE, tuple(alone), tuple(streaming))


def _type_beside_stream(page: Page, notebook: OpenNotebook, panel: PanelView) -> Keys:
    panel.say(f"bench N={_RATE * 60} size=20 rate={_RATE}")
    expect(panel.log.locator(".live")).to_contain_text(" ")
    keys = _type(page, notebook)
    # It has streamed all the while.
    expect(panel.log).to_have_attribute("aria-busy", "true")
    panel.stop.click()
    expect(panel.log).to_have_attribute("aria-busy", "false")
    return keys


def _type(page: Page, notebook: OpenNotebook) -> Keys:
    notebook.set_source(0, "")
    notebook.cell(0).locator(".cm-content").click()
    page.evaluate("Object.assign(acpKeys, { painted: [], told: 0 })")
    due = time.monotonic()
    for key in _LINE:
        page.keyboard.press("Space" if key == " " else key)
        due += _PACE
        page.wait_for_timeout(max(0.0, due - time.monotonic()) * 1000)
    page.wait_for_function("count => acpKeys.painted.length >= count", arg=len(_LINE))
    # Every key has arrived, in the cell.
    expect(notebook.cell(0).locator(".cm-content")).to_contain_text("# so far")
    seen = page.evaluate("acpKeys")
    return _keys(seen["painted"], seen["told"])


def _keys(delays: Sequence[float], told: float) -> Keys:
    return Keys(
        len(delays),
        statistics.median(delays),
        statistics.quantiles(delays, n=100)[98],
        max(delays),
        sum(delay > LATE_MS for delay in delays),
        told,
    )
