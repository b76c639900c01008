"""The Claude CLI's dialect: tool calls, and the question whether they may run."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.agents.claude_cli.cli_input import decision
from acp_jupyter.dialects.claude_results import (
    CliPermissionWithdrawn,
    ControlAnswered,
    ControlRequested,
    PermissionRequested,
)
from tests.support.agents.claude_output import read, recorded

Json = dict[str, Any]


def use(name: str, call_id: str = "t1", **raw_input: Any) -> Json:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": raw_input}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def tool_result(content: Any, call_id: str = "t1", **fields: Any) -> Json:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def asked(**fields: Any) -> Json:
    request: Json = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1"}
    request |= {"input": {"command": "make"}, **fields}
    return {"type": "control_request", "request_id": "r1", "request": request}


def permission(line: Json) -> PermissionRequested:
    (question,) = read(line).results
    assert isinstance(question, PermissionRequested)
    return question


def test_a_part_of_a_result_that_is_not_known_is_told_as_it_is() -> None:
    (call,) = read(use("Bash"), tool_result([{"type": "odd", "n": 1}])).calls()
    (part,) = call["content"]
    assert part["content"] == {"type": "text", "text": '{"type": "odd", "n": 1}'}


def test_results_of_tools() -> None:
    """A tool_result completes its call, is_error fails it."""
    (call,) = read(use("Bash", command="ls"), tool_result("a\nb")).calls()
    assert (call["status"], call["kind"]) == ("completed", "execute")
    assert call["content"] == [{"type": "content", "content": {"type": "text", "text": "a\nb"}}]
    failed = tool_result("<tool_use_error>No file.</tool_use_error>", is_error=True)
    (call,) = read(use("Read", file_path="/x"), failed).calls()
    assert call["status"] == "failed"
    assert call["content"][0]["content"]["text"] == "No file."


def test_a_call_whose_input_is_being_written_is_announced_once() -> None:
    """One without an id is told when it is whole."""

    def start(call_id: str) -> Json:
        block = {"type": "tool_use", "id": call_id, "name": "Bash"}
        event = {"type": "content_block_start", "index": 0, "content_block": block}
        return {"type": "stream_event", "event": event}

    said = read(start("t1"), start("t1"), start(""), use("Bash", command="ls"))
    assert [call["status"] for call in said.of("tool_call")] == ["pending"]
    assert [call["toolCallId"] for call in said.of("tool_call")] == ["t1"]


def test_a_result_in_an_assistant_message() -> None:
    """A tool_result block in an assistant message counts as well."""
    line = tool_result("found") | {"type": "assistant"}
    (call,) = read(use("WebSearch", query="x"), line).calls()
    assert call["status"] == "completed"


def test_a_result_that_is_an_image() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    (call,) = read(use("Read"), tool_result([{"type": "image", "source": source}])).calls()
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert call["content"] == [{"type": "content", "content": image}]


def test_a_result_without_a_known_call_is_shown() -> None:
    (call,) = read(tool_result("late", "t9")).of("tool_call")
    assert (call["toolCallId"], call["status"]) == ("t9", "completed")
    assert call["content"][0]["content"]["text"] == "late"


def test_calls_that_have_no_result_are_closed_at_the_end() -> None:
    (call,) = read(use("Bash", command="sleep 9")).calls()
    assert call["status"] == "failed"


def test_edits_are_diffs() -> None:
    def diff(old: str | None, new: str) -> Json:
        return {"type": "diff", "path": "/w/a", "oldText": old, "newText": new}

    two = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    (write,) = read(use("Write", file_path="/w/a", content="x")).calls()
    (edit,) = read(use("Edit", file_path="/w/a", old_string="a", new_string="b")).calls()
    (edits,) = read(use("MultiEdit", file_path="/w/a", edits=two)).calls()
    assert write["content"] == [diff(None, "x")]
    assert edit["content"] == [diff("a", "b")]
    assert edits["content"] == [diff("a", "b"), diff("c", "d")]


def test_a_write_tells_afterwards_what_was_there() -> None:
    outcome = {"tool_use_result": {"type": "update", "originalFile": "old"}}
    line = tool_result("Done.") | outcome
    (call,) = read(use("Write", file_path="/w/a", content="new"), line).calls()
    diff, words = call["content"]
    assert (diff["oldText"], diff["newText"]) == ("old", "new")
    assert words["content"]["text"] == "Done."


def test_an_edit_tells_afterwards_where_it_lies() -> None:
    lines = [" f", "-old", "\\ No newline at end of file", "+new"]
    hunks = [{"newStart": 41, "lines": lines}, {"newStart": 0, "lines": [7, "-gone"]}]
    asked = use("Edit", file_path="/w/a", old_string="old", new_string="new")
    done = tool_result("Done.") | {"tool_use_result": {"structuredPatch": hunks}}
    (call,) = read(asked, done).calls()
    first, second, _ = call["content"]
    assert (first["oldText"], first["newText"]) == ("f\nold", "f\nnew")
    assert (second["oldText"], second["newText"]) == ("\ngone", "")
    assert call["locations"] == [{"path": "/w/a", "line": 41}, {"path": "/w/a", "line": 1}]
    done = tool_result("Done.") | {"tool_use_result": {"structuredPatch": hunks * 101}}
    (call,) = read(asked, done).calls()
    assert call["content"][0]["oldText"] == "old"
    assert call["locations"] == [{"path": "/w/a"}]


def test_todos_stay_a_tool_call() -> None:
    todos = [{"content": "Read", "status": "pending", "activeForm": "Reading"}]
    meaning = read(use("TodoWrite", todos=todos), tool_result("Todos have been modified"))
    (call,) = meaning.calls()
    assert call["rawInput"] == {"todos": todos}
    assert meaning.of("plan") == []


def test_a_plan_that_is_proposed_stays_in_sight() -> None:
    (call,) = read(use("ExitPlanMode", plan="# The plan"), tool_result("Approved.")).calls()
    assert [item["content"]["text"] for item in call["content"]] == ["# The plan", "Approved."]


def test_a_call_is_shown_while_its_input_is_written() -> None:
    meaning = recorded("write_file")
    assert [call["status"] for call in meaning.of("tool_call")] == ["pending"]
    (call,) = meaning.calls()
    assert (call["status"], call["rawInput"]["file_path"]) == (
        "completed",
        "/home/user/project/hello.py",
    )


def test_a_permission_is_asked_with_what_it_is_for() -> None:
    """can_use_tool becomes a permission request for the same tool call."""
    question = permission(asked())
    assert question.request_id == "r1"
    assert question.tool_input == {"command": "make"}
    call: Any = question.params["toolCall"]
    assert (call["toolCallId"], call["kind"]) == ("t1", "execute")
    assert call["rawInput"] == {"command": "make"}
    options: Any = question.params["options"]
    assert [(o["optionId"], o["kind"]) for o in options] == [
        ("allow", "allow_once"),
        ("reject", "reject_once"),
    ]
    assert question.grants == {}


def test_what_would_be_allowed_from_now_on_is_said_in_full() -> None:
    rule = {"toolName": "Bash", "ruleContent": "make *"}
    suggestions: list[Json] = [
        {"type": "addRules", "behavior": "allow", "rules": [rule], "destination": "localSettings"},
        {"type": "addDirectories", "directories": ["/tmp"], "destination": "session"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    ]
    question = permission(asked(permission_suggestions=suggestions))
    options: Any = question.params["options"]
    assert [option["name"] for option in options] == [
        "Allow",
        "Allow for this session: Bash(make *), files in /tmp, all edits of files",
        "Reject",
    ]
    granted = question.grants["always"]
    assert [grant["destination"] for grant in granted] == ["session"] * 3
    assert granted[0]["rules"] == [rule]


@pytest.mark.parametrize(
    "suggestion",
    [
        {"type": "setMode", "mode": "bypassPermissions"},
        {"type": "addRules", "behavior": "deny", "rules": [{"toolName": "Bash"}]},
        {"type": "addRules", "behavior": "allow", "rules": []},
        {"type": "addRules", "behavior": "allow", "rules": [{"toolName": ""}]},
        {"type": "addRules", "behavior": "allow", "rules": [{"toolName": "x" * 400}]},
        {"type": "addDirectories", "directories": [1]},
        {"type": "addRules", "behavior": "allow", "rules": "all"},
        {"type": "ofTomorrow"},
        "text",
    ],
)
def test_what_cannot_be_said_is_not_offered(suggestion: Any) -> None:
    good = {"type": "setMode", "mode": "acceptEdits"}
    question = permission(asked(permission_suggestions=[good, suggestion]))
    options: Any = question.params["options"]
    assert [option["kind"] for option in options] == ["allow_once", "reject_once"]
    assert question.grants == {}


def test_the_rest_of_the_control_protocol() -> None:
    other = {"type": "control_request", "request_id": "r2", "request": {"subtype": "mcp_message"}}
    withdrawn = {"type": "control_cancel_request", "request_id": "r1"}
    good = {"subtype": "success", "request_id": "q", "response": {"mode": "plan"}}
    bad = {"subtype": "error", "request_id": "q", "error": "No such mode."}
    answers = [{"type": "control_response", "response": response} for response in (good, bad)]
    assert read(other, withdrawn, *answers).results == [
        ControlRequested("r2", "mcp_message"),
        CliPermissionWithdrawn("r1"),
        ControlAnswered("q", {"mode": "plan"}),
        ControlAnswered("q", {}, "No such mode."),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"outcome": {"outcome": "selected", "optionId": "reject"}},
        {"outcome": {"outcome": "selected", "optionId": "always"}},
        {"outcome": {"outcome": "selected", "optionId": "Allow"}},
        {"outcome": {"outcome": "selected", "optionId": ["allow"]}},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "Selected", "optionId": "allow"}},
        {"outcome": "allow"},
        {"outcome": {"optionId": "allow"}},
        {"optionId": "allow"},
        {},
    ],
)
def test_whatever_is_not_clearly_allowed_is_denied(answer: Json) -> None:
    reply = decision(PermissionRequested("r1", {}, {"command": "make"}), answer)
    assert reply["behavior"] == "deny"
    assert reply["message"]
