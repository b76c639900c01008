"""Notes about the commands that the host runs for an agent (ACP: terminals).

The protocol's lines tell of a terminal only what the agent asks for. What it puts out, and its
end, is written beside them, so that a log shows the whole of it.
"""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = [
    "EndedBy",
    "TerminalExited",
    "TerminalOutput",
    "TerminalReleased",
    "TerminalStarted",
]

EndedBy = Literal["", "agent", "user", "time_limit", "session"]
"""Who ended a command; nobody where it ended by itself."""


class TerminalStarted(Model):
    """A command runs. ACP: terminal/create."""

    note: Literal["terminal_started"] = "terminal_started"
    terminal_id: str
    command: str
    """As one would type it."""
    cwd: str = ""
    """Absolute."""


class TerminalOutput(Model):
    """What a command has put out since the last such note."""

    note: Literal["terminal_output"] = "terminal_output"
    terminal_id: str
    text: str = ""
    left_out: int = 0
    """Characters before ``text`` that are not in the log."""
    cut: bool = False
    """Whether nothing more is written until the command has ended."""


class TerminalExited(Model):
    """A command has ended."""

    note: Literal["terminal_exited"] = "terminal_exited"
    terminal_id: str
    exit_code: int | None = None
    signal: str = ""
    """Its name, e.g. ``SIGTERM``."""
    by: EndedBy = ""


class TerminalReleased(Model):
    """The agent needs the terminal no more; it is still shown. ACP: terminal/release."""

    note: Literal["terminal_released"] = "terminal_released"
    terminal_id: str
