"""The journal: lines are reduced in their order, and reading it changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.host_events.notes import HostNotice, SessionOpened
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce

OPENING = SessionOpened(session_id="s", agent_id="a", agent_name="A", cwd="/w", folder="/w")


class Follower:
    """Keeps the events of a session."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def push(self, events: Iterable[Event]) -> None:
        self.events += events


@contextmanager
def opened(folder: Path) -> Iterator[Journal]:
    limits = Limits()
    journal = Journal.begin(OPENING, TrafficLog(folder / "log", limits), limits, lambda: None)
    try:
        yield journal
    finally:
        journal.close()


def say(journal: Journal, text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    params = {"sessionId": "x", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    journal.enter(TrafficEntry(next(journal.sequence), 1.0, "<", message))


def told(journal: Journal) -> list[str]:
    state = journal.transcript
    items = state.window(0, len(state.items))
    return [i.text for i in items if i.kind in {"agent_message", "notice"}]


def test_reading_changes_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        with opened(tmp_path) as journal:
            follower = Follower()
            journal.add_reader(follower)
            seen = len(follower.events)
            say(journal, "one ")
            before = journal.transcript
            assert journal.session_id == "s"
            assert journal.transcript is before
            assert len(follower.events) == seen
            say(journal, "two")
            await asyncio.sleep(0)
            assert told(journal) == ["one two"]

    asyncio.run(run())


def test_a_line_and_a_look_at_the_log_come_after_the_text_before_them(tmp_path: Path) -> None:
    async def run() -> None:
        with opened(tmp_path) as journal:
            say(journal, "one")
            journal.note(HostNotice(severity="info", text="two"))
            assert told(journal) == ["one", "two"]
            say(journal, "three")
            journal.check_log()
            assert told(journal) == ["one", "two", "three"]

    asyncio.run(run())


def test_who_begins_to_follow_gets_all_that_was_entered(tmp_path: Path) -> None:
    async def run() -> None:
        with opened(tmp_path) as journal:
            say(journal, "one")
            follower = Follower()
            journal.add_reader(follower)
            (snapshot,) = follower.events
            assert snapshot.kind == "snapshot"
            assert [i.text for i in snapshot.items if i.kind == "agent_message"] == ["one"]

    asyncio.run(run())


def test_what_runs_later_sees_the_text(tmp_path: Path) -> None:
    async def run() -> None:
        with opened(tmp_path) as journal:
            say(journal, "one")
            seen: list[list[str]] = []
            asyncio.get_running_loop().call_soon(lambda: seen.append(told(journal)))
            await asyncio.sleep(0)
            assert seen == [["one"]]

    asyncio.run(run())


def test_readers_between_chunks_cost_no_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[object] = []

    def counted(transcript: Transcript, packet: Any, at: float) -> Any:
        steps.append(packet)
        return reduce(transcript, packet, at)

    monkeypatch.setattr("acp_jupyter.host.store.journal.reduce", counted)

    async def run() -> None:
        with opened(tmp_path) as journal:
            for _ in range(1000):
                say(journal, "x")
                assert journal.session_id == "s"
            await asyncio.sleep(0)
            assert told(journal) == ["x" * 1000]

    asyncio.run(run())
    assert len(steps) == 1
