"""Updates of seed 003, the protocol as an older agent wrote it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.content import OtherBlock, TextBlock, ToolContentBlock
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ToolCallProgress,
    ToolCallStart,
    UserMessageChunk,
)
from acp_jupyter.protocol.session_packets import AvailableCommandsUpdate, CurrentModeUpdate
from acp_jupyter.protocol.tools.inputs import ReadInput
from acp_jupyter.transcript.model.items import AgentMessage, Plan, Thought, UserMessage
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall
from tests.acceptance import golden
from tests.acceptance.shown import only, shown
from tests.support.transcript.traffic import Script


def told(*names: str) -> Script:
    """Play a turn with golden updates as an agent sends them."""
    script = Script(cwd="/path/to")
    script.turn("Hello")
    for name in names:
        script.update("", **golden.read(name))
    return script


def test_the_envelope() -> None:
    """S4.1, C1: the update of a `session/update`, told by `sessionUpdate`."""
    message = golden.read("s4-session_update")
    assert message["method"] == "session/update"
    assert parse_packet(message) == parse_packet(message["params"]["update"])
    script = Script()
    script.turn()
    script.line("<", message)
    assert only(script, AgentMessage).text == "Hello! How can I help?"
    elsewhere = {**message, "method": "acp/notification/session_update"}
    script.line("<", elsewhere)
    assert only(script, AgentMessage).text == "Hello! How can I help?" * 2


def test_agent_message_chunk() -> None:
    """S4.2."""
    chunk = golden.packet("s4-agent_message_chunk")
    assert isinstance(chunk, AgentMessageChunk)
    assert chunk.text == "Hello! How can I help?"
    assert only(told("s4-agent_message_chunk"), AgentMessage).text == "Hello! How can I help?"


def test_user_message_chunk_of_a_replay() -> None:
    """S4.3: a user message, joined from its pieces."""
    chunk = golden.packet("s4-user_message_chunk")
    assert isinstance(chunk, UserMessageChunk)
    assert chunk.text == "User message..."
    script = Script()
    for _ in range(2):
        script.update("", **golden.read("s4-user_message_chunk"))
    assert only(script, UserMessage).text == "User message..." * 2


def test_user_message_chunk_of_a_turn() -> None:
    """S4.3: the prompt is there already."""
    script = told("s4-user_message_chunk", "s4-agent_message_chunk")
    assert [message.text for message in shown(script, UserMessage)] == ["Hello"]


def test_agent_thought_chunk() -> None:
    """S4.4: a block of thought."""
    chunk = golden.packet("s4-agent_thought_chunk")
    assert isinstance(chunk, AgentThoughtChunk)
    assert only(told("s4-agent_thought_chunk"), Thought).text == "Thinking about..."


def test_tool_call() -> None:
    """S4.5: an id, a title that is a name, kind, status and `file_path`."""
    start = golden.packet("s4-tool_call")
    assert isinstance(start, ToolCallStart)
    assert (start.tool_call_id, start.title) == ("uuid", "Read")
    assert (start.acp_kind, start.kind, start.status) == ("read", "read", "pending")
    assert start.input == ReadInput(file_path="/path/to/file")
    call = only(told("s4-tool_call"), ToolCall)
    assert (call.title, call.description, call.tool_name) == ("Reading file", "file", "Read")


def test_tool_call_update() -> None:
    """S4.6, C8: content without its wrapper."""
    raw = golden.read("s4-tool_call_update")
    done = parse_packet(raw)
    assert isinstance(done, ToolCallProgress)
    assert (done.status, done.title) == ("completed", "Read")
    assert done.content == (ToolContentBlock(block=TextBlock(text="file contents...")),)
    wrapped = {**raw, "content": [{"type": "content", "content": raw["content"][0]}]}
    assert parse_packet(wrapped) == done
    call = only(told("s4-tool_call", "s4-tool_call_update"), ToolCall)
    assert (call.output, call.status, call.path) == ("file contents...", "completed", "file")


def test_plan() -> None:
    """S4.7, C10: no priority is the middle one, and the id is no text."""
    plan = golden.packet("s4-plan")
    assert isinstance(plan, AgentPlanUpdate)
    (entry,) = plan.entries
    expected = {"content": "Step description", "status": "pending", "priority": "medium"}
    assert entry.model_dump() == expected
    assert only(told("s4-plan"), Plan).entries[0].model_dump() == expected


def test_available_commands_update() -> None:
    """S4.8: names and descriptions for the completion; a hint where there is one."""
    update = golden.packet("s4-available_commands_update")
    hinted = golden.packet("acp-available_commands_update")
    assert isinstance(update, AvailableCommandsUpdate)
    assert isinstance(hinted, AvailableCommandsUpdate)
    assert [c.model_dump() for c in update.commands] == [
        {"name": "commit", "description": "Commit changes", "hint": ""}
    ]
    assert hinted.commands[0].hint == "what to review"
    (command,) = told("s4-available_commands_update").transcript.session.commands
    assert (command.name, command.description) == ("commit", "Commit changes")


def test_current_mode_update() -> None:
    """S4.9."""
    update = golden.packet("s4-current_mode_update")
    assert isinstance(update, CurrentModeUpdate)
    assert update.mode_id == "plan"
    session = told("s4-current_mode_update").transcript.session
    assert session.current_mode_id == "plan"
    assert "plan" in [mode.id for mode in session.modes]


@pytest.mark.parametrize("spelling", ["mediaType", "mimeType", "mime_type"])
def test_chunks_of_text_and_images(spelling: str) -> None:
    """S4.10, C9: `mediaType` is `mimeType`."""
    text = parse_packet(
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "..."}}
    )
    assert isinstance(text, AgentMessageChunk)
    assert text.block == TextBlock(text="...")
    content = {"type": "image", "data": "base64...", spelling: "image/png"}
    image = parse_packet({"sessionUpdate": "agent_message_chunk", "content": content})
    assert isinstance(image, AgentMessageChunk)
    assert image.block == OtherBlock(type="image", data="base64...", mime_type="image/png")
    item = only(told("s4-agent_message_chunk-image"), ContentBlockItem)
    assert (item.type, item.data, item.mime_type) == ("image", "base64...", "image/png")


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed", "failed"])
def test_statuses(status: str) -> None:
    """S4.11: initiated, in progress, finished, failed."""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "uuid", "status": status}
    progress = parse_packet(update)
    assert isinstance(progress, ToolCallProgress)
    assert progress.status == status
    script = told("s4-tool_call")
    script.update("", **update)
    assert only(script, ToolCall).status == status


@pytest.mark.parametrize(
    ("kind", "tool_kind", "ui_kind", "title"),
    [
        ("read", "read", "read", "Reading file"),
        ("write", "edit", "edit", "Writing file"),
        ("edit", "edit", "edit", "Writing file"),
        ("command", "execute", "execute", "Running command"),
        ("other", "other", "other", "Running tool"),
    ],
)
def test_kinds(kind: str, tool_kind: str, ui_kind: str, title: str) -> None:
    """S4.12, C5: each gives a sensible card, named or not."""
    script = Script()
    script.turn()
    named = "s4-tool_call" if kind == "read" else f"s4-tool_call-{kind}"
    script.update("", **golden.read(named))
    (call,) = shown(script, ToolCall)
    assert (call.tool_kind, call.ui_kind) == (tool_kind, ui_kind)
    assert call.title == ("Other" if kind == "other" else title)
    unnamed: dict[str, Any] = {"toolCallId": "u", "kind": kind, "title": "…"}
    script.update("tool_call", **unnamed)
    call = shown(script, ToolCall)[-1]
    assert (call.tool_kind, call.ui_kind) == (tool_kind, ui_kind)
    assert call.title == ("Writing file" if tool_kind == "edit" else title)
