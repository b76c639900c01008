"""A session's traffic on disk: the single truth that everything else is made from."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from acp_jupyter.host.limits import Limits
from acp_jupyter.packets.dialects.traffic_log.log import read_log
from acp_jupyter.packets.json_shape import read_json
from acp_jupyter.packets.traffic import TrafficEntry
from acp_jupyter.transcript.redact import Redactor

__all__ = ["FrozenLog", "TrafficLog", "read_entry", "read_traffic"]

_log = logging.getLogger(__name__)
_CLOSE_SECONDS = 10.0
_BATCH = 500
_GATHER_SECONDS = 0.025

_Queued = TrafficEntry | threading.Event | None
"""An entry, somebody who waits for those before, or the end."""


class TrafficLog:
    """Appends entries to ``path`` (NDJSON, mode 0600, in a folder of mode 0700).

    Entries are written by a thread of its own: home directories are often on a network, and
    neither the agent nor the page may wait for them. When the file has reached its bound it says
    so in its last line and takes no more; the session goes on.

    Attributes
    ----------
    path
        The file.
    ended
        Whether the log is closed and everything that it will ever hold is in the file.
    """

    def __init__(self, path: Path, limits: Limits, redactor: Redactor | None = None) -> None:
        self.path = path
        self.ended = False
        self._watchers: frozenset[Callable[[], None]] = frozenset()
        self._bound = limits.traffic_log_bytes
        self._redactor = redactor if redactor is not None else Redactor()
        self._entries: queue.SimpleQueue[_Queued] = queue.SimpleQueue()
        self._closed = False
        self._hurry = threading.Event()
        self._lock = threading.Lock()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.fchmod(self._fd, 0o600)
        self._size = os.fstat(self._fd).st_size
        if self._size and os.pread(self._fd, 1, self._size - 1) != b"\n":
            self._size += 1
            self._write(b"\n")  # the last writer died in mid-line
        self._thread = threading.Thread(target=self._run, name="acp-traffic-log", daemon=True)
        self._thread.start()

    def append(self, entry: TrafficEntry) -> None:
        """Queue ``entry``. Its message must not be changed afterwards."""
        if not self._closed:
            self._entries.put(entry)

    def clean(self, entry: TrafficEntry) -> TrafficEntry:
        """Return an entry as it may be shown: without the secrets that are known."""
        message = self._redactor.without_known(entry.message)
        return entry if message is entry.message else entry._replace(message=message)

    def watch(self, wake: Callable[[], None]) -> None:
        """Call ``wake``, in the log's thread, when lines are in the file and when it has ended."""
        with self._lock:
            self._watchers |= {wake}

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Stop that."""
        with self._lock:
            self._watchers -= {wake}

    def flush(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Wait, blocking, until what was appended so far is in the file; tell whether it is."""
        done = threading.Event()
        self._entries.put(done)
        self._hurry.set()
        return done.wait(seconds)

    def close(self) -> None:
        """Write what is queued and close the file. Blocks; may be called again."""
        if self._closed:
            return
        self._closed = True
        self._entries.put(None)
        self._hurry.set()
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        ended = False
        while not ended:
            batch = [self._entries.get()]
            # A hundred sessions that write each line at once would starve the other threads.
            self._hurry.wait(_GATHER_SECONDS)
            self._hurry.clear()
            with contextlib.suppress(queue.Empty):
                while len(batch) < _BATCH:
                    batch.append(self._entries.get_nowait())
            ended = None in batch
            self._write_entries([item for item in batch if isinstance(item, TrafficEntry)])
            for item in batch:
                if isinstance(item, threading.Event):
                    item.set()
            if ended:
                os.close(self._fd)
                self.ended = True
            for wake in self._watchers:
                wake()

    def _write_entries(self, entries: list[TrafficEntry]) -> None:
        lines: list[bytes] = []
        for line in self._encoded(entries):
            entry = entries[len(lines)]
            if self._size + len(line) > self._bound:
                if self._size <= self._bound:
                    note = {"note": "log_full", "bytes": self._bound}
                    lines.append(self._encode(TrafficEntry(entry.seq, entry.t, "!", note)))
                    self._size = self._bound + 1
                break
            lines.append(line)
            self._size += len(line)
        try:
            self._write(b"".join(lines))
        except OSError:
            _log.exception("The traffic of an agent could not be written")

    def _encoded(self, entries: list[TrafficEntry]) -> Iterator[bytes]:
        """Encode plain lines as they came; what may hold a secret is looked at more closely."""
        plain = [_plain_line(entry) for entry in entries]
        text = "\n".join(plain)
        clean = self._redactor.redact_text(text) == text
        for entry, line in zip(entries, plain, strict=True):
            yield line.encode("utf-8", "replace") + b"\n" if clean and line else self._encode(entry)

    def _encode(self, entry: TrafficEntry) -> bytes:
        record: dict[str, Any] = {"seq": entry.seq, "t": round(entry.t, 4), "d": entry.direction}
        if entry.re is not None:
            record["re"] = entry.re
        record["m"] = entry.message
        line = _dump(record)
        # What is written without escapes is searched at once, and rarely holds anything.
        if "\\" in line or self._redactor.redact_text(line) != line:
            line = _dump({**record, "m": self._redactor.redact(entry.message)})
        return line.encode("utf-8", "replace") + b"\n"

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._fd, data) :]


def _plain_line(entry: TrafficEntry) -> str:
    """Return the line of an entry whose message needs no encoding, or an empty string."""
    if not entry.raw or "\\" in entry.raw:
        return ""
    at = round(entry.t, 4)
    return f'{{"seq":{entry.seq},"t":{at!r},"d":"{entry.direction}","m":{entry.raw}}}'


class FrozenLog(TrafficLog):
    """The log of a session that another program writes: what is in it is all there is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ended = True

    def append(self, entry: TrafficEntry) -> None:
        """Write nothing."""

    def clean(self, entry: TrafficEntry) -> TrafficEntry:
        """Return it as it is: it was cleaned when it was written."""
        return entry

    def watch(self, wake: Callable[[], None]) -> None:
        """Nothing will come."""

    def unwatch(self, wake: Callable[[], None]) -> None:
        """Nothing came."""

    def flush(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Everything is in the file."""
        return True

    def close(self) -> None:
        """Nothing is open."""


def _dump(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def read_entry(line: bytes) -> TrafficEntry | None:
    """Read one line of a log that this class has written; None for one that is no entry."""
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
        yield from (found for found in read_log(file) if isinstance(found, TrafficEntry))
