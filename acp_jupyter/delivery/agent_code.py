"""What code may ask that an agent runs in a kernel: it speaks with the kernel's own proof."""

from __future__ import annotations

from acp_jupyter.delivery.change_commands import GetChanges
from acp_jupyter.delivery.commands import (
    Cancel,
    Command,
    GetSession,
    GetTraffic,
    GetTranscript,
    GetTurn,
    ListAgents,
    ListSessions,
)
from acp_jupyter.delivery.permission_commands import ListRules
from acp_jupyter.errors import NotAllowed

__all__ = ["let_only_look"]

_LOOKS = (
    Cancel,
    GetChanges,
    GetSession,
    GetTraffic,
    GetTranscript,
    GetTurn,
    ListAgents,
    ListRules,
    ListSessions,
)


def let_only_look(command: Command) -> None:
    """Refuse what an agent's code may not do, whoever it says it is.

    Raises
    ------
    NotAllowed
        The command does more than look.
    """
    if not isinstance(command, _LOOKS):
        raise NotAllowed(
            "This code is run by an agent's tool, so it can't start agents, prompt or change "
            "them, or answer for the user. Put it into a cell and ask the user to run that."
        )
