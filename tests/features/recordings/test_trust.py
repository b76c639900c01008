"""A record that this installation did not make is data from somebody else: it needs trust."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_jupyter.errors import FileRefused
from acp_jupyter.host.recording import Playback
from acp_jupyter.host.store.permission_stores import RecordingSeals
from acp_jupyter.transcript.model.items import TrustRequest
from tests.features.recordings.records import host_in, opened, ran, recorded
from tests.support.wait import eventually

DEED = "write a.txt Hello"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of a turn that makes a file, in a folder that is not trusted any more."""
    root = tmp_path / "ws"
    with host_in(root) as driver:
        assert ran(driver, opened(driver, "own_tools"), DEED).stop_reason == "end_turn"
    (root / "folder" / "a.txt").unlink()
    return recorded(root, "own_tools.ndjson")


def _own(record: Path) -> None:
    pass


def _as_git_checks_it_out(record: Path) -> None:
    text = record.read_bytes()
    record.unlink()
    record.write_bytes(text.replace(b"\n", b"\r\n"))


def _changed(record: Path) -> None:
    record.write_bytes(record.read_bytes().replace(b"Hello", b"Hullo"))


def _longer(record: Path) -> None:
    record.write_bytes(record.read_bytes() + b"\n")


@pytest.mark.parametrize(
    ("become", "same_installation", "asks"),
    [
        (_own, True, False),
        (_as_git_checks_it_out, True, False),
        (_own, False, True),
        (_changed, True, True),
        (_longer, True, True),
    ],
)
def test_only_what_was_made_here_is_played_without_trust(
    become: Callable[[Path], None],
    same_installation: bool,
    asks: bool,
    record: Path,
    tmp_path: Path,
) -> None:
    become(record)
    root = tmp_path / "ws"
    data = None if same_installation else tmp_path / "theirs"
    prompt = DEED.replace("Hello", "Hullo") if become is _changed else DEED
    with host_in(root, agents=False, trusted=False, data=data) as driver:
        session = opened(driver, "own_tools", "replay")
        turn = ran(driver, session, prompt, policy="accept-edits", can_ask=False)
        assert (root / "folder" / "a.txt").exists() is not asks
        if asks:
            assert turn.failure is not None
            assert turn.failure.reason == "folder_not_trusted"
            assert turn.failure.message.startswith("folder/own.acp/own_tools.ndjson was not rec")
            assert "--trust" in turn.failure.detail
            assert not session.agent.running
        else:
            assert turn.stop_reason == "end_turn"


def test_the_question_says_what_it_is_about(record: Path, tmp_path: Path) -> None:
    root = tmp_path / "ws"
    with host_in(root, agents=False, trusted=False, data=tmp_path / "theirs") as driver:
        session = opened(driver, "own_tools", "replay")
        turn_id = driver.prompt(session, DEED, policy="accept-edits")

        def asked() -> TrustRequest | None:
            items = session.transcript.items
            return next((item for item in items if isinstance(item, TrustRequest)), None)

        question = eventually(asked, what="the question")
        assert question is not None
        assert question.title == "Play this recording?"
        assert "folder/own.acp/own_tools.ndjson was not recorded here" in question.words
        assert session.state.agent_session_id == ""
        gate = session.turns.permissions.trust
        assert gate is not None
        driver.run(lambda: gate.answer(trusted=True))
        assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert (root / "folder" / "a.txt").read_text() == "Hello"


def test_a_record_that_was_moved_is_still_ones_own(record: Path, tmp_path: Path) -> None:
    root, there = tmp_path / "ws", tmp_path / "there"
    recorded(there, "").mkdir(parents=True)
    record.rename(recorded(there, record.name))
    data = root.parent / f"data-{root.name}"
    with host_in(there, agents=False, trusted=False, data=data) as driver:
        session = opened(driver, "own_tools", "replay")
        turn = ran(driver, session, DEED, policy="accept-edits", can_ask=False)
        assert turn.stop_reason == "end_turn"


def test_what_is_played_is_what_was_looked_at(record: Path, tmp_path: Path) -> None:
    """A file that is changed after it was trusted is not played."""
    with host_in(tmp_path / "ws", agents=False) as driver:
        session = opened(driver, "own_tools", "replay")
        assert isinstance(session.recording, Playback)
        session.recording.read()
        _changed(record)
        with pytest.raises(FileRefused, match="has changed since this session began"):
            session.recording.read()
        turn = ran(driver, session, DEED, policy="accept-edits")
        assert turn.failure is not None
        assert "has changed since this session began" in turn.failure.message


def test_each_turn_of_a_recording_leaves_one_seal(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    with host_in(root) as driver:
        session = opened(driver, "own_tools")
        for number in range(3):
            ran(driver, session, f"say {number}")
            first = f'"say {number}"'.encode()
            record = recorded(root, "own_tools.ndjson")
            eventually(lambda f=first, r=record: r.exists() and f in r.read_bytes())  # type: ignore[misc]
    kept = tmp_path / "data-ws" / "records.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.read_text().count('"seals"') == 1
    assert len(RecordingSeals(kept)._file.read().seals) == 1
    assert RecordingSeals(kept).is_ours(recorded(root, "own_tools.ndjson").read_bytes())


@given(st.lists(st.binary(max_size=40), max_size=6), st.binary(max_size=40))
@settings(max_examples=40)
def test_a_seal_is_of_the_bytes(
    tmp_path_factory: pytest.TempPathFactory, sealed: list[bytes], other: bytes
) -> None:
    """What was not put is never taken for one's own; nor is anything by another key."""
    folder = tmp_path_factory.mktemp("seals")
    seals, theirs = RecordingSeals(folder / "a.json"), RecordingSeals(folder / "b.json")
    assert not seals.is_ours(other)
    for record in sealed:
        seals.put(record)
    plain = {record.replace(b"\r\n", b"\n") for record in sealed}
    assert seals.is_ours(other) == (other.replace(b"\r\n", b"\n") in plain)
    for record in sealed:
        assert seals.is_ours(record)
        assert not theirs.is_ours(record)
    assert not RecordingSeals(folder).is_ours(other)  # a folder can't be read
