"""Writes tool calls, permission requests and content blocks in the form of Onyx packets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from pydantic import JsonValue

from acp_jupyter.protocol.content import (
    ContentBlock,
    TextBlock,
    ToolContent,
    ToolContentBlock,
    ToolDiff,
    ToolTerminal,
)
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.packets import (
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.parse.tool_calls import PARENT_ID
from acp_jupyter.protocol.tools.outputs import write_terminal


def write_start(packet: ToolCallStart) -> Obj:
    """Write the start of a call with all its fields, including empty ones."""
    call = _call(packet)
    return {
        "type": packet.type,
        "sessionUpdate": "tool_call",
        **call,
        "title": packet.title or "",
        "rawInput": {} if packet.raw_input is None else packet.raw_input,
        "locations": call["locations"] or [],
    }


def write_progress(packet: ToolCallProgress) -> Obj:
    """Write an update of a call; an unchanged field is null."""
    return {"type": packet.type, "sessionUpdate": "tool_call_update", **_call(packet)}


def _call(packet: ToolCallStart | ToolCallProgress) -> Obj:
    listed = "locations" in packet.model_fields_set
    locations: list[JsonValue] = [
        {"_meta": None, "path": location.path, "line": location.line}
        for location in packet.locations
    ]
    # A tool name that is not in the title.
    meta: Obj = {"tool_name": packet.name} if packet.name else {}
    if packet.parent_id:
        meta[PARENT_ID] = packet.parent_id
    if packet.terminal is not None:
        meta |= write_terminal(packet.terminal)
    call: Obj = {
        "_meta": meta or None,
        "toolCallId": packet.tool_call_id,
        "title": packet.title,
        "kind": packet.acp_kind,
        "status": packet.status,
        "content": None if packet.content is None else write_tool_content(packet.content),
        "rawInput": packet.raw_input,
        "rawOutput": packet.raw_output,
        "locations": locations if listed else None,
    }
    if packet.progress is not None:
        call["progress"] = packet.progress
    if packet.message is not None:
        call["message"] = packet.message
    return call


def write_permission_request(packet: PermissionRequest) -> Obj:
    """Write a request with its tool call and the options as the agent named them."""
    options: list[JsonValue] = [
        {"optionId": option.option_id, "name": option.name, "kind": option.kind}
        for option in packet.options
    ]
    request: Obj = {
        "type": packet.type,
        "request_id": packet.request_id,
        "toolCall": _call(packet.tool_call),
        "options": options,
    }
    return request | ({"auto_approve": True} if packet.auto_approve else {})


def write_permission_response(packet: PermissionResponse) -> Obj:
    """Write the outcome in the protocol's form; ``approved`` only if no option was chosen."""
    outcome: Obj = {"outcome": "cancelled"}
    if packet.option_id is not None:
        outcome = {"outcome": "selected", "optionId": packet.option_id}
    response: Obj = {"type": packet.type, "request_id": packet.request_id, "outcome": outcome}
    if packet.approved is not None:
        response["approved"] = packet.approved
    return response | ({"reason": packet.reason} if packet.reason else {})


def write_block(block: ContentBlock) -> Obj:
    """Write a content block; resources are nested as in the protocol."""
    if isinstance(block, TextBlock):
        return {"_meta": None, "type": "text", "text": block.text, "annotations": None}
    match block.type:
        case "resource_link":
            link: Obj = {"type": "resource_link", "uri": block.uri, "name": block.name}
            return link | without_empty(mimeType=block.mime_type, size=block.size)
        case "resource":
            body: Obj = {"uri": block.uri, "mimeType": block.mime_type}
            inner: Obj = {"blob": block.data} if block.data else {"text": block.text}
            return {"type": "resource", "resource": without_empty(**body) | inner}
        case "other":
            return {"type": block.name} | without_empty(text=block.text)
        case media:
            shown: Obj = {"type": media, "data": block.data, "mimeType": block.mime_type}
            return shown | without_empty(uri=block.uri)


def without_empty(**fields: JsonValue) -> Obj:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value not in (None, "")}


def content_text(content: Iterable[ToolContent]) -> str:
    """Return the text of a tool call's content."""
    blocks = (item.block for item in content if isinstance(item, ToolContentBlock))
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def write_tool_content(content: Iterable[ToolContent]) -> list[JsonValue]:
    """Write a tool call's content; a new file has an empty old text."""
    return [_item(item) for item in content]


def _item(item: ToolContent) -> Obj:
    match item:
        case ToolContentBlock():
            return {"_meta": None, "type": "content", "content": write_block(item.block)}
        case ToolDiff():
            return {
                "_meta": None,
                "type": "diff",
                "path": item.path,
                "oldText": item.old_text or "",
                "newText": item.new_text,
            }
        case ToolTerminal():
            return {"_meta": None, "type": "terminal", "terminalId": item.terminal_id}
        case _:
            assert_never(item)
