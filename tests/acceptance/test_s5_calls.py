"""Tool calls and permissions: names that are remembered, fields in every spelling."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol.packets import PermissionRequest, PermissionResponse, ToolCallProgress
from acp_jupyter.protocol.parse.tool_calls import spelled_name

Json = dict[str, Any]
META = {"_meta": {"claudeCode": {"toolName": "Grep"}}}


def progress(state: ParseState | None = None, **fields: Any) -> ToolCallProgress:
    packet = parse_packet({"type": "tool_call_update", "toolCallId": "c", **fields}, state)
    assert isinstance(packet, ToolCallProgress)
    return packet


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ({**META, "title": "read"}, "grep"),
        ({"_meta": {"toolName": "Grep"}, "title": "read"}, "grep"),
        ({"_meta": {"tool_name": "Grep", "toolName": "edit"}}, "grep"),
        ({"_meta": {"tool_name": "nobody"}, "title": "read"}, "read"),
        ({"_meta": "Grep", "title": "read"}, "read"),
        ({"toolName": "grep", "title": "read"}, "grep"),
        ({"tool_name": "grep", "title": "read"}, "grep"),
        ({"name": "grep", "title": "read"}, "grep"),
        ({"toolName": "nobody", "title": "read"}, "read"),
        ({"title": "6 todos", "rawInput": {"todos": []}}, "todowrite"),
        ({"title": "Find it", "rawInput": {"subagent_type": "Plan"}}, "task"),
        ({"title": "Find it", "kind": "edit"}, "edit"),
        ({"title": "MyTool", "kind": "edit"}, "unknown"),
        ({"toolName": "my tool", "kind": "edit"}, "unknown"),
        ({"title": "Find it"}, "unknown"),
    ],
    ids=str,
)
def test_the_name_of_a_call(raw: Json, name: str) -> None:
    """S5.2, C18: `_meta`, then the agent's names, then the input, then the kind."""
    assert progress(**raw).tool_name == name


@pytest.mark.parametrize(
    ("first", "later", "name", "kind"),
    [
        ({"title": "glob"}, {"title": "read"}, "glob", "search"),
        (
            {"title": "Find it", "rawInput": {"todos": []}},
            {"title": "3 todos"},
            "todowrite",
            "other",
        ),
        ({"title": "x y", "rawInput": {"subagentType": "Plan"}}, {"title": "read"}, "task", "task"),
        ({"title": "MyTool"}, {"title": "read", "kind": "edit"}, "unknown", "edit"),
        ({"title": "MyTool", "kind": "search"}, {}, "unknown", "search"),
        ({"title": "Change it", "kind": "edit"}, {}, "edit", "edit"),
        ({"title": "Change it", "kind": "edit"}, {"title": "write"}, "write", "edit"),
        ({"title": "read"}, META, "grep", "search"),
        (META, {"title": "read"}, "grep", "search"),
    ],
    ids=str,
)
def test_what_was_told_first_is_remembered(first: Json, later: Json, name: str, kind: str) -> None:
    """S1.47, S1.48, C18: by the call's id; a name in `_meta` wins at any time."""
    state = ParseState()
    progress(state, **first)
    told = progress(state, **later)
    assert (told.tool_name, told.kind) == (name, kind)
    other = parse_packet({"type": "tool_call_update", "toolCallId": "other"}, state)
    assert isinstance(other, ToolCallProgress)
    assert (other.tool_name, other.kind) == ("unknown", "other")


def test_names_are_bounded() -> None:
    """C18, S5.2: a session of very many calls forgets the oldest, and only them."""
    state = ParseState()
    for n in range(1_001):
        state.tool_name(f"c{n}", {"title": "grep"})
    assert [state.tool_name(f"c{n}", {}) for n in (0, 1, 1_000)] == ["unknown", "grep", "grep"]


@pytest.mark.parametrize(
    ("raw", "name"),
    [(META, "Grep"), ({"toolName": "A"}, "A"), ({"name": "B"}, "B"), ({"title": "C"}, None)],
    ids=str,
)
def test_the_name_as_the_agent_spells_it(raw: Json, name: str | None) -> None:
    """S5.2."""
    assert spelled_name(raw) == progress(**raw).name == name


@pytest.mark.parametrize(
    ("fields", "raw_input"),
    [
        ({"rawInput": {"a": 1}, "raw_input": {"b": 1}}, {"b": 1}),
        ({"raw_input": {"b": 1}}, {"b": 1}),
        ({"toolInput": {"c": 1}}, {"c": 1}),
        ({"tool_input": {"d": 1}}, {"d": 1}),
        ({"rawInput": None}, None),
    ],
    ids=str,
)
def test_inputs_in_every_spelling(fields: Json, raw_input: Json | None) -> None:
    """S5.2, S3.8."""
    assert progress(**fields).raw_input == raw_input


def test_an_update_is_no_end() -> None:
    """S3.10, S3.11, C11: without a status nothing is told of it, and `result` is no output."""
    for kind in ("tool_call_update", "tool_call_progress", "tool_progress"):
        packet = parse_packet({"type": kind, "toolCallId": "c", "result": "r"})
        assert isinstance(packet, ToolCallProgress)
        assert (packet.status, packet.raw_output, packet.message) == (None, None, None)
    assert progress(message="Running").message == "Running"


@pytest.mark.parametrize("line", [0, 5, -1, None, "5", 5.0, True])
def test_places(line: Any) -> None:
    """S1.36: a line that is none is no line; a place without a path is no place."""
    places = [{"path": "/a", "line": line}, {"line": 5}, {"path": ""}, {"path": 5}, None]
    (place,) = progress(locations=places).locations
    number = int(line) if isinstance(line, int | float) and line is not True else None
    assert (place.path, place.line) == ("/a", None if number is None or number < 0 else number)


def request(**fields: Any) -> PermissionRequest:
    packet = parse_packet({"type": "permission_request", "request_id": "r", **fields})
    assert isinstance(packet, PermissionRequest)
    return packet


def test_a_request_of_few_words() -> None:
    """S3.26, C23: the operation is the title, the description the content."""
    asked = request(operation="delete_file", description="Delete test.py?", auto_approve=True)
    assert (asked.request_id, asked.auto_approve) == ("r", True)
    assert asked.tool_call.tool_call_id == "permission-r"
    assert asked.tool_call.title == "delete_file"
    assert [item.model_dump() for item in asked.tool_call.content or ()] == [
        {"type": "content", "block": {"type": "text", "text": "Delete test.py?"}}
    ]
    assert [option.model_dump() for option in asked.options] == [
        {"option_id": "allow", "name": "Allow", "kind": "allow_once"},
        {"option_id": "reject", "name": "Reject", "kind": "reject_once"},
    ]
    assert request(autoApprove=True).auto_approve
    for odd in (1, "true", None):
        assert not request(auto_approve=odd).auto_approve


@pytest.mark.parametrize("key", ["toolCall", "tool_call"])
def test_a_request_about_a_call(key: str) -> None:
    """S3.26: with its own id, or in words."""
    call: Json = {"toolCallId": "c", "title": "edit", "kind": "edit"}
    assert request(**{key: call}).tool_call.tool_call_id == "c"
    nameless: Json = {"title": "t", "kind": "edit", "content": "x", "rawInput": {"a": 1}}
    asked = request(**{key: nameless}).tool_call
    assert (asked.tool_call_id, asked.title, asked.acp_kind) == ("permission-r", "t", "edit")
    assert (asked.raw_input, len(asked.content or ())) == ({"a": 1}, 1)
    snake = request(**{key: {"raw_input": {"a": 1}}}).tool_call
    assert snake.raw_input == {"a": 1}


def test_options_in_every_spelling() -> None:
    """S3.26: an option is named, if only by its id; foreign kinds are kept."""
    options = [
        {"optionId": "a", "name": "A", "kind": "allow_once"},
        {"option_id": "b"},
        {"optionId": "c", "kind": "reject_once", "_meta": {"acp-jupyter/kind": "colour"}},
        None,
    ]
    told = [(o.option_id, o.name, o.kind) for o in request(options=options).options]
    assert told == [("a", "A", "allow_once"), ("b", "b", ""), ("c", "c", "colour")]
    assert request(options=[]).options == ()
    assert parse_packet({"type": "permission_request", "requestId": "r"}) == request()


@pytest.mark.parametrize(
    ("fields", "option_id", "approved", "reason"),
    [
        ({"approved": True, "reason": "User approved"}, None, True, "User approved"),
        ({"approved": False}, None, False, ""),
        ({"approved": "yes", "reason": 5}, None, None, ""),
        ({"outcome": {"outcome": "selected", "optionId": "a"}}, "a", None, ""),
        ({"outcome": {"outcome": "selected", "option_id": "a"}}, "a", None, ""),
        ({"optionId": "a"}, "a", None, ""),
        ({"outcome": {"outcome": "cancelled"}}, None, None, ""),
    ],
    ids=str,
)
def test_answers(fields: Json, option_id: str | None, approved: bool | None, reason: str) -> None:
    """S3.27."""
    for key in ("request_id", "requestId"):
        packet = parse_packet({"type": "permission_response", key: "r", **fields})
        assert isinstance(packet, PermissionResponse)
        assert (packet.request_id, packet.option_id) == ("r", option_id)
        assert (packet.approved, packet.reason) == (approved, reason)
