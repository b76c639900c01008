"""A session of 100,000 items: how soon it is there after the server was started again."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.metadata import TRAFFIC_FILE, SessionMeta
from acp_jupyter.host.store.restore import Restored, read_session
from acp_jupyter.host.store.resume_point import DATA_FILE, HEAD_FILE
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState
from tests.support.log.long_log import ITEMS_OF_TURN, long_log

__all__ = ["Resume", "measure_resume"]

_TURNS = 4_762
"""Of 21 items each."""
_OPENING = SessionOpened(session_id="s", agent_id="a", agent_name="A", cwd="/w", folder="/w")
_META = SessionMeta(
    facts=SessionState(
        session_id="s", agent="a", agent_info=AgentInfo(id="a", name="A"), cwd="/w", folder="/w"
    )
)


@dataclass(frozen=True, slots=True)
class Resume:
    """What it costs; seconds are of the processor."""

    items: int
    lines: int
    log_mb: float
    point_mb: float
    write_us: float
    """To write the session, for each line, resume points and all."""
    points_us: float
    """Of it for resume points."""
    whole_seconds: float
    """To read the log from its start."""
    resumed_seconds: float
    """To read it from the last resume point, as after ``kill -9``."""
    resumed_wall: float
    lines_read: int
    snapshot_ms: float
    """To make what a page gets first."""


def measure_resume(folder: Path, turns: int = _TURNS) -> Resume:
    """Write a session as its host does, then read it with and without its resume point."""
    folder = folder / "s"
    lines, write, points = asyncio.run(_write(folder, turns))
    log = folder / TRAFFIC_FILE
    wall = time.monotonic()
    resumed, resumed_seconds = _timed_read(folder)
    wall = time.monotonic() - wall
    began = time.process_time()
    quiet = TrafficLog(folder.parent / "other" / TRAFFIC_FILE, Limits())
    journal = Journal(
        resumed.transcript, quiet, resumed.reader, 1, Limits(), lambda: None, resumed.spill
    )
    journal.snapshot()
    snapshot = time.process_time() - began
    quiet.close()
    point = sum((folder / name).stat().st_size for name in (HEAD_FILE, DATA_FILE))
    for name in (HEAD_FILE, DATA_FILE):
        (folder / name).unlink()
    _, whole_seconds = _timed_read(folder)
    return Resume(
        items=turns * ITEMS_OF_TURN,
        lines=lines,
        log_mb=log.stat().st_size / 1e6,
        point_mb=point / 1e6,
        write_us=1e6 * write / lines,
        points_us=1e6 * points / lines,
        whole_seconds=whole_seconds,
        resumed_seconds=resumed_seconds,
        resumed_wall=wall,
        lines_read=resumed.lines,
        snapshot_ms=1e3 * snapshot,
    )


def _timed_read(folder: Path) -> tuple[Restored, float]:
    began = time.process_time()
    restored = read_session(folder, _META)
    return restored, time.process_time() - began


async def _write(folder: Path, turns: int) -> tuple[int, float, float]:
    limits, began, points = Limits(), time.process_time(), 0.0
    log = TrafficLog(folder / TRAFFIC_FILE, limits)
    journal = Journal.begin(_OPENING, log, limits, lambda: None)
    for message in _messages(turns):
        await _enter(journal, message)
        if "stopReason" in message.get("result", {}):
            before = time.process_time()
            await journal.save_state(limits.resume_bytes)
            points += time.process_time() - before
    journal.flush(60)
    written = time.process_time() - began
    lines = journal.lines + 1
    journal.close()
    return lines, written, points


_ASKED: dict[int, int] = {}


async def _enter(journal: Journal, message: dict[str, Any]) -> None:
    number = next(journal.sequence)
    if message.get("method") == "session/prompt":
        _ASKED[message["id"]] = number + 2
        for note in ("turn_queued", "turn_started"):
            told = {"note": note, "turn_id": f"t{message['id']}"}
            prompt = {"prompt": message["params"]["prompt"]} if note == "turn_queued" else {}
            journal.enter(TrafficEntry(number, float(number), "!", {**told, **prompt}))
            number = next(journal.sequence)
    is_answer = "method" not in message
    asked = _ASKED.get(message["id"]) if is_answer else None
    side = "<" if is_answer or message["method"] == "session/update" else ">"
    raw = json.dumps(message, separators=(",", ":"))
    journal.enter(TrafficEntry(number, float(number), side, message, asked, raw))  # type: ignore[arg-type]
    if number % 100 == 0:
        await asyncio.sleep(0)


def _messages(turns: int) -> Iterator[dict[str, Any]]:
    for line in long_log(turns).splitlines():
        message: dict[str, Any] = json.loads(line)
        if message.get("method") != "session/new" and message.get("id") != 1:
            yield message
