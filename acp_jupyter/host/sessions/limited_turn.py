"""Stops a turn at a limit, its own or its session's, and says before that most of it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from acp_jupyter.host.sessions.bound import Bound
from acp_jupyter.host.store.journal import EPOCH, Journal
from acp_jupyter.protocol.host_events.notes import HostNotice, TurnTimeUp
from acp_jupyter.protocol.turn_limit import LimitName, amount_words
from acp_jupyter.transcript.model.events import Event, ItemAdded, ItemReplaced, TextAppended
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.model.use import Use

_MOST = 0.8
_REPORTED: dict[LimitName, str] = {"tokens": "tokens", "money": "cost"}


class LimitedTurn:
    """Looks what a running turn uses. A reader of the journal, from `begin` to `end`.

    Tool calls, tokens and money are those that the transcript counts.

    Parameters
    ----------
    bounds
        All that hold: the first that is reached stops the turn.
    stop
        Stops the turn, as the user does.
    """

    def __init__(
        self, journal: Journal, turn_id: str, bounds: Sequence[Bound], stop: Callable[[], None]
    ) -> None:
        self._journal = journal
        self._turn_id = turn_id
        self._bounds = tuple(bound for bound in bounds if bound.limit)
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        self._seconds = 0.0
        """Time so far, without that in which a question waits."""
        self._calls: dict[str, bool] = {}
        """The tool calls, and whether each is open."""
        self._at = self._loop.time()
        self._asks = False
        self._said: set[tuple[str, LimitName]] = set()
        self._over = not self._bounds
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin to look, if anything is limited."""
        if self._over:
            return
        self._journal.add_reader(self, self._journal.transcript.seq, EPOCH)
        self._look()

    def end(self) -> None:
        """Stop looking, and say which limit could not hold."""
        self._journal.remove_reader(self)
        if self._timer is not None:
            self._timer.cancel()
        if self._over:
            return
        self._over = True
        turn, used = self._journal.transcript.turns[self._turn_id], self._used
        reported = {"tokens": used.tokens is not None, "money": bool(used.costs)}
        for bound in self._bounds:
            for name in _REPORTED.keys() & bound.limit.parts().keys():
                if not reported[name] and turn.stop_reason == "end_turn":
                    self._note("info", self._unreported(bound, name, turn.tokens))

    def push(self, events: Iterable[Event]) -> None:
        """Look again, unless there is only more text."""
        if self._over:
            return
        look = False
        for event in events:
            if isinstance(event, ItemAdded | ItemReplaced):
                self._see_call(event.item)
            look = look or not isinstance(event, TextAppended)
        if look:
            # Not now: the journal is in the middle of an entry.
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        if self._over:
            return
        self._count_time()
        self._say_wrong_currency()
        now = self._used
        for bound in self._bounds:
            for name, most in bound.limit.amounts().items():
                used = bound.used(name, now)
                # The last call that is allowed may end.
                ends = name == "calls" and used == most and any(self._calls.values())
                if used >= most and not ends:
                    self._reached(bound, name, used)
                    return
                if _MOST * most <= used < most and (bound.of, name) not in self._said:
                    self._said.add((bound.of, name))
                    words = f"Most of the limit of {bound.words(name)} is used"
                    self._note("info", f"{words}: {self._words(bound, name, used)}.")
        self._wait()

    @property
    def _used(self) -> Use:
        """What this turn used so far."""
        return self._journal.transcript.turn_use.model_copy(update={"seconds": self._seconds})

    def _count_time(self) -> None:
        now = self._loop.time()
        if not self._asks:
            self._seconds += now - self._at
        self._at = now
        turn = self._journal.transcript.turns[self._turn_id]
        self._asks = turn.status == "requires_action"

    def _see_call(self, item: Item) -> None:
        if isinstance(item, ToolCall) and item.turn_id == self._turn_id:
            self._calls[item.id] = item.is_open

    def _wait(self) -> None:
        """Look again when the next part of the time is used, if time is limited and passes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._asks:
            return
        left = [
            (most if (bound.of, "seconds") in self._said else _MOST * most) - used
            for bound in self._bounds
            if (most := bound.limit.seconds) is not None
            for used in (bound.before.seconds + self._seconds,)
        ]
        if left:
            self._timer = self._loop.call_later(max(min(left), 0.001), self._look)

    def _reached(self, bound: Bound, name: LimitName, used: float) -> None:
        self._over = True
        words = bound.words(name)
        said = f"Stopped at the limit of {words}. Used: {self._words(bound, name, used)}."
        self._note("warning", f"{said} {bound.go_on}")
        self._journal.note(TurnTimeUp(turn_id=self._turn_id, limit=words))
        self._stop()

    def _say_wrong_currency(self) -> None:
        costs = self._used.costs
        for bound in self._bounds:
            key = bound.of, "money"
            if not costs or "money" not in bound.limit.parts() or key in self._said:
                continue
            if self._used.cost(bound.limit.currency) is None:
                self._said.add((bound.of, "money"))
                self._note(
                    "warning",
                    f"{self._name} reports its cost in {costs[0].currency or 'no currency'}, so "
                    f"the limit of {bound.words('money')} can't hold. Limit minutes or tool calls "
                    "instead.",
                )

    def _unreported(self, bound: Bound, name: LimitName, tokens: int | None) -> str:
        if name == "tokens" and tokens is not None:
            end = f"reported its tokens only at the end: {tokens:,}"
        else:
            end = f"reported no {_REPORTED[name]}"
        return (
            f"{self._name} {end}. So the limit of {bound.words(name)} could not hold. Limit "
            "minutes or tool calls instead."
        )

    @property
    def _name(self) -> str:
        return self._journal.transcript.session.agent_info.name or "The agent"

    def _words(self, bound: Bound, name: LimitName, used: float) -> str:
        return amount_words(name, used, bound.limit.currency)

    def _note(self, severity: Literal["info", "warning"], words: str) -> None:
        self._journal.note(HostNotice(severity=severity, text=words))
