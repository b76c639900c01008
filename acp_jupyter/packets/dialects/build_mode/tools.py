"""Tool calls and permissions of seed 002, as they stand on the wire.

Some optional fields stand in none of the seed's examples: ``content`` carries what is no text,
``tool_input`` and ``title`` after the start what ACP agents tell only then.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from acp_jupyter.packets.dialects.build_mode.base import BuildTimed

__all__ = [
    "PermissionRequestPacket",
    "PermissionResponsePacket",
    "ToolEndPacket",
    "ToolProgressPacket",
    "ToolStartPacket",
]


class ToolStartPacket(BuildTimed):
    """S3.8."""

    type: Literal["tool_start"] = "tool_start"
    tool_call_id: str
    tool_name: str
    tool_input: JsonValue = Field(default_factory=dict)
    title: str = ""


class ToolProgressPacket(BuildTimed):
    """S3.10."""

    type: Literal["tool_progress"] = "tool_progress"
    tool_call_id: str
    tool_name: str
    status: str = "in_progress"
    progress: float | None = None
    message: str | None = None
    tool_input: JsonValue = None
    title: str | None = None
    content: tuple[JsonValue, ...] | None = None


class ToolEndPacket(BuildTimed):
    """S3.11; ``status`` is success, error or cancelled (C11)."""

    type: Literal["tool_end"] = "tool_end"
    tool_call_id: str
    tool_name: str
    status: str = "success"
    result: JsonValue = None
    tool_input: JsonValue = None
    title: str | None = None
    content: tuple[JsonValue, ...] | None = None


class PermissionRequestPacket(BuildTimed):
    """S3.26."""

    type: Literal["permission_request"] = "permission_request"
    request_id: str
    operation: str
    description: str = ""
    auto_approve: bool = False


class PermissionResponsePacket(BuildTimed):
    """S3.27."""

    type: Literal["permission_response"] = "permission_response"
    request_id: str
    approved: bool
    reason: str = ""
