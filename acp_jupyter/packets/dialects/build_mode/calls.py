"""Tool calls and permissions, from the packets that all dialects share to those of seed 002."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets.content import TextBlock, ToolContentBlock
from acp_jupyter.packets.dialects.build_mode.base import moment_of
from acp_jupyter.packets.dialects.build_mode.tools import (
    PermissionRequestPacket,
    PermissionResponsePacket,
    ToolEndPacket,
    ToolProgressPacket,
    ToolStartPacket,
)
from acp_jupyter.packets.dialects.tool_content import content_text, write_tool_content
from acp_jupyter.packets.models import (
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.packets.vocabulary import ToolStatus
from acp_jupyter.packets.words import ToolFacts, ToolWords, describe_tool

__all__ = [
    "convert_acp_permission_request_to_permission_request",
    "convert_acp_permission_response_to_permission_response",
    "convert_acp_tool_progress_to_tool_end",
    "convert_acp_tool_start_to_tool_start",
    "told_name",
]

_ENDS: dict[ToolStatus, str] = {
    "completed": "success",
    "failed": "error",
    "cancelled": "cancelled",
}
"""C11."""


def convert_acp_tool_start_to_tool_start(
    tool_start: ToolCallStart | ToolCallProgress,
) -> ToolStartPacket:
    """S3.9; of an update too, where an agent never announced the call."""
    given = tool_start.raw_input
    return ToolStartPacket(
        tool_call_id=tool_start.tool_call_id,
        tool_name=told_name(tool_start),
        tool_input={} if given is None else given,
        title=_title(tool_start),
        timestamp=moment_of(tool_start),
    )


def convert_acp_tool_progress_to_tool_end(
    tool_progress: ToolCallProgress,
) -> ToolEndPacket | ToolProgressPacket:
    """S3.12: the end of a call, or how far it is."""
    status = tool_progress.status or "in_progress"
    ended = _ENDS.get(status)
    if ended is None:
        return ToolProgressPacket(
            tool_call_id=tool_progress.tool_call_id,
            tool_name=told_name(tool_progress),
            status=status,
            progress=tool_progress.progress,
            message=tool_progress.message,
            tool_input=tool_progress.raw_input,
            title=tool_progress.title,
            content=_content(tool_progress),
            timestamp=moment_of(tool_progress),
        )
    return ToolEndPacket(
        tool_call_id=tool_progress.tool_call_id,
        tool_name=told_name(tool_progress),
        status=ended,
        result=_result(tool_progress),
        tool_input=tool_progress.raw_input,
        title=tool_progress.title,
        content=_content(tool_progress),
        timestamp=moment_of(tool_progress),
    )


def convert_acp_permission_request_to_permission_request(
    request: PermissionRequest,
) -> PermissionRequestPacket:
    """S3.26, C23: the title is the operation, the content its description."""
    call = request.tool_call
    words = _words(call)
    said = content_text(call.content or ())
    return PermissionRequestPacket(
        request_id=request.request_id,
        operation=call.title or words.title,
        description=said or words.command or words.path,
        auto_approve=request.auto_approve,
        timestamp=moment_of(request),
    )


def convert_acp_permission_response_to_permission_response(
    response: PermissionResponse, options: tuple[OptionPacket, ...] = ()
) -> PermissionResponsePacket:
    """S3.27, C20: what was chosen counts, and only an option that allows is a yes."""
    chosen = next((o for o in options if o.option_id == response.option_id), None)
    allowed = chosen is not None and chosen.kind.startswith("allow")
    return PermissionResponsePacket(
        request_id=response.request_id,
        approved=allowed if response.approved is None else response.approved,
        reason=response.reason or ("" if chosen is None else chosen.name),
        timestamp=moment_of(response),
    )


def told_name(call: ToolCallStart | ToolCallProgress) -> str:
    """Return a tool's name as the agent spells it, else as it is known here, else its kind."""
    known = "" if call.tool_name == "unknown" else call.tool_name
    return call.name or known or call.acp_kind or "unknown"


def _title(call: ToolCallStart | ToolCallProgress) -> str:
    """S3.8: the agent's own words; for a bare name or path ours, with the file (C24)."""
    words = _words(call)
    own = call.title or ""
    file = (words.path or (own if "/" in own else "")).rsplit("/", 1)[-1]
    named = bool(file) and words.title.endswith(" file")
    return f"{words.title.removesuffix('file')}{file}" if named else words.title


def _words(call: ToolCallStart | ToolCallProgress) -> ToolWords:
    return describe_tool(
        ToolFacts(
            title=call.title or "",
            tool_name=call.tool_name,
            acp_kind=call.acp_kind,
            raw_input=call.raw_input,
            content=call.content or (),
            paths=tuple(place.path for place in call.locations),
            exists=False,
            cwd="",
        )
    )


def _result(call: ToolCallProgress) -> JsonValue:
    """S3.11: what the tool gave, else what is said of it."""
    if call.raw_output is not None:
        return call.raw_output
    return content_text(call.content or ()) or None


def _content(call: ToolCallProgress) -> tuple[JsonValue, ...] | None:
    """Return the content where it is more than the text that ``result`` has."""
    content = call.content or ()
    plain = all(
        isinstance(item, ToolContentBlock) and isinstance(item.block, TextBlock) for item in content
    )
    ended = call.status in _ENDS
    return None if not content or (plain and ended) else tuple(write_tool_content(content))
