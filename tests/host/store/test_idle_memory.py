"""What a server holds of sessions in which nothing happens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.journal import EPOCH
from acp_jupyter.transcript.model.events import Event
from tests.support.host.driver import Driver, driving
from tests.support.host.limits import PATIENT
from tests.support.server.jupyter_server import fake_agents
from tests.support.wait import eventually

LIMITS = replace(PATIENT, heartbeat_seconds=0.2, rest_seconds=0.2)


class Follower:
    """Keeps the events of a session."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def push(self, events: Iterable[Event]) -> None:
        self.events += events


def held(session: Session) -> int:
    """Return how many items, turns and calls of a session are in memory."""
    state = session.transcript
    items = (state.items.as_held(at) for at in range(len(state.items)))
    others = (value for values in (state.turns, state.calls) for _, value in values.held())
    return sum(not isinstance(value, int) for each in (items, others) for value in each)


def at_rest(session: Session) -> bool:
    return held(session) == 0


def followed(driver: Driver, session: Session, after: int) -> list[str]:
    follower = Follower()
    driver.run(lambda: session.journal.add_reader(follower, after, EPOCH))
    driver.run(lambda: session.journal.remove_reader(follower))
    return [event.kind for event in follower.events]


def test_of_idle_sessions_nothing_is_held_but_where_it_lies(tmp_path: Path) -> None:
    with driving(tmp_path, fake_agents("works"), LIMITS) as driver:
        sessions = [driver.open("works") for _ in range(5)]
        for session in sessions:
            for number in range(3):
                driver.done(session, driver.prompt(session, f"turn-{number}"))
        for session in sessions:
            eventually(partial(at_rest, session))
            assert len(session.transcript.items) > 60
            assert session.transcript.text_of("i0") is None
            assert "Answer turn-2-7" in driver.text(session)


def test_who_missed_something_of_a_session_at_rest_gets_a_snapshot(tmp_path: Path) -> None:
    with driving(tmp_path, fake_agents("works"), LIMITS) as driver:
        session = driver.open("works")
        driver.done(session, driver.prompt(session, "one"))
        eventually(lambda: held(session) == 0)
        seq = session.transcript.seq
        assert followed(driver, session, seq) == []
        assert followed(driver, session, seq - 1) == ["snapshot"]


def test_a_session_at_rest_goes_on(tmp_path: Path) -> None:
    with driving(tmp_path, fake_agents("works"), LIMITS) as driver:
        session = driver.open("works")
        driver.done(session, driver.prompt(session, "one"))
        eventually(lambda: held(session) == 0)
        items = session.transcript.window(0, 1000)
        driver.done(session, driver.prompt(session, "two"))
        assert session.transcript.window(0, len(items)) == items
        assert "Answer two-7" in driver.text(session)


def test_what_runs_or_waits_is_no_session_at_rest(tmp_path: Path) -> None:
    with driving(tmp_path, fake_agents("works", "permission"), LIMITS) as driver:
        asking = driver.open("permission")
        driver.prompt(asking, "one")
        driver.asked(asking)
        other = driver.open("works")
        driver.done(other, driver.prompt(other, "one"))
        eventually(lambda: held(other) == 0)
        assert held(asking) > 0
