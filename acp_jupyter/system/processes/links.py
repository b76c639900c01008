"""The way to a supervisor: it reports on it, and ends everything when this end is closed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Protocol

from acp_jupyter.system.portable import is_portable

__all__ = ["Link", "open_link"]


class Link(Protocol):
    """The way to one supervisor."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Descriptors that the supervisor inherits."""

    @property
    def variables(self) -> Mapping[str, str]:
        """Variables for the supervisor's environment."""

    def command(self, eof_seconds: float, term_seconds: float, *, terminal: bool) -> list[str]:
        """Return the command that starts the supervisor; the command that it starts is added."""

    def started(self, supervisor: subprocess.Popen[bytes] | None) -> None:
        """Note that the supervisor was started, or was not."""

    async def read(self) -> bytes:
        """Return the next bytes of its reports, or none once it has ended."""

    def end_orphans(self, pid: int) -> None:
        """End the command and what it started, after the supervisor was killed. Blocks."""

    def release(self) -> None:
        """Make the supervisor end everything, without waiting. May be called again."""

    def close(self) -> None:
        """Read no more. May be called again."""


async def open_link(folder: int | None) -> Link:
    """Open the way to a supervisor that will be started.

    Parameters
    ----------
    folder
        Descriptor of the folder that a terminal's command starts in, where there are such.
    """
    if sys.platform == "win32" or is_portable():
        from acp_jupyter.system.processes.portable_link import SocketLink

        return await SocketLink.open()
    else:  # mypy knows it as the branch of the other systems
        from acp_jupyter.system.processes.posix_link import PipeLink

        return PipeLink(folder)
