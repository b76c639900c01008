"""A tab in the background while an answer streams for ten minutes, then shown again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from tests.bench.measure import PROBE
from tests.support.agents.fake_agent import script
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.tabs import background, tabs
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.wait import eventually

__all__ = ["HIDDEN_SECONDS", "Hidden", "measure_hidden"]

HIDDEN_SECONDS = 600
_RATE = 100
_MORE_SECONDS = 120
_DRAWN = "#acp-jupyter-panel .acp-turn:last-of-type .acp-prose"


@dataclass(frozen=True, slots=True)
class Hidden:
    """How soon the tab was up to date when it was shown."""

    frozen: bool
    """As the browser does it after minutes; else its timers are slow, and it draws nothing."""
    seconds: float
    """In the background, while the agent wrote at `rate` until the end."""
    rate: int
    caught_up: float
    """Seconds from when it was shown to the last word's paint."""
    long_task_max_ms: float
    tasks: int
    """Over 50 ms, of anybody."""
    elements: int


def measure_hidden(browser: Browser, folder: Path, seconds: float = HIDDEN_SECONDS) -> list[Hidden]:
    """Stream into the panel of a hidden tab, and of a frozen one."""
    writes = folder / "writes"
    agents = {"measured": script("measured", str(writes))}
    with (
        JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server,
        tabs(browser, folder / "profile") as context,
    ):
        context.add_init_script(PROBE)
        lab = LabPage(Visitor(browser, folder, traced=False, profile=context), server)
        (server.root / "here").mkdir(exist_ok=True)
        lab.open_empty("here")
        return [
            stream_hidden(lab, "measured", writes, seconds, frozen=frozen)
            for frozen in (False, True)
        ]


def stream_hidden(
    lab: LabPage, agent: str, writes: Path, seconds: float, *, frozen: bool
) -> Hidden:
    """Have an answer streamed in a new session while the tab is in the background."""
    page, panel = lab.page, lab.panel
    lab.command("acp-jupyter:new-session")
    panel.choose_agent(agent)
    writes.unlink(missing_ok=True)
    page.evaluate("selector => bench.arm(selector, false)", _DRAWN)
    panel.say(f"bench N={int(seconds * _RATE)} size=20 rate={_RATE}")
    page.locator(_DRAWN).wait_for()
    with background(page, frozen=frozen):
        eventually(writes.exists, "the agent's end", seconds=seconds + _MORE_SECONDS)
        shown = time.time()
    page.wait_for_function("bench.ended()", timeout=_MORE_SECONDS * 1_000, polling=100)
    page.wait_for_timeout(1_000)
    result = page.evaluate("bench.result()")
    tasks = [duration for start, duration in result["tasks"] if start >= shown]
    return Hidden(
        frozen=frozen,
        seconds=seconds,
        rate=_RATE,
        caught_up=result["end"] - shown,
        long_task_max_ms=max(tasks, default=0.0),
        tasks=len(tasks),
        elements=result["elements"],
    )
