"""What a long session has said, outside of the server's memory."""

from __future__ import annotations

import logging
import os
import tempfile
import time
import weakref
from pathlib import Path

__all__ = ["Shelf"]

_log = logging.getLogger(__name__)
_SIZE_BITS = 32
_AGAIN_SECONDS = 30.0
_ROOMY = Path("/var/tmp")  # noqa: S108 - the file has no name there


class Shelf:
    """A file without a name, which goes with the last that holds it. Made when it is needed.

    It lies on a disk of this machine: ``/tmp`` is memory on many. Nobody else reads it; what it
    holds is what memory would hold. Where the disk is full, or ``most_bytes`` are there, what
    comes is left in memory.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = min(most_bytes, 2**31)
        self._fd: int | None = None
        self._end = 0
        self._again = 0.0

    def put(self, data: bytes) -> int | None:
        """Keep bytes; return where they are, or None where there is no room."""
        start, end = self._end, self._end + len(data)
        if end > self._most or time.monotonic() < self._again:
            return None
        try:
            fd = self._opened()
            view = memoryview(data)
            while view:
                written = os.pwrite(fd, view, end - len(view))
                view = view[written:]
        except OSError:
            _log.warning("A long session stays in memory: there is no room for it on the disk")
            self._again = time.monotonic() + _AGAIN_SECONDS
            return None
        self._end = end
        return start << _SIZE_BITS | len(data)

    def get(self, place: int) -> bytes:
        """Return the bytes that are there. May be called in any thread."""
        start, left = place >> _SIZE_BITS, place & ((1 << _SIZE_BITS) - 1)
        pieces: list[bytes] = []
        while left and self._fd is not None:
            piece = os.pread(self._fd, left, start)
            if not piece:
                raise OSError("the file of a long session has become shorter")
            pieces.append(piece)
            start, left = start + len(piece), left - len(piece)
        return b"".join(pieces)

    def _opened(self) -> int:
        if self._fd is None:
            roomy = _ROOMY if "TMPDIR" not in os.environ and _ROOMY.is_dir() else None
            with tempfile.TemporaryFile(dir=roomy, buffering=0) as file:
                self._fd = os.dup(file.fileno())
            weakref.finalize(self, os.close, self._fd)
        return self._fd
