"""The traffic log of a session: the file from which everything else can be restored.

A thread of its own appends lines in groups. A full disk, or one that does not answer, blocks
nothing: lines that can't be written wait, then are left out, and the log says so. `redacted_lines`
encodes the lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from acp_jupyter.errors import plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.log_reader import lacks_lines
from acp_jupyter.host.store.redacted_lines import RedactedLines, gap_entry, in_groups, queued_bytes
from acp_jupyter.protocol.traffic import LONG_CHARS, TrafficEntry
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.redactor import Redactor

_logger = logging.getLogger(__name__)
_CLOSE_SECONDS = 10.0
_BATCH = 500
_LACKS_LINES = (0o1400, 0o400)
"""Modes that mark a file. The sticky bit distinguishes a mark from a mode that a user set to
read-only, but some systems don't accept it."""
_FULL = (
    "The log of this session is full ({mib:.0f} MB). From here on, messages are shown but not "
    "kept: they are gone after a restart."
)
_WAITS = (
    "Not kept: nothing can be written to the disk ({why}). From here on, messages and your answers "
    "are shown and wait in memory. They are written as soon as that is possible, and lost if the "
    "server ends first."
)
_SLOW = "it does not answer"
_WAITS_LONG = _WAITS.format(why=_SLOW)
_NO_ROOM = (
    "Not kept: nothing can be written to the disk ({why}), and too much waits for room. From here "
    "on, messages are shown but lost: they are gone after a restart."
)
_LOST = (
    "The disk has free space again, and messages are saved from here on. Some earlier ones were "
    "not saved: they are gone after a restart."
)
_TAKEN = "Not kept: another server has continued this session."
_GATHER_SECONDS = 0.1
_RETRY_SECONDS = 1.0
_COPY_BYTES = 1024 * 1024


class _Flush(threading.Event):
    """A marker in the queue: a caller waits for the lines before it."""

    written = False

    def __init__(self, wake: Callable[[], object] = lambda: None, *, sync: bool = False) -> None:
        super().__init__()
        self._wake = wake
        self.sync = sync

    def end(self, *, written: bool) -> None:
        """Report whether the lines were written."""
        self.written = written
        self.set()
        with contextlib.suppress(RuntimeError):  # the loop that waited is closed
            self._wake()


class _Gap:
    """A marker in the queue: lines were dropped here, as too many waited for the disk."""


_Queued = TrafficEntry | _Flush | _Gap | None
"""An entry, a waiting caller, a gap, or None for the end."""


class TrafficLog:
    """Appends entries to ``path`` (NDJSON, mode 0600, in a folder of mode 0700).

    A thread of its own writes the entries: home directories are often on a network, and neither
    the agent nor the page may wait for them. The queue is limited: if a write hangs for long, lines
    are lost. A file that has reached its limit says so in its last line, and gets no more; the
    session continues. If writing fails, lines wait in memory, up to a limit, and are tried again.
    Until then a file mode without write permission, which needs no disk space, marks the file as
    incomplete. Where lines were lost, an entry says so.

    Parameters
    ----------
    owned
        Returns whether this program still owns the file; called in the log's thread.

    Attributes
    ----------
    path
        The file.
    ended
        Whether the log is closed and everything that it will ever hold is in the file.
    missing
        Message why lines are missing since the log was opened; empty if none are.
    why
        Short reason why writing fails; empty if it works.
    """

    missing = why = ""

    def __init__(
        self,
        path: Path,
        limits: Limits,
        redactor: Redactor | None = None,
        owned: Callable[[], bool] = lambda: True,
    ) -> None:
        self.path = path
        self.ended = False
        self._owned = owned
        self._waiting: deque[bytes] = deque()
        """Encoded lines that could not be written yet."""
        self._waiting_bytes = 0
        self._max_waiting = limits.unwritten_bytes
        self._anew = False
        self._watchers: frozenset[Callable[[], None]] = frozenset()
        self._bound = limits.traffic_log_bytes
        self._redactor = redactor if redactor is not None else Redactor()
        self._lines = RedactedLines(self._redactor)
        self._entries: queue.SimpleQueue[_Queued] = queue.SimpleQueue()
        self._queued = 0
        """Bytes of entries in the queue or being written (approximate)."""
        self._max_queued = limits.queued_bytes
        self._dropping = False
        """Whether new lines are dropped until the queue has been written."""
        self._closed = False
        self._hurry = threading.Event()
        self._lock = threading.Lock()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        self._torn = False
        self._lost = False
        """Whether lines were dropped since the log was opened."""
        self._gap = lacks_lines(path)
        if self._gap:
            path.chmod(0o600)
        self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._marked: bool | None = None
        """Whether the file's mode says that lines are missing; None if unknown."""
        self._mark()
        self._size = os.fstat(self._fd).st_size
        self._full = self._size > self._bound
        if self._size:
            os.lseek(self._fd, -1, os.SEEK_END)
            self._torn = os.read(self._fd, 1) != b"\n"  # the last writer was killed mid-line
        self._thread = threading.Thread(target=self._run, name="acp-traffic-log", daemon=True)
        self._thread.start()

    @property
    def size(self) -> int:
        """Number of bytes that are in the file or that the thread is writing."""
        return self._size

    @property
    def altered(self) -> bool:
        """Whether a line in the file differs from its entry, because a secret was removed."""
        return self._lines.altered

    def append(self, entry: TrafficEntry) -> None:
        """Queue ``entry``. Its message must not be changed afterwards."""
        if self._closed:
            return
        size = queued_bytes(entry)
        with self._lock:
            if self._queued and self._queued + size > self._max_queued and not self._dropping:
                self._dropping = self._lost = True
                self._entries.put(_Gap())
                self.why, self.missing = _SLOW, _NO_ROOM.format(why=_SLOW)
            if not self._dropping:
                self._queued += size
                self._entries.put(entry)

    def clean(self, entry: TrafficEntry) -> TrafficEntry:
        """Return an entry without known secrets, to be shown.

        A long line is returned unchanged: it was searched in a thread before it was entered.
        """
        if len(entry.raw) > LONG_CHARS:
            return entry
        message = self._redactor.redact_message(entry.message, entry.raw)
        return entry if message is entry.message else entry._replace(message=message)

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message without known secrets. In any thread."""
        clean: Mapping[str, Any] = self._redactor.redact_message(message)
        return clean

    @property
    def has_shown(self) -> bool:
        """Whether any tool call still contains a known secret."""
        return self._redactor.has_shown

    def shows_any(self, call: ToolCall) -> bool:
        """Return whether a tool call still contains a known secret, for the user to see."""
        return self._redactor.shows_any(call)

    def after_question(self, call: ToolCall) -> ToolCall:
        """Return a tool call whose request is settled, without known secrets."""
        return self._redactor.after_question(call)

    def watch(self, wake: Callable[[], None]) -> None:
        """Call ``wake`` in the log's thread after lines were written, and when the log ends."""
        with self._lock:
            self._watchers |= {wake}

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Stop calling ``wake``."""
        with self._lock:
            self._watchers -= {wake}

    def flush(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Block until everything appended so far is in the file; return whether it is.

        Lines beyond the log's size limit count as written.
        """
        if self._closed:
            self._thread.join(seconds)
            return self.ended and self._takes_all()
        done = _Flush()
        self._ask(done)
        return self._outcome(done, in_time=done.wait(seconds))

    async def flushed(self, seconds: float = _CLOSE_SECONDS, *, sync: bool = False) -> bool:
        """Wait as `flush` does, but without blocking a thread, so that a slow disk takes none.

        With ``sync`` the lines are on the disk then, and not only handed to the system.
        """
        if self._closed:
            return await asyncio.to_thread(self.flush, seconds)
        told = asyncio.Event()
        wake = partial(asyncio.get_running_loop().call_soon_threadsafe, told.set)
        done = _Flush(wake, sync=sync)
        self._ask(done)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(told.wait(), seconds)
        return self._outcome(done, in_time=told.is_set())

    def _ask(self, done: _Flush) -> None:
        self._entries.put(done)
        self._hurry.set()

    def _outcome(self, done: _Flush, *, in_time: bool) -> bool:
        if not in_time and not self.missing:
            self.why, self.missing = _SLOW, _WAITS_LONG
            if done.is_set():
                self._answers()
        return done.written

    def _answers(self) -> None:
        """Clear the message that the disk does not answer. Called in both threads."""
        if self.missing == _WAITS_LONG:
            self.why = self.missing = ""

    def _takes_all(self) -> bool:
        return not self._waiting and not self._gap and self.missing != _TAKEN

    def recreate(self) -> None:
        """Write the whole file again after it was deleted. Blocks for a limited time."""
        self._anew = True
        self.flush()

    def close(self) -> None:
        """Write the queue and close the file. Blocks; may be called repeatedly."""
        if self._closed:
            return
        self._closed = True
        self._entries.put(None)
        self._hurry.set()
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        while not self.ended:
            self._write_next()

    def _write_next(self) -> None:
        """Wait for entries and write them."""
        batch = self._gathered()
        if self._anew:
            self._write_anew()
        self._write_waiting()
        for entries in in_groups(item for item in batch if isinstance(item, TrafficEntry)):
            self._write_entries(entries)
        written = sum(queued_bytes(e) for e in batch if isinstance(e, TrafficEntry))
        is_gap = any(isinstance(item, _Gap) for item in batch)
        self._gap = self._gap or is_gap
        with self._lock:  # `append` takes it on the event loop, so nothing in here may block
            self._queued -= written
            self._dropping = self._dropping and not is_gap
        if is_gap:
            self._end_dropping()
        if any(isinstance(item, _Flush) and item.sync for item in batch):
            with contextlib.suppress(OSError):  # not every file system supports it
                os.fsync(self._fd)
        for item in batch:
            if isinstance(item, _Flush):
                item.end(written=self._takes_all())
                if item.written:
                    self._answers()
        if None in batch:
            os.close(self._fd)
            self.ended = True
        for wake in self._watchers:
            wake()

    def _gathered(self) -> list[_Queued]:
        """Wait for the first entry, and for those that follow soon."""
        batch = [self._next()]
        if self._entries.qsize() < _BATCH:
            # A hundred sessions that each wrote line by line would starve the other threads.
            self._hurry.wait(_GATHER_SECONDS)
        self._hurry.clear()
        with contextlib.suppress(queue.Empty):
            while len(batch) < _BATCH:
                batch.append(self._entries.get_nowait())
        return batch

    def _end_dropping(self) -> None:
        """Report that lines were lost, and mark the file."""
        if not self._waiting:
            self.why, self.missing = "", _LOST
        self._mark()

    def _next(self) -> _Queued:
        """Return the next entry; wait only briefly if lines wait for disk space."""
        try:
            return self._entries.get(timeout=_RETRY_SECONDS if self._waiting else None)
        except queue.Empty:
            return _Flush()

    def _write_entries(self, entries: list[TrafficEntry]) -> None:
        lines: list[bytes] = []
        for line in self._lines.encode_all(entries):
            entry = entries[len(lines)]
            if self._full or self._size + len(line) > self._bound:
                if not self._full:
                    note = {"note": "log_full", "bytes": self._bound}
                    lines.append(self._lines.encode(TrafficEntry(entry.seq, entry.t, "!", note)))
                    self._size += len(lines[-1])
                    self._full = True
                break
            lines.append(line)
            self._size += len(line)
        if self._full:
            self.missing = _FULL.format(mib=self._bound / 2**20)
        self._write_waiting()  # there may be space again
        gap = self._lines.encode(gap_entry(entries[0])) if self._gap and not self._waiting else b""
        data = gap + b"".join(lines)
        too_much = self._waiting_bytes + len(data) > self._max_waiting
        if self._waiting and (too_much or self._gap):
            # No room on disk or in memory: drop lines until the waiting ones are written.
            self._gap = self._lost = True
            self.missing = _NO_ROOM.format(why=self.why)
            self._size -= sum(map(len, lines))
            self._full = False  # the line that says so was dropped, too
            self._mark()
            return
        if gap:
            self._size += len(gap)
            self._gap = False
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        self._write_waiting()

    def _write_waiting(self) -> None:
        """Write the waiting lines; those that can't be written keep waiting."""
        if not self._waiting:
            return
        if not self._owned():
            self.missing = _TAKEN
            self._waiting.clear()
            self._waiting_bytes = 0
            return
        try:
            while self._waiting:
                self._write_first()
        except OSError as error:
            if self.why in {"", _SLOW}:
                _logger.exception("The traffic of an agent could not be written")
            self.why = plain_reason(error)
            words = _NO_ROOM if self._gap else _WAITS
            self.missing = words.format(why=self.why)
        else:
            if not self._dropping:
                if self.why and not self._full:
                    self.missing = _LOST if self._lost else ""
                self.why = ""
        self._mark()

    def _write_first(self) -> None:
        """Write the first waiting lines completely or not at all: half a line spoils the next.

        If a partial write can't be undone, its complete lines count as written.
        """
        data, lead = self._waiting[0], b"\n" if self._torn else b""
        start = os.fstat(self._fd).st_size + len(lead)
        try:
            self._write(lead + data)
        except OSError:
            try:
                os.ftruncate(self._fd, start - len(lead))
            except OSError:
                written = os.fstat(self._fd).st_size - start
                if written >= 0:
                    # A line that lacks only its newline is still readable.
                    whole = data.rfind(b"\n", 0, written + 1) + 1
                    self._waiting[0] = data[whole:]
                    self._waiting_bytes -= whole
                    self._torn = written != whole
            raise
        self._torn = False
        self._waiting_bytes -= len(self._waiting.popleft())

    def _write_anew(self) -> None:
        """Copy the content of the deleted file, which is still open, to its path."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
            fd = os.open(self.path, flags, 0o600)
        except FileExistsError:
            self._anew = False
            return
        except OSError:
            return
        try:
            os.lseek(self._fd, 0, os.SEEK_SET)
            while piece := os.read(self._fd, _COPY_BYTES):
                while piece:
                    piece = piece[os.write(fd, piece) :]
        except OSError:
            os.close(fd)
            with contextlib.suppress(OSError):
                self.path.unlink()
            return
        os.close(self._fd)
        self._fd, self._anew, self._marked = fd, False, None

    def _mark(self) -> None:
        lacks = self._gap or self._waiting_bytes > 0
        if lacks is self._marked:
            return  # writing the mode with each line would cost a disk write
        for mode in _LACKS_LINES if lacks else (0o600,):
            with contextlib.suppress(OSError):
                os.chmod(self._fd if os.chmod in os.supports_fd else self.path, mode)
                self._marked = lacks
                return

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._fd, data) :]


class FrozenLog(TrafficLog):
    """A read-only log: that of a session that another program writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ended = True

    @property
    def size(self) -> int:
        """Return 0: nothing is written here."""
        return 0

    def append(self, entry: TrafficEntry) -> None:
        """Do nothing."""

    def clean(self, entry: TrafficEntry) -> TrafficEntry:
        """Return the entry unchanged: it was cleaned when written."""
        return entry

    def watch(self, wake: Callable[[], None]) -> None:
        """Do nothing: no line will come."""

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Do nothing: no line came."""

    def flush(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Return True: everything is in the file."""
        return True

    async def flushed(self, seconds: float = _CLOSE_SECONDS, *, sync: bool = False) -> bool:
        """Return True: everything is in the file."""
        return True

    def close(self) -> None:
        """Do nothing: no file is open."""
