"""Logs of the Claude CLI as sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.log.imported import Imported, import_lines

LOGS = Path(__file__).parents[2] / "fixtures" / "claude_cli"


def recorded(name: str) -> Imported:
    return import_lines((LOGS / f"{name}.jsonl").read_bytes().splitlines(keepends=True))


def user(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": list(blocks)}, **more}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(blocks)}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


RESULT = {"type": "result", "subtype": "success", "result": "", "duration_ms": 12}


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_recorded_log_is_imported_whole(path: Path) -> None:
    imported = recorded(path.stem)
    assert imported.facts.dialect == "claude-cli"
    assert imported.facts.cwd == "/home/user/project"
    assert (imported.problems, imported.unknown) == ([], [])
    types = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert len(imported.turns()) == types.count("result") > 0
    assert "running" not in dict(imported.turns()).values()
    assert all(call.status in {"completed", "failed", "cancelled"} for call in imported.calls())


def test_tool_calls_have_their_status_and_diffs() -> None:
    found = [
        (call.tool_kind, call.status, [(d.path, d.added, d.removed) for d in call.diffs])
        for call in recorded("edit_file").calls()
    ]
    assert found == [
        ("read", "completed", []),
        ("edit", "completed", [("hello.py", 1, 1)]),
    ]
    (call,) = recorded("rejected").calls()
    assert call.status == "failed"


def test_a_prompt_may_be_plain_text() -> None:
    """Content is a string or blocks; of another role it is no prompt."""
    prompt = {"type": "user", "message": {"role": "user", "content": "Build it\nnow"}}
    other = {"type": "user", "message": {"role": "assistant", "content": "Not me"}}
    imported = import_lines([prompt, other, assistant(text("Built.")), RESULT])
    assert imported.turns() == [("Build it\nnow", "end_turn")]


def test_prompts_of_the_client_and_its_answers_are_read_too() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1"}
    asks = {"type": "control_request", "request_id": "r1", "request": request}
    answers = {"subtype": "success", "request_id": "r1", "response": {"behavior": "allow"}}
    allows = {"type": "control_response", "response": answers}
    done = user({"type": "tool_result", "tool_use_id": "t1", "content": "built"})
    log = [user(text("Build"), text("it")), assistant(use), asks, allows, done, RESULT]
    imported = import_lines(log)
    assert imported.turns() == [("Build\nit", "end_turn")]
    (call,) = imported.calls()
    assert (call.status, call.command, call.output) == ("completed", "make", "built")
    assert call.permission is not None
    assert (call.permission.state, call.permission.outcome) == ("allowed", "Allowed once")
    refused = json.loads(json.dumps(log).replace("allow", "deny"))
    (call,) = import_lines(refused).calls()
    assert call.permission is not None
    assert call.permission.state == "rejected"


def test_an_answer_for_good_is_the_option_that_was_offered() -> None:
    request: dict[str, Any] = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1"}
    rules = [{"toolName": "Bash", "ruleContent": "make"}]
    suggestion = {"type": "addRules", "behavior": "allow", "rules": rules}
    allowed = {"behavior": "allow", "updatedPermissions": [suggestion]}
    answer = {"subtype": "success", "request_id": "r1", "response": allowed}
    for suggestions, outcome in (([suggestion], "Always allowed"), ([], "Allowed once")):
        asked = {**request, "permission_suggestions": suggestions}
        asks = {"type": "control_request", "request_id": "r1", "request": asked}
        log = [user("Build"), asks, {"type": "control_response", "response": answer}, RESULT]
        (call,) = import_lines(log).calls()
        assert call.permission is not None
        assert call.permission.outcome == outcome


def test_a_withdrawn_question_was_not_answered() -> None:
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1"}
    asks = {"type": "control_request", "request_id": "r1", "request": request}
    withdrawn = {"type": "control_cancel_request", "request_id": "r1"}
    (call,) = import_lines([user("Build"), asks, withdrawn, RESULT]).calls()
    assert call.permission is not None
    assert call.permission.state == "cancelled"


def test_a_prompt_ends_the_turn_before_where_no_result_did() -> None:
    """As in the CLI's own files of a session, which have no results."""
    log = [user("One"), assistant(text("First.")), user("Two"), assistant(text("Second."))]
    imported = import_lines(log)
    assert imported.turns() == [("One", "end_turn"), ("Two", "running")]


def test_the_time_is_told_by_the_line() -> None:
    log = [{**user("One"), "timestamp": "2026-01-02T03:04:05.678Z"}, assistant(text("x")), RESULT]
    imported = import_lines(log, start=1.0)
    assert {entry.t for entry in imported.entries} == {1767323045.678}


def test_lines_of_another_kind_are_told_and_the_rest_is_imported() -> None:
    log = [user("One"), {"type": "output_delta", "content": "x"}, assistant(text("Yes."))]
    imported = import_lines([*log, 'no "json"', RESULT, "[1]"])
    assert imported.text() == "Yes."
    assert [(problem.line, problem.message[:30]) for problem in imported.problems] == [
        (2, "This line is of build-mode pac"),
        (4, "This is not JSON (Expecting va"),
        (6, "This is not a JSON object."),
    ]


def test_an_object_that_nobody_knows_is_kept() -> None:
    imported = import_lines([user("One"), {"type": "new", "x": 1}, assistant(text("y")), RESULT])
    assert len(imported.unknown) == 1
    assert imported.text() == "y"
