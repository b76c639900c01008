"""Permissions of a replay: who answers, and for what."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.features.recordings.recording_file import WORKSPACE
from acp_jupyter.host.requests.answers import RecordedAnswers
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.features.recordings.records import host_in, opened, ran, recorded
from tests.support.host.driver import Driver


def _asked_and(driver: Driver, session: Session, option: str) -> None:
    turn_id = driver.prompt(session, "text")
    driver.answer(session, driver.asked(session), option)
    driver.done(session, turn_id)


def _played(tmp_path: Path, text: str, **more: object) -> tuple[TurnState, str, bool]:
    """Play the record of ``permission``; return turn, outcome and whether the file is there."""
    root = tmp_path / "two"
    recorded(root, "").mkdir(parents=True)
    recorded(root, "permission.ndjson").write_text(text)
    with host_in(root, agents=False) as driver:
        session = opened(driver, "permission", "replay")
        turn = ran(driver, session, "text", **more)
        calls = [item for item in session.transcript.items if isinstance(item, ToolCall)]
        assert calls[0].permission is not None
        return turn, calls[0].permission.outcome, (driver.root / "edited.txt").exists()


@pytest.fixture
def allowed(tmp_path: Path) -> str:
    """The record of a turn in which the user allowed an edit."""
    with host_in(tmp_path / "one") as driver:
        _asked_and(driver, opened(driver, "permission"), "yes")
    return recorded(tmp_path / "one", "permission.ndjson").read_text()


def test_what_the_user_answered_is_answered_so_again_where_nobody_is(
    allowed: str, tmp_path: Path
) -> None:
    turn, outcome, written = _played(tmp_path, allowed, can_ask=False)
    assert (turn.stop_reason, outcome) == ("end_turn", "Allowed once (recorded)")
    assert written


def test_a_recorded_rejection_is_one_again(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        _asked_and(driver, opened(driver, "permission"), "no")
    text = recorded(tmp_path / "one", "permission.ndjson").read_text()
    _turn, outcome, written = _played(tmp_path, text, can_ask=False)
    assert (outcome, written) == ("Rejected (recorded)", False)


def test_somebody_who_is_there_is_asked(allowed: str, tmp_path: Path) -> None:
    root = tmp_path / "two"
    recorded(root, "").mkdir(parents=True)
    recorded(root, "permission.ndjson").write_text(allowed)
    with host_in(root, agents=False) as driver:
        session = opened(driver, "permission", "replay")
        turn_id = driver.prompt(session, "text")
        driver.answer(session, driver.asked(session), "no")
        turn = driver.done(session, turn_id)
        # What was recorded can't follow from that.
        assert turn.failure is not None
        assert "answered “Allow” when this was recorded" in turn.failure.message
        assert not (driver.root / "edited.txt").exists()


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"newText":"text\\n"', '"newText":"evil\\n"'),
        ('"kind":"edit"', '"kind":"delete"'),
        ('edited.txt"}]', 'other.txt"}]'),
    ],
)
def test_another_request_than_the_recorded_one_is_refused(was: str, now: str, allowed: str) -> None:
    """A recorded answer is for the recorded request alone."""
    lines = allowed.splitlines()
    request = next(n for n, line in enumerate(lines) if "session/request_permission" in line)
    answered = next(n for n, line in enumerate(lines) if '"by":"user"' in line)
    # The answer of one request, the words of another.
    changed = [line.replace(was, now) for line in lines[:request]]
    assert changed != lines[:request]
    places = SessionFolder(Path(WORKSPACE))
    answers = RecordedAnswers(NoScrubs())
    answers.load("\n".join(lines).encode(), is_ours=True)
    lines_now = [*changed, lines[request].replace(was, now), *lines[answered:]]
    other = RecordedAnswers(NoScrubs())
    other.load("\n".join(lines_now).encode(), is_ours=True)
    (asked,) = (a.call for a in other._requests)
    assert answers.find(asked, nobody_to_ask=True, folder=places) is None
    (same,) = (a.call for a in answers._requests)
    again = answers.find(same, nobody_to_ask=True, folder=places)
    assert again is not None
    assert (again.option_id, again.by) == ("yes", "record")
    # Each answer counts once.
    assert answers.find(same, nobody_to_ask=True, folder=places) is None


class NoScrubs:
    def text(self, value: str) -> str:
        return value


def test_where_a_policy_answered_the_same_policy_answers(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        session = opened(driver, "permission")
        ran(driver, session, "text", policy="accept-edits", can_ask=False)
    text = recorded(tmp_path / "one", "permission.ndjson").read_text()
    turn, outcome, written = _played(tmp_path, text, can_ask=False)
    assert (turn.stop_reason, outcome) == ("end_turn", "Allowed by policy: accept-edits")
    assert written


def test_the_cells_own_policy_comes_first(allowed: str, tmp_path: Path) -> None:
    turn, outcome, written = _played(tmp_path, allowed, can_ask=False, policy="read-only")
    assert outcome == "Rejected by policy: read-only"
    assert turn.stop_reason == "error"
    assert not written


def test_a_record_of_garbage_holds_no_answers() -> None:
    for text in ("", "{}", "[]\n\0", '{"record":1,"d":"!","m":{"note":"session_opened"}}'):
        answers = RecordedAnswers(NoScrubs())
        answers.load(text.encode(), is_ours=True)
        assert answers._requests == []
