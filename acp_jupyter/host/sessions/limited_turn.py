"""Stops a turn at its limit, and says before that most of it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Literal

from acp_jupyter.host.store.journal import EPOCH, Journal
from acp_jupyter.protocol.host_events.notes import HostNotice, TurnTimeUp
from acp_jupyter.protocol.turn_limit import TurnLimit, amount_words
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemReplaced,
    SessionChanged,
    TextAppended,
)
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import Usage
from acp_jupyter.transcript.model.tool_items import ToolCall

_MOST = 0.8
_GO_ON = "What was done is kept. To go on, send a message, with a higher limit if it needs one."
_REPORTED = {"tokens": "tokens", "money": "cost"}


class LimitedTurn:
    """Counts what a running turn uses. A reader of the journal, from `begin` to `end`.

    Parameters
    ----------
    stop
        Stops the turn, as the user does.
    """

    def __init__(
        self, journal: Journal, turn_id: str, limit: TurnLimit, stop: Callable[[], None]
    ) -> None:
        self._journal = journal
        self._turn_id = turn_id
        self._limit = limit
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        self._used = {"seconds": 0.0, "calls": 0.0, "tokens": 0.0, "money": 0.0}
        self._calls: dict[str, bool] = {}
        """The tool calls, and whether each is open."""
        self._at = self._loop.time()
        self._asks = False
        self._usage: Usage | None = None
        self._reported: set[str] = set()
        self._wrong_currency: str | None = None
        self._said: set[str] = set()
        self._over = not limit
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin to count, if anything is limited."""
        if self._over:
            return
        state = self._journal.transcript
        self._usage = state.session.usage
        # The first turn of a session pays for all that the agent reports.
        if self._usage is None and len(state.turn_order) == 1:
            currency = self._limit.currency
            self._usage = Usage(used=0, size=0, cost_amount=0, cost_currency=currency)
        self._journal.add_reader(self, state.seq, EPOCH)
        self._look()

    def end(self) -> None:
        """End the count, and say which limit could not hold."""
        self._journal.remove_reader(self)
        if self._timer is not None:
            self._timer.cancel()
        if self._over:
            return
        self._over = True
        turn = self._journal.transcript.turns[self._turn_id]
        for name in _REPORTED.keys() & self._limit.parts().keys():
            if name not in self._reported and turn.stop_reason == "end_turn":
                self._note("info", self._unreported(name, turn.tokens))

    def push(self, events: Iterable[Event]) -> None:
        """Look again, unless there is only more text."""
        if self._over:
            return
        count = False
        for event in events:
            if isinstance(event, ItemAdded | ItemReplaced):
                self._count_call(event.item)
            elif isinstance(event, SessionChanged):
                self._count_usage(event.session.usage)
            count = count or not isinstance(event, TextAppended)
        if count:
            # Not now: the journal is in the middle of an entry.
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        if self._over:
            return
        self._count_time()
        self._say_wrong_currency()
        for name, words in self._limit.parts().items():
            used, most = self._used[name], getattr(self._limit, name)
            # The last call that is allowed may end.
            ends = name == "calls" and used == most and any(self._calls.values())
            if used >= most and not ends:
                self._reached(name, words)
                return
            if _MOST * most <= used < most and name not in self._said:
                self._said.add(name)
                self._note("info", f"Most of the limit of {words} is used: {self._words(name)}.")
        self._wait()

    def _count_time(self) -> None:
        now = self._loop.time()
        if not self._asks:
            self._used["seconds"] += now - self._at
        self._at = now
        turn = self._journal.transcript.turns[self._turn_id]
        self._asks = turn.status == "requires_action"

    def _count_call(self, item: Item) -> None:
        if isinstance(item, ToolCall) and item.turn_id == self._turn_id:
            self._calls[item.id] = item.is_open
            self._used["calls"] = len(self._calls)

    def _count_usage(self, now: Usage | None) -> None:
        """Count what the agent reports; a number that goes down takes nothing back."""
        before = self._usage
        if now is None or now == before:
            return
        self._usage = now
        self._reported.add("tokens")
        if before is not None:
            self._used["tokens"] += max(0, now.used - before.used)
        if now.cost_amount is None:
            return
        self._reported.add("money")
        if self._limit.currency not in {"", now.cost_currency.upper()}:
            self._wrong_currency = now.cost_currency
        elif before is not None and before.cost_amount is not None:
            self._used["money"] += max(0.0, now.cost_amount - before.cost_amount)

    def _wait(self) -> None:
        """Look again when the next part of the time is used, if time is limited and passes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        most, used = self._limit.seconds, self._used["seconds"]
        if most is None or self._asks:
            return
        part = _MOST * most if "seconds" not in self._said else most
        self._timer = self._loop.call_later(max(part - used, 0.001), self._look)

    def _reached(self, name: str, words: str) -> None:
        self._over = True
        used = self._words(name)
        self._note("warning", f"Stopped at the limit of {words}. Used: {used}. {_GO_ON}")
        self._journal.note(TurnTimeUp(turn_id=self._turn_id, limit=words))
        self._stop()

    def _say_wrong_currency(self) -> None:
        if self._wrong_currency is None or "money" in self._said:
            return
        self._said.add("money")
        currency = self._wrong_currency[:10] or "no currency"
        self._note(
            "warning",
            f"{self._name} reports its cost in {currency}, so the limit of "
            f"{self._limit.parts()['money']} can't hold. Limit minutes or tool calls instead.",
        )

    def _unreported(self, name: str, tokens: int | None) -> str:
        limit = self._limit.parts()[name]
        if name == "tokens" and tokens is not None:
            end = f"reported its tokens only at the end: {tokens:,}"
        else:
            end = f"reported no {_REPORTED[name]}"
        return (
            f"{self._name} {end}. So the limit of {limit} could not hold. Limit minutes or tool "
            "calls instead."
        )

    @property
    def _name(self) -> str:
        return self._journal.transcript.session.agent_info.name or "The agent"

    def _words(self, name: str) -> str:
        return amount_words(name, self._used[name], self._limit.currency)

    def _note(self, severity: Literal["info", "warning"], words: str) -> None:
        self._journal.note(HostNotice(severity=severity, text=words))
