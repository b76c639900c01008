"""Who answers for a prompt: its sender, where people have names."""

from __future__ import annotations

from acp_jupyter.delivery.access import users_only
from acp_jupyter.delivery.callers import Caller, UserCaller
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.session import Session

__all__ = ["sender", "senders_only"]


def sender(caller: Caller) -> str:
    """Return who answers for what this caller sends; empty where anybody may.

    Whose code runs in a kernel is not known, and the server's owner needs no name.
    """
    return caller.person if isinstance(caller, UserCaller) else ""


def senders_only(session: Session, turn_id: str | None, caller: Caller, action: str) -> str:
    """Refuse what only the sender of a prompt may do; return who the caller is.

    Others see what is asked and may stop the turn: a stop allows nothing.

    Raises
    ------
    NotAllowed
        The caller is a kernel, or somebody else.
    """
    users_only(caller, action)
    turn = session.transcript.turns.get(turn_id or "")
    person = sender(caller)
    if person and turn is not None and turn.user not in {"", person}:
        raise NotAllowed(
            f"Only {turn.user}, who sent this prompt, can {action}. You can see it, and stop it."
        )
    return person
