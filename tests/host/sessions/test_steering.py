"""A message that waits is put into the turn that runs, where the agent takes it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import NotAllowed, NotQueued
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.sessions.opening import SessionConnection
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.parse.steering import Outcome
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.output.markdown import session_markdown
from acp_jupyter.transcript.reduce.reducer import reduce
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.limits import PATIENT
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS, eventually

Fields = dict[str, Any]
SILENT = replace(PATIENT, steer_seconds=0.2)


@contextmanager
def running(
    folder: Path, answer: str, limits: Limits = PATIENT, **of_turn: Any
) -> Iterator[tuple[Driver, Session, str]]:
    """Yield a session whose turn goes on, and the turn."""
    with driving(folder, {"steers": script("steers", answer)}, limits) as driver:
        session = driver.open("steers")
        turn_id = driver.prompt(session, "slow", **of_turn)
        eventually(lambda: "begins slow" in driver.text(session))
        yield driver, session, turn_id


def steer(driver: Driver, session: Session, turn_id: str) -> str:
    outcome: str = driver.result(session.turns.steer(turn_id))
    return outcome


def said(session: Session, turn_id: str) -> list[str]:
    return [_words(item) for item in session.transcript.each_of_turn(turn_id)]


def _words(item: Item) -> str:
    match item.kind:
        case "user_message":
            return f"{'steered' if item.steered else 'prompt'}: {item.text}"
        case "agent_message" | "notice":
            return f"{item.kind}: {item.text}"
        case _:
            return item.kind


def test_the_sentence_stands_in_the_turn_where_the_agent_took_it(tmp_path: Path) -> None:
    with running(tmp_path, "injected") as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left", policy="allow-all")
        assert steer(driver, session, waiting) == "injected"
        turn = driver.done(session, turn_id)
        assert said(session, turn_id) == [
            "prompt: slow",
            "agent_message: begins slow",
            "steered: turn left",
            "agent_message: heard turn left",
            "turn_end",
        ]
        assert (turn.stop_reason, turn.policy) == ("end_turn", "ask")
        assert session.transcript.turns[waiting].stop_reason == "steered"
        assert not session.state.queue
        assert "begins turn left" not in driver.text(session)
        # Once, and where it went in.
        state = session.transcript
        turns = [state.turns[each] for each in state.turn_order]
        items = {turn.turn_id: tuple(state.each_of_turn(turn.turn_id)) for turn in turns}
        page = session_markdown(session.state, turns, items)
        before, after = page.split("> turn left\n")
        assert "begins slow" in before
        assert "heard turn left" in after


def test_a_turn_that_the_agent_starts_itself_is_told(tmp_path: Path) -> None:
    with running(tmp_path, "startedNewTurn") as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left")
        assert steer(driver, session, waiting) == "startedNewTurn"
        driver.done(session, turn_id)
        told = said(session, turn_id)
        assert "steered: turn left" in told
        assert any("as a separate turn" in words for words in told)
        assert session.transcript.turns[waiting].stop_reason == "steered"


@pytest.mark.parametrize(
    "answer",
    [
        "failed",
        "error",
        "silent",
        "unable",
        "injected!",
        "{}",
        "null",
        "[1]",
        '{"outcome": ["injected"]}',
        '{"outcome": {"injected": true}}',
    ],
)
def test_what_the_agent_does_not_take_waits_and_is_sent_later(tmp_path: Path, answer: str) -> None:
    limits = SILENT if answer == "silent" else PATIENT
    with running(tmp_path, answer, limits) as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left")
        assert steer(driver, session, waiting) == "queued"
        assert [each.text for each in session.state.queue] == ["turn left"]
        assert session.transcript.turns[turn_id].status == "running"
        told = said(session, turn_id)
        assert any("did not accept the message" in words for words in told)
        assert not any(words.startswith("steered") for words in told)
        driver.run(lambda: session.cancel(turn_id))
        assert driver.done(session, waiting).stop_reason == "end_turn"
        assert "begins turn left" in driver.text(session)


def test_it_is_sent_as_a_prompt_where_the_agent_needs_one(tmp_path: Path) -> None:
    with running(tmp_path, "late") as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left")
        assert steer(driver, session, waiting) == "queued"
        assert driver.done(session, turn_id).stop_reason == "end_turn"
        assert driver.done(session, waiting).stop_reason == "end_turn"
        assert driver.text(session).count("begins turn left") == 1
        notices = [item.text for item in session.transcript.items if item.kind == "notice"]
        assert any("sent as the next one" in words for words in notices)


def test_what_the_agent_has_taken_is_not_sent_before_it_says_so(tmp_path: Path) -> None:
    with running(tmp_path, "tardy") as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left")
        assert steer(driver, session, waiting) == "injected"
        driver.done(session, turn_id)
        assert session.transcript.turns[waiting].stop_reason == "steered"
        assert "too early" not in driver.text(session)
        assert "begins turn left" not in driver.text(session)
        assert any(getattr(item, "steered", False) for item in session.transcript.items)


def test_an_agent_that_exits_over_it_leaves_the_message_waiting(tmp_path: Path) -> None:
    with running(tmp_path, "gone") as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left")
        assert steer(driver, session, waiting) == "queued"
        assert driver.done(session, turn_id).stop_reason == "error"
        assert driver.done(session, waiting).stop_reason == "end_turn"


def test_while_the_agent_is_asked_the_message_is_not_changed_but_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, steer = threading.Event(), SessionConnection.steer

    async def until_its_time_is_over(
        connection: SessionConnection, blocks: Sequence[Mapping[str, Any]], seconds: float
    ) -> Outcome:
        offered = asyncio.ensure_future(steer(connection, blocks, FOREVER_SECONDS))
        await asyncio.to_thread(over.wait, PATIENCE_SECONDS)
        offered.cancel()
        return "failed"

    monkeypatch.setattr(SessionConnection, "steer", until_its_time_is_over)
    with running(tmp_path, "silent") as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left")
        asked = driver.host.submit(session.turns.steer(waiting))
        eventually(lambda: "hears" in driver.text(session))
        for change in (session.turns.send_now, lambda name: session.turns.queue.edit(name, "else")):
            with pytest.raises(NotQueued):
                driver.run(lambda change=change: change(waiting))  # type: ignore[misc]
        driver.run(lambda: session.cancel(waiting))
        over.set()
        assert asked.result(PATIENCE_SECONDS) == "queued"
        assert not session.state.queue
        assert session.transcript.turns[waiting].stop_reason == "cancelled"
        assert session.transcript.turns[turn_id].status == "running"


@pytest.mark.parametrize(
    ("of_turn", "of_message", "waits"),
    [
        ({"policy": "accept-edits"}, {"policy": "ask"}, True),
        ({"policy": "allow-all"}, {"policy": "accept-edits"}, True),
        ({"policy": "ask"}, {"policy": "read-only"}, True),
        ({"policy": "ask"}, {"policy": "deny"}, True),
        ({"policy": "read-only"}, {"policy": "ask"}, True),
        ({"sandbox": "off"}, {"sandbox": "folder"}, True),
        ({"sandbox": "folder"}, {"sandbox": "read-only"}, True),
        ({"sandbox": "read-only"}, {"sandbox": "off"}, False),
        ({"rules": (("edit:src/**",), ())}, {}, True),
        ({}, {"rules": ((), ("execute",))}, True),
        ({"policy": "accept-edits"}, {"policy": "allow-all"}, False),
        ({"policy": "accept-edits"}, {"policy": "accept-edits"}, False),
        ({"policy": "deny"}, {"policy": "ask"}, False),
        ({"rules": ((), ("execute",))}, {}, False),
        (
            {"rules": (("edit",), ("read",))},
            {"rules": (("edit", "search"), ("read",))},
            False,
        ),
    ],
    ids=str,
)
def test_a_message_is_in_no_turn_that_allows_more_than_its_own(
    tmp_path: Path, of_turn: Fields, of_message: Fields, *, waits: bool
) -> None:
    turn, message = (
        {**each, "rules": turn_rules(*each.get("rules", ((), ())))}
        for each in (of_turn, of_message)
    )
    with running(tmp_path, "injected", **turn) as (driver, session, turn_id):
        waiting = driver.prompt(session, "turn left", **message)
        assert steer(driver, session, waiting) == ("queued" if waits else "injected")
        if waits:
            driver.run(lambda: session.cancel(turn_id))
        driver.done(session, turn_id)
        told = said(session, turn_id)
        assert ("steered: turn left" in told) == (not waits)
        assert any("allows more" in words for words in told) == waits
        if waits:
            driver.done(session, waiting)
            assert "prompt: turn left" in said(session, waiting)


def test_nobody_puts_words_into_the_turn_of_another(tmp_path: Path) -> None:
    with driving(tmp_path, {"steers": script("steers", "injected")}) as driver:
        session = driver.open("steers")
        driver.prompt(session, "slow", user="ada")
        eventually(lambda: "begins slow" in driver.text(session))
        for sender in ({"user": "bob"}, {"kernel_id": "k"}):
            waiting = driver.prompt(session, "turn left", **sender)
            with pytest.raises(NotAllowed, match="ada"):
                steer(driver, session, waiting)
        assert len(session.state.queue) == 2
        assert "heard" not in driver.text(session)
        mine = driver.prompt(session, "turn right", user="ada")
        assert steer(driver, session, mine) == "injected"


def test_only_what_waits_is_steered(tmp_path: Path) -> None:
    with running(tmp_path, "injected") as (driver, session, turn_id):
        for name in (turn_id, "none"):
            with pytest.raises(NotQueued):
                steer(driver, session, name)


def test_the_log_alone_tells_of_it(tmp_path: Path) -> None:
    with running(tmp_path, "injected") as (driver, session, turn_id):
        steer(driver, session, driver.prompt(session, "turn left"))
        driver.done(session, turn_id)
        told = said(session, turn_id)
        assert session.journal.flush()
        lines = read_log(session.journal.log.path.read_bytes().splitlines())
        reader = TrafficReader()
        transcript = Transcript(session=session.transcript.session)
        for line in lines:
            assert isinstance(line, TrafficEntry)
            # As another client's log has it, without our own note.
            if line.message.get("note") != "turn_steered":
                for packet in reader.read(line):
                    transcript, _ = reduce(transcript, packet, line.t)
    again = [_words(item) for item in transcript.each_of_turn(turn_id)]
    assert again == told
