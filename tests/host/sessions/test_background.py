"""Work of an agent that goes on beside its turns, and pieces of it that are cancelled alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import AcpError
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions import agent
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.markdown import turn_markdown
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.limits import PATIENT
from tests.support.wait import PATIENCE_SECONDS, eventually

AGENT = {**script("version_2"), "protocol_version": 2}


@contextmanager
def talking(folder: Path, limits: Limits | None = None) -> Iterator[tuple[Driver, Session]]:
    with driving(folder, {"two": AGENT}, limits) as driver:
        yield driver, driver.open("two")


def run(driver: Driver, session: Session, text: str) -> str:
    turn_id = driver.prompt(session, text)
    driver.done(session, turn_id)
    return turn_id


def call(session: Session, name: str) -> ToolCall:
    state = session.transcript
    (found,) = (
        item
        for item in state.window(0, len(state.items))
        if isinstance(item, ToolCall) and item.tool_call_id == name
    )
    return found


def asked(driver: Driver, session: Session, name: str) -> Future[None]:
    return driver.host.submit(session.canceller.cancel(name))


def refusal(driver: Driver, session: Session, name: str) -> AcpError:
    with pytest.raises(AcpError) as caught:
        asked(driver, session, name).result(PATIENCE_SECONDS)
    return caught.value


def entries(session: Session) -> list[TrafficEntry]:
    session.journal.flush()
    with session.journal.log.path.open("rb") as file:
        return [found for found in read_log(file) if isinstance(found, TrafficEntry)]


def sent(session: Session, method: str) -> int:
    return sum(each.message.get("method") == method for each in entries(session))


def read_again(session: Session) -> Transcript:
    """Return the transcript that the log alone gives."""
    reader, state = TrafficReader(), None
    for entry in entries(session):
        for packet in reader.read(entry):
            if state is None:
                state = opened_transcript(packet, entry.t)  # type: ignore[arg-type]
            else:
                state, _ = reduce(state, packet, entry.t)
    assert state is not None
    return state


def is_read_again(session: Session) -> bool:
    """Return whether the log gives the same; times are rounded in it."""
    other = read_again(session)
    return [_told(item) for item in other.window(0, len(other.items))] == [
        _told(item) for item in session.transcript.window(0, len(session.transcript.items))
    ]


def _told(item: object) -> object:
    return item.model_dump(exclude={"started_at", "ended_at", "at", "duration_seconds"})  # type: ignore[attr-defined]


def test_a_call_that_is_listed_outlives_its_turn(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        turn_id = run(driver, session, "background")
        serving = call(session, "server")
        assert (serving.status, serving.background, serving.can_cancel) == (
            "in_progress",
            True,
            True,
        )
        turn = session.transcript.turns[turn_id]
        assert (turn.status, turn.stop_reason) == ("done", "end_turn")
        assert "goes on in the background" in turn_markdown(
            turn, session.transcript.turn_items(turn_id)
        )
        run(driver, session, "nothing")
        assert call(session, "server") == serving
        assert is_read_again(session)


def test_its_end_within_a_later_turn_is_told_in_its_card(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        first = run(driver, session, "background")
        changed = driver.host.sessions.changed_turns
        number = changed.number
        run(driver, session, "call_ends")
        ended = call(session, "server")
        assert (ended.status, ended.turn_id, ended.background) == ("completed", first, False)
        assert not ended.can_cancel
        assert first in (changed.since(number) or {}).get(session.session_id, set())
        assert is_read_again(session)


def test_a_call_is_cancelled_alone(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "background")
        asked(driver, session, "server").result(PATIENCE_SECONDS)
        eventually(lambda: call(session, "server").status == "cancelled")
        ended = call(session, "server")
        assert (ended.background, ended.can_cancel, ended.cancelling) == (False, False, False)
        assert ended.ended_at is not None
        eventually(lambda: not session.state.background)
        assert is_read_again(session)
        why = refusal(driver, session, "server")
        assert (why.reason, why.message) == ("call_not_cancellable", "This has ended already.")


def test_a_command_is_cancelled_whose_call_has_ended(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "terminal")
        started = call(session, "start")
        assert started.terminal is not None
        assert (started.status, started.background, started.terminal.running) == (
            "completed",
            True,
            True,
        )
        asked(driver, session, "start").result(PATIENCE_SECONDS)
        eventually(lambda: not call(session, "start").background)
        ended = call(session, "start")
        assert ended.terminal is not None
        assert not ended.terminal.running
        assert (ended.status, ended.terminal.signal, ended.terminal.by) == (
            "completed",
            "SIGTERM",
            "user",
        )
        assert sent(session, "terminal/cancel") == 1
        assert is_read_again(session)


def test_a_refusal_is_told_in_words(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "stubborn")
        why = refusal(driver, session, "stubborn")
        assert why.message == "Second does not cancel this: It must go on."
        goes_on = call(session, "stubborn")
        assert (goes_on.status, goes_on.can_cancel, goes_on.cancelling) == (
            "in_progress",
            True,
            False,
        )
        assert is_read_again(session)


def test_silence_is_told_in_words(tmp_path: Path) -> None:
    with talking(tmp_path, replace(PATIENT, request_seconds=0.5)) as (driver, session):
        run(driver, session, "silent")
        why = refusal(driver, session, "silent")
        assert "was asked to cancel this, and has not answered" in why.message
        assert call(session, "silent").cancelling
        assert is_read_again(session)


def test_who_asks_twice_asks_once(tmp_path: Path) -> None:
    async def both(session: Session) -> list[Any]:
        asking = [session.canceller.cancel("silent") for _ in range(2)]
        return await asyncio.gather(*asking, return_exceptions=True)

    with talking(tmp_path, replace(PATIENT, request_seconds=0.5)) as (driver, session):
        run(driver, session, "silent")
        one, other = driver.result(both(session))
        assert isinstance(one, AcpError)
        assert type(one) is type(other)
        assert sent(session, "tool_call/cancel") == 1


def test_what_has_ended_meanwhile_is_no_failure(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "late")
        asked(driver, session, "late").result(PATIENCE_SECONDS)
        assert call(session, "late").status == "completed"


def test_what_is_not_offered_is_not_sent(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "endless")
        assert "does not end this alone" in refusal(driver, session, "endless").message
        assert refusal(driver, session, "nothing").reason == "unknown_tool_call"
        assert not sent(session, "tool_call/cancel")


def test_all_ends_with_an_agent_that_dies_while_it_is_asked(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "endless")
        run(driver, session, "fragile")
        assert refusal(driver, session, "fragile").reason == "agent_died"
        both = ("fragile", "endless")
        eventually(lambda: {call(session, name).status for name in both} == {"cancelled"})
        assert not any(call(session, name).background for name in both)
        assert is_read_again(session)


def test_a_stop_ends_the_turn_and_not_what_goes_on(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "background")
        turn_id = driver.prompt(session, "long")
        eventually(lambda: driver.text(session).endswith("working"))
        driver.run(session.cancel)
        assert driver.done(session, turn_id).stop_reason == "cancelled"
        assert call(session, "server").status == "in_progress"


def test_what_is_listed_no_more_is_closed(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        run(driver, session, "background")
        run(driver, session, "forgets")
        closed = call(session, "server")
        assert (closed.status, closed.background) == ("cancelled", False)
        assert is_read_again(session)


def test_a_closed_session_has_nothing_that_goes_on(tmp_path: Path) -> None:
    with driving(tmp_path, {"two": AGENT}) as driver:
        session = driver.open("two")
        run(driver, session, "background")
        driver.result(driver.host.sessions.close(session.session_id))
        session_id = session.session_id
        driver.result(driver.host.sessions.wake(session_id))
        again = driver.host.sessions.require(session_id)
        assert call(again, "server").status == "cancelled"


def test_an_agent_that_works_is_not_left_when_its_time_is_up(tmp_path: Path) -> None:
    with talking(tmp_path, replace(PATIENT, idle_seconds=0.2)) as (driver, session):
        run(driver, session, "background")
        other = driver.open("two")
        run(driver, other, "nothing")
        eventually(lambda: not other.agent.running)
        assert session.agent.running
        asked(driver, session, "server").result(PATIENCE_SECONDS)
        eventually(lambda: not session.agent.running)


def test_an_agent_that_works_for_too_long_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "_MAX_WORK_SECONDS", 0.3)
    with talking(tmp_path, replace(PATIENT, idle_seconds=0.2)) as (driver, session):
        run(driver, session, "background")
        eventually(lambda: not session.agent.running)
