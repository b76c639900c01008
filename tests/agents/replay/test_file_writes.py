"""Files that the recorded agent wrote through its client: a replay overwrites no work."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.agents.replay.permissions import AllowedChanges
from tests.support.agents.peer import Json, select
from tests.support.agents.replay import error_of, playing
from tests.support.agents.replay_log import CWD, Score

NEW = "fast\n"
DIFFERS = "a.txt is not as it was when this was recorded. Nothing was written."
NOT_SAID = (
    "a.txt may not be as it was when this was recorded: the recording does not say how it was. "
    "Nothing was written."
)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _score(note: Json | None, before: str | None = "?", error: str = "") -> Score:
    """A turn that writes a file; ``before`` is its digest in the turn's changes, "?" for none."""
    score = Score()
    score.open()
    prompt = score.prompt("Write")
    write = score.ask("fs/write_text_file", path=f"{CWD}/a.txt", content=NEW)
    if note is not None:
        score.note(note="file_written", path=f"{CWD}/a.txt", **note)
    if error:
        score.fail(">", write, error)
    else:
        score.answer(">", write, {})
    score.end(prompt)
    if before != "?":
        change = {"path": "a.txt", "before": before, "after": {"text": NEW}}
        score.note(note="files_changed", turn_id="", files=[change])
    return score


def _old(text: str | None) -> Json:
    return {"old_text": text, "new_text": NEW}


def _play(score: Score, ws: Path, **handlers: Any) -> tuple[str, list[Json]]:
    """Return why the turn failed, and what was written."""
    written: list[Json] = []

    def write(params: Json) -> Json:
        written.append(params)
        Path(params["path"]).write_text(params["content"])
        return {}

    with playing(score, ws, "--apply-files", write=write, **handlers) as peer:
        reads = {"fs": {"readTextFile": True}} if "read" in handlers else {}
        turn = peer.prompt(peer.open(ws, reads), "Write")
        return ("" if "result" in turn.answer else error_of(turn)), written


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


LARGE = {"old_digest": _digest("slow\n"), "kept": False}
LARGE_NEW = {"kept": False}

ROWS: dict[str, tuple[Score, str | None, str]] = {
    # what was recorded, the file now, how the turn ends
    "as it was": (_score(_old("slow\n")), "slow\n", ""),
    "changed": (_score(_old("slow\n")), "mine\n", DIFFERS),
    "gone": (_score(_old("slow\n")), None, DIFFERS),
    "new, and not there": (_score(_old(None)), None, ""),
    "new, and there": (_score(_old(None)), "mine\n", DIFFERS),
    "names the folder": (_score(_old(f"in {CWD}\n")), "in {ws}\n", ""),
    "large, as it was": (_score(LARGE), "slow\n", ""),
    "large, changed": (_score(LARGE), "mine\n", DIFFERS),
    "large and new, there": (_score(LARGE_NEW), "mine\n", DIFFERS),
    "only redacted text": (_score({**_old("[redacted]\n"), **LARGE}), "slow\n", ""),
    "older, as it was": (_score(None, _digest("slow\n")), "slow\n", ""),
    "older, changed": (_score(None, _digest("slow\n")), "mine\n", DIFFERS),
    "older, new and there": (_score(None, None), "mine\n", DIFFERS),
    "made earlier in the turn": (_score(_old("slow\n"), None), None, ""),
    "not said, not there": (_score(None), None, ""),
}


@pytest.mark.parametrize("row", ROWS)
def test_only_a_file_that_is_as_it_was_is_written(row: str, ws: Path) -> None:
    score, now, expected = ROWS[row]
    if now is not None:
        (ws / "a.txt").write_text(now.format(ws=ws))
    failure, written = _play(score, ws)
    assert (failure, len(written)) == (expected, 0 if expected else 1)
    if expected:
        left = (ws / "a.txt").read_text() if (ws / "a.txt").exists() else None
        assert left == now


def test_what_is_written_already_is_left_alone(ws: Path) -> None:
    (ws / "a.txt").write_text(NEW)
    assert _play(_score(_old("slow\n")), ws) == ("", [])


def test_what_could_not_be_written_then_is_not_written_now(ws: Path) -> None:
    assert _play(_score(None, error="refused"), ws) == ("", [])


@pytest.mark.parametrize(("answer", "ends"), [("allow_once", ""), ("reject_once", NOT_SAID)])
def test_where_the_record_does_not_say_the_user_does(answer: str, ends: str, ws: Path) -> None:
    (ws / "a.txt").write_text("mine\n")
    asked: list[Json] = []

    def permission(params: Json) -> Json | None:
        asked.append(params["toolCall"])
        return select(answer)(params)

    failure, written = _play(_score(None), ws, permission=permission)
    assert (failure, len(written)) == (ends, 0 if ends else 1)
    (call,) = asked
    assert call["kind"] == "other"  # of which no policy and no rule may be
    diff = {"type": "diff", "path": str(ws / "a.txt"), "newText": NEW, "oldText": "mine\n"}
    assert call["content"] == [diff]


def test_what_is_not_saved_yet_counts(ws: Path) -> None:
    (ws / "a.txt").write_text("slow\n")
    failure, written = _play(_score(_old("slow\n")), ws, read=lambda _: {"content": "unsaved\n"})
    assert (failure, written) == (DIFFERS, [])


def test_a_turn_that_has_written_says_no_more_than_is_true(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Write")
    for name in ("b.txt", "a.txt"):
        write = score.ask("fs/write_text_file", path=f"{CWD}/{name}", content=NEW)
        score.note(note="file_written", path=f"{CWD}/{name}", **_old(None))
        score.answer(">", write, {})
    score.end(prompt)
    (ws / "a.txt").write_text("mine\n")
    failure, written = _play(score, ws)
    assert failure == DIFFERS.removesuffix(" Nothing was written.")
    assert len(written) == 1


# -- what a permission covers ------------------------------------------------------

TEXTS = st.text("ab\n", max_size=6)


@given(before=TEXTS, after=TEXTS, shown=st.tuples(TEXTS, TEXTS), path=st.sampled_from(["a", "b"]))
def test_only_the_change_that_was_shown_is_covered(
    before: str, after: str, shown: tuple[str, str], path: str
) -> None:
    consent = AllowedChanges("/ws")
    diff = {"type": "diff", "path": "/ws/a", "oldText": shown[0], "newText": shown[1]}
    call = {"toolCallId": "c", "kind": "edit", "locations": [{"path": "/ws/a"}], "content": [diff]}
    consent.remember_request(1, {"toolCall": call})
    assert not consent.covers(path, before, after, removed=False)  # nobody has answered yet
    consent.allowed(1)
    covered = consent.covers(path, before, after, removed=False)
    old, new = shown
    whole = new if old in {"", before} else before.replace(old, new)
    assert not covered or (path == "a" and whole.rstrip("\n") == after.rstrip("\n"))
    assert not consent.covers(path, before, None, removed=True)
    assert not consent.covers(path, before, None, removed=False)  # no text: it was not shown
    consent.begin()
    assert not consent.covers(path, before, after, removed=False)


@pytest.mark.parametrize("kind", ["read", "execute", "other", "think"])
def test_only_what_changes_files_covers_a_change_that_is_not_shown(kind: str) -> None:
    consent = AllowedChanges("/ws")
    call = {"toolCallId": "c", "kind": kind, "locations": [{"path": "/ws/a"}]}
    consent.remember_request(1, {"toolCall": call})
    consent.allowed(1)
    assert not consent.covers("a", "x", "y", removed=False)
    assert not consent.covers("a", "x", None, removed=True)
