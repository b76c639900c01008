"""The 33 shapes that the protocol's Python SDK keeps as golden files, with contents of our own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import acp.schema
import jsonschema
import pytest
from pydantic import BaseModel

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.content import read_block, read_tool_content
from acp_jupyter.protocol.normalise import normalise
from acp_jupyter.protocol.packets import Unknown
from tests.conformance.reading import after
from tests.conformance.shapes import DEFINITIONS, messages_of_agents
from tests.conformance.test_received import texts_of

FOLDER = Path(__file__).parents[1] / "golden/sdk"
TYPES: dict[str, str] = {
    "cancel_notification": "CancelNotification",
    "content_audio": "ContentBlock",
    "content_image": "ContentBlock",
    "content_resource_blob": "ContentBlock",
    "content_resource_link": "ContentBlock",
    "content_resource_text": "ContentBlock",
    "content_text": "ContentBlock",
    "fs_read_text_file_request": "ReadTextFileRequest",
    "fs_read_text_file_response": "ReadTextFileResponse",
    "fs_write_text_file_request": "WriteTextFileRequest",
    "initialize_request": "InitializeRequest",
    "initialize_response": "InitializeResponse",
    "new_session_request": "NewSessionRequest",
    "new_session_response": "NewSessionResponse",
    "permission_outcome_cancelled": "RequestPermissionOutcome",
    "permission_outcome_selected": "RequestPermissionOutcome",
    "prompt_request": "PromptRequest",
    "request_permission_request": "RequestPermissionRequest",
    "request_permission_response_selected": "RequestPermissionResponse",
    "session_update_agent_message_chunk": "SessionUpdate",
    "session_update_agent_thought_chunk": "SessionUpdate",
    "session_update_plan": "SessionUpdate",
    "session_update_tool_call": "SessionUpdate",
    "session_update_tool_call_edit": "SessionUpdate",
    "session_update_tool_call_locations_rawinput": "SessionUpdate",
    "session_update_tool_call_read": "SessionUpdate",
    "session_update_tool_call_update_content": "SessionUpdate",
    "session_update_tool_call_update_more_fields": "SessionUpdate",
    "session_update_user_message_chunk": "SessionUpdate",
    "tool_content_content_text": "ToolCallContent",
    "tool_content_diff": "ToolCallContent",
    "tool_content_diff_no_old": "ToolCallContent",
    "tool_content_terminal": "ToolCallContent",
}
UPDATES = sorted(name for name, kind in TYPES.items() if kind == "SessionUpdate")
AROUND: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "SessionUpdate": ("SessionNotification", lambda value: {"sessionId": "s", "update": value}),
    "ContentBlock": ("PromptRequest", lambda value: {"sessionId": "s", "prompt": [value]}),
    "ToolCallContent": ("ToolCallUpdate", lambda value: {"toolCallId": "c", "content": [value]}),
    "RequestPermissionOutcome": ("RequestPermissionResponse", lambda value: {"outcome": value}),
}
"""The SDK has no models of unions: they are read as part of something."""


def shape(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text())


def test_there_is_a_file_of_each() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(TYPES)
    assert len(TYPES) == 33


@pytest.mark.parametrize("name", TYPES)
def test_it_is_valid(name: str) -> None:
    schema = {"$ref": f"#/$defs/{TYPES[name]}", "$defs": dict(DEFINITIONS)}
    jsonschema.Draft202012Validator(schema).validate(shape(name))


@pytest.mark.parametrize("name", TYPES)
def test_the_sdk_reads_it_and_writes_the_same(name: str) -> None:
    model_name, around = AROUND.get(TYPES[name], (TYPES[name], lambda value: value))
    model: type[BaseModel] = getattr(acp.schema, model_name)
    whole = around(shape(name))
    read = model.model_validate(whole)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == whole


@pytest.mark.parametrize("name", UPDATES)
def test_an_update_is_read_whole(name: str) -> None:
    packet = parse_packet(shape(name))
    assert not isinstance(packet, Unknown)
    message = {"jsonrpc": "2.0", "method": "session/update"}
    params = {"sessionId": "s", "update": shape(name)}
    assert normalise({**message, "params": params}) == [{**message, "params": params}]
    kind = shape(name)["sessionUpdate"]
    sent = next(m for m in messages_of_agents() if m.name == f"session/update {kind}")
    assert texts_of(after(sent, params))[-1].endswith("goes on")


@pytest.mark.parametrize("name", [name for name in TYPES if name.startswith("content_")])
def test_a_content_block_is_read_whole(name: str) -> None:
    raw = shape(name)
    block = read_block(raw)
    assert block is not None
    assert block.type == raw["type"]
    told = [*block.model_dump().values(), ""]
    inner = raw.get("resource", raw)
    for key in ("text", "data", "blob", "uri", "mimeType", "name"):
        assert inner.get(key, "") in told


@pytest.mark.parametrize("name", [name for name in TYPES if name.startswith("tool_content_")])
def test_tool_content_is_read_whole(name: str) -> None:
    raw = shape(name)
    (item,) = read_tool_content([raw]) or ()
    assert item.type == raw["type"]
    told = item.model_dump()
    assert told.get("old_text") == raw.get("oldText")
    assert told.get("new_text", "") == raw.get("newText", "")
    assert told.get("terminal_id", "") == raw.get("terminalId", "")
