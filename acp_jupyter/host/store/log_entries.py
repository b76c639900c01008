"""Entries of a traffic log: reading, copying for a fork, and merging chunks.

Lines that are no entry, such as a torn last one, are skipped. Consecutive chunks of one message
are merged before they are reduced: agents write thousands in a second, and merged they cost one
step of the transcript.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.log.log import read_log
from acp_jupyter.protocol.traffic import TextChunk, TrafficEntry, text_chunk

_LEFT_OUT = {"session_opened", "session_attached"}


def copy_log(parent: Path, child: Path, opening: SessionOpened, at: float) -> None:
    """Write the log of a fork: the parent's entries after an opening of its own. Blocks.

    Turns get new ids: an id names one turn of one session.

    Raises
    ------
    OSError
        The log could not be written.
    """
    child.parent.mkdir(mode=0o700, parents=True)
    try:
        with child.open("x", encoding="utf-8") as file:
            child.chmod(0o600)
            for entry in _entries(parent, opening, at):
                file.write(_line(entry))
    except BaseException:
        shutil.rmtree(child.parent, ignore_errors=True)
        raise


def _entries(parent: Path, opening: SessionOpened, at: float) -> Iterator[TrafficEntry]:
    yield TrafficEntry(0, at, "!", opening.model_dump(mode="json"))
    names: dict[str, str] = {}
    for entry in read_traffic(parent):
        if entry.direction != "!":
            yield entry
            continue
        note = dict(entry.message)
        if note.get("note") in _LEFT_OUT:
            continue
        turn_id = note.get("turn_id")
        if isinstance(turn_id, str):
            note["turn_id"] = names.setdefault(turn_id, uuid.uuid4().hex)
        # A cell's output belongs to the turn of the parent.
        note.pop("origin", None)
        yield TrafficEntry(entry.seq, entry.t, "!", note)


def _line(entry: TrafficEntry) -> str:
    record: dict[str, Any] = {"seq": entry.seq, "t": entry.t, "d": entry.direction}
    if entry.re is not None:
        record["re"] = entry.re
    record["m"] = entry.message
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


_CHARS = 65_536


class ChunkMerger:
    """Merges consecutive chunks of one message or thought.

    Agents write thousands of chunks in a second; merged, they cost one step of the transcript and
    not thousands. The transcript is the same.
    """

    def __init__(self) -> None:
        self._first: TrafficEntry | None = None
        self._last = 0
        self._chunk: TextChunk | None = None
        self._pieces: list[str] = []
        self._chars = 0

    def add(self, entry: TrafficEntry) -> bool:
        """Add an entry if it continues the merged text or begins one; return whether added."""
        chunk = text_chunk(entry.message) if entry.direction == "<" else None
        if chunk is None or self._chars > _CHARS:
            return False
        if self._first is None:
            self._first, self._chunk = entry, chunk
        elif self._chunk is None or chunk[:3] != self._chunk[:3]:
            return False
        self._last = entry.seq
        self._pieces.append(chunk.text)
        self._chars += len(chunk.text)
        return True

    def take(self) -> TrafficEntry | None:
        """Remove and return the merged entry; None if there is none."""
        first, chunk = self._first, self._chunk
        if first is None or chunk is None:
            return None
        self._first = self._chunk = None
        pieces, self._pieces, self._chars = self._pieces, [], 0
        if len(pieces) == 1:
            return first
        return TrafficEntry(self._last, first.t, "<", chunk.with_text("".join(pieces)))


def lacks_lines(path: Path) -> bool:
    """Return whether a log lost lines at its end without a note about it."""
    try:
        mode, folder = path.stat().st_mode, path.parent.stat().st_mode
        return bool(mode & 0o1000) or (not mode & 0o200 and bool(folder & 0o200))
    except FileNotFoundError:
        return False


def read_entry(line: bytes) -> TrafficEntry | None:
    """Parse one line of a log; None if it is no entry."""
    try:
        record = read_json(line.decode())
    except (ValueError, RecursionError):
        return None
    match record:
        case {"seq": int(seq), "t": int(t) | float(t), "d": ">" | "<" | "!" as side, "m": dict(m)}:
            re = record.get("re")
            return TrafficEntry(seq, t, side, m, re if isinstance(re, int) else None)
        case _:
            return None


def read_traffic(path: Path) -> Iterator[TrafficEntry]:
    """Yield the entries of a log. Lines that are no entry, such as a torn last one, are skipped."""
    with path.open("rb") as file:
        yield from read_entries(file)


def read_entries(lines: Iterable[bytes]) -> Iterator[TrafficEntry]:
    """Yield the entries of a log's lines, as `read_traffic` does."""
    return (found for found in read_log(lines) if isinstance(found, TrafficEntry))
