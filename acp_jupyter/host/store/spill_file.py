"""The spill file, which holds old items of long sessions in place of memory.

An unnamed file on a local disk (``/tmp`` is memory on many systems), which is deleted with the
process. If there is no room, items stay in memory.
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
import time
import weakref
from pathlib import Path

_logger = logging.getLogger(__name__)
SIZE_BITS = 32
MAX_BYTES = 2**31
"""Keeps positions below 2**63."""
_GATHERED_BYTES = 64 * 1024
_AGAIN_SECONDS = 30.0
_ROOMY = Path("/var/tmp")  # noqa: S108 - the file has no name there


_SPILL_BYTES = 2048 * 1024 * 1024
"""Size of a session's spill file, which holds older items in place of memory."""


class SpillFile:
    """An unnamed file, created when first needed and deleted with its last user.

    If the disk is full, or ``max_bytes`` are reached, `put` returns None, and the data stay in
    memory.

    Parameters
    ----------
    base
        A file that is only read; its first ``base_bytes`` have the first positions.
    """

    def __init__(
        self, max_bytes: int = _SPILL_BYTES, base: Path | None = None, base_bytes: int = 0
    ) -> None:
        self._most = min(base_bytes + max_bytes, MAX_BYTES)
        self._lock = threading.Lock()  # records are made in threads
        self._fd: int | None = None
        self._base_bytes = base_bytes
        self._base_fd = -1
        if base is not None:
            self._base_fd = os.open(base, os.O_RDONLY)
            weakref.finalize(self, os.close, self._base_fd)
        self._written = base_bytes
        self._gathered = bytearray()
        """Data that follow in the file but are not written yet."""
        self._again = 0.0

    def put(self, data: bytes) -> int | None:
        """Store bytes; return their position, or None if there is no room."""
        with self._lock:
            if len(self._gathered) >= _GATHERED_BYTES and not self._write():
                return None
            start = self._written + len(self._gathered)
            if start + len(data) > self._most:
                return None
            self._gathered += data
            if len(self._gathered) >= _GATHERED_BYTES:
                self._write()
            return start << SIZE_BITS | len(data)

    def get(self, position: int) -> bytes:
        """Return the bytes at a position."""
        start, left = position >> SIZE_BITS, position & ((1 << SIZE_BITS) - 1)
        pieces: list[bytes] = []
        with self._lock:
            if start >= self._written:
                first = start - self._written
                return bytes(self._gathered[first : first + left])
            in_base = start < self._base_bytes
            fd = self._base_fd if in_base else self._fd
            if fd is None:
                return b""
            os.lseek(fd, start if in_base else start - self._base_bytes, os.SEEK_SET)
            while left:
                piece = os.read(fd, left)
                if not piece:
                    raise OSError("the file of a long session has become shorter")
                pieces.append(piece)
                left -= len(piece)
        return b"".join(pieces)

    def _write(self) -> bool:
        if time.monotonic() < self._again:
            return False
        try:
            fd = self._opened()
            os.lseek(fd, self._written - self._base_bytes, os.SEEK_SET)
            with memoryview(self._gathered) as view:
                done = 0
                while done < len(view):
                    done += os.write(fd, view[done:])
        except OSError:
            _logger.warning("A long session stays in memory: there is no room for it on the disk")
            self._again = time.monotonic() + _AGAIN_SECONDS
            return False
        self._written += len(self._gathered)
        self._gathered = bytearray()
        return True

    def _opened(self) -> int:
        if self._fd is None:
            roomy = _ROOMY if "TMPDIR" not in os.environ and _ROOMY.is_dir() else None
            with tempfile.TemporaryFile(dir=roomy, buffering=0) as file:
                self._fd = os.dup(file.fileno())
            weakref.finalize(self, os.close, self._fd)
        return self._fd
