"""What messages weigh on a WebSocket."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

__all__ = ["deflated_bytes"]

_LEVEL = 1
"""As the server packs."""


def deflated_bytes(messages: Iterable[str]) -> int:
    """Return the bytes of messages of one socket, packed by RFC 7692, with their headers."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    total = 0
    for message in messages:
        packed = packer.compress(message.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
        # Four bytes that are always the same are left out.
        total += _framed(len(packed) - 4)
    return total


def _framed(size: int) -> int:
    return size + (2 if size < 126 else 4 if size < 65536 else 10)
