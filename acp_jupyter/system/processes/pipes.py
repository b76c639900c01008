"""Pipes to a process that may not read, or may die while others hold them open."""

from __future__ import annotations

import asyncio
import sys
from typing import IO, Protocol

from acp_jupyter.system.portable import is_portable

__all__ = ["PipeReader", "PipeWriter", "open_reader", "open_writer"]


class PipeReader(Protocol):
    """Read end of a pipe in the running asyncio loop; owns the descriptor.

    A pipe ends when its last writer closes it, but a grandchild of the agent may keep it open
    forever. So reading ends at end of file, or when the process has exited (`process_exited`) and
    the rest of the pipe has been read, whichever comes first.
    """

    def process_exited(self) -> None:
        """Note that the process has exited; read only what is left in the pipe."""

    async def read(self) -> bytes:
        """Return the next bytes, or none at the end."""

    def close(self) -> None:
        """Close the pipe; whoever still writes to it gets SIGPIPE."""


class PipeWriter(Protocol):
    """Write end of a pipe whose reader may never read; owns the file."""

    @property
    def lost(self) -> asyncio.Event:
        """Set when either end is closed."""

    def write(self, data: bytes) -> None:
        """Queue ``data``; it is written in order."""

    async def flush(self, seconds: float) -> None:
        """Wait until everything is written."""

    def close(self) -> None:
        """Close the pipe without waiting for unread data."""


def open_reader(fd: int) -> PipeReader:
    """Take over the read end of a pipe."""
    if sys.platform == "win32" or is_portable():
        from acp_jupyter.system.processes.portable_pipes import ThreadReader

        return ThreadReader(fd)
    else:  # mypy knows it as the branch of the other systems
        from acp_jupyter.system.processes.posix_pipes import PosixReader

        return PosixReader(fd)


async def open_writer(file: IO[bytes], unsent_bytes: int) -> PipeWriter:
    """Take over ``file``; at most ``unsent_bytes`` wait for the reader."""
    if sys.platform == "win32" or is_portable():
        from acp_jupyter.system.processes.portable_pipes import ThreadWriter

        return ThreadWriter(file, unsent_bytes)
    else:
        from acp_jupyter.system.processes.posix_pipes import PosixWriter

        return await PosixWriter.open(file, unsent_bytes)
