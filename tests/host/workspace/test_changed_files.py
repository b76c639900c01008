"""Files that a turn creates, in sessions with agent processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.log_reader import read_traffic
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.items import Artifact, Item, Notice
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.limits import PATIENT
from tests.support.wait import eventually


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"own": script("own_tools")}) as driver:
        yield driver


def _items(driver: Driver, session: Session, prompt: str) -> list[Item]:
    turn_id = driver.prompt(session, prompt)
    driver.done(session, turn_id)
    return list(session.transcript.turn_items(turn_id))


def test_made_files_are_in_the_turn_before_it_is_done(driver: Driver) -> None:
    """Live artifacts, before the turn's end and in the log."""
    (driver.root / "old.csv").write_text("1")
    session = driver.open("own")
    items = _items(
        driver,
        session,
        "write plot.png x\nwrite old.csv 12\nwrite n.ipynb {}\n"
        "show a.py x\nshow t.csv 1,2\nsay Done",
    )
    made = [item for item in items if isinstance(item, Artifact)]
    assert [(item.path, item.type, item.size) for item in made] == [
        ("plot.png", "image", "1 B"),
        ("t.csv", "csv", "3 B"),
    ]
    assert [item.kind for item in items[-3:]] == ["artifact", "artifact", "turn_end"]
    # What the next turn finds there is not made by it.
    assert not any(isinstance(item, Artifact) for item in _items(driver, session, "say Hello"))


def test_the_transcript_is_a_function_of_the_log(driver: Driver) -> None:
    session = driver.open("own")
    _items(driver, session, "write a.png x\nsay Done")
    _items(driver, session, "many 3 .svg")
    driver.result(session.close())
    first, *rest = read_traffic(driver.host.traffic_path(session.session_id))
    reader, transcript = (
        TrafficReader(),
        opened_transcript(SessionOpened.model_validate(first.message), 0),
    )
    for entry in rest:
        for packet in reader.read(entry):
            transcript, _events = reduce(transcript, packet, entry.t)
    assert _timeless(transcript) == _timeless(session.transcript)
    numbers = [entry.seq for entry in rest]
    assert numbers == sorted(numbers)
    made = next(n for n, entry in enumerate(rest) if entry.message.get("note") == "artifacts_made")
    assert "stopReason" in rest[made + 1].message["result"]


def _timeless(transcript: Transcript) -> list[dict[str, object]]:
    times = {"at", "started_at", "ended_at", "duration_seconds"}
    return [item.model_dump(exclude=times) for item in transcript.items]


def test_too_many_made_files_are_counted(driver: Driver) -> None:
    """At most twenty are shown, the rest is counted."""
    items = _items(driver, driver.open("own"), "many 23 .png")
    assert sum(isinstance(item, Artifact) for item in items) == 20
    (notice,) = [item for item in items if isinstance(item, Notice)]
    assert notice.text == "The turn made 3 more files that are not shown here."


def test_a_stopped_turn_shows_what_it_made_and_does_not_wait_for_it(driver: Driver) -> None:
    session = driver.open("own")
    turn_id = driver.prompt(session, "write a.png x\nwait")
    eventually((driver.root / "a.png").exists)
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    driver.done(session, driver.prompt(session, "say Next"))
    kinds = [item.kind for item in session.transcript.turn_items(turn_id)]
    assert sorted(kinds) == ["artifact", "tool_call", "turn_end", "user_message"]


def test_a_turn_whose_agent_died_shows_what_it_made(driver: Driver) -> None:
    session = driver.open("own")
    turn_id = driver.prompt(session, "write a.png x\nfail")
    assert driver.done(session, turn_id).stop_reason == "error"
    eventually(
        lambda: any(isinstance(i, Artifact) for i in session.transcript.turn_items(turn_id)),
        what="the artifact",
    )


def test_beyond_the_bound_there_are_no_artifacts(tmp_path: Path) -> None:
    with driving(tmp_path, {"own": script("own_tools")}, replace(PATIENT, scan_files=3)) as driver:
        items = _items(driver, driver.open("own"), "many 9 .png\nsay Done")
        kinds = [item.kind for item in items]
        assert kinds == ["user_message", "tool_call", "agent_message", "turn_end"]
