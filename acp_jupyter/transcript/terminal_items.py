"""What a tool call's card tells of the terminal that it shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.terminal_notes import EndedBy
from acp_jupyter.transcript.text import Text

__all__ = ["KnownTerminal", "TerminalView"]


class TerminalView(Model):
    """ACP: a terminal, ours or one that the agent runs itself. Its text is the call's output."""

    terminal_id: str
    command: str = ""
    """As one would type it."""
    cwd: str = ""
    """Relative to the session's folder where it lies inside it."""
    running: bool = True
    exit_code: int | None = None
    signal: str = ""
    """Name of the signal that ended it."""
    by: EndedBy = ""
    """Who ended it; empty where it ended by itself."""
    released: bool = False
    """Whether the agent needs it no more."""
    own: bool = False
    """Whether the host runs it, and so can stop it."""
    truncated: bool = False
    """Whether it put out more than is shown."""


@dataclass(frozen=True, slots=True)
class KnownTerminal:
    """What is known of a terminal by its id."""

    view: TerminalView
    items: tuple[str, ...] = ()
    """The cards that show it."""
    waiting: Text = field(default_factory=Text)
    """Its output until a card shows it."""
    has_own_card: bool = False
    """Whether its card was made for it, because no tool call had named it."""
