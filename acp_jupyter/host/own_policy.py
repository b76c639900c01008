"""Under which policy a user's prompt runs that takes the place of a kernel's, or follows one.

A kernel's proof stands for code that may be anybody's. So it says how the permission requests of
its own prompts are answered, and never those of a prompt that a user sends, edits or adds.
"""

from __future__ import annotations

from acp_jupyter.protocol.host_events.permissions import Policy, Rule
from acp_jupyter.transcript.model.session_state import SessionState, TurnState

__all__ = ["denials", "taken_over"]

_ALLOWS: dict[Policy, frozenset[str]] = {
    "deny": frozenset(),
    "ask": frozenset(),
    "read-only": frozenset({"read"}),
    "accept-edits": frozenset({"edit"}),
    "allow-all": frozenset({"read", "edit", "execute"}),
}
"""What each allows without asking."""


def taken_over(turn: TurnState, session: SessionState) -> tuple[Policy, tuple[Rule, ...]]:
    """Return the policy and the rules of a user's prompt in place of a kernel's turn, or after it.

    It allows nothing that the session's own policy doesn't, and no more than the turn did. What
    the turn's rules deny stays denied.
    """
    ours, theirs = _ALLOWS[session.policy], _ALLOWS[turn.policy]
    policy: Policy = "ask"
    if theirs <= ours:
        policy = turn.policy
    elif ours < theirs:
        policy = session.policy
    return policy, denials(turn)


def denials(turn: TurnState) -> tuple[Rule, ...]:
    """Return the rules of a turn that deny something."""
    return tuple(rule for rule in turn.rules if rule.effect == "deny")
