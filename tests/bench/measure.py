"""One measured run: what the page saw, what the processes paid."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import CDPSession, Page

from acp_jupyter.agents.demo import talk_tasks
from tests.support.deflate import deflated_bytes

__all__ = ["PROBE", "Load", "Meter", "Run", "event_text"]

PROBE = Path(__file__).with_name("probe.js").read_text()
_END_MS = 120_000


@dataclass(frozen=True, slots=True)
class Load:
    """What the agent writes."""

    count: int
    rate: float
    size: int = 20
    whole: str = ""
    """Another text than the demo agent's."""

    @property
    def name(self) -> str:
        pace = f"at {self.rate:g}/s" if self.rate else "flat out"
        return f"{self.count:,} chunks of {self.size} characters {pace}"

    @property
    def text(self) -> str:
        return self.whole or talk_tasks.exactly(self.count * self.size)


@dataclass(frozen=True, slots=True)
class Run:
    """The numbers of one run. Seconds, unless a name says otherwise."""

    painted_after: float
    """From the agent's last write to the last character painted."""
    frames: int
    message_ratio: float
    """Bytes of WebSocket messages over bytes of the text in them."""
    wire_ratio: float
    """The same as the socket sends them: compressed, where that was agreed."""
    long_task_sum_ms: float
    long_task_max_ms: float
    own_script_max_ms: float
    """The longest script of the subject itself in a frame over 50 ms."""
    server_cpu: float
    browser_cpu: float
    """All processes of the browser."""
    page_cpu: float
    """Main thread of the page."""
    elements: int
    """In the page, when all is done."""
    max_elements: int
    """In the page, in any frame."""
    layouts: int
    tasks: int
    """Over 50 ms."""
    delay_p50_ms: float | None = None
    """From a chunk's write to its paint."""
    delay_p99_ms: float | None = None


@dataclass
class Meter:
    """Reads the clocks of a page, its browser and a server.

    Parameters
    ----------
    page
        With `PROBE` in it.
    server
        Whose processor time counts.
    text_of
        Returns the streamed text in a WebSocket message.
    drawn
        CSS selector of what holds the text.
    scripts
        Part of the addresses of its own scripts.
    """

    page: Page
    server: psutil.Process
    text_of: Callable[[str], str]
    drawn: str
    scripts: str = ""
    _cdp: CDPSession = field(init=False)
    _deflated: set[str] = field(init=False, default_factory=set)
    _frames: list[str] = field(init=False, default_factory=list)
    _before: tuple[float, float, float] = field(init=False, default=(0.0, 0.0, 0.0))
    _layouts: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._cdp = self.page.context.new_cdp_session(self.page)
        self._cdp.on("Network.webSocketFrameReceived", self._on_frame)
        self._cdp.on("Network.webSocketHandshakeResponseReceived", self._on_handshake)
        self._cdp.send("Network.enable")
        self._cdp.send("Performance.enable")

    def arm(self, load: Load) -> None:
        """Begin to measure."""
        self._frames = []
        self.page.evaluate("new Promise(then => requestIdleCallback(then, {timeout: 10000}))")
        self.page.evaluate("args => bench.arm(...args)", [self.drawn, bool(load.rate)])
        self._layouts = int(self._metric("LayoutCount"))
        self._before = self._cpu()

    def finish(self, load: Load, last_write: Callable[[], tuple[float, float]]) -> Run:
        """Wait for the end of the text; ``last_write`` returns the agent's first and last write."""
        self.page.wait_for_function("bench.ended()", timeout=_END_MS, polling=100)
        first, last = last_write()
        # What the end of a turn costs belongs to it: the full pass, the saved record.
        self.page.wait_for_timeout(1000)
        server, browser, page = (a - b for a, b in zip(self._cpu(), self._before, strict=True))
        result = self.page.evaluate("bench.result()")
        # Before its first chunk a cell has costs that are JupyterLab's own.
        tasks = [duration for start, duration in result["tasks"] if start >= first]
        own = [
            duration
            for start, duration, source in result["scripts"]
            if start >= first and self.scripts in source
        ]
        payload = len(load.text.encode())
        delays = _delays(load, result["samples"], first, last) if load.rate else []
        return Run(
            painted_after=result["end"] - last,
            frames=len(self._frames),
            message_ratio=sum(len(frame.encode()) for frame in self._frames) / payload,
            wire_ratio=self._on_the_wire() / payload,
            long_task_sum_ms=sum(tasks),
            long_task_max_ms=max(tasks, default=0.0),
            own_script_max_ms=max(own, default=0.0),
            server_cpu=server,
            browser_cpu=browser,
            page_cpu=page,
            elements=result["elements"],
            max_elements=max(result["elements"], result["most"]),
            layouts=int(self._metric("LayoutCount")) - self._layouts,
            tasks=len(tasks),
            delay_p50_ms=1000 * statistics.median(delays) if delays else None,
            delay_p99_ms=1000 * statistics.quantiles(delays, n=100)[98] if delays else None,
        )

    def _on_frame(self, event: dict[str, Any]) -> None:
        payload = event["response"]["payloadData"]
        if self.text_of(payload):
            self._frames.append(payload)

    def _on_handshake(self, event: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in event["response"]["headers"].items()}
        if "permessage-deflate" in headers.get("sec-websocket-extensions", ""):
            self._deflated.add(event["requestId"])

    def _on_the_wire(self) -> int:
        if self._deflated:
            return deflated_bytes(self._frames)
        return sum(len(frame.encode()) for frame in self._frames)

    def _cpu(self) -> tuple[float, float, float]:
        task = self._metric("TaskDuration")
        browser = (_seconds(p) for p in psutil.process_iter() if _is_browser(p))
        return _seconds(self.server), sum(browser), task

    def _metric(self, name: str) -> float:
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return float(next(m["value"] for m in metrics if m["name"] == name))


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _is_browser(process: psutil.Process) -> bool:
    """Of all browsers on the machine, count only ours."""
    try:
        ours = psutil.Process() in process.parents()
        return ours and "chrom" in process.name()
    except psutil.Error:
        return False


def _delays(
    load: Load, samples: Sequence[tuple[int, float]], first: float, last: float
) -> list[float]:
    """Return for each chunk how long after its write it was painted.

    The agent writes at a steady pace, so its first and last write tell the others.
    """
    text = load.text
    starts = range(load.size, len(text) + 1, load.size)
    # As long as the new answer is not there, a former one may be what is drawn last.
    emptiest = min(range(len(samples)), key=lambda index: samples[index][0])
    samples = samples[emptiest:]
    shown = [_letters(text[:end]) for end in starts]
    scale = max(count for count, _ in samples) / shown[-1]
    assert scale > 0, "nothing was drawn where the text was looked for"
    step = (last - first) / max(1, load.count - 1)
    delays = []
    at = 0
    for number, letters in enumerate(shown):
        while at < len(samples) - 1 and samples[at][0] < letters * scale:
            at += 1
        delays.append(samples[at][1] - (first + number * step))
    return delays


def _letters(markdown: str) -> int:
    """Count what is drawn of Markdown: no numbers of list items, no language of a fence."""
    drawn = re.sub(r"^(```\w*|\d+\.)", "", markdown, flags=re.MULTILINE)
    return len(re.sub(r"[^A-Za-z0-9]+", "", drawn))


def event_text(payload: str) -> str:
    """Return the text that live events of ours append."""
    if not payload.startswith('{"type":"events"'):
        return ""
    events = json.loads(payload)["events"]
    return "".join(event["text"] for event in events if event["kind"] == "text_appended")
