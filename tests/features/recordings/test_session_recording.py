"""Sessions that are recorded, and played again with no agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.api.commands.sessions import reuse_session
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.items import AgentMessage, Artifact, Notice, UserMessage
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.features.recordings.records import host_in, opened, ran, recorded
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.wait import eventually

DEEDS = (
    "write a.txt Hello\\n\nsay I wrote it",
    "write a.txt Bye\nbytes b.bin 00ff\nwrite sub/c.py x = 1\\n\nwrite old.txt new",
    "delete a.txt\nwrite here.txt root={cwd}/x\\n",
    "write here.txt root={cwd}/y\\n\nsay Gone",
)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of four turns that change files."""
    with host_in(tmp_path / "one") as driver:
        (driver.root / "old.txt").write_text("old")
        session = opened(driver, "own_tools")
        for deeds in DEEDS:
            assert ran(driver, session, deeds).stop_reason == "end_turn"
    return recorded(tmp_path / "one", "own_tools.ndjson")


@contextmanager
def replaying(record: Path, root: Path) -> Iterator[tuple[Driver, Session]]:
    """The record in another place where there are no agents."""
    recorded(root, "").mkdir(parents=True)
    recorded(root, record.name).write_bytes(record.read_bytes())
    with host_in(root, agents=False) as driver:
        (driver.root / "old.txt").write_text("old")
        yield driver, opened(driver, "own_tools", "replay")


def test_a_session_that_is_too_long_for_a_record_says_so(tmp_path: Path) -> None:
    with host_in(tmp_path / "one", limits=replace(PATIENT, recording_bytes=100)) as driver:
        session = opened(driver, "own_tools")
        ran(driver, session, "say Hello")
        eventually(lambda: any(isinstance(i, Notice) for i in session.transcript.items))
        notice = next(i for i in session.transcript.items if isinstance(i, Notice))
        assert "and the limit is 100 B" in notice.text
    assert not recorded(tmp_path / "one", "own_tools.ndjson").exists()


def _files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".acp" not in str(path)
    }


def test_played_elsewhere_it_does_the_same_without_the_agent(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        for deeds in DEEDS:
            assert ran(driver, session, deeds, policy="allow-all").stop_reason == "end_turn"
        there = _files(driver.root)
        assert driver.text(session) == "I wrote itGone"
        assert session.state.agent_info.name == "own_tools (replayed)"
        items = session.transcript.items
        assert not any(isinstance(item, Artifact) for item in items)  # a card shows it
        cards = [item for item in items if isinstance(item, ToolCall) and item.title != "Work"]
        assert [(card.tool_kind, card.status) for card in cards] == [
            ("edit", "completed"),
            ("edit", "completed"),
            ("edit", "completed"),
            ("delete", "completed"),
            ("edit", "completed"),
        ]
        assert cards[1].title == "Change as recorded: a.txt, b.bin, old.txt and 1 more"
        assert [diff.path for diff in cards[1].diffs] == ["a.txt", "old.txt", "sub/c.py"]
    here = _files(tmp_path / "one" / "folder")
    assert there.pop("here.txt").decode() == f"root={tmp_path}/two/folder/y\n"
    assert here.pop("here.txt").decode() == f"root={tmp_path}/one/folder/y\n"
    assert there == here == {"b.bin": b"\0\xff", "sub/c.py": b"x = 1\n", "old.txt": b"new"}


def test_another_prompt_fails_in_words(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        turn = ran(driver, session, "write a.txt Something else")
        assert turn.failure is not None
        assert "not the one that was recorded" in turn.failure.message
        assert turn.failure.message.startswith("own_tools (replayed): This prompt")
        assert "send the message again" not in turn.failure.message
        assert set(_files(driver.root)) == {"old.txt"}
        for deeds in DEEDS:
            ran(driver, session, deeds, policy="allow-all")
        turn = ran(driver, session, DEEDS[0], policy="allow-all")
        assert turn.failure is not None
        assert "holds 4 prompts, and no more" in turn.failure.message


def test_a_file_that_differs_is_not_overwritten(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        ran(driver, session, DEEDS[0], policy="allow-all")
        (driver.root / "old.txt").write_text("mine")
        turn = ran(driver, session, DEEDS[1], policy="allow-all")
        assert turn.failure is not None
        assert "old.txt is not as it was when this was recorded" in turn.failure.message
        assert (driver.root / "old.txt").read_text() == "mine"
        assert not (driver.root / "b.bin").exists()


def test_a_file_in_the_place_of_a_new_one_is_not_overwritten(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        (driver.root / "a.txt").write_bytes(b"\xff")
        assert ran(driver, session, DEEDS[0], policy="allow-all").failure is not None
        assert (driver.root / "a.txt").read_bytes() == b"\xff"


def test_a_wish_finds_its_own_sessions_again(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (_driver, session):
        assert not session.matches(None)
        assert not session.matches(RecordingOptions(mode="replay", run="another"))
        assert session.matches(RecordingOptions(mode="replay", run="r1"))
    with host_in(tmp_path / "three") as driver:
        session = opened(driver, "own_tools")
        assert session.matches(RecordingOptions(mode="record", run="r1"))
        assert not session.matches(RecordingOptions(mode="record", run="r2"))
        assert session.matches(None)
        file = recorded(tmp_path / "three", "own_tools.ndjson")
        driver.run(lambda: reuse_session(session, RecordingOptions(mode="record", run="r1")))
        ran(driver, session, "say Again")
        driver.run(lambda: reuse_session(session, None))  # before that turn was written
        ran(driver, session, "say Secretly")
        assert not session.matches(RecordingOptions(mode="record", run="r1"))
    assert "say Again" in file.read_text()
    assert "Secretly" not in file.read_text()


@pytest.mark.parametrize(
    ("now", "ends", "left"),
    [
        ("one at {root}\n", "", "two\n"),
        (
            "mine\n",
            "edited.txt is not as it was when this was recorded. Nothing was written.",
            None,
        ),
        ("two\n", "", "two\n"),
    ],
)
def test_what_was_written_through_the_host_overwrites_no_work(
    now: str, ends: str, left: str | None, tmp_path: Path
) -> None:
    """Also where the record says ``/workspace`` for the folder, and ``~`` for the home folder."""
    prompts = (f"one at {tmp_path}/ws/folder", "two")
    with host_in(tmp_path / "ws") as driver:
        session = opened(driver, "permission")
        (driver.root / "edited.txt").write_text(f"{Path.home()}/x\n")
        for prompt in prompts:
            turn = ran(driver, session, prompt, policy="accept-edits", can_ask=False)
            assert turn.stop_reason == "end_turn"
    with host_in(tmp_path / "ws", agents=False) as driver:
        file = driver.root / "edited.txt"
        file.write_text(f"{Path.home()}/x\n")
        session = opened(driver, "permission", "replay")
        turn = ran(driver, session, prompts[0], policy="accept-edits", can_ask=False)
        assert turn.failure is None
        assert file.read_text() == f"one at {driver.root}\n"
        was = now.format(root=driver.root)
        file.write_text(was)
        turn = ran(driver, session, prompts[1], policy="accept-edits", can_ask=False)
        said = "" if turn.failure is None else turn.failure.message
        assert said.endswith(ends)
        assert bool(said) == bool(ends)
        assert file.read_text() == (was if left is None else left)


def test_what_was_said_while_a_turn_ran_is_played_where_it_stood(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        session = opened(driver, "steers")
        running = driver.prompt(session, "slow")
        eventually(lambda: "begins slow" in driver.text(session))
        waiting = driver.prompt(session, "not that one")
        steered = driver.result(session.turns.steer(waiting))
        assert steered == "injected"
        driver.done(session, running)
        told = _told(session)
    record = recorded(tmp_path / "one", "steers.ndjson")
    recorded(tmp_path / "two", "").mkdir(parents=True)
    recorded(tmp_path / "two", record.name).write_bytes(record.read_bytes())
    with host_in(tmp_path / "two", agents=False) as driver:
        session = opened(driver, "steers", "replay")
        driver.done(session, driver.prompt(session, "slow"))
        assert _told(session) == [each for each in told if each != (False, "not that one")]


def _told(session: Session) -> list[tuple[bool, str]]:
    return [
        (isinstance(item, UserMessage) and item.steered, item.text)
        for item in session.transcript.window(0, len(session.transcript.items))
        if isinstance(item, UserMessage | AgentMessage)
    ]
