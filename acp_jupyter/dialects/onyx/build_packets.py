"""Packets of build mode as they are on the wire: snake case, empty fields left out.

Some fields are in none of Onyx's examples: ``content_block`` and ``content`` have content other
than text; ``tool_input`` and ``title`` after the start have what agents report only then.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from acp_jupyter.dialects.onyx.build_content import Artifact, BuildContent, BuildModel, BuildTimed
from acp_jupyter.dialects.onyx.event_stream import write_event


class ToolStartPacket(BuildTimed):
    """A tool call begins."""

    type: Literal["tool_start"] = "tool_start"
    tool_call_id: str
    tool_name: str
    tool_input: JsonValue = Field(default_factory=dict)
    title: str = ""


class ToolProgressPacket(BuildTimed):
    """The progress of a tool call, from 0 to 1, with a message."""

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
    """A tool call ends; ``status`` is success, error or cancelled."""

    type: Literal["tool_end"] = "tool_end"
    tool_call_id: str
    tool_name: str
    status: str = "success"
    result: JsonValue = None
    tool_input: JsonValue = None
    title: str | None = None
    content: tuple[JsonValue, ...] | None = None


class PermissionRequestPacket(BuildTimed):
    """The agent asks for permission, or says that its settings already allow it."""

    type: Literal["permission_request"] = "permission_request"
    request_id: str
    operation: str
    description: str = ""
    auto_approve: bool = False


class PermissionResponsePacket(BuildTimed):
    """The answer to a permission request, with its reason."""

    type: Literal["permission_response"] = "permission_response"
    request_id: str
    approved: bool
    reason: str = ""


class StepStartPacket(BuildTimed):
    """A named step of the agent's work begins."""

    type: Literal["step_start"] = "step_start"
    step_id: str
    step_name: str = ""


class StepDeltaPacket(BuildTimed):
    """More text of a step; opens the step if it has not been started."""

    type: Literal["step_delta"] = "step_delta"
    step_id: str
    content: str
    content_block: BuildContent | None = None


class StepEndPacket(BuildTimed):
    """A step ends."""

    type: Literal["step_end"] = "step_end"
    step_id: str
    status: str = "completed"


class OutputStartPacket(BuildTimed):
    """A message of the agent begins."""

    type: Literal["output_start"] = "output_start"


class OutputDeltaPacket(BuildTimed):
    """More text of the agent's message."""

    type: Literal["output_delta"] = "output_delta"
    content: str
    content_block: BuildContent | None = None


class OutputEndPacket(BuildTimed):
    """A message of the agent ends."""

    type: Literal["output_end"] = "output_end"


class PlanEntry(BuildModel):
    """A step of a plan; 1 is the highest priority."""

    id: str
    description: str
    status: str = "pending"
    priority: int | None = None


class PlanPacket(BuildTimed):
    """The whole plan; the text is for readers that don't know the entries."""

    type: Literal["plan"] = "plan"
    plan: str = ""
    entries: tuple[PlanEntry, ...] = ()


class ModeUpdatePacket(BuildTimed):
    """The mode has changed."""

    type: Literal["mode_update"] = "mode_update"
    mode: str
    description: str = ""


class Usage(BuildModel):
    """Tokens of a turn."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class DonePacket(BuildTimed):
    """The turn has ended, with a summary and the tokens used."""

    type: Literal["done"] = "done"
    summary: str = ""
    stop_reason: str = "end_turn"
    usage: Usage | None = None


class ErrorPacket(BuildTimed):
    """The turn has failed; the code is a number."""

    type: Literal["error"] = "error"
    message: str
    code: int = -1


class FileWritePacket(BuildTimed):
    """A file was written."""

    type: Literal["file_write"] = "file_write"
    path: str
    size_bytes: int | None = None
    operation: str = "create"


class ArtifactCreatedPacket(BuildTimed):
    """An artifact was made."""

    type: Literal["artifact_created"] = "artifact_created"
    artifact: Artifact


class UnknownPacket(BuildTimed):
    """An object that is not a packet of this dialect, unchanged."""

    type: Literal["unknown"] = "unknown"
    raw: JsonValue


BuildPacket = TypeAliasType(
    "BuildPacket",
    Annotated[
        StepStartPacket
        | StepDeltaPacket
        | StepEndPacket
        | ToolStartPacket
        | ToolProgressPacket
        | ToolEndPacket
        | OutputStartPacket
        | OutputDeltaPacket
        | OutputEndPacket
        | PlanPacket
        | ModeUpdatePacket
        | DonePacket
        | ErrorPacket
        | FileWritePacket
        | ArtifactCreatedPacket
        | PermissionRequestPacket
        | PermissionResponsePacket
        | UnknownPacket,
        Field(discriminator="type"),
    ],
)
"""All packets of build mode, told apart by ``type``; `UnknownPacket` keeps any other."""


@cache
def _adapter() -> TypeAdapter[BuildPacket]:
    return TypeAdapter(BuildPacket)


def read_build_packet(raw: JsonValue) -> BuildPacket:
    """Read an object of this dialect as its typed packet; never raises.

    `acp_jupyter.packets.parse_packet` reads the same objects into the packets that all dialects
    share, and is the more tolerant reader.
    """
    try:
        return _adapter().validate_python(raw)
    except (ValidationError, RecursionError):
        return UnknownPacket.model_construct(timestamp=datetime.now(UTC), raw=raw)


def format_packet_event(packet: BuildPacket) -> str:
    """Write a packet of build mode as an event."""
    return write_event(packet.model_dump_json(by_alias=True).encode()).decode()
