"""From the packets that all dialects share to those of seed 002: its converters, by its names.

The way back is `acp_jupyter.packets.parse_packet`.

>>> from acp_jupyter.packets import parse_packet
>>> mode = parse_packet({"sessionUpdate": "current_mode_update", "currentModeId": "implement"})
>>> convert_acp_mode_update_to_mode_update(mode).mode
'implement'
"""

from __future__ import annotations

from acp_jupyter.packets.content import OtherBlock, TextBlock
from acp_jupyter.packets.dialects.build_mode.base import moment_of
from acp_jupyter.packets.dialects.build_mode.calls import (
    convert_acp_permission_request_to_permission_request,
    convert_acp_permission_response_to_permission_response,
    convert_acp_tool_progress_to_tool_end,
    convert_acp_tool_start_to_tool_start,
)
from acp_jupyter.packets.dialects.build_mode.content import (
    Artifact,
    ArtifactType,
    build_content,
)
from acp_jupyter.packets.dialects.build_mode.models import (
    ArtifactCreatedPacket,
    BuildPacket,
    DonePacket,
    ErrorPacket,
    FileWritePacket,
    ModeUpdatePacket,
    OutputDeltaPacket,
    PlanEntry,
    PlanPacket,
    StepDeltaPacket,
    StepEndPacket,
    StepStartPacket,
    Usage,
)
from acp_jupyter.packets.made_models import ArtifactCreated, FileWrite
from acp_jupyter.packets.models import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    PromptResponse,
    PromptUsage,
)
from acp_jupyter.packets.models import ErrorPacket as AcpError
from acp_jupyter.packets.session_models import (
    CurrentModeUpdate,
    NoticePacket,
    StepEnd,
    StepStart,
)
from acp_jupyter.packets.vocabulary import Priority

__all__ = [
    "NOTICE",
    "THINKING",
    "ArtifactType",
    "BuildPacket",
    "convert_acp_artifact_to_artifact_created",
    "convert_acp_error_to_error",
    "convert_acp_file_write_to_file_write",
    "convert_acp_message_chunk_to_output_delta",
    "convert_acp_mode_update_to_mode_update",
    "convert_acp_permission_request_to_permission_request",
    "convert_acp_permission_response_to_permission_response",
    "convert_acp_plan_to_plan",
    "convert_acp_prompt_response_to_done",
    "convert_acp_thought_to_step_delta",
    "convert_acp_tool_progress_to_tool_end",
    "convert_acp_tool_start_to_tool_start",
    "notice",
    "step",
]

THINKING = "thinking"
"""S3.7: the step of thoughts that name none."""
NOTICE = "notice"

_PRIORITIES: dict[Priority, int] = {"high": 1, "medium": 2, "low": 3}
_CODE = -1
"""Of an error whose own code is no number, as in the seed's example."""


def convert_acp_thought_to_step_delta(
    thought: AgentThoughtChunk, step_id: str = THINKING
) -> StepDeltaPacket:
    """S3.7; a step that the chunk itself names wins."""
    block = thought.block
    return StepDeltaPacket(
        step_id=thought.step_id or step_id,
        content=thought.text,
        content_block=build_content(block) if isinstance(block, OtherBlock) else None,
        timestamp=moment_of(thought),
    )


def convert_acp_message_chunk_to_output_delta(
    message_chunk: AgentMessageChunk,
) -> OutputDeltaPacket:
    """S3.14."""
    block = message_chunk.block
    return OutputDeltaPacket(
        content=block.text if isinstance(block, TextBlock) else "",
        content_block=build_content(block) if isinstance(block, OtherBlock) else None,
        timestamp=moment_of(message_chunk),
    )


def convert_acp_plan_to_plan(plan_update: AgentPlanUpdate) -> PlanPacket:
    """S3.15, S3.16, C10: the text has the entries as numbered lines."""
    entries = tuple(
        PlanEntry(
            id=str(number),
            description=entry.content,
            status=entry.status,
            priority=_PRIORITIES[entry.priority],
        )
        for number, entry in enumerate(plan_update.entries, 1)
    )
    lines = (f"{entry.id}. {entry.description}" for entry in entries)
    return PlanPacket(
        plan=plan_update.text or "\n".join(lines),
        entries=entries,
        timestamp=moment_of(plan_update),
    )


def convert_acp_mode_update_to_mode_update(mode_update: CurrentModeUpdate) -> ModeUpdatePacket:
    """S3.17."""
    return ModeUpdatePacket(
        mode=mode_update.mode_id,
        description=mode_update.description,
        timestamp=moment_of(mode_update),
    )


def convert_acp_prompt_response_to_done(prompt_response: PromptResponse) -> DonePacket:
    """S3.18, S3.20; C3: of stop reasons only ``stop_sequence`` is not one of this dialect."""
    reason = prompt_response.stop_reason
    return DonePacket(
        summary=prompt_response.summary,
        stop_reason="end_turn" if reason == "stop_sequence" else reason,
        usage=_usage(prompt_response.usage),
        timestamp=moment_of(prompt_response),
    )


def _usage(usage: PromptUsage | None) -> Usage | None:
    if usage is None or (usage.input_tokens is None and usage.output_tokens is None):
        return None
    return Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)


def convert_acp_error_to_error(acp_error: AcpError) -> ErrorPacket:
    """S3.21, C16."""
    digits = acp_error.code.removeprefix("-")
    number = digits.isascii() and digits.isdigit() and len(digits) < 16
    return ErrorPacket(
        message=acp_error.message,
        code=int(acp_error.code) if number else _CODE,
        timestamp=moment_of(acp_error),
    )


def convert_acp_file_write_to_file_write(file_write: FileWrite) -> FileWritePacket:
    """S3.22."""
    return FileWritePacket(
        path=file_write.path,
        size_bytes=file_write.size_bytes,
        operation=file_write.operation,
        timestamp=moment_of(file_write),
    )


def convert_acp_artifact_to_artifact_created(created: ArtifactCreated) -> ArtifactCreatedPacket:
    """S3.23."""
    made = created.artifact
    return ArtifactCreatedPacket(
        artifact=Artifact(
            id=made.id,
            type=ArtifactType(made.type),
            name=made.name,
            path=made.path,
            preview_url=made.preview_url or None,
            download_url=made.download_url or None,
            mime_type=made.mime_type or None,
            size_bytes=made.size_bytes,
        ),
        timestamp=moment_of(created),
    )


def step(packet: StepStart | StepEnd) -> BuildPacket:
    """S3.4, S3.6: the dialect's own."""
    at = moment_of(packet)
    if isinstance(packet, StepEnd):
        return StepEndPacket(step_id=packet.step_id, status=packet.status, timestamp=at)
    return StepStartPacket(step_id=packet.step_id, step_name=packet.step_name, timestamp=at)


def notice(packet: NoticePacket) -> list[BuildPacket]:
    """Make a step of a notice: the dialect has nothing nearer."""
    at = moment_of(packet)
    name = packet.title or packet.severity.capitalize()
    words = "\n".join(part for part in (packet.text, packet.detail) if part)
    return [
        StepStartPacket(step_id=NOTICE, step_name=name, timestamp=at),
        *([StepDeltaPacket(step_id=NOTICE, content=words, timestamp=at)] if words else ()),
        StepEndPacket(
            step_id=NOTICE,
            status="failed" if packet.severity == "error" else "completed",
            timestamp=at,
        ),
    ]
