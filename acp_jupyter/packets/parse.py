"""From a ``session/update`` object to a packet; total, never raising."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.packets.content import first, read_block, read_tool_content, text
from acp_jupyter.packets.models import (
    AgentMessageChunk,
    AgentPacket,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CommandEntry,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    Location,
    NoticePacket,
    PlanEntryPacket,
    PlanRemoved,
    SessionInfoUpdate,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
    UsageUpdate,
    UserMessageChunk,
)

__all__ = ["parse_update", "read_tool_call"]

Obj = dict[str, JsonValue]
ToolStatusName = Literal["pending", "in_progress", "completed", "failed", "cancelled"]
Priority = Literal["high", "medium", "low"]
StepStatus = Literal["pending", "in_progress", "completed"]

_STATUSES: dict[str, ToolStatusName] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "running": "in_progress",
    "completed": "completed",
    "success": "completed",
    "failed": "failed",
    "error": "failed",
    "cancelled": "cancelled",
    "canceled": "cancelled",
}
_STEPS: dict[str, StepStatus] = {
    "in_progress": "in_progress",
    "completed": "completed",
}
_PRIORITIES: dict[JsonValue, Priority] = {"high": "high", "low": "low", 1: "high", 3: "low"}


def parse_update(update: JsonValue) -> AgentPacket:
    """Read the ``update`` of a ``session/update`` notification.

    Parameters
    ----------
    update
        The raw object; anything else becomes `Unknown`.

    Returns
    -------
    AgentPacket
        Never raises; what is not known is kept raw.
    """
    if not isinstance(update, dict):
        return Unknown(raw=update)
    kind = text(first(update, "sessionUpdate", "session_update"))
    reader = _READERS.get(kind)
    if reader is None:
        return Unknown(raw=update)
    return reader(update) or Unknown(raw=update)


def _user_chunk(update: Obj) -> AgentPacket | None:
    block = read_block(update.get("content"))
    return UserMessageChunk(block=block, message_id=_message_id(update)) if block else None


def _agent_chunk(update: Obj) -> AgentPacket | None:
    block = read_block(update.get("content"))
    return AgentMessageChunk(block=block, message_id=_message_id(update)) if block else None


def _thought_chunk(update: Obj) -> AgentPacket | None:
    block = read_block(update.get("content"))
    return AgentThoughtChunk(block=block, message_id=_message_id(update)) if block else None


def _message_id(update: Obj) -> str:
    return text(first(update, "messageId", "message_id"))


def _tool_start(update: Obj) -> AgentPacket | None:
    call = read_tool_call(update)
    return call and ToolCallStart(**call.model_dump(exclude={"type"}))


def _tool_progress(update: Obj) -> AgentPacket | None:
    return read_tool_call(update)


def read_tool_call(raw: JsonValue) -> ToolCallProgress | None:
    """Read what a tool call object says; None where it names no id."""
    if not isinstance(raw, dict):
        return None
    tool_call_id = text(first(raw, "toolCallId", "tool_call_id"))
    if not tool_call_id:
        return None
    return ToolCallProgress(
        tool_call_id=tool_call_id,
        title=_optional(raw.get("title")),
        tool_name=_tool_name(raw),
        acp_kind=_optional(raw.get("kind")),
        status=_STATUSES.get(text(raw.get("status"))),
        content=read_tool_content(raw.get("content")),
        locations=_locations(raw.get("locations")),
        input=first(raw, "rawInput", "raw_input"),
        output=first(raw, "rawOutput", "raw_output"),
    )


def _tool_name(raw: Obj) -> str | None:
    """C18: names in ``_meta`` win over the agent's own field."""
    meta = raw.get("_meta")
    if isinstance(meta, dict):
        claude = meta.get("claudeCode")
        inner = claude.get("toolName") if isinstance(claude, dict) else None
        name = text(first(meta, "tool_name", "toolName")) or text(inner)
        if name:
            return name
    return _optional(first(raw, "toolName", "tool_name", "name"))


def _optional(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _locations(raw: JsonValue) -> tuple[Location, ...] | None:
    if not isinstance(raw, list):
        return None
    return tuple(
        Location(path=text(item["path"]), line=_line(item.get("line")))
        for item in raw
        if isinstance(item, dict) and text(item.get("path"))
    )


def _line(value: JsonValue) -> int | None:
    ok = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if ok and isinstance(value, int) else None


def _plan(update: Obj) -> AgentPacket | None:
    inner = update.get("plan")
    body = inner if isinstance(inner, dict) else update
    raw = first(body, "entries", "items")
    entries = raw if isinstance(raw, list) else []
    return AgentPlanUpdate(
        plan_id=text(first(body, "planId", "plan_id")),
        entries=tuple(_plan_entry(entry) for entry in entries if isinstance(entry, dict)),
        text=text(first(body, "markdown", "text")),
    )


def _plan_entry(raw: Obj) -> PlanEntryPacket:
    priority = raw.get("priority")
    return PlanEntryPacket(
        content=text(first(raw, "content", "description")),
        priority=_PRIORITIES.get(priority, "medium")
        if isinstance(priority, str | int)
        else "medium",
        status=_STEPS.get(text(raw.get("status")), "pending"),
    )


def _plan_removed(update: Obj) -> AgentPacket | None:
    return PlanRemoved(plan_id=text(first(update, "planId", "plan_id")))


def _commands(update: Obj) -> AgentPacket | None:
    raw = first(update, "availableCommands", "available_commands")
    return AvailableCommandsUpdate(
        commands=tuple(
            CommandEntry(
                name=text(entry.get("name")),
                description=text(entry.get("description")),
                hint=_hint(entry.get("input")),
            )
            for entry in (raw if isinstance(raw, list) else [])
            if isinstance(entry, dict) and text(entry.get("name"))
        )
    )


def _hint(raw: JsonValue) -> str:
    return text(raw.get("hint")) if isinstance(raw, dict) else ""


def _mode(update: Obj) -> AgentPacket | None:
    return CurrentModeUpdate(mode_id=text(first(update, "currentModeId", "current_mode_id")))


def _config(update: Obj) -> AgentPacket | None:
    raw = first(update, "configOptions", "config_options")
    options = raw if isinstance(raw, list) else []
    return ConfigOptionUpdate(options=tuple(o for o in options if isinstance(o, dict)))


def _info(update: Obj) -> AgentPacket | None:
    clears = "title" in update and update["title"] is None
    return SessionInfoUpdate(title=_optional(update.get("title")), clears_title=clears)


def _usage(update: Obj) -> AgentPacket | None:
    used, size = update.get("used"), update.get("size")
    if not isinstance(used, int | float) or not isinstance(size, int | float):
        return None
    cost = update.get("cost")
    amount = cost.get("amount") if isinstance(cost, dict) else None
    return UsageUpdate(
        used=int(used),
        size=int(size),
        cost_amount=amount if isinstance(amount, int | float) else None,
        cost_currency=text(cost.get("currency")) if isinstance(cost, dict) else "",
    )


def _notice(update: Obj) -> AgentPacket | None:
    severity = text(update.get("severity"))
    return NoticePacket(
        severity="warning" if severity == "warning" else "error" if severity == "error" else "info",
        title=text(update.get("title")),
        text=text(first(update, "description", "message")),
    )


def _compaction(update: Obj) -> AgentPacket | None:
    status = text(update.get("status"))
    words = {
        "in_progress": "Making room in the context",
        "completed": "Older messages were summarised",
        "failed": "The context could not be summarised",
        "cancelled": "Summarising was stopped",
    }
    return NoticePacket(title=words.get(status, "Context"), text=text(update.get("summary")))


_READERS: dict[str, Callable[[Obj], AgentPacket | None]] = {
    "user_message_chunk": _user_chunk,
    "agent_message_chunk": _agent_chunk,
    "agent_thought_chunk": _thought_chunk,
    "tool_call": _tool_start,
    "tool_call_update": _tool_progress,
    "plan": _plan,
    "plan_update": _plan,
    "plan_removed": _plan_removed,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _config,
    "session_info_update": _info,
    "usage_update": _usage,
    "notice": _notice,
    "compaction_update": _compaction,
}
