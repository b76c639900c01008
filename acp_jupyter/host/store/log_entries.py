"""Entries of a traffic log: written as lines without secrets, read, copied for a fork, and merged.

Lines that are not entries, such as an incomplete last one, are skipped. Consecutive chunks of one
message are merged before they are reduced: agents write thousands per second, and merged they cost
one step of the transcript.
"""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.large.long_json import read_long_json
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.objects import items, obj, text
from acp_jupyter.protocol.traffic import LONG_CHARS, TextChunk, TrafficEntry, text_chunk
from acp_jupyter.transcript.redactor import Redactor

_LEFT_OUT = {
    *("session_opened", "session_attached", "session_branched", "session_continued"),
    "notebook_moved",  # the opening note has the notebook's present path
    "walls_started",  # the copy has no running agent
}
_OF_TODAY = {"policy_changed", "rules_changed", "sandbox_changed", "network_changed"}
"""Not copied into a branch, which keeps the present policy, rules, sandbox and network."""


@dataclass(frozen=True, slots=True)
class UpToTurn:
    """The place in a log at which a turn began."""

    turn_id: str
    earlier: frozenset[str]
    """The turns that began before it."""


def copy_log(
    parent: Path, child: Path, opening: SessionOpened, at: float, end: UpToTurn | None = None
) -> None:
    """Write the log of a fork: its own opening note, then the parent's entries. Blocks.

    Turns get new ids, as an id is unique across sessions. With ``end``, only the entries before
    that turn are copied.
    """
    child.parent.mkdir(mode=0o700, parents=True)
    try:
        with child.open("x", encoding="utf-8") as file:
            child.chmod(0o600)
            for entry in _entries(parent, opening, at, end):
                file.write(_line(entry))
    except BaseException:
        shutil.rmtree(child.parent, ignore_errors=True)
        raise


def _entries(
    parent: Path, opening: SessionOpened, at: float, end: UpToTurn | None
) -> Iterator[TrafficEntry]:
    yield TrafficEntry(0, at, "!", opening.model_dump(mode="json"))
    names: dict[str, str] = {}
    for entry in read_traffic(parent):
        if entry.direction != "!":
            yield entry
            continue
        note = dict(entry.message)
        name, turn_id = note.get("note"), note.get("turn_id")
        if end is not None and name == "turn_started" and turn_id == end.turn_id:
            return
        if name in _LEFT_OUT or (end is not None and name in _OF_TODAY):
            continue
        if isinstance(turn_id, str):
            if end is not None and turn_id not in end.earlier:
                continue
            note["turn_id"] = names.setdefault(turn_id, uuid.uuid4().hex)
            if name == "turn_queued" and not note.get("copy_of"):
                cell_id = text(obj(note.get("origin")).get("cell_id"))
                note["copy_of"] = {"turn_id": turn_id, "cell_id": cell_id}
        # The cell's output and its buttons belong to the parent's turn.
        for own in ("origin", "offers", "target"):
            note.pop(own, None)
        yield TrafficEntry(entry.seq, entry.t, "!", note)


def _line(entry: TrafficEntry) -> str:
    fields: dict[str, Any] = {"seq": entry.seq, "t": entry.t, "d": entry.direction}
    if entry.re is not None:
        fields["re"] = entry.re
    fields["m"] = entry.message
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


_CHARS = 65_536


class ChunkMerger:
    """Merges consecutive chunks of one message or thought.

    Agents write thousands of chunks per second; merged, they cost one step of the transcript in
    place of thousands. The resulting transcript is the same.
    """

    def __init__(self) -> None:
        self._first: TrafficEntry | None = None
        self._last = 0
        self._chunk: TextChunk | None = None
        self._pieces: list[str] = []
        self._chars = 0

    def add(self, entry: TrafficEntry) -> bool:
        """Add an entry if it continues the merged text or begins one; return whether it did."""
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


def read_said(lines: Iterable[bytes]) -> Iterator[Said]:
    """Yield prompts and answers from the lines of a log, without parsing most of them."""
    queued: dict[str, str] = {}
    turn_id, pieces, chars, repeated = "", list[str](), 0, False
    for line in lines:
        found = _SAID.search(line)
        if found is None or len(line) > _SAID_LINE_BYTES:
            continue
        is_chunk = found[0] == b'"agent_message_chunk"'
        if pieces and (not is_chunk or chars > _CHARS):
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


_GROUP_CHARS = 256 * 1024
_ENTRY_BYTES = 500
"""Approximate memory of an entry without its text."""


class LogLines:
    """Encodes entries as lines of a log."""

    altered = False
    """Whether a line differs from its entry, because a secret was removed."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def encode_all(self, entries: list[TrafficEntry]) -> Iterator[bytes]:
        """Encode entries: plain lines unchanged, others after a closer search for secrets."""
        plain = [_plain_line(entry) for entry in entries]
        text = "\n".join(plain)
        clean = self._redactor.redact_text(text) == text
        for entry, line in zip(entries, plain, strict=True):
            yield self._bytes(line) if clean and line else self.encode(entry)

    def encode(self, entry: TrafficEntry) -> bytes:
        """Return the line of an entry, without secrets."""
        fields: dict[str, Any] = {"seq": entry.seq, "t": round(entry.t, 4), "d": entry.direction}
        if entry.re is not None:
            fields["re"] = entry.re
        if len(entry.raw) > LONG_CHARS:
            return self._long(entry, fields)
        fields["m"] = entry.message
        line = _dump(fields)
        # A line without escapes can be searched as a whole, and rarely contains a secret.
        if "\\" in line or self._redactor.redact_text(line) != line:
            message = self._redactor.redact(entry.message)
            self.altered = self.altered or message != entry.message
            line = _dump({**fields, "m": message})
        return self._bytes(line)

    def _long(self, entry: TrafficEntry, fields: dict[str, Any]) -> bytes:
        """Return the line of a long message; the entry may have only a part of it parsed."""
        whole = read_long_json(entry.raw)
        message = self._redactor.redact(whole)
        if message == whole:
            return self._bytes(f'{_dump(fields)[:-1]},"m":{entry.raw}}}')
        self.altered = True
        return self._bytes(_dump({**fields, "m": message}))

    def _bytes(self, line: str) -> bytes:
        try:
            return line.encode() + b"\n"
        except UnicodeEncodeError:
            self.altered = True
            return line.encode("utf-8", "replace") + b"\n"


def queued_bytes(entry: TrafficEntry) -> int:
    """Return the approximate memory of an entry, in bytes."""
    return _ENTRY_BYTES + (len(entry.raw) or _text_chars(entry.message))


def _text_chars(value: object) -> int:
    """Return the number of characters of text in a message, without encoding it."""
    chars, rest = 0, [value]
    while rest:
        match rest.pop():
            case str() as text:
                chars += len(text)
            case Mapping() as fields:
                rest += [*fields, *fields.values()]
            case list() | tuple() as parts:
                rest += parts
            case _:
                chars += 1
    return chars


def gap_entry(after: TrafficEntry) -> TrafficEntry:
    """Return an entry in place of lost lines, with the number of the last one."""
    return TrafficEntry(max(1, after.seq - 1), after.t, "!", {"note": "log_gap"})


def in_groups(entries: Iterable[TrafficEntry]) -> Iterator[list[TrafficEntry]]:
    """Yield entries in groups of limited length, so that each is searched in one step."""
    group: list[TrafficEntry] = []
    chars = 0
    for entry in entries:
        if group and chars + len(entry.raw) > _GROUP_CHARS:
            yield group
            group, chars = [], 0
        group.append(entry)
        chars += len(entry.raw)
    if group:
        yield group


def _plain_line(entry: TrafficEntry) -> str:
    """Return the line of an entry with a raw message without escapes, or an empty string."""
    if not entry.raw or "\\" in entry.raw:
        return ""
    at = round(entry.t, 4)
    return f'{{"seq":{entry.seq},"t":{at!r},"d":"{entry.direction}","m":{entry.raw}}}'


def _dump(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
