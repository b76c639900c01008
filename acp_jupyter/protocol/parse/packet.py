"""`parse_packet`: from one object of any dialect to one packet; `Packet`, the union of all.

To add a kind of packet, add it to the union and to the table of parsers.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypedDict, get_args

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.protocol import files
from acp_jupyter.protocol.content import (
    ContentBlock,
    TextBlock,
    read_block,
    without_instructions,
)
from acp_jupyter.protocol.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.protocol.objects import Obj, first, obj, text
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
from acp_jupyter.protocol.parse import elicitation, session, tool_calls
from acp_jupyter.protocol.parse.tool_calls import ParseState, parent_id
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
from acp_jupyter.protocol.version_2.meta_keys import REPLACES
from acp_jupyter.protocol.vocabulary import PacketType

Packet = TypeAliasType(
    "Packet",
    Annotated[
        UserMessageChunk
        | AgentMessageChunk
        | AgentThoughtChunk
        | ToolCallStart
        | ToolCallProgress
        | PermissionRequest
        | PermissionResponse
        | ElicitationRequest
        | ElicitationResponse
        | ElicitationComplete
        | AgentPlanUpdate
        | PlanRemoved
        | ArtifactCreated
        | FileWrite
        | StepStart
        | StepEnd
        | MessageStart
        | MessageEnd
        | AvailableCommandsUpdate
        | CurrentModeUpdate
        | CurrentModelUpdate
        | ConfigOptionUpdate
        | SessionInfoUpdate
        | UsageUpdate
        | NoticePacket
        | SessionSetup
        | AgentInfoPacket
        | AuthStatusUpdate
        | PromptResponse
        | CancelSent
        | CallCancel
        | ErrorPacket
        | Unknown,
        Field(discriminator="type"),
    ],
)
"""All packets, discriminated by ``type``; `Unknown` keeps any other."""


_EARLIEST, _LATEST = 946_684_800.0, 4_102_444_800.0
"""The years 2000 and 2100: a time outside is not a packet's."""


def parse_packet(obj: Any, state: ParseState | None = None, *, is_clean: bool = False) -> Packet:
    """Parse one packet: of a ``session/update``, of Onyx's stream or of Onyx build mode.

    Parameters
    ----------
    obj
        Any value. A whole ``session/update`` message is unwrapped.
    state
        The caller's memory of tool names, for packets of one session.
    is_clean
        Whether it is what `clean_json` or `read_json` has returned, and no whole message.

    Returns
    -------
    Packet
        `Unknown`, with the raw value, for anything else. Never raises.
    """
    state = ParseState() if state is None else state
    if is_clean:
        return _parse(obj, state)
    if not isinstance(obj, dict):
        return Unknown.model_construct(raw=obj)
    try:
        packet = _parse(_unwrapped(clean_json(obj)), state)
    except (ValueError, RecursionError):  # pydantic's ValidationError is a ValueError
        packet = Unknown()
    return Unknown.model_construct(raw=obj) if isinstance(packet, Unknown) else packet


def _unwrapped(raw: Obj) -> Obj:
    params = raw.get("params")
    update = params.get("update") if isinstance(params, dict) and "method" in raw else None
    return update if isinstance(update, dict) else raw


def _parse(raw: JsonValue, state: ParseState) -> Packet:
    if not isinstance(raw, dict):
        return Unknown(raw=raw)
    reader = _READERS.get(packet_name(raw))
    packet = None if reader is None else reader(raw, state)
    if packet is None:
        return Unknown(raw=raw)
    if "timestamp" in raw and (at := read_timestamp(raw["timestamp"])) is not None:
        return packet.model_copy(update={"timestamp": at})
    return packet


def read_timestamp(value: JsonValue) -> float | None:
    """Read ISO 8601, or seconds or milliseconds since the epoch; None for an absurd time."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        seconds = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > _LATEST else float(value)
    else:
        return None
    return seconds if _EARLIEST <= seconds < _LATEST else None


# -- chunks ------------------------------------------------------------------


def _user_chunk(raw: Obj, _: ParseState) -> Packet | None:
    block = read_block(raw.get("content"))
    if isinstance(block, TextBlock):
        block = TextBlock(text=without_instructions(block.text))
    return UserMessageChunk(block=block, message_id=_message_id(raw)) if block else None


def _agent_chunk(raw: Obj, _: ParseState) -> Packet | None:
    block = read_block(raw.get("content"))
    return AgentMessageChunk(block=block, **_chunk_fields(raw)) if block else None


def _thought_chunk(raw: Obj, _: ParseState) -> Packet | None:
    block = read_block(raw.get("content"))
    return AgentThoughtChunk(block=block, **_chunk_fields(raw)) if block else None


class _ChunkFields(TypedDict):
    message_id: str
    parent_id: str
    replaces: bool


def _chunk_fields(raw: Obj) -> _ChunkFields:
    return {
        "message_id": _message_id(raw),
        "parent_id": parent_id(raw),
        "replaces": "_meta" in raw and obj(raw["_meta"]).get(REPLACES) is True,
    }


def _message_id(raw: Obj) -> str:
    return text(first(raw, "messageId", "message_id"))


# -- Onyx build mode ----------------------------------------------------------


def _output_delta(raw: Obj, _: ParseState) -> Packet | None:
    return AgentMessageChunk(block=_delta(raw))


def _step_start(raw: Obj, _: ParseState) -> Packet | None:
    step_id = text(raw.get("step_id"))
    return StepStart(step_id=step_id, step_name=text(raw.get("step_name")))


def _step_delta(raw: Obj, _: ParseState) -> Packet | None:
    step_id = text(raw.get("step_id")) or "thinking"
    return AgentThoughtChunk(block=_delta(raw), step_id=step_id)


def _delta(raw: Obj) -> ContentBlock:
    """Read the content block beside the text, or in its place."""
    return read_block(first(raw, "content_block", "content")) or TextBlock(text="")


def _step_end(raw: Obj, _: ParseState) -> Packet | None:
    return StepEnd(step_id=text(raw.get("step_id")), status=text(raw.get("status")) or "completed")


# -- all ---------------------------------------------------------------------

_Reader = Callable[[Obj, ParseState], Packet | None]


def _plainly(read: Callable[[Obj], Packet | None]) -> _Reader:
    return lambda raw, _: read(raw)


_READERS: dict[str, _Reader] = {
    "user_message_chunk": _user_chunk,
    "user_message": _user_chunk,
    "agent_message_chunk": _agent_chunk,
    "agent_thought_chunk": _thought_chunk,
    "tool_call": tool_calls.tool_start,
    "tool_call_start": tool_calls.tool_start,
    "tool_start": tool_calls.tool_start,
    "tool_call_update": tool_calls.tool_progress,
    "tool_call_progress": tool_calls.tool_progress,
    "tool_progress": tool_calls.tool_progress,
    "tool_end": tool_calls.tool_end,
    "permission_request": tool_calls.permission_request,
    "permission_response": _plainly(tool_calls.permission_response),
    "elicitation_request": _plainly(elicitation.streamed_request),
    "elicitation_response": _plainly(elicitation.streamed_response),
    "elicitation_complete": _plainly(elicitation.elicitation_complete),
    "plan": _plainly(session.plan),
    "plan_update": _plainly(session.plan),
    "agent_plan_update": _plainly(session.plan),
    "plan_removed": _plainly(session.plan_removed),
    "available_commands_update": _plainly(session.commands),
    "current_mode_update": _plainly(session.mode),
    "mode_update": _plainly(session.mode),
    "config_option_update": _plainly(session.config),
    "session_info_update": _plainly(session.info),
    "usage_update": _plainly(session.usage),
    "notice": _plainly(session.notice),
    "compaction_update": _plainly(session.compaction),
    "compaction_summary_chunk": _plainly(session.compaction_chunk),
    "artifact_created": _plainly(files.read_artifact),
    "file_write": _plainly(files.read_file_write),
    "prompt_response": _plainly(session.prompt_response),
    "done": _plainly(session.prompt_response),
    "error": _plainly(session.error),
    "step_start": _step_start,
    "step_delta": _step_delta,
    "step_end": _step_end,
    "output_start": lambda _raw, _state: MessageStart(),
    "output_delta": _output_delta,
    "output_end": lambda _raw, _state: MessageEnd(),
}
"""By the names in `PACKET_NAMES`."""


PACKET_NAMES: dict[str, str] = {
    "user_message_chunk": "user_message_chunk",
    "user_message": "user_message_chunk",
    "agent_message_chunk": "agent_message_chunk",
    "agent_thought_chunk": "agent_thought_chunk",
    "tool_call": "tool_call_start",
    "tool_call_start": "tool_call_start",
    "tool_start": "tool_call_start",
    "tool_call_update": "tool_call_progress",
    "tool_call_progress": "tool_call_progress",
    "tool_progress": "tool_call_progress",
    "tool_end": "tool_call_progress",
    "permission_request": "permission_request",
    "permission_response": "permission_response",
    "elicitation_request": "elicitation_request",
    "elicitation_response": "elicitation_response",
    "elicitation_complete": "elicitation_complete",
    "plan": "agent_plan_update",
    "plan_update": "agent_plan_update",
    "agent_plan_update": "agent_plan_update",
    "plan_removed": "plan_removed",
    "available_commands_update": "available_commands_update",
    "current_mode_update": "current_mode_update",
    "mode_update": "current_mode_update",
    "config_option_update": "config_option_update",
    "session_info_update": "session_info_update",
    "usage_update": "usage_update",
    "notice": "notice",
    "compaction_update": "notice",
    "compaction_summary_chunk": "notice",
    "artifact_created": "artifact_created",
    "file_write": "file_write",
    "prompt_response": "prompt_response",
    "done": "prompt_response",
    "error": "error",
    "step_start": "step_start",
    "step_delta": "agent_thought_chunk",
    "step_end": "step_end",
    "output_start": "output_start",
    "output_delta": "agent_message_chunk",
    "output_end": "output_end",
}
"""Every packet name with the type that it is read as; no name means two types."""

ONYX_PACKET_TYPES = frozenset(get_args(PacketType)) - {"unknown"}
"""Onyx's values of ``type``; they take precedence over ``sessionUpdate``."""


def packet_name(packet: Obj) -> str:
    """Return the name that determines an object's type.

    First a ``type`` of Onyx, then a known ``sessionUpdate``, then any other ``type``.
    """
    name = text(packet["type"]) if "type" in packet else ""
    if name in ONYX_PACKET_TYPES:
        return name
    update = session_update(packet)
    return update if update in PACKET_NAMES else name


def session_update(packet: Obj) -> str:
    """Return the protocol's discriminator, in either spelling."""
    kind = packet.get("sessionUpdate")
    return kind if isinstance(kind, str) and kind else text(packet.get("session_update"))
