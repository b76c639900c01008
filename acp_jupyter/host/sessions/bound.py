"""`Bound`: a limit that holds for a turn, its own or that of its session, and what counts of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.protocol.turn_limit import (
    NO_LIMIT,
    LimitName,
    TurnLimit,
    TurnLimitError,
    amount_words,
    read_turn_limit,
)
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.use import NO_USE, Use

_GO_ON = "What was done is kept. To go on, send a message, with a higher limit if it needs one."
_GO_ON_IN_SESSION = (
    "What was done is kept. To go on, give the session a higher limit, or start a new session."
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit that holds for a turn."""

    limit: TurnLimit
    before: Use = NO_USE
    """What counts of it before the turn begins."""
    of: str = ""
    """What it is the limit of, in words that follow it; empty for the turn itself."""
    go_on: str = _GO_ON
    """What is said when it is reached."""

    def used(self, name: LimitName, now: Use) -> float:
        """Return how much is used, if the turn itself has used ``now``."""
        match name:
            case "seconds":
                return self.before.seconds + now.seconds
            case "calls":
                return self.before.calls + now.calls
            case "tokens":
                return (self.before.tokens or 0) + (now.tokens or 0)
            case "money":
                currency = self.limit.currency
                return (self.before.cost(currency) or 0.0) + (now.cost(currency) or 0.0)

    def reached(self) -> Iterator[tuple[str, str]]:
        """Yield what is used up before the turn begins: the limit and what was used, in words."""
        for name, most in self.limit.amounts().items():
            used = self.used(name, NO_USE)
            if used >= most:
                yield self.limit.parts()[name], amount_words(name, used, self.limit.currency)

    def words(self, name: LimitName) -> str:
        """Return one of its limits in words."""
        return f"{self.limit.parts()[name]}{self.of}"


def bounds_of(limit: TurnLimit, state: SessionState) -> tuple[Bound, ...]:
    """Return what holds for a turn that begins: its own limit, and that of its session."""
    return (Bound(limit), _of_session(_saved(state.limit), state.use))


def limit_of(words: str) -> TurnLimit:
    """Parse a limit that somebody sets."""
    try:
        return read_turn_limit(words)
    except TurnLimitError as error:
        raise BadRequest(str(error)) from None


def turn_limit_of(state: SessionState) -> TurnLimit:
    """Return the limit that a session has for each of its turns."""
    return _saved(state.turn_limit)


def require_unused(words: str, use: Use) -> None:
    """Refuse a limit for a session that has used as much already."""
    for limit, used in _of_session(limit_of(words), use).reached():
        raise BadRequest(
            f"This session has used {used} already, so a limit of {limit} would stop each turn "
            "before it begins. Set a higher limit, or start a new session."
        )


def require_tighter(words: str, now: str) -> None:
    """Refuse a limit that allows more than the one of now."""
    limit = limit_of(words)
    if limit.within(_saved(now)) != limit:
        raise NotAllowed(
            f"Only the user can raise a limit of this session from {now}: do it in the panel."
        )


def require_room(state: SessionState, more: Iterable[Bound]) -> None:
    """Refuse a prompt for a session that has reached its limit, or one of ``more``."""
    for limit, used in _of_session(_saved(state.limit), state.use).reached():
        raise BadRequest(
            f"This session has reached its limit of {limit}. Used: {used}. To go on, give it a "
            "higher limit, or start a new session."
        )
    for bound in more:
        for limit, used in bound.reached():
            raise BadRequest(
                f"The limit of {limit}{bound.of} is reached. Used: {used}. {bound.go_on}"
            )


def doubts(words: str, state: SessionState) -> str:
    """Return why a limit may not hold, as far as the agent is known; empty if nothing is known."""
    limit, use, name = limit_of(words), state.use, state.agent_info.name or "The agent"
    unsaid = []
    if use.turns and limit.tokens is not None and use.tokens is None:
        unsaid.append("no tokens")
    if use.turns and limit.money is not None and use.cost(limit.currency) is None:
        unsaid.append(f"no cost in {limit.currency}")
    if not unsaid:
        return ""
    return (
        f"{name} has reported {' and '.join(unsaid)} so far, and what it doesn't report can't be "
        "limited. Limit minutes or tool calls, too."
    )


def _of_session(limit: TurnLimit, use: Use) -> Bound:
    return Bound(limit, use, " for this session", _GO_ON_IN_SESSION)


def _saved(words: str) -> TurnLimit:
    try:
        return read_turn_limit(words)
    except TurnLimitError:
        return NO_LIMIT  # of another version, which knows more
