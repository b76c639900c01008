"""Which processes are there."""

from __future__ import annotations

import psutil

__all__ = ["alive"]


def alive(pid: int) -> bool:
    """Tell whether ``pid`` is a process that still runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
