"""Packets of build mode as they are on the wire: snake case, empty fields left out.

Fields that stand in none of Onyx's examples: ``content_block`` and ``content`` carry what is not
text; ``tool_input`` and ``title`` after the start, what agents report only then.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from acp_jupyter.dialects.onyx.event_stream import write_event
from acp_jupyter.dialects.onyx_build.content import Artifact, BuildContent, BuildModel, BuildTimed


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


class StepStartPacket(BuildTimed):
    """S3.4."""

    type: Literal["step_start"] = "step_start"
    step_id: str
    step_name: str = ""


class StepDeltaPacket(BuildTimed):
    """S3.5."""

    type: Literal["step_delta"] = "step_delta"
    step_id: str
    content: str
    content_block: BuildContent | None = None


class StepEndPacket(BuildTimed):
    """S3.6."""

    type: Literal["step_end"] = "step_end"
    step_id: str
    status: str = "completed"


class OutputStartPacket(BuildTimed):
    """S3.13."""

    type: Literal["output_start"] = "output_start"


class OutputDeltaPacket(BuildTimed):
    """S3.14."""

    type: Literal["output_delta"] = "output_delta"
    content: str
    content_block: BuildContent | None = None


class OutputEndPacket(BuildTimed):
    """S3.13."""

    type: Literal["output_end"] = "output_end"


class PlanEntry(BuildModel):
    """A step of a plan; 1 is the highest priority (C10)."""

    id: str
    description: str
    status: str = "pending"
    priority: int | None = None


class PlanPacket(BuildTimed):
    """S3.15."""

    type: Literal["plan"] = "plan"
    plan: str = ""
    entries: tuple[PlanEntry, ...] = ()


class ModeUpdatePacket(BuildTimed):
    """S3.17."""

    type: Literal["mode_update"] = "mode_update"
    mode: str
    description: str = ""


class Usage(BuildModel):
    """Tokens of a turn."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class DonePacket(BuildTimed):
    """S3.18, S3.19."""

    type: Literal["done"] = "done"
    summary: str = ""
    stop_reason: str = "end_turn"
    usage: Usage | None = None


class ErrorPacket(BuildTimed):
    """S3.21, C16."""

    type: Literal["error"] = "error"
    message: str
    code: int = -1


class FileWritePacket(BuildTimed):
    """S3.22."""

    type: Literal["file_write"] = "file_write"
    path: str
    size_bytes: int | None = None
    operation: str = "create"


class ArtifactCreatedPacket(BuildTimed):
    """S3.23."""

    type: Literal["artifact_created"] = "artifact_created"
    artifact: Artifact


class UnknownPacket(BuildTimed):
    """What is no packet of this dialect, as it came (S3.35)."""

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
"""S3.35."""

_ADAPTER: TypeAdapter[BuildPacket] = TypeAdapter(BuildPacket)


def read_build_packet(raw: JsonValue) -> BuildPacket:
    """Read an object of this dialect as its typed packet; never raises.

    `acp_jupyter.packets.parse_packet` reads the same objects into the packets that all dialects
    share, and is the more tolerant reader.
    """
    try:
        return _ADAPTER.validate_python(raw)
    except (ValidationError, RecursionError):
        return UnknownPacket.model_construct(timestamp=datetime.now(UTC), raw=raw)


def format_packet_event(packet: BuildPacket) -> str:
    """Write a packet of build mode as an event (S3.2)."""
    return write_event(packet.model_dump_json(by_alias=True).encode()).decode()
