"""Edits of the demo agent: proposed, asked about, and kept to its folder."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.agents.demo_agent import FILES, LOOP, client_files, permission
from tests.support.agents.peer import Json, Peer, select


@pytest.mark.parametrize("through_client", [True, False])
def test_edits_only_after_the_answer(peer: Peer, tmp_path: Path, through_client: bool) -> None:
    file = tmp_path / "clean.py"
    file.write_text(LOOP)
    writes = client_files(peer)
    at_question: list[tuple[str, int]] = []

    def allow(params: Json) -> Json | None:
        at_question.append((file.read_text(), len(writes)))
        return select("allow_once")(params)

    peer.handlers["session/request_permission"] = allow
    session = peer.open(tmp_path, FILES if through_client else {})
    turn = peer.prompt(session, "Make clean.py twice as fast.")

    assert turn.stop_reason == "end_turn"
    assert at_question == [(LOOP, 0)]
    assert len(writes) == (1 if through_client else 0)
    new = file.read_text()
    assert 'for row in df.to_dict("records"):' in new
    ast.parse(new)

    request = permission(turn)
    assert [(option["kind"], option["name"]) for option in request["options"]] == [
        ("allow_once", "Allow once"),
        ("allow_always", "Allow all edits this session"),
        ("reject_once", "Reject"),
    ]
    (diff,) = request["toolCall"]["content"]
    assert diff == {"type": "diff", "path": str(file), "oldText": LOOP, "newText": new}
    edit = turn.tool_calls()[-1]
    assert (edit["kind"], edit["status"], edit["toolCallId"]) == (
        "edit",
        "completed",
        request["toolCall"]["toolCallId"],
    )
    plans = turn.of("plan")
    assert 3 <= len(plans[0]["entries"]) <= 5
    done = [sum(e["status"] == "completed" for e in plan["entries"]) for plan in plans]
    assert done == sorted(done)
    assert done[-1] == len(plans[-1]["entries"])


def test_an_edit_is_proposed_once_only(peer: Peer, tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text('"""Clean."""\n\nanswer = 42\n')
    turn = peer.prompt(peer.open(tmp_path), "fix clean.py")
    assert "nothing to change" in turn.text
    assert turn.asked("session/request_permission") == []


@pytest.mark.parametrize(
    "answer",
    [
        select("reject_once"),
        lambda params: {"outcome": {"outcome": "selected", "optionId": "allow_once"}},
        lambda params: {"outcome": {"outcome": "selected", "optionId": 1}},
        lambda params: {"outcome": {"outcome": "selected"}},
        lambda params: {"outcome": "selected"},
        lambda params: {},
        lambda params: {"error": {"code": -32603, "message": "no"}},
    ],
    ids=["reject", "unknown option", "number", "no option", "no outcome", "empty", "error"],
)
def test_only_an_allowing_option_allows(peer: Peer, tmp_path: Path, answer: object) -> None:
    """``selected`` with the option that rejects, or with none, allows nothing."""
    file = tmp_path / "clean.py"
    file.write_text(LOOP)
    writes = client_files(peer)
    assert callable(answer)
    peer.handlers["session/request_permission"] = answer
    turn = peer.prompt(peer.open(tmp_path, FILES), "edit clean.py")
    assert turn.stop_reason == "end_turn"
    assert file.read_text() == LOOP
    assert writes == []
    edit = turn.tool_calls()[-1]
    assert edit["status"] == "failed"
    assert edit["content"][-1]["content"]["text"] == "Rejected"
    assert "Nothing was changed" in turn.text


def test_a_cancelled_permission_cancels_the_turn(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = lambda _: {"outcome": {"outcome": "cancelled"}}
    assert peer.prompt(peer.open(tmp_path), "edit").stop_reason == "cancelled"
    assert list(tmp_path.iterdir()) == []


def test_allow_always_holds_for_the_session_only(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("allow_always")
    session = peer.open(tmp_path)
    assert len(peer.prompt(session, "create a.txt").asked("session/request_permission")) == 1
    assert peer.prompt(session, "create b.txt").asked("session/request_permission") == []
    assert (tmp_path / "b.txt").exists()
    other = peer.new_session(tmp_path)
    assert len(peer.prompt(other, "create c.txt").asked("session/request_permission")) == 1


def test_creates_a_file_with_the_quoted_text(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("allow_once")
    session = peer.open(tmp_path)
    turn = peer.prompt(session, 'Write a file sub/notes.md with "edit me"')
    assert (tmp_path / "sub" / "notes.md").read_text() == "edit me\n"
    assert permission(turn)["toolCall"]["content"][0]["oldText"] is None
    again = peer.prompt(session, "create sub/notes.md")
    assert "Nothing was changed" in again.text


@pytest.mark.parametrize("name", ["../out.txt", "link/out.txt", "{outside}/out.txt"])
def test_never_leaves_the_folder(peer: Peer, tmp_path: Path, name: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    peer.handlers["session/request_permission"] = select("allow_once")
    turn = peer.prompt(peer.open(inside), f"create {name.format(outside=outside)}")
    assert "outside this session's folder" in turn.text
    assert turn.asked("session/request_permission") == []
    assert list(outside.iterdir()) == []


def test_a_file_changed_while_the_question_was_open_stays(peer: Peer, tmp_path: Path) -> None:
    file = tmp_path / "clean.py"
    file.write_text(LOOP)

    def allow_late(params: Json) -> Json | None:
        file.write_text("mine = 1\n")
        return select("allow_once")(params)

    peer.handlers["session/request_permission"] = allow_late
    turn = peer.prompt(peer.open(tmp_path), "edit clean.py")
    assert file.read_text() == "mine = 1\n"
    assert turn.tool_calls()[-1]["status"] == "failed"
