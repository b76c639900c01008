"""A session of 5,000 items in the side panel: how soon it is there, how smoothly it scrolls."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.log.long_log import ITEMS, long_log
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS

__all__ = ["LongSession", "measure_long_session"]

_WATCH = """() => {
  const seen = (window.acpFrames = { tasks: [], deltas: [] });
  const note = list => seen.tasks.push(...list.getEntries().map(e => e.duration));
  new PerformanceObserver(note).observe({ type: 'longtask' });
  let last = performance.now();
  const frame = now => {
    seen.deltas.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
_OPEN = """title => new Promise(resolve => {
  const panel = document.querySelector('#acp-jupyter-panel');
  const start = performance.now();
  panel.querySelector(`.acp-sessions button.s`).click();
  const look = () => {
    const text = panel.querySelector('.acp-log')?.textContent ?? '';
    if (text.includes(title)) {
      setTimeout(() => resolve(performance.now() - start));
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
})"""


@dataclass(frozen=True, slots=True)
class LongSession:
    """What a person waits for, and what stutters."""

    items: int
    open_ms: float
    """From the click in the list to the last answer on the page."""
    mounted_at_open: int
    """Elements in the log."""
    frames: int
    """While all of it was scrolled through, to the beginning."""
    frame_p99_ms: float
    frame_max_ms: float
    long_tasks: int
    """Tasks over 50 ms among them."""
    long_task_max_ms: float
    mounted_max: int
    scroll_seconds: float
    heap_mb: float
    """What the page's JavaScript holds more than before it was opened, when all is scrolled."""
    renderer_mb: float
    """The same of the page's process."""


def measure_long_session(browser: Browser, folder: Path) -> LongSession:
    """Import the session, open it, scroll to its beginning by the wheel."""
    with JupyterServer(folder, app="jupyterlab", args=LAB_ARGS) as server, server.user() as client:
        content, query = long_log(), {"name": "long.jsonl"}
        client.post("import", content=content, params=query, timeout=120).raise_for_status()
        visitor = Visitor(browser, folder, traced=False)
        try:
            lab = LabPage(visitor, server)
            (server.root / "here").mkdir()
            lab.open_empty("here")
            return _measure(lab.page, lab.panel)
        finally:
            visitor.close()


def _measure(page: Page, panel: PanelView) -> LongSession:
    panel.show_list()
    expect(panel.listed("Imported").first).to_be_visible()
    heap, held = _memory(page)
    open_ms = float(page.evaluate(_OPEN, "END"))
    mounted = [_mounted(page)]
    expect(panel.log).to_contain_text("Answer 249.7")
    page.wait_for_timeout(1_000)  # the page rests, as before anybody scrolls
    page.evaluate(_WATCH)
    box = panel.log.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    started = time.monotonic()
    while time.monotonic() - started < 120:
        page.mouse.wheel(0, -1_200)
        if len(mounted) % 10 == 0 and "Prompt 0:" in (panel.log.text_content() or ""):
            break
        mounted.append(_mounted(page) if len(mounted) % 5 == 0 else mounted[-1])
    seconds = time.monotonic() - started
    seen = page.evaluate("window.acpFrames")
    heap_after, held_after = _memory(page)
    deltas = sorted(seen["deltas"])
    return LongSession(
        items=ITEMS,
        open_ms=open_ms,
        mounted_at_open=mounted[0],
        frames=len(deltas),
        frame_p99_ms=deltas[int(len(deltas) * 0.99)],
        frame_max_ms=deltas[-1],
        long_tasks=len(seen["tasks"]),
        long_task_max_ms=max(seen["tasks"], default=0.0),
        mounted_max=max(mounted),
        scroll_seconds=seconds,
        heap_mb=heap_after - heap,
        renderer_mb=held_after - held,
    )


def _mounted(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('#acp-jupyter-panel .acp-log *').length"))


def _memory(page: Page) -> tuple[float, float]:
    """Return megabytes of the page's JavaScript heap, and of all pages' processes."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("HeapProfiler.collectGarbage")
    heap = cdp.send("Runtime.getHeapUsage")["usedSize"]
    cdp.detach()
    renderers = (
        process.memory_full_info().uss
        for process in psutil.Process().children(recursive=True)
        if "--type=renderer" in process.cmdline()
    )
    return heap / 2**20, sum(renderers) / 2**20
