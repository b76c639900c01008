"""What counts against the limit of a turn, and when it is stopped."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acp_jupyter.host.sessions.bound import Bound, bounds_of, doubts
from acp_jupyter.host.sessions.limited_turn import LimitedTurn
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.turn_limit import read_turn_limit
from acp_jupyter.transcript.model.events import SessionChanged
from acp_jupyter.transcript.model.use import Cost, Use
from tests.support.transcript.traffic import Script
from tests.support.virtual_loop import in_virtual_time


class _Journal:
    """A session's log, as far as a limited turn looks at it."""

    def __init__(self) -> None:
        self.turn = SimpleNamespace(status="running", stop_reason="", tokens=None)
        self.session = SimpleNamespace(agent_info=SimpleNamespace(name="Fake"))
        self.transcript = SimpleNamespace(
            session=self.session, turns={"t": self.turn}, turn_use=Use(), seq=0
        )
        self.reader: Any = None
        self.said: list[str] = []
        self.limits: list[str] = []
        self.stopped_at: list[float] = []

    def add_reader(self, reader: Any, *_: Any) -> None:
        self.reader = reader

    def remove_reader(self, reader: Any) -> None:
        assert reader is self.reader

    def note(self, note: Any) -> None:
        if isinstance(note, HostNotice):
            self.said.append(note.text)
        else:
            self.limits.append(note.limit)

    def stop(self) -> None:
        self.stopped_at.append(asyncio.get_running_loop().time())

    def limit(self, text: str, *more: Bound) -> LimitedTurn:
        bounds = (Bound(read_turn_limit(text)), *more)
        turn = LimitedTurn(cast("Any", self), "t", bounds, self.stop)
        turn.begin()
        return turn

    async def change(self, status: str = "running", **used: Any) -> None:
        self.turn.status = status
        if used:
            self.transcript.turn_use = Use(**used)
        self.reader.push(
            [
                SessionChanged.model_construct(
                    session_id="s", seq=1, session=cast("Any", self.session)
                )
            ]
        )
        await asyncio.sleep(0)


@in_virtual_time
async def test_time_with_an_open_question_does_not_count() -> None:
    journal = _Journal()
    journal.limit("10 min")
    await asyncio.sleep(100)
    await journal.change("requires_action")
    await asyncio.sleep(10_000)
    assert journal.said == []
    await journal.change("running")
    await asyncio.sleep(379)
    assert journal.said == []
    await asyncio.sleep(2)
    assert journal.said == ["Most of the limit of 10 minutes is used: 8 minutes."]
    await asyncio.sleep(100_000)
    assert journal.stopped_at == [pytest.approx(10_600, abs=0.1)]
    assert journal.limits == ["10 minutes"]
    assert journal.said[1:] == [
        "Stopped at the limit of 10 minutes. Used: 10 minutes. What was done is kept. To go "
        "on, send a message, with a higher limit if it needs one."
    ]


@in_virtual_time
async def test_a_turn_is_stopped_once() -> None:
    journal = _Journal()
    journal.limit("100 tokens")
    for tokens in (50, 85, 86):
        await journal.change(tokens=tokens)
    assert journal.said == ["Most of the limit of 100 tokens is used: 85 tokens."]
    assert not journal.stopped_at
    for tokens in (100, 1000):
        await journal.change(tokens=tokens)
    assert len(journal.stopped_at) == 1


@in_virtual_time
async def test_the_cost_counts_in_its_currency_and_another_one_is_said() -> None:
    journal = _Journal()
    journal.limit("1 USD")
    await journal.change(costs=(Cost(amount=0.5, currency="USD"),))
    assert journal.said == []
    await journal.change(costs=(Cost(amount=1.0, currency="USD"),))
    assert "Stopped at the limit of 1 USD. Used: 1 USD." in journal.said[-1]
    other = _Journal()
    other.limit("1 USD")
    for _ in range(3):
        await other.change(costs=(Cost(amount=50.0, currency="EUR"),))
    assert not other.stopped_at
    (words,) = other.said
    assert "reports its cost in EUR, so the limit of 1 USD can't hold" in words


@in_virtual_time
async def test_what_is_not_reported_is_said_at_the_end() -> None:
    journal = _Journal()
    turn = journal.limit("5 tokens, 1 USD, 1 h")
    journal.turn.stop_reason, journal.turn.tokens = "end_turn", 30
    turn.end()
    turn.end()
    assert sorted(journal.said) == [
        "Fake reported its tokens only at the end: 30. So the limit of 5 tokens could not hold. "
        "Limit minutes or tool calls instead.",
        "Fake reported no cost. So the limit of 1 USD could not hold. Limit minutes or tool calls "
        "instead.",
    ]
    assert not journal.stopped_at


@in_virtual_time
async def test_a_sessions_limit_counts_what_earlier_turns_used() -> None:
    journal = _Journal()
    state = Script().transcript.session.model_copy(
        update={"limit": "10 min, 10 calls", "use": Use(turns=2, seconds=500.0, calls=7)}
    )
    of_session = bounds_of(read_turn_limit(""), state)
    journal.limit("1 h, 100 calls", *of_session)
    assert journal.said == [
        "Most of the limit of 10 minutes for this session is used: 8.3 minutes."
    ]
    await journal.change(calls=2)
    assert journal.said[1:] == [
        "Most of the limit of 10 tool calls for this session is used: 9 tool calls."
    ]
    await asyncio.sleep(1000)
    assert journal.stopped_at == [pytest.approx(100, abs=0.1)]
    assert journal.limits == ["10 minutes for this session"]
    assert journal.said[-1] == (
        "Stopped at the limit of 10 minutes for this session. Used: 10 minutes. What was done is "
        "kept. To go on, give the session a higher limit, or start a new session."
    )


@pytest.mark.parametrize(
    ("limit", "use", "words"),
    [
        ("5 tokens", Use(), ""),
        ("5 min", Use(turns=1), ""),
        ("5 tokens", Use(turns=1, tokens=3), ""),
        ("5 tokens", Use(turns=1), "Demo has reported no tokens so far"),
        ("1 tokens, 5 USD", Use(turns=1), "no tokens and no cost in USD so far"),
        ("5 USD", Use(turns=1, costs=(Cost(amount=1, currency="EUR"),)), "no cost in USD so far"),
    ],
)
def test_what_the_agent_has_not_reported_is_doubted(limit: str, use: Use, words: str) -> None:
    said = doubts(limit, Script().transcript.session.model_copy(update={"use": use}))
    assert words in said
    assert bool(said) is bool(words)
