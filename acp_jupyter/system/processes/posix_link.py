"""The way to a supervisor on POSIX systems: two pipes that it inherits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from acp_jupyter.own_programs import script_command
from acp_jupyter.system.processes import posix_pipes

assert sys.platform != "win32", "POSIX only"

_SUPERVISE = Path(__file__).with_name("supervise.py")


class PipeLink:
    """A life pipe and a status pipe; see `acp_jupyter.system.processes.links.Link`."""

    variables: Mapping[str, str] = {}

    def __init__(self, folder: int | None) -> None:
        self._folder = folder
        self._life_read, self._life_fd = os.pipe()
        status_read, self._status_write = os.pipe()
        self._status = posix_pipes.PosixReader(status_read)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Descriptors that the supervisor inherits."""
        folder = () if self._folder is None else (self._folder,)
        return (self._life_read, self._status_write, *folder)

    def command(self, eof_seconds: float, term_seconds: float, *, terminal: bool) -> list[str]:
        """Return the command that starts the supervisor; the command that it starts is added."""
        return [
            # Isolated and by path: the folder and PYTHONPATH must not replace our code.
            *script_command(str(_SUPERVISE), str(self._life_read), str(self._status_write)),
            *(str(eof_seconds), str(term_seconds)),
            *(["terminal", str(self._folder)] if terminal else []),
        ]

    def started(self, supervisor: subprocess.Popen[bytes] | None) -> None:
        """Close the supervisor's ends."""
        os.close(self._life_read)
        os.close(self._status_write)

    async def read(self) -> bytes:
        """Return the next bytes of its reports, or none once it has ended."""
        return await self._status.read()

    def end_orphans(self, pid: int) -> None:
        """End the command's process group."""
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)

    def release(self) -> None:
        """Close the life pipe."""
        if self._life_fd >= 0:
            os.close(self._life_fd)
            self._life_fd = -1

    def close(self) -> None:
        """Close the status pipe."""
        self._status.close()
