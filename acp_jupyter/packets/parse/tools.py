"""Tool calls and the permission requests about them, from objects of any spelling."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from acp_jupyter.packets.content import read_tool_content
from acp_jupyter.packets.detect import SPELLINGS, spelled, tool_name_to_kind
from acp_jupyter.packets.json_fields import Obj, count, first, obj, text, text_or_none
from acp_jupyter.packets.models import (
    Location,
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.packets.normalise_update import OPTION_KINDS, RAW_OPTION_KIND
from acp_jupyter.packets.parse.parent import parent_id
from acp_jupyter.packets.parse.state import ParseState, spelled_name
from acp_jupyter.packets.terminal_meta import read_terminal
from acp_jupyter.packets.vocabulary import read_acp_kind, read_status

__all__ = [
    "permission_request",
    "permission_response",
    "read_tool_call",
    "tool_end",
    "tool_progress",
    "tool_start",
]

_YES_NO = (
    OptionPacket(option_id="allow", name="Allow", kind="allow_once"),
    OptionPacket(option_id="reject", name="Reject", kind="reject_once"),
)
"""For requests that leave the answers to the client (C23)."""


def tool_start(raw: Obj, state: ParseState) -> ToolCallStart | None:
    """ACP: tool_call; S1.6, S3.8. None where no id is named."""
    common = _common(raw, state)
    if common is None:
        return None
    return ToolCallStart(**common, status=read_status(raw.get("status")) or "pending")


def tool_progress(raw: Obj, state: ParseState) -> ToolCallProgress | None:
    """ACP: tool_call_update; S1.8, S3.10. None where no id is named."""
    common = _common(raw, state)
    if common is None:
        return None
    return ToolCallProgress(**common, status=read_status(raw.get("status")))


def tool_end(raw: Obj, state: ParseState) -> ToolCallProgress | None:
    """S3.11: what ``result`` says is the output, and a call without a known status is over too."""
    ended: Obj = {**raw, "status": read_status(raw.get("status")) or "completed"}
    if not any(name in raw for name in SPELLINGS["raw_output"]):
        ended["rawOutput"] = raw.get("result")
    return tool_progress(ended, state)


def read_tool_call(raw: JsonValue, state: ParseState) -> ToolCallProgress | None:
    """Read a tool call object, such as that of a permission request."""
    return tool_progress(raw, state) if isinstance(raw, dict) else None


def _common(raw: Obj, state: ParseState) -> dict[str, Any] | None:
    tool_call_id = text(first(raw, "toolCallId", "tool_call_id"))
    if not tool_call_id:
        return None
    name = state.tool_name(tool_call_id, raw)
    kind = read_acp_kind(raw.get("kind"))
    common: dict[str, Any] = {
        "tool_call_id": tool_call_id,
        "tool_name": name,
        "kind": tool_name_to_kind(name, state.kind(tool_call_id, raw)),
        "acp_kind": kind,
        "title": text_or_none(raw.get("title")),
        "name": spelled_name(raw),
        "content": read_tool_content(raw.get("content")),
        "raw_input": spelled(raw, "raw_input"),
        "raw_output": spelled(raw, "raw_output"),
        "progress": _share(raw.get("progress")),
        "message": text_or_none(raw.get("message")),
        "parent_id": parent_id(raw),
    }
    if "_meta" in raw:
        shown = next((p.terminal_id for p in common["content"] or () if p.type == "terminal"), "")
        common["terminal"] = read_terminal(raw, shown, tool_call_id, state.terminals)
    locations = raw.get("locations")
    if isinstance(locations, list):
        common["locations"] = tuple(
            Location(path=text(place["path"]), line=count(place.get("line")))
            for place in map(obj, locations)
            if text(place.get("path"))
        )
    return common


def _share(value: JsonValue) -> float | None:
    """Return a share of the whole, held between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(1.0, max(0.0, float(value)))


def permission_request(
    raw: Obj, state: ParseState, request_id: str | None = None
) -> PermissionRequest | None:
    """ACP: session/request_permission; S3.26, S2.13. None where the request has no id."""
    named = request_id or text(first(raw, "request_id", "requestId"))
    if not named:
        return None
    own = request_id is None
    raw_call = first(raw, "toolCall", "tool_call")
    options = raw.get("options")
    return PermissionRequest(
        request_id=named,
        tool_call=read_tool_call(raw_call, state) or _described(raw, raw_call, named),
        options=tuple(_option(o) for o in map(obj, options) if o)
        if isinstance(options, list)
        else _YES_NO,
        # On the wire these would be the agent's.
        auto_approve=own and first(raw, "auto_approve", "autoApprove") is True,
        wish=text(raw.get("wish")) if own else "",
        reason=text(raw.get("reason")) if own else "",
    )


def _described(raw: Obj, raw_call: JsonValue, request_id: str) -> ToolCallProgress:
    """C23: the operation is the title, the description the content."""
    call = obj(raw_call)
    return ToolCallProgress(
        tool_call_id=f"permission-{request_id}",
        title=text_or_none(raw.get("operation")) or text_or_none(call.get("title")),
        content=read_tool_content(raw.get("description") or call.get("content")),
        acp_kind=read_acp_kind(call.get("kind")),
        raw_input=spelled(call, "raw_input"),
    )


def _option(raw: Obj) -> OptionPacket:
    option_id = text(first(raw, "optionId", "option_id"))
    kept = text(obj(raw.get("_meta")).get(RAW_OPTION_KIND))
    return OptionPacket(
        option_id=option_id,
        name=text(raw.get("name")) or option_id,
        # A known kind is never kept there: an agent has written it.
        kind=kept if kept and kept not in OPTION_KINDS else text(raw.get("kind")),
    )


def permission_response(raw: Obj, request_id: str | None = None) -> PermissionResponse | None:
    """ACP: the outcome of a request; S3.27. None where it names no request."""
    named = request_id or text(first(raw, "request_id", "requestId"))
    if not named:
        return None
    outcome = obj(raw.get("outcome")) or raw
    approved = raw.get("approved")
    chosen = None
    if outcome.get("outcome") != "cancelled":
        chosen = first(outcome, "optionId", "option_id")
    return PermissionResponse(
        request_id=named,
        option_id=chosen if isinstance(chosen, str) else None,
        approved=approved if isinstance(approved, bool) else None,
        reason=text(raw.get("reason")),
    )
