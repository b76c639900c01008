"""Where a command of an agent writes: a pseudo-terminal, or a pipe where there is none."""

from __future__ import annotations

import contextlib
import os
import struct
import sys

from acp_jupyter.system.portable import is_portable

__all__ = ["COLUMNS", "ROWS", "open_terminal"]

ROWS, COLUMNS = 30, 100


def open_terminal() -> tuple[int, int]:
    """Open a terminal; return our end and the command's."""
    if sys.platform == "win32" or is_portable():
        return os.pipe()
    else:  # mypy knows it as the branch of the other systems
        import fcntl
        import termios

        own, its = os.openpty()
        try:
            fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            modes = termios.tcgetattr(its)
            modes[1] &= ~termios.ONLCR  # keep the command's line ends
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(its, termios.TCSANOW, modes)
        except (OSError, termios.error):
            for end in (own, its):
                with contextlib.suppress(OSError):
                    os.close(end)
            raise
        return own, its
