"""What may be done to the commands that run in a session's terminals."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = ["KillTerminal"]


class KillTerminal(Model):
    """End a command that the host runs for the agent; its output stays."""

    name: Literal["kill_terminal"] = "kill_terminal"
    session_id: str
    terminal_id: str
