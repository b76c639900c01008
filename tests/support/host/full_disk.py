"""A disk that takes nothing more."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["full_disk"]


@contextmanager
def full_disk(beyond: int = 0) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes: writing fails with an ``OSError``."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (beyond, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
