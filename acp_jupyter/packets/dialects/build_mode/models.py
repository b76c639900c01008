"""The packets of seed 002 (build mode), as they stand on the wire: snake case (C12).

Fields with a default of None are left out where they say nothing. ``content_block``, which stands
in none of the seed's examples, carries what is no text.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from acp_jupyter.packets.dialects.build_mode.base import BuildModel, BuildTimed
from acp_jupyter.packets.dialects.build_mode.content import Artifact, BuildContent
from acp_jupyter.packets.dialects.build_mode.tools import (
    PermissionRequestPacket,
    PermissionResponsePacket,
    ToolEndPacket,
    ToolProgressPacket,
    ToolStartPacket,
)

__all__ = [
    "ArtifactCreatedPacket",
    "BuildPacket",
    "DonePacket",
    "ErrorPacket",
    "FileWritePacket",
    "ModeUpdatePacket",
    "OutputDeltaPacket",
    "OutputEndPacket",
    "OutputStartPacket",
    "PermissionRequestPacket",
    "PermissionResponsePacket",
    "PlanEntry",
    "PlanPacket",
    "StepDeltaPacket",
    "StepEndPacket",
    "StepStartPacket",
    "ToolEndPacket",
    "ToolProgressPacket",
    "ToolStartPacket",
    "UnknownPacket",
    "Usage",
    "read_build_packet",
]


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
