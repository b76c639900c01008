"""The resume point of a session: its state at a line of the log, so that only newer lines are read.

It is two files beside the log. ``resume.data`` is append-only: items, tool calls and turns as of
some resume point, and lists of their positions. ``resume.json`` has the valid length of that file,
the small fields of the state, and the length and digest of the part of the log that it covers. It
is replaced atomically.

The log is authoritative. A resume point that doesn't match it, is damaged or was written by another
version is ignored, and the log is read from its start.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic_core import from_json, to_json

from acp_jupyter._version import __version__
from acp_jupyter.host.store.spill_file import MAX_BYTES, SIZE_BITS, SpillFile
from acp_jupyter.protocol.objects import Obj, items, obj
from acp_jupyter.protocol.packets import ToolCallProgress, ToolCallStart
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    TextAppended,
    TextChanged,
)
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.saved_state import put_parts, restored, save_rest
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall

if TYPE_CHECKING:
    from _hashlib import HASH

HEAD_FILE = "resume.json"
DATA_FILE = "resume.data"
VERSION = f"3 of acp-jupyter {__version__}"
"""A release only reads its own resume points: any release may read a log differently."""

_logger = logging.getLogger(__name__)
_MAX_HEAD_BYTES = 64 * 1024 * 1024
_PIECE = 1024 * 1024
_SMALL_HEAD = 128 * 1024
_SEQ = re.compile(rb'\{"seq":(\d+),')


class Unsaved:
    """The items and tool calls that have changed since the last resume point."""

    def __init__(self) -> None:
        self.items: set[int] = set()
        self.calls: set[str] = set()

    def take(self, before: Transcript, packet: LogPacket, events: list[Event]) -> None:
        """Note what a packet has changed in the transcript ``before``."""
        if isinstance(packet, ToolCallStart | ToolCallProgress):
            self.calls.add(packet.tool_call_id)
        if len(before.held):
            self.calls.update(held.tool_call_id for held in before.held.values())
        for event in events:
            match event:
                case ItemAdded() | ItemReplaced():
                    self.items.add(index_of(event.item.id))
                    if isinstance(event.item, ToolCall):
                        self.calls.add(event.item.tool_call_id)
                case TextAppended() | TextChanged() | ItemClosed():
                    self.items.add(index_of(event.item_id))
                case _:
                    pass


class LogDiffers(Exception):
    """The log doesn't match the transcript, so no resume point can be written."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A session as read from its resume point."""

    point: ResumePoint
    transcript: Transcript
    reader: TrafficReader
    number: int
    """The number of the newest line."""
    spill: SpillFile


class ResumePoint:
    """The files of one session's resume point. For one thread at a time.

    Attributes
    ----------
    log_bytes
        Length of the part of the log that the resume point covers.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.log_bytes = 0
        self._log_digest = _digest()
        self._data_bytes = 0
        self._data_digest = _digest()
        self._parts: list[int] = []
        self._turns: dict[str, object] = {}
        """The turns that were saved, as they were then."""
        self._head_bytes = 0
        self._followed: tuple[int, int] | None = None
        """End of the last digested line of this run, and the number of lines up to it."""

    def is_due(self, log_bytes: int, least: int) -> bool:
        """Return whether the log has grown by ``least`` bytes; more if ``resume.json`` is large."""
        grown = log_bytes - self.log_bytes
        return grown > 0 and grown >= least * max(1, self._head_bytes // _SMALL_HEAD)

    # -- reading ---------------------------------------------------------

    @classmethod
    def load(cls, folder: Path, log: Path) -> Resumed | None:
        """Read the resume point of a log; None if there is none that matches. Blocks."""
        try:
            return cls(folder)._load(log)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            _logger.info("The log in %s is read from its start: %s", folder, error)
            return None

    def _load(self, log: Path) -> Resumed:
        with (self._folder / HEAD_FILE).open("rb") as file:
            check, _, content = file.read(_MAX_HEAD_BYTES).partition(b"\n")
        if _digest(content).hexdigest().encode() != check:
            raise ValueError("its resume point is damaged")
        head = obj(from_json(content))
        if head["version"] != VERSION or head["session"] != self._folder.name:
            raise ValueError("its resume point is of another version")
        self._head_bytes = len(content)
        self.log_bytes = _count(head["log_bytes"])
        self._log_digest = _digest_of(log, self.log_bytes)
        data = self._folder / DATA_FILE
        self._data_bytes = _count(head["data_bytes"])
        self._data_digest = _digest_of(data, self._data_bytes)
        found = [self._log_digest.hexdigest(), self._data_digest.hexdigest()]
        if found != [head["log_digest"], head["data_digest"]]:
            raise ValueError("its resume point is of another log")
        spill = SpillFile(base=data, base_bytes=self._data_bytes)
        self._parts = [_count(position) for position in items(head["parts"])]
        transcript = restored(map(spill.get, self._parts), head["state"], spill)
        self._turns = dict(transcript.turns.held())
        reader = TrafficReader.of_saved(obj(head["reader"]))
        return Resumed(self, transcript, reader, _count(head["number"]), spill)

    # -- writing ---------------------------------------------------------

    def write(self, log: Path, due: DueState) -> None:
        """Write the changes since the last resume point. Blocks."""
        log_digest = self._log_digest.copy()
        log_bytes = _follow(log, self._followed or (due.start, 0), self.log_bytes, due, log_digest)
        with _DataFile(self._folder / DATA_FILE, self._data_bytes, self._data_digest) as shelf:
            held = dict(due.transcript.turns.held())
            turn_ids = [name for name, value in held.items() if self._turns.get(name) is not value]
            parts = put_parts(
                due.transcript, due.unsaved.items, due.unsaved.calls, turn_ids, shelf.put
            )
            at = shelf.put(parts)
            shelf.flush()
        content = to_json(
            {
                "version": VERSION,
                "session": self._folder.name,
                "number": due.number,
                "log_bytes": log_bytes,
                "log_digest": log_digest.hexdigest(),
                "data_bytes": shelf.size,
                "data_digest": shelf.digest.hexdigest(),
                "parts": [*self._parts, at],
                "reader": due.reader,
                "state": save_rest(due.transcript),
            }
        )
        if len(content) > _MAX_HEAD_BYTES:
            raise LogDiffers("the state is too large")
        replace_file(
            self._folder / HEAD_FILE, _digest(content).hexdigest().encode() + b"\n" + content
        )
        self.log_bytes, self._log_digest = log_bytes, log_digest
        self._followed = log_bytes, due.lines
        self._data_bytes, self._data_digest = shelf.size, shelf.digest
        self._parts.append(at)
        self._turns = held
        self._head_bytes = len(content)


@dataclass(frozen=True, slots=True)
class DueState:
    """A state to be written as a resume point."""

    transcript: Transcript
    reader: Obj
    unsaved: Unsaved
    number: int
    """The number of the newest line."""
    start: int
    """Offset in the log at which this program began to write, or to read after a resume point."""
    lines: int
    """How many lines follow from there."""


def _follow(log: Path, followed: tuple[int, int], known: int, due: DueState, digest: HASH) -> int:
    """Add the log's new lines to a digest; return where the last line of the state ends."""
    at, before = followed
    left, begin = due.lines - before, at
    with log.open("rb") as file:
        file.seek(at)
        while left:
            piece = file.read(_PIECE)
            if not piece:
                raise LogDiffers("lines are missing")
            ends = piece.count(b"\n")
            if ends < left:
                left -= ends
                begin = at + piece.rfind(b"\n") + 1 if ends else begin
                at += len(piece)
                continue
            end = -1
            for _ in range(left):
                begin = at + end + 1 if end >= 0 else begin
                end = piece.index(b"\n", end + 1)
            at, left = at + end + 1, 0
        if due.lines > before:
            file.seek(begin)
            found = _SEQ.match(file.read(40))
            if found is None or int(found[1]) != due.number:
                raise LogDiffers("a line is another")
        if at < known:
            raise LogDiffers("lines are missing")
        file.seek(known)
        for size in _pieces(at - known):
            digest.update(file.read(size))
    return at


class _DataFile:
    """Adds to a file behind what counts of it."""

    def __init__(self, path: Path, size: int, digest: HASH) -> None:
        self.size = size
        self.digest = digest.copy()
        self._gathered = bytearray()
        if not size:
            path.unlink(missing_ok=True)  # somebody may still read another
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if os.lseek(self._fd, 0, os.SEEK_END) < size:
            os.close(self._fd)
            raise OSError("the state of a session has become shorter")
        os.ftruncate(self._fd, size)
        os.lseek(self._fd, size, os.SEEK_SET)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def put(self, data: bytes) -> int:
        """Add bytes; return where they are."""
        start = self.size + len(self._gathered)
        if start + len(data) > MAX_BYTES:
            raise LogDiffers("the state is too large")
        self._gathered += data
        if len(self._gathered) > _PIECE:
            self.flush()
        return start << SIZE_BITS | len(data)

    def flush(self) -> None:
        """Write what was added."""
        with memoryview(self._gathered) as view:
            done = 0
            while done < len(view):
                done += os.write(self._fd, view[done:])
        self.digest.update(self._gathered)
        self.size += len(self._gathered)
        self._gathered = bytearray()


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in one step, for its user alone."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _digest(content: bytes = b"") -> HASH:
    # Most processors have instructions for it: 63 MB take 43 ms, with BLAKE2 120.
    return hashlib.sha256(content)


def _digest_of(path: Path, size: int) -> HASH:
    """Return the digest of a file's first bytes."""
    digest = _digest()
    with path.open("rb") as file:
        for piece in _pieces(size):
            content = file.read(piece)
            if len(content) != piece:
                raise ValueError("its resume point is newer")
            digest.update(content)
    return digest


def _pieces(size: int) -> Iterator[int]:
    """Yield the sizes of pieces of a file."""
    for at in range(0, size, _PIECE):
        yield min(_PIECE, size - at)


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"no number: {value!r}")
    return value
