"""Packets written as seed 000's stream has them: camel case, ``type`` and ``sessionUpdate``.

What seed 000 has no packet for has the protocol's form, or that of seed 002.
`acp_jupyter.packets.parse_packet` reads all of it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_never

from pydantic import JsonValue

from acp_jupyter.packets.dialects.build_mode.base import wire_time
from acp_jupyter.packets.dialects.call_writer import (
    write_permission_request,
    write_permission_response,
    write_progress,
    write_start,
)
from acp_jupyter.packets.dialects.elicitation_writer import write_elicitation
from acp_jupyter.packets.dialects.tool_content import write_block
from acp_jupyter.packets.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.made_models import ArtifactCreated, FileWrite
from acp_jupyter.packets.models import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ErrorPacket,
    PermissionRequest,
    PermissionResponse,
    PlanRemoved,
    PromptResponse,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
    UserMessageChunk,
)
from acp_jupyter.packets.parse.parent import PARENT_ID
from acp_jupyter.packets.session_models import (
    AgentInfoPacket,
    AvailableCommandsUpdate,
    CancelSent,
    ConfigOptionUpdate,
    CurrentModelUpdate,
    CurrentModeUpdate,
    MessageEnd,
    MessageStart,
    NoticePacket,
    SessionInfoUpdate,
    SessionSetup,
    StepEnd,
    StepStart,
    UsageUpdate,
)
from acp_jupyter.packets.union import Packet

__all__ = ["write_packet"]


def write_packet(packet: Packet) -> Obj | None:
    """Write a packet; None for what only the traffic of the protocol has."""
    written = _write(packet)
    if written is not None and packet.timestamp is not None:
        written["timestamp"] = wire_time(datetime.fromtimestamp(packet.timestamp, UTC))
    return written


def _write(packet: Packet) -> Obj | None:  # noqa: C901 - one flat match
    match packet:
        case UserMessageChunk() | AgentMessageChunk():
            return _chunk(packet)
        case AgentThoughtChunk():
            return _thought(packet)
        case ToolCallStart():
            return write_start(packet)
        case ToolCallProgress():
            return write_progress(packet)
        case PermissionRequest():
            return write_permission_request(packet)
        case PermissionResponse():
            return write_permission_response(packet)
        case ElicitationRequest() | ElicitationResponse() | ElicitationComplete():
            return write_elicitation(packet)
        case AgentPlanUpdate():
            return _plan(packet)
        case PlanRemoved():
            return _update("plan_removed", planId=packet.plan_id)
        case ArtifactCreated():
            return {"type": packet.type, "artifact": _made(packet)}
        case FileWrite():
            written: Obj = {"type": packet.type, "path": packet.path}
            return written | _said(size_bytes=packet.size_bytes, operation=packet.operation)
        case StepStart():
            return {"type": packet.type, "step_id": packet.step_id, "step_name": packet.step_name}
        case StepEnd():
            return {"type": packet.type, "step_id": packet.step_id, "status": packet.status}
        case MessageStart() | MessageEnd():
            return {"type": packet.type}
        case AvailableCommandsUpdate():
            return _commands(packet)
        case CurrentModeUpdate():
            described = _said(description=packet.description)
            return _update(packet.type, currentModeId=packet.mode_id) | described
        case ConfigOptionUpdate():
            return _update(packet.type, configOptions=[*packet.options])
        case SessionInfoUpdate():
            return _info(packet)
        case UsageUpdate():
            return _usage(packet)
        case NoticePacket():
            return _notice(packet)
        case PromptResponse():
            return _end(packet)
        case ErrorPacket():
            error: Obj = {"type": packet.type, "message": packet.message}
            took = packet.duration_seconds
            data = _said(
                details=packet.detail, durationMs=None if took is None else round(took * 1000)
            )
            return error | _said(code=packet.code, data=data)
        case Unknown():
            return {"type": packet.type, "raw": packet.raw}
        case CurrentModelUpdate() | SessionSetup() | AgentInfoPacket() | CancelSent():
            return None
        case _:
            assert_never(packet)


def _update(kind: str, /, **fields: JsonValue) -> Obj:
    return {"_meta": None, "type": kind, "sessionUpdate": kind, **fields}


def _said(**fields: JsonValue) -> Obj:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _chunk(packet: UserMessageChunk | AgentMessageChunk | AgentThoughtChunk) -> Obj:
    content = write_block(packet.block)
    chunk = _update(packet.type, content=content) | _said(messageId=packet.message_id)
    return chunk | ({"_meta": {PARENT_ID: packet.parent_id}} if packet.parent_id else {})


def _thought(packet: AgentThoughtChunk) -> Obj:
    if not packet.step_id:
        return _chunk(packet)
    content = write_block(packet.block)
    return {"type": "step_delta", "step_id": packet.step_id, "content": content}


def _plan(packet: AgentPlanUpdate) -> Obj:
    entries: list[JsonValue] = [
        {
            "_meta": None,
            "content": entry.content,
            "priority": entry.priority,
            "status": entry.status,
        }
        for entry in packet.entries
    ]
    plan: Obj = {"_meta": None, "type": packet.type, "sessionUpdate": "plan", "entries": entries}
    return plan | _said(planId=packet.plan_id, plan=packet.text)


def _made(packet: ArtifactCreated) -> Obj:
    """S1.41: what there is none of is null."""
    made = packet.artifact.model_dump(mode="json")
    return {name: None if value == "" else value for name, value in made.items()}


def _commands(packet: AvailableCommandsUpdate) -> Obj:
    commands: list[JsonValue] = [
        {
            "name": command.name,
            "description": command.description,
            "input": {"hint": command.hint} if command.hint else None,
        }
        for command in packet.commands
    ]
    return _update(packet.type, availableCommands=commands)


def _info(packet: SessionInfoUpdate) -> Obj:
    told: Obj = _said(model=packet.model) | ({"tools": [*packet.tools]} if packet.tools else {})
    title: Obj = {"title": packet.title} if packet.title or packet.clears_title else {}
    meta: Obj = {"_meta": {"acp-jupyter/session": told}} if told else {}
    return _update(packet.type) | title | meta


def _usage(packet: UsageUpdate) -> Obj:
    cost: Obj = {"amount": packet.cost_amount, "currency": packet.cost_currency}
    paid: Obj = {} if packet.cost_amount is None else {"cost": cost}
    return _update(packet.type, used=packet.used, size=packet.size) | paid


def _notice(packet: NoticePacket) -> Obj:
    detail: Obj = {"_meta": {"acp-jupyter/detail": packet.detail}} if packet.detail else {}
    said = _said(title=packet.title, description=packet.text)
    return _update(packet.type, severity=packet.severity) | said | detail


def _end(packet: PromptResponse) -> Obj:
    """S1.39: with an empty ``_meta``, unless there is something to tell."""
    seconds = packet.duration_seconds
    claude = _said(
        subtype=packet.detail, durationMs=None if seconds is None else round(seconds * 1000)
    )
    counts: Obj = {} if packet.usage is None else packet.usage.model_dump(by_alias=True)
    end: Obj = {
        "_meta": {"claudeCode": claude} if claude else {},
        "type": packet.type,
        "stopReason": packet.stop_reason,
    }
    return end | _said(summary=packet.summary, usage=_said(**counts) or None)
