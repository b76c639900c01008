"""A replay in another folder, and the files that the recorded agent changed by its own tools."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.support.agents.peer import Json, select
from tests.support.agents.replay import asked_score, error_of, playing, texts
from tests.support.agents.replay_log import CWD, Score

ALLOW, REJECT = select("allow_once"), select("reject_once")


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "clean.py").write_text("slow\n")
    return root


def changed(path: str, before: str | None, after: str | None) -> Json:
    digest = None if before is None else hashlib.sha256(before.encode()).hexdigest()
    return {"path": path, "before": digest, "after": None if after is None else {"text": after}}


def change_score(*files: Json) -> Score:
    """A turn whose changes were noted after it, as the client only then knows them."""
    score = Score()
    score.open()
    for name, note in (("t1", files), ("t2", ())):
        score.note(note="turn_queued", turn_id=name, prompt=[])
        score.note(note="turn_started", turn_id=name)
        prompt = score.prompt(f"Prompt {name}")
        score.say(f"done {name}")
        score.end(prompt)
        if note:
            score.note(note="files_changed", turn_id=name, files=list(note))
    return score


CHANGES = (changed("clean.py", "slow\n", "fast\n"), changed("src/new.py", None, "new\n"))


def test_changes_are_made_before_the_turn_ends(ws: Path) -> None:
    with playing(change_score(*CHANGES), ws, "--apply-files", permission=ALLOW) as peer:
        session = peer.open(ws)
        assert peer.prompt(session, "Prompt t1").stop_reason == "end_turn"
        assert (ws / "clean.py").read_text() == "fast\n"
        assert (ws / "src" / "new.py").read_text() == "new\n"
        assert peer.prompt(session, "Prompt t2").stop_reason == "end_turn"


def test_nothing_is_changed_unasked(ws: Path) -> None:
    with playing(change_score(*CHANGES), ws) as peer:
        assert peer.prompt(peer.open(ws), "Prompt t1").stop_reason == "end_turn"
    assert [path.name for path in ws.iterdir()] == ["clean.py"]
    assert (ws / "clean.py").read_text() == "slow\n"


def test_a_file_that_is_not_as_it_was_ends_the_turn_in_words(ws: Path) -> None:
    (ws / "clean.py").write_text("mine\n")
    with playing(change_score(*CHANGES[::-1]), ws, "--apply-files") as peer:
        turn = peer.prompt(peer.open(ws), "Prompt t1")
        assert error_of(turn) == (
            "clean.py is not as it was when this was recorded. Nothing was written."
        )
    assert (ws / "clean.py").read_text() == "mine\n"
    assert not (ws / "src").exists()


def test_nothing_is_changed_after_a_rejection(ws: Path) -> None:
    score = asked_score()
    score.note(note="files_changed", turn_id="", files=list(CHANGES))
    with playing(score, ws, "--apply-files", permission=select("reject_once")) as peer:
        assert "can't be played" in error_of(peer.prompt(peer.open(ws), "Paint it"))
        assert (ws / "clean.py").read_text() == "slow\n"
        peer.handlers["session/request_permission"] = select("allow_once")
        assert peer.prompt("s1", "Paint it").stop_reason == "end_turn"
    assert (ws / "clean.py").read_text() == "fast\n"


def test_a_question_that_was_never_answered_allows_no_change(ws: Path) -> None:
    """Such a log was made by hand: whoever wrote it, a rejection counts."""
    score = Score()
    score.open()
    prompt = score.prompt("Paint it")
    score.ask_permission()
    score.say("…")
    score.end(prompt)
    score.note(note="files_changed", turn_id="", files=list(CHANGES))
    with playing(score, ws, "--apply-files", permission=select("reject_once")) as peer:
        assert "rejected" in error_of(peer.prompt(peer.open(ws), "Paint it"))
    assert (ws / "clean.py").read_text() == "slow\n"


def test_a_stopped_turn_changes_nothing(ws: Path) -> None:
    """It may have been stopped before it asked for what it would change."""
    score = Score()
    score.open()
    prompt = score.prompt("Paint it")
    score.say("I will")
    score.rest(9)
    score.choose(score.ask_permission(), "y")
    score.cancel()
    score.end(prompt, "cancelled")
    score.note(note="files_changed", turn_id="", files=list(CHANGES))
    with playing(score, ws, "--apply-files", "--speed", "1") as peer:
        prompt = peer.start_prompt(peer.open(ws), "Paint it")
        peer.until(lambda m: m.get("method") == "session/update")
        peer.cancel("s1")
        assert peer.finish(prompt).stop_reason == "cancelled"
    assert (ws / "clean.py").read_text() == "slow\n"


@pytest.mark.parametrize("files", ["x", [{"path": 3}], [{"path": "a", "after": {"html": "x"}}]])
def test_a_note_that_can_not_be_read_changes_nothing(ws: Path, files: object) -> None:
    score = change_score()
    score.note(note="files_changed", turn_id="t1", files=files)
    with playing(score, ws, "--apply-files") as peer:
        assert peer.prompt(peer.open(ws), "Prompt t1").stop_reason == "end_turn"
    assert [path.name for path in ws.iterdir()] == ["clean.py"]


def test_what_the_client_has_written_is_not_written_again(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Write")
    write = score.ask("fs/write_text_file", path=f"{CWD}/clean.py", content="fast\n")
    score.answer(">", write, None)
    score.end(prompt)
    score.note(note="files_changed", turn_id="", files=[CHANGES[0]])
    inodes = []

    def written(params: Json) -> Json:
        Path(params["path"]).write_text(params["content"])
        inodes.append(Path(params["path"]).stat().st_ino)
        return {}

    with playing(score, ws, "--apply-files", write=written) as peer:
        assert peer.prompt(peer.open(ws), "Write").stop_reason == "end_turn"
    assert [(ws / "clean.py").stat().st_ino] == inodes


def test_the_folder_of_the_recording_is_nowhere_left(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt(f"Look at {CWD}/a.py")
    score.say(f"{CWD}/a.py, file://{CWD}/a.py, {CWD}2 and {CWD}.")
    score.update("tool_call", toolCallId="c", title="Read", locations=[{"path": f"{CWD}/a.py"}])
    score.end(prompt)
    score.end(score.prompt(f"Look at {CWD}/b.py"))
    with playing(score, ws) as peer:
        session = peer.open(ws)
        turn = peer.prompt(session, f"Look at {ws}/a.py")
        assert texts(peer) == [f"{ws}/a.py, file://{ws}/a.py, {CWD}2 and {ws}."]
        assert turn.of("tool_call")[0]["locations"] == [{"path": f"{ws}/a.py"}]
        # A saved notebook has the prompt as it was recorded.
        assert peer.prompt(session, f"Look at {CWD}/b.py").stop_reason == "end_turn"
