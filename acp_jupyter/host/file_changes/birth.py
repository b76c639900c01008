"""When a file was made. A move keeps that, as it keeps the file."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
from collections.abc import Callable

__all__ = ["born_ns"]

_HERE, _NO_LINKS, _BIRTH, _BYTES = -100, 0x100, 0x800, 256
"""Of statx(2): AT_FDCWD, AT_SYMLINK_NOFOLLOW, STATX_BTIME, size of its structure."""
_BIRTH_AT = 80


def born_ns(path: str | os.PathLike[str]) -> int | None:
    """Return when a file was made, in nanoseconds since 1970; None where nobody knows. Blocks.

    `os.stat` tells it on macOS alone; Linux tells it by a call of its own, and some file systems
    don't keep it.
    """
    call = _statx()
    if call is None:
        try:
            seconds = getattr(os.lstat(path), "st_birthtime", None)
        except OSError:
            return None
        return None if seconds is None else int(seconds * 1e9)
    told = ctypes.create_string_buffer(_BYTES)
    if call(_HERE, os.fsencode(path), _NO_LINKS, _BIRTH, told) != 0:
        return None
    (mask,) = struct.unpack_from("=I", told)
    if not mask & _BIRTH:
        return None
    seconds, nanoseconds = struct.unpack_from("=qI", told, _BIRTH_AT)
    return int(seconds * 1_000_000_000 + nanoseconds)


@functools.cache
def _statx() -> Callable[..., int] | None:
    try:
        call = ctypes.CDLL(None).statx
    except (AttributeError, OSError, TypeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p]
    call.restype = ctypes.c_int
    return call
