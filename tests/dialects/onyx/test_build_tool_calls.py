"""Tool calls and permissions in build mode."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.dialects.onyx.build_converters import (
    convert_acp_permission_request_to_permission_request,
    convert_acp_permission_response_to_permission_response,
    convert_acp_tool_progress_to_tool_end,
    convert_acp_tool_start_to_tool_start,
)
from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol.packets import (
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
)
from tests.support.transcript.wire import acp, text, wire


def started(**fields: Any) -> dict[str, Any]:
    packet = acp("tool_call", toolCallId="c", **fields)
    assert isinstance(packet, ToolCallStart)
    return wire(convert_acp_tool_start_to_tool_start(packet))


def updated(**fields: Any) -> dict[str, Any]:
    packet = acp("tool_call_update", toolCallId="c", **fields)
    assert isinstance(packet, ToolCallProgress)
    return wire(convert_acp_tool_progress_to_tool_end(packet))


@pytest.mark.parametrize(
    ("fields", "name", "title"),
    [
        ({"title": "Read", "rawInput": {"file_path": "/a/file.py"}}, "read", "Reading file.py"),
        ({"title": "/a/file.py", "kind": "read"}, "read", "Reading file.py"),
        ({"title": "Look at it", "kind": "read"}, "read", "Look at it"),
        ({"title": "write", "rawInput": {"filePath": "/a/b.md"}}, "write", "Writing b.md"),
        ({"title": "bash", "rawInput": {"command": "ls"}}, "bash", "Running command"),
        ({"title": "Fetch x", "kind": "fetch"}, "fetch", "Fetch x"),
        ({"title": "x", "_meta": {"claudeCode": {"toolName": "Bash"}}}, "Bash", "x"),
        ({"title": "delete_file"}, "unknown", "delete_file"),
    ],
)
def test_a_tool_call_becomes_tool_start(fields: dict[str, Any], name: str, title: str) -> None:
    """With the agent's title, or ours for a bare name."""
    said = started(**fields)
    assert (said["type"], said["tool_call_id"]) == ("tool_start", "c")
    assert (said["tool_name"], said["title"]) == (name, title)
    assert said["tool_input"] == fields.get("rawInput", {})


@pytest.mark.parametrize("status", ["pending", "in_progress", None])
def test_an_update_that_is_not_final_becomes_tool_progress(status: str | None) -> None:
    """It carries the input, which ACP agents send only now."""
    fields = {"rawInput": {"command": "make"}, "progress": 0.5, "message": "Running tests..."}
    assert updated(status=status, title="bash", **fields) == {
        "type": "tool_progress",
        "tool_call_id": "c",
        "tool_name": "bash",
        "status": status or "in_progress",
        "progress": 0.5,
        "message": "Running tests...",
        "tool_input": {"command": "make"},
        "title": "bash",
    }


@pytest.mark.parametrize(("status", "word"), [("completed", "success"), ("failed", "error")])
@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({"rawOutput": {"output": "3 passed", "metadata": {"exit": 0}}}, None),
        ({"rawOutput": "3 passed"}, "3 passed"),
        ({"content": [{"type": "content", "content": text("3 passed")}]}, "3 passed"),
        ({"content": [text("a"), text("b")]}, "a\nb"),
        ({}, ""),
    ],
)
def test_a_final_update_becomes_tool_end(
    status: str, word: str, given: dict[str, Any], result: str | None
) -> None:
    """Success or error, with the tool's output."""
    said = updated(status=status, title="bash", **given)
    expected = given["rawOutput"] if result is None else result
    assert said.pop("result", "") == expected
    assert said == {
        "type": "tool_end",
        "tool_call_id": "c",
        "tool_name": "bash",
        "status": word,
        "title": "bash",
    }


def test_what_a_tool_gave_counts_more_than_what_is_said_of_it() -> None:
    """The result is the raw output where there are both."""
    given = {"stdout": "4 passed"}
    said = updated(status="completed", rawOutput=given, content=[text("All is well")])
    assert said["result"] == given


def test_what_is_no_text_goes_beside_the_result() -> None:
    diff = {"type": "diff", "path": "/a.py", "oldText": None, "newText": "x"}
    terminal = {"type": "terminal", "terminalId": "t1"}
    said = updated(status="completed", content=[text("Wrote it"), diff, terminal])
    assert said["result"] == "Wrote it"
    assert [item["type"] for item in said["content"]] == ["content", "diff", "terminal"]
    state = ParseState()
    again = parse_packet(said, state)
    first = acp("tool_call_update", toolCallId="c", content=[text("Wrote it"), diff, terminal])
    assert isinstance(again, ToolCallProgress)
    assert isinstance(first, ToolCallProgress)
    assert again.content == first.content


def test_a_permission_request_is_described() -> None:
    """The operation is its title, the description its content."""
    call = ToolCallProgress(
        tool_call_id="c", tool_name="bash", title="bash", raw_input={"command": "rm test.py"}
    )
    asked = PermissionRequest(request_id="p1", tool_call=call, options=(), timestamp=1.8e9)
    said = wire(convert_acp_permission_request_to_permission_request(asked))
    assert said == {
        "type": "permission_request",
        "request_id": "p1",
        "operation": "bash",
        "description": "rm test.py",
        "auto_approve": False,
    }


@pytest.mark.parametrize(
    ("option_id", "approved", "yes", "reason"),
    [
        ("once", None, True, "Allow"),
        ("no", None, False, "No"),
        (None, None, False, ""),
        ("elsewhere", None, False, ""),
        ("odd", None, False, "Hm"),
        (None, True, True, ""),
        ("once", False, False, "Allow"),
    ],
)
def test_an_answer_is_yes_or_no(
    option_id: str | None, approved: bool | None, yes: bool, reason: str
) -> None:
    """Approved only if the chosen option allows."""
    options = (
        OptionPacket(option_id="no", name="No", kind="reject_once"),
        OptionPacket(option_id="once", name="Allow", kind="allow_once"),
        OptionPacket(option_id="odd", name="Hm", kind="sometimes"),
    )
    answer = PermissionResponse(
        request_id="p1", option_id=option_id, approved=approved, timestamp=1.8e9
    )
    said = wire(convert_acp_permission_response_to_permission_response(answer, options))
    assert (said["approved"], said["reason"]) == (yes, reason)
