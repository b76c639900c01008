"""Writes Onyx packets: camel case, with ``type`` and ``sessionUpdate``.

Events without an Onyx packet have the protocol's form, or that of build mode. An agent's question,
which Onyx doesn't know, has the protocol's form. `parse_packet` reads all of them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_never

from pydantic import (
    JsonValue,
)

from acp_jupyter.dialects.onyx.tool_call_writer import (
    without_empty,
    write_block,
    write_permission_request,
    write_permission_response,
    write_progress,
    write_start,
)
from acp_jupyter.protocol.elicitation import (
    ElicitationChoice,
    ElicitationComplete,
    ElicitationField,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.packets import (
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
from acp_jupyter.protocol.parse.packet import Packet
from acp_jupyter.protocol.parse.tool_calls import PARENT_ID
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    AuthStatusUpdate,
    AvailableCommandsUpdate,
    CallCancel,
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


def write_packet(packet: Packet) -> Obj | None:
    """Write a packet; None for a packet that only the protocol's traffic has."""
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
            return {"type": packet.type, "artifact": _artifact(packet)}
        case FileWrite():
            written: Obj = {"type": packet.type, "path": packet.path}
            return written | without_empty(size_bytes=packet.size_bytes, operation=packet.operation)
        case StepStart():
            return {"type": packet.type, "step_id": packet.step_id, "step_name": packet.step_name}
        case StepEnd():
            return {"type": packet.type, "step_id": packet.step_id, "status": packet.status}
        case MessageStart() | MessageEnd():
            return {"type": packet.type}
        case AvailableCommandsUpdate():
            return _commands(packet)
        case CurrentModeUpdate():
            described = without_empty(description=packet.description)
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
            data = without_empty(
                details=packet.detail, durationMs=None if took is None else round(took * 1000)
            )
            return error | without_empty(code=packet.code, data=data)
        case Unknown():
            return {"type": packet.type, "raw": packet.raw}
        case (
            CurrentModelUpdate()
            | SessionSetup()
            | AgentInfoPacket()
            | AuthStatusUpdate()
            | CancelSent()
            | CallCancel()
        ):
            return None
        case _:
            assert_never(packet)


def _update(kind: str, /, **fields: JsonValue) -> Obj:
    return {"_meta": None, "type": kind, "sessionUpdate": kind, **fields}


def _chunk(packet: UserMessageChunk | AgentMessageChunk | AgentThoughtChunk) -> Obj:
    content = write_block(packet.block)
    chunk = _update(packet.type, content=content) | without_empty(messageId=packet.message_id)
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
    return plan | without_empty(planId=packet.plan_id, plan=packet.text)


def _artifact(packet: ArtifactCreated) -> Obj:
    """Write an artifact; a missing field is null."""
    artifact = packet.artifact.model_dump(mode="json")
    return {name: None if value == "" else value for name, value in artifact.items()}


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
    fields: Obj = without_empty(model=packet.model) | (
        {"tools": [*packet.tools]} if packet.tools else {}
    )
    title: Obj = {"title": packet.title} if packet.title or packet.clears_title else {}
    meta: Obj = {"_meta": {"acp-jupyter/session": fields}} if fields else {}
    return _update(packet.type) | title | meta


def _usage(packet: UsageUpdate) -> Obj:
    cost: Obj = {"amount": packet.cost_amount, "currency": packet.cost_currency}
    paid: Obj = {} if packet.cost_amount is None else {"cost": cost}
    return _update(packet.type, used=packet.used, size=packet.size) | paid


def _notice(packet: NoticePacket) -> Obj:
    detail: Obj = {"_meta": {"acp-jupyter/detail": packet.detail}} if packet.detail else {}
    fields = without_empty(title=packet.title, description=packet.text)
    return _update(packet.type, severity=packet.severity) | fields | detail


def _end(packet: PromptResponse) -> Obj:
    """Write the end of a turn; ``_meta`` may be empty."""
    seconds = packet.duration_seconds
    claude = without_empty(
        subtype=packet.detail, durationMs=None if seconds is None else round(seconds * 1000)
    )
    counts: Obj = {} if packet.usage is None else packet.usage.model_dump(by_alias=True)
    end: Obj = {
        "_meta": {"claudeCode": claude} if claude else {},
        "type": packet.type,
        "stopReason": packet.stop_reason,
    }
    return end | without_empty(summary=packet.summary, usage=without_empty(**counts) or None)


def write_elicitation(
    packet: ElicitationRequest | ElicitationResponse | ElicitationComplete,
) -> Obj:
    """Write a question, its answer, or its end; empty fields are left out."""
    match packet:
        case ElicitationRequest():
            return {"type": packet.type, "requestId": packet.request_id} | _request(packet)
        case ElicitationResponse():
            written: Obj = {
                "type": packet.type,
                "requestId": packet.request_id,
                "action": packet.action,
            }
            return written | without_empty(content={**packet.content} or None, reason=packet.reason)
        case ElicitationComplete():
            return {"type": packet.type, "elicitationId": packet.elicitation_id}
        case _:
            assert_never(packet)


def _request(packet: ElicitationRequest) -> Obj:
    asked: Obj = {"mode": packet.mode, "message": packet.message}
    asked |= without_empty(toolCallId=packet.tool_call_id, problem=packet.problem)
    if packet.mode == "url":
        return asked | without_empty(url=packet.url, elicitationId=packet.elicitation_id)
    schema: Obj = {
        "type": "object",
        "properties": {field.name: _property(field) for field in packet.fields},
        "required": [field.name for field in packet.fields if field.required],
    }
    described = without_empty(title=packet.heading, description=packet.description)
    return asked | {"requestedSchema": schema | described}


def _property(field: ElicitationField) -> Obj:
    options: list[JsonValue] = [_option(choice) for choice in field.choices]
    written: Obj = {"title": field.label}
    match field.type:
        case "choice":
            written |= {"type": "string", "oneOf": options}
        case "choices":
            written |= {"type": "array", "items": {"anyOf": options}}
        case "text":
            written["type"] = "string"
        case "unknown":
            pass  # what the agent called it, only its words say
        case _:
            written["type"] = field.type
    default = field.default
    if default is not None:  # an empty text may be one of the choices
        written["default"] = [*default] if isinstance(default, tuple) else default
    return written | without_empty(
        description=field.description,
        writeOnly=field.secret or None,
        minLength=field.min_length,
        maxLength=field.max_length,
        pattern=field.pattern,
        format=field.format,
        minimum=field.minimum,
        maximum=field.maximum,
        minItems=field.min_items,
        maxItems=field.max_items,
    )


def _option(choice: ElicitationChoice) -> Obj:
    return {"const": choice.value, "title": choice.label} | without_empty(
        description=choice.description
    )


def wire_time(moment: datetime) -> str:
    """Write a time as ISO 8601 with milliseconds and Z."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
