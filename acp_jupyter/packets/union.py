"""Everything that an agent can say, as one union."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.packets.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
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

__all__ = ["Packet"]

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
        | PromptResponse
        | CancelSent
        | ErrorPacket
        | Unknown,
        Field(discriminator="type"),
    ],
)
"""S3.35, S5.10: dispatch on ``type``; `Unknown` keeps what nobody knows."""
