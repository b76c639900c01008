"""Reads the entries of a traffic log, and the prompts and answers in it.

Lines that are not entries, such as an incomplete last one, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.objects import items, obj, text
from acp_jupyter.protocol.traffic import TrafficEntry


def lacks_lines(path: Path) -> bool:
    """Return whether a log lacks lines at its end, without an entry that says so."""
    try:
        mode, folder = path.stat().st_mode, path.parent.stat().st_mode
        return bool(mode & 0o1000) or (not mode & 0o200 and bool(folder & 0o200))
    except FileNotFoundError:
        return False


def read_entry(line: bytes) -> TrafficEntry | None:
    """Parse one line of a log; None if it is not an entry."""
    try:
        fields = read_json(line.decode())
    except (ValueError, RecursionError):
        return None
    match fields:
        case {"seq": int(seq), "t": int(t) | float(t), "d": ">" | "<" | "!" as side, "m": dict(m)}:
            re = fields.get("re")
            return TrafficEntry(seq, t, side, m, re if isinstance(re, int) else None)
        case _:
            return None


def read_traffic(path: Path) -> Iterator[TrafficEntry]:
    """Yield the entries of a log; skip other lines, such as an incomplete last one."""
    with path.open("rb") as file:
        yield from read_entries(file)


def read_entries(lines: Iterable[bytes]) -> Iterator[TrafficEntry]:
    """Yield the entries of a log's lines, as `read_traffic` does."""
    return (found for found in read_log(lines) if isinstance(found, TrafficEntry))


class Said(NamedTuple):
    """A prompt that was sent, or an answer up to the next tool call."""

    turn_id: str
    where: Literal["prompt", "answer"]
    text: str


_SAID = re.compile(rb'"note":"(?:turn|replay)_|"agent_message_chunk"|"sessionUpdate":"tool_call"')
_SAID_LINE_BYTES = 4 * 1024 * 1024
_ANSWER_CHARS = 65_536


def read_said(lines: Iterable[bytes]) -> Iterator[Said]:
    """Yield prompts and answers from the lines of a log, without parsing most of them."""
    queued: dict[str, str] = {}
    turn_id, pieces, chars, repeated = "", list[str](), 0, False
    for line in lines:
        found = _SAID.search(line)
        if found is None or len(line) > _SAID_LINE_BYTES:
            continue
        is_chunk = found[0] == b'"agent_message_chunk"'
        if pieces and (not is_chunk or chars > _ANSWER_CHARS):
            yield Said(turn_id, "answer", "".join(pieces))
            pieces, chars = [], 0
        if (is_chunk and repeated) or b"tool_call" in found[0]:
            continue
        entry = read_entry(line)
        message = {} if entry is None else entry.message
        if is_chunk:
            update = obj(obj(message.get("params")).get("update"))
            pieces.append(text(obj(update.get("content")).get("text")))
            chars += len(pieces[-1])
            continue
        note, named = message.get("note"), text(message.get("turn_id"))
        if note in {"turn_queued", "turn_edited"}:
            blocks = items(message.get("prompt"))
            queued[named] = "\n".join(text(obj(block).get("text")) for block in blocks)
        elif note == "turn_started":
            turn_id = named
            yield Said(turn_id, "prompt", queued.pop(turn_id, ""))
        elif note in {"replay_started", "replay_ended"}:
            # An agent that loads a session replays what the log already has.
            repeated = note == "replay_started" and message.get("keep") is not True
    if pieces:
        yield Said(turn_id, "answer", "".join(pieces))
