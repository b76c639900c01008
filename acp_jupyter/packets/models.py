"""Packets: everything that an agent, or the host itself, can say of a session.

Fields are snake case in Python and camel case on the wire (C12). ``None`` in a
tool call packet means "says nothing of it": the earlier value stays (C13).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.content import ContentBlock, ToolContent

__all__ = [
    "AgentInfoPacket",
    "AgentMessageChunk",
    "AgentPlanUpdate",
    "AgentThoughtChunk",
    "AvailableCommandsUpdate",
    "CancelSent",
    "CommandEntry",
    "ConfigOptionUpdate",
    "CurrentModeUpdate",
    "ErrorPacket",
    "Location",
    "NoticePacket",
    "OptionPacket",
    "PacketModel",
    "PermissionRequest",
    "PermissionResponse",
    "PlanEntryPacket",
    "PlanRemoved",
    "PromptResponse",
    "RawModes",
    "SessionInfoUpdate",
    "SessionSetup",
    "ToolCallProgress",
    "ToolCallStart",
    "Unknown",
    "UsageUpdate",
    "UserMessageChunk",
]


class PacketModel(Model):
    """Base of packets: camel case aliases, read by either name."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class _Chunk(PacketModel):
    block: ContentBlock
    message_id: str = ""


class UserMessageChunk(_Chunk):
    """ACP: user_message_chunk; a replay, or an echo of the prompt (S4.3)."""

    type: Literal["user_message_chunk"] = "user_message_chunk"


class AgentMessageChunk(_Chunk):
    """ACP: agent_message_chunk."""

    type: Literal["agent_message_chunk"] = "agent_message_chunk"


class AgentThoughtChunk(_Chunk):
    """ACP: agent_thought_chunk."""

    type: Literal["agent_thought_chunk"] = "agent_thought_chunk"


class Location(PacketModel):
    """ACP: tool call location."""

    path: str
    line: int | None = None


class _ToolCallPacket(PacketModel):
    tool_call_id: str
    title: str | None = None
    tool_name: str | None = None
    acp_kind: str | None = None
    status: Literal["pending", "in_progress", "completed", "failed", "cancelled"] | None = None
    content: tuple[ToolContent, ...] | None = None
    locations: tuple[Location, ...] | None = None
    input: JsonValue = None
    output: JsonValue = None


class ToolCallStart(_ToolCallPacket):
    """ACP: tool_call."""

    type: Literal["tool_call_start"] = "tool_call_start"


class ToolCallProgress(_ToolCallPacket):
    """ACP: tool_call_update."""

    type: Literal["tool_call_progress"] = "tool_call_progress"


class OptionPacket(PacketModel):
    """ACP: permission option; ``kind`` as the agent sent it."""

    option_id: str
    name: str
    kind: str = ""


class PermissionRequest(PacketModel):
    """ACP: session/request_permission, the agent's request."""

    type: Literal["permission_request"] = "permission_request"
    request_id: str
    tool_call: ToolCallProgress
    options: tuple[OptionPacket, ...]


class PermissionResponse(PacketModel):
    """ACP: session/request_permission, the client's answer."""

    type: Literal["permission_response"] = "permission_response"
    request_id: str
    option_id: str | None = None
    """None when the outcome was ``cancelled``."""


class PlanEntryPacket(PacketModel):
    """One step of a plan (C10)."""

    content: str
    priority: Literal["high", "medium", "low"] = "medium"
    status: Literal["pending", "in_progress", "completed"] = "pending"


class AgentPlanUpdate(PacketModel):
    """ACP: plan, plan_update."""

    type: Literal["agent_plan_update"] = "agent_plan_update"
    plan_id: str = ""
    entries: tuple[PlanEntryPacket, ...] = ()
    text: str = ""


class PlanRemoved(PacketModel):
    """ACP: plan_removed."""

    type: Literal["plan_removed"] = "plan_removed"
    plan_id: str = ""


class CommandEntry(PacketModel):
    """ACP: available command."""

    name: str
    description: str = ""
    hint: str = ""


class AvailableCommandsUpdate(PacketModel):
    """ACP: available_commands_update."""

    type: Literal["available_commands_update"] = "available_commands_update"
    commands: tuple[CommandEntry, ...]


class CurrentModeUpdate(PacketModel):
    """ACP: current_mode_update."""

    type: Literal["current_mode_update"] = "current_mode_update"
    mode_id: str


class ConfigOptionUpdate(PacketModel):
    """ACP: config_option_update; the full list."""

    type: Literal["config_option_update"] = "config_option_update"
    options: tuple[dict[str, JsonValue], ...]


class SessionInfoUpdate(PacketModel):
    """ACP: session_info_update; a null title clears, an absent one is kept."""

    type: Literal["session_info_update"] = "session_info_update"
    title: str | None = None
    clears_title: bool = False


class UsageUpdate(PacketModel):
    """ACP: usage_update."""

    type: Literal["usage_update"] = "usage_update"
    used: int
    size: int
    cost_amount: float | None = None
    cost_currency: str = ""


class NoticePacket(PacketModel):
    """ACP: notice, compaction_update."""

    type: Literal["notice"] = "notice"
    severity: Literal["info", "warning", "error"] = "info"
    title: str = ""
    text: str = ""


class RawModes(PacketModel):
    """ACP: session modes, as a session/new result carries them."""

    modes: tuple[tuple[str, str, str], ...] = ()
    """id, name, description of each."""
    current: str = ""


class SessionSetup(PacketModel):
    """ACP: the result of session/new, load or resume."""

    type: Literal["session_setup"] = "session_setup"
    modes: RawModes | None = None
    options: tuple[dict[str, JsonValue], ...] | None = None


class AgentInfoPacket(PacketModel):
    """ACP: the result of initialize."""

    type: Literal["agent_info"] = "agent_info"
    title: str = ""
    version: str = ""
    prompt_capabilities: tuple[str, ...] = ()


class PromptResponse(PacketModel):
    """ACP: the result of session/prompt; the turn is over (S1.39, C4)."""

    type: Literal["prompt_response"] = "prompt_response"
    stop_reason: str
    tokens: int | None = None


class CancelSent(PacketModel):
    """ACP: session/cancel, by the client; however the agent ends the turn, it was stopped."""

    type: Literal["cancel_sent"] = "cancel_sent"


class ErrorPacket(PacketModel):
    """A JSON-RPC error that ends the turn (S1.40, C16)."""

    type: Literal["error"] = "error"
    message: str
    code: str = ""
    detail: str = ""


class Unknown(PacketModel):
    """What nobody here knows; kept raw (S3.35)."""

    type: Literal["unknown"] = "unknown"
    raw: JsonValue = None


AgentPacket = TypeAliasType(
    "AgentPacket",
    Annotated[
        UserMessageChunk
        | AgentMessageChunk
        | AgentThoughtChunk
        | ToolCallStart
        | ToolCallProgress
        | PermissionRequest
        | PermissionResponse
        | AgentPlanUpdate
        | PlanRemoved
        | AvailableCommandsUpdate
        | CurrentModeUpdate
        | ConfigOptionUpdate
        | SessionInfoUpdate
        | UsageUpdate
        | NoticePacket
        | SessionSetup
        | AgentInfoPacket
        | PromptResponse
        | CancelSent
        | ErrorPacket
        | Unknown,
        Field(discriminator="type"),
    ],
)
