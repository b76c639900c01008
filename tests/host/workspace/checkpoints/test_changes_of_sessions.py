"""What a turn changed in its folder, told by the host whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.host_events.session import TurnChanges
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.limits import PATIENT
from tests.support.wait import eventually


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"own": script("own_tools"), "other": script("own_tools")}) as driver:
        yield driver


def _told(driver: Driver, session: Session, turn_id: str) -> TurnChanges | None:
    driver.done(session, turn_id)
    driver.result(session.turn_files.settled(turn_id))
    return session.transcript.turns[turn_id].changes


def _changes(driver: Driver, session: Session, prompt: str) -> TurnChanges | None:
    return _told(driver, session, driver.prompt(session, prompt))


def test_every_change_is_told_whoever_made_it(driver: Driver) -> None:
    (driver.root / "a.py").write_text("one\ntwo\n")
    (driver.root / "b.bin").write_bytes(b"\0\1")
    changes = _changes(
        driver,
        driver.open("own"),
        "write a.py one\\nthree\\n\nwrite new/c.txt x\ndelete b.bin\nsay Done",
    )
    assert changes is not None
    assert changes.revertible
    assert changes.words == ""
    assert [(f.path, f.change, f.added, f.removed, f.binary) for f in changes.files] == [
        ("a.py", "modified", 1, 1, False),
        ("b.bin", "deleted", None, None, True),
        ("new/c.txt", "added", 1, 0, False),
    ]
    assert changes.made_folders == ("new",)


def test_a_turn_that_changed_nothing_says_nothing(driver: Driver) -> None:
    (driver.root / "a.py").write_text("one\n")
    assert _changes(driver, driver.open("own"), "write a.py one\\n") is None


def test_the_turns_own_notebook_is_not_its_work(driver: Driver) -> None:
    """Its page saves it meanwhile: told only where the agent names it, never taken back."""
    (driver.root / "nb.ipynb").write_text("{}")
    session = driver.open("own")
    origin = Origin(notebook_path="nb.ipynb", cell_id="c")
    saved = driver.prompt(session, "write nb.ipynb {1}", origin=origin)
    assert _told(driver, session, saved) is None
    both = driver.prompt(session, "write nb.ipynb {2}\nwrite a.py 1", origin=origin)
    changes = _told(driver, session, both)
    assert changes is not None
    assert ([file.path for file in changes.files], changes.words) == (["a.py"], "")
    shown = driver.prompt(session, "show nb.ipynb {3}\nwrite a.py 2", origin=origin)
    told = _told(driver, session, shown)
    assert told is not None
    assert [(file.path, file.kept) for file in told.files] == [("a.py", True), ("nb.ipynb", False)]
    assert "The notebook of this turn is saved while it runs" in told.words


def test_what_git_ignores_is_named(driver: Driver) -> None:
    (driver.root / ".gitignore").write_text("*.log\n")
    (driver.root / "old.log").write_text("x")
    changes = _changes(driver, driver.open("own"), "write a.py 1\nwrite old.log y\nwrite b.log y")
    assert changes is not None
    assert [file.path for file in changes.files] == ["a.py"]
    assert changes.words == ("Not kept, so it can't be reverted: b.log, old.log (ignored by git).")


def test_what_git_ignores_is_told_where_the_turn_shows_it(driver: Driver) -> None:
    """Alone or beside others; else a log that grows would be told at each turn."""
    (driver.root / ".gitignore").write_text("*.log\n")
    session = driver.open("own")
    assert _changes(driver, session, "write a.log 1") is None
    alone = _changes(driver, session, "show a.log 2")
    assert alone is not None
    assert [(f.path, f.change, f.kept) for f in alone.files] == [("a.log", "modified", False)]
    assert (alone.revertible, alone.words) == (
        False,
        "Not kept: a.log (ignored by git).",
    )
    beside = _changes(driver, session, "write a.py 1\nshow b.log 3\nwrite c.log 1")
    assert beside is not None
    assert beside.revertible
    assert [(f.path, f.kept) for f in beside.files] == [("a.py", True), ("b.log", False)]
    assert "b.log, c.log (ignored by git)" in beside.words


def test_why_something_is_not_kept(driver: Driver) -> None:
    own = driver.root / "own"
    (own / ".git").mkdir(parents=True)
    (own / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (own / ".git" / "objects").mkdir()
    (own / ".git" / "refs").mkdir()
    session = driver.open("own")
    changes = _changes(driver, session, "show own/a.py 1")
    assert changes is not None
    assert changes.words == "Not kept: own/a.py (in a repository of its own)."


def test_what_an_agent_says_of_other_places_is_told(driver: Driver) -> None:
    """They are not looked at; and a link may lead into the folder."""
    (driver.root.parent / "link").symlink_to(driver.root)
    changes = _changes(driver, driver.open("own"), "write a.py 1\nshow ../x 2\nshow ../link/a.py 3")
    assert changes is not None
    elsewhere = str(driver.root.parent / "x")
    assert [(file.path, file.kept) for file in changes.files] == [
        ("a.py", True),
        (elsewhere, False),
    ]
    assert changes.revertible
    assert changes.words == (
        f"Not kept, so it can't be reverted: {elsewhere} (outside this folder)."
    )


def test_in_a_folder_too_large_the_files_are_as_the_agent_says(tmp_path: Path) -> None:
    """Neither looked at whole nor kept: it is said why they can't be taken back."""
    limits = replace(PATIENT, scan_files=2, checkpoint_files=2)
    with driving(tmp_path, {"own": script("own_tools")}, limits) as driver:
        for name in "abcd":
            (driver.root / name).write_text("1")
        changes = _changes(driver, driver.open("own"), "show a 2\nwrite b 2\nshow ../x 3")
    assert changes is not None
    elsewhere = str(tmp_path / "x")
    assert [(file.path, file.kept) for file in changes.files] == [("a", False), (elsewhere, False)]
    assert not changes.revertible
    assert "The folder has more than 2 files" in changes.words


def test_in_a_folder_too_large_it_is_said_once_that_nothing_is_kept(tmp_path: Path) -> None:
    """Where nobody can see whether a turn changed anything."""
    limits = replace(PATIENT, scan_files=2, checkpoint_files=2)
    with driving(tmp_path, {"own": script("own_tools")}, limits) as driver:
        for name in "abcd":
            (driver.root / name).write_text("1")
        session = driver.open("own")
        assert _changes(driver, session, "write a 2") is None
        assert _changes(driver, session, "write b 2") is None
    notices = [item.text for item in session.transcript.items if item.kind == "notice"]
    assert notices == ["The folder has more than 2 files, so changes can't be reverted."]


def test_a_folder_that_is_gone_is_said(driver: Driver) -> None:
    session = driver.open("own")
    ended = driver.prompt(session, "say Hello")
    driver.done(session, ended)
    driver.root.rename(driver.root.with_name("elsewhere"))
    turn_id = driver.prompt(session, "say Hello")
    driver.done(session, turn_id)
    turn = session.transcript.turns[turn_id]
    assert turn.failure is not None
    assert f"The folder of this session is gone: {driver.root}" in turn.failure.message


def test_a_folder_that_goes_in_mid_turn_is_said(driver: Driver) -> None:
    (driver.root / "a.py").write_text("1")
    session = driver.open("own")
    elsewhere = driver.root.with_name("elsewhere")
    assert _changes(driver, session, f"rename {{cwd}} {elsewhere}\nsay Done") is None
    notices = [item.text for item in session.transcript.items if item.kind == "notice"]
    assert [text.split(".")[0] for text in notices] == [
        "The folder of this session was deleted or renamed during this turn"
    ]


def test_two_turns_at_once_say_that_they_can_not_be_told_apart(driver: Driver) -> None:
    first, second = driver.open("own"), driver.open("other")
    long = driver.prompt(first, "write a.py 1\nwait")
    eventually((driver.root / "a.py").exists)
    short = driver.prompt(second, "write b.py 1")
    changes = _told(driver, second, short)
    assert changes is not None
    assert "Another turn ran in this folder at the same time" in changes.words
    driver.run(first.cancel)
    changes = _told(driver, first, long)
    assert changes is not None
    assert "Another turn ran in this folder at the same time" in changes.words
    alone = _changes(driver, first, "write c.py 1")
    assert alone is not None
    assert alone.words == ""


def test_where_nothing_is_kept_the_files_are_still_named(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No git: what looking at the folder shows, and that it can't be taken back."""
    session = driver.open("own")
    assert session.turn_files.checkpoints is not None
    monkeypatch.setattr(session.turn_files.checkpoints.checkpoints.git, "_program", None)
    changes = _changes(driver, session, "write a.py 1")
    assert changes is not None
    assert not changes.revertible
    assert [(f.path, f.change, f.kept) for f in changes.files] == [("a.py", "added", False)]
    assert changes.words == "Git is not installed here, so changes can't be reverted."


def test_what_a_deleted_session_changed_is_kept_no_longer(driver: Driver) -> None:
    first, second = driver.open("own"), driver.open("own")
    _changes(driver, first, "write a.py 1")
    _changes(driver, second, "write b.py 1")
    keeper = driver.host.checkpoints.of(driver.root)
    (gone,), (kept,) = first.transcript.turn_order, second.transcript.turn_order
    assert keeper.trees(gone) is not None
    driver.result(driver.host.sessions.delete(first.session_id))
    assert keeper.trees(gone) is None
    assert keeper.trees(kept) is not None
