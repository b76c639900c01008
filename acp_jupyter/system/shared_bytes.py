"""Copies of files that share their bytes on the disk."""

from __future__ import annotations

import sys

from acp_jupyter.system.portable import is_portable

__all__ = ["share_bytes"]

_FICLONE = 0x40049409


def share_bytes(source: int, target: int) -> bool:
    """Let a new file have another one's bytes without copying them; return whether it does."""
    if sys.platform == "linux" and not is_portable():
        import fcntl

        try:
            fcntl.ioctl(target, _FICLONE, source)
        except OSError:
            return False
        return True
    return False
