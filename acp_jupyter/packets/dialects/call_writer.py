"""Tool calls and permissions, written as seed 000's stream has them."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets.dialects.tool_content import write_tool_content
from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.models import (
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.packets.parse.parent import PARENT_ID
from acp_jupyter.packets.terminal_meta import write_terminal

__all__ = [
    "write_permission_request",
    "write_permission_response",
    "write_progress",
    "write_start",
]


def write_start(packet: ToolCallStart) -> Obj:
    """S1.6: the start of a call says everything, if only that there is nothing yet."""
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
    """S1.8, C13: what an update says nothing of is null."""
    return {"type": packet.type, "sessionUpdate": "tool_call_update", **_call(packet)}


def _call(packet: ToolCallStart | ToolCallProgress) -> Obj:
    listed = "locations" in packet.model_fields_set
    locations: list[JsonValue] = [
        {"_meta": None, "path": place.path, "line": place.line} for place in packet.locations
    ]
    # C18: a name that the title does not tell.
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
    """Write the outcome as the protocol has it; ``approved`` only where nothing was chosen."""
    outcome: Obj = {"outcome": "cancelled"}
    if packet.option_id is not None:
        outcome = {"outcome": "selected", "optionId": packet.option_id}
    response: Obj = {"type": packet.type, "request_id": packet.request_id, "outcome": outcome}
    if packet.approved is not None:
        response["approved"] = packet.approved
    return response | ({"reason": packet.reason} if packet.reason else {})
