"""Converters from our packets to build mode, under Onyx's names.

>>> from acp_jupyter.packets import parse_packet
>>> mode = parse_packet({"sessionUpdate": "current_mode_update", "currentModeId": "implement"})
>>> convert_acp_mode_update_to_mode_update(mode).mode
'implement'
"""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.dialects.onyx.build_content import (
    Artifact,
    ArtifactType,
    build_content,
    packet_time,
)
from acp_jupyter.dialects.onyx.build_packets import (
    ArtifactCreatedPacket,
    BuildPacket,
    DonePacket,
    ErrorPacket,
    FileWritePacket,
    ModeUpdatePacket,
    OutputDeltaPacket,
    PermissionRequestPacket,
    PermissionResponsePacket,
    PlanEntry,
    PlanPacket,
    StepDeltaPacket,
    StepEndPacket,
    StepStartPacket,
    ToolEndPacket,
    ToolProgressPacket,
    ToolStartPacket,
    Usage,
)
from acp_jupyter.dialects.onyx.tool_call_writer import content_text, write_tool_content
from acp_jupyter.protocol.content import OtherBlock, TextBlock, ToolContentBlock
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    PromptResponse,
    PromptUsage,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.packets import ErrorPacket as AcpError
from acp_jupyter.protocol.session_packets import CurrentModeUpdate, NoticePacket, StepEnd, StepStart
from acp_jupyter.protocol.tools.titles import ToolFacts, ToolWords, describe_tool
from acp_jupyter.protocol.vocabulary import Priority, ToolStatus

THINKING = "thinking"
"""The step of thoughts that name none."""
NOTICE = "notice"

_PRIORITIES: dict[Priority, int] = {"high": 1, "medium": 2, "low": 3}
_CODE = -1
"""Code of an error whose own code is not a number; Onyx's example has the same."""


def convert_acp_thought_to_step_delta(
    thought: AgentThoughtChunk, step_id: str = THINKING
) -> StepDeltaPacket:
    """Convert a piece of thought to a piece of a step; a step named in it wins."""
    block = thought.block
    return StepDeltaPacket(
        step_id=thought.step_id or step_id,
        content=thought.text,
        content_block=build_content(block) if isinstance(block, OtherBlock) else None,
        timestamp=packet_time(thought),
    )


def convert_acp_message_chunk_to_output_delta(
    message_chunk: AgentMessageChunk,
) -> OutputDeltaPacket:
    """Convert a piece of a message to a piece of output."""
    block = message_chunk.block
    return OutputDeltaPacket(
        content=block.text if isinstance(block, TextBlock) else "",
        content_block=build_content(block) if isinstance(block, OtherBlock) else None,
        timestamp=packet_time(message_chunk),
    )


def convert_acp_plan_to_plan(plan_update: AgentPlanUpdate) -> PlanPacket:
    """Convert a plan; its text has the entries as numbered lines."""
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
        timestamp=packet_time(plan_update),
    )


def convert_acp_mode_update_to_mode_update(mode_update: CurrentModeUpdate) -> ModeUpdatePacket:
    """Convert a change of the mode."""
    return ModeUpdatePacket(
        mode=mode_update.mode_id,
        description=mode_update.description,
        timestamp=packet_time(mode_update),
    )


def convert_acp_prompt_response_to_done(prompt_response: PromptResponse) -> DonePacket:
    """Convert the end of a turn; ``stop_sequence``, unknown to build mode, becomes ``end_turn``."""
    reason = prompt_response.stop_reason
    return DonePacket(
        summary=prompt_response.summary,
        stop_reason="end_turn" if reason == "stop_sequence" else reason,
        usage=_usage(prompt_response.usage),
        timestamp=packet_time(prompt_response),
    )


def _usage(usage: PromptUsage | None) -> Usage | None:
    if usage is None or (usage.input_tokens is None and usage.output_tokens is None):
        return None
    return Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)


def convert_acp_error_to_error(acp_error: AcpError) -> ErrorPacket:
    """Convert an error; here its code is a number."""
    digits = acp_error.code.removeprefix("-")
    number = digits.isascii() and digits.isdigit() and len(digits) < 16
    return ErrorPacket(
        message=acp_error.message,
        code=int(acp_error.code) if number else _CODE,
        timestamp=packet_time(acp_error),
    )


def convert_acp_file_write_to_file_write(file_write: FileWrite) -> FileWritePacket:
    """Convert a written file."""
    return FileWritePacket(
        path=file_write.path,
        size_bytes=file_write.size_bytes,
        operation=file_write.operation,
        timestamp=packet_time(file_write),
    )


def convert_acp_artifact_to_artifact_created(created: ArtifactCreated) -> ArtifactCreatedPacket:
    """Convert an artifact."""
    artifact = created.artifact
    return ArtifactCreatedPacket(
        artifact=Artifact(
            id=artifact.id,
            type=ArtifactType(artifact.type),
            name=artifact.name,
            path=artifact.path,
            preview_url=artifact.preview_url or None,
            download_url=artifact.download_url or None,
            mime_type=artifact.mime_type or None,
            size_bytes=artifact.size_bytes,
        ),
        timestamp=packet_time(created),
    )


def step(packet: StepStart | StepEnd) -> BuildPacket:
    """Convert the start or end of a step."""
    at = packet_time(packet)
    if isinstance(packet, StepEnd):
        return StepEndPacket(step_id=packet.step_id, status=packet.status, timestamp=at)
    return StepStartPacket(step_id=packet.step_id, step_name=packet.step_name, timestamp=at)


def notice(packet: NoticePacket) -> list[BuildPacket]:
    """Convert a notice to a step, the closest packet of the dialect."""
    at = packet_time(packet)
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


_ENDS: dict[ToolStatus, str] = {
    "completed": "success",
    "failed": "error",
    "cancelled": "cancelled",
}
"""The words of build mode for how a call ended."""


def convert_acp_tool_start_to_tool_start(
    tool_start: ToolCallStart | ToolCallProgress,
) -> ToolStartPacket:
    """Convert the start of a call, or an update of one that the agent never announced."""
    given = tool_start.raw_input
    return ToolStartPacket(
        tool_call_id=tool_start.tool_call_id,
        tool_name=shown_name(tool_start),
        tool_input={} if given is None else given,
        title=_title(tool_start),
        timestamp=packet_time(tool_start),
    )


def convert_acp_tool_progress_to_tool_end(
    tool_progress: ToolCallProgress,
) -> ToolEndPacket | ToolProgressPacket:
    """Convert an update: to the end of a call, or to its progress."""
    status = tool_progress.status or "in_progress"
    ended = _ENDS.get(status)
    if ended is None:
        return ToolProgressPacket(
            tool_call_id=tool_progress.tool_call_id,
            tool_name=shown_name(tool_progress),
            status=status,
            progress=tool_progress.progress,
            message=tool_progress.message,
            tool_input=tool_progress.raw_input,
            title=tool_progress.title,
            content=_content(tool_progress),
            timestamp=packet_time(tool_progress),
        )
    return ToolEndPacket(
        tool_call_id=tool_progress.tool_call_id,
        tool_name=shown_name(tool_progress),
        status=ended,
        result=_result(tool_progress),
        tool_input=tool_progress.raw_input,
        title=tool_progress.title,
        content=_content(tool_progress),
        timestamp=packet_time(tool_progress),
    )


def convert_acp_permission_request_to_permission_request(
    request: PermissionRequest,
) -> PermissionRequestPacket:
    """Convert a permission request: title to operation, content to description."""
    call = request.tool_call
    words = _described(call)
    description = content_text(call.content or ())
    return PermissionRequestPacket(
        request_id=request.request_id,
        operation=call.title or words.title,
        description=description or words.command or words.path,
        auto_approve=request.auto_approve,
        timestamp=packet_time(request),
    )


def convert_acp_permission_response_to_permission_response(
    response: PermissionResponse, options: tuple[OptionPacket, ...] = ()
) -> PermissionResponsePacket:
    """Convert an answer; it approves only if the option that was chosen allows."""
    chosen = next((o for o in options if o.option_id == response.option_id), None)
    allowed = chosen is not None and chosen.kind.startswith("allow")
    return PermissionResponsePacket(
        request_id=response.request_id,
        approved=allowed if response.approved is None else response.approved,
        reason=response.reason or ("" if chosen is None else chosen.name),
        timestamp=packet_time(response),
    )


def shown_name(call: ToolCallStart | ToolCallProgress) -> str:
    """Return a tool's name as the agent spells it, else the name that we know, else its kind."""
    known = "" if call.tool_name == "unknown" else call.tool_name
    return call.name or known or call.acp_kind or "unknown"


def _title(call: ToolCallStart | ToolCallProgress) -> str:
    """Return the agent's title; for a bare name or path our words, with the file."""
    words = _described(call)
    own = call.title or ""
    file = (words.path or (own if "/" in own else "")).rsplit("/", 1)[-1]
    named = bool(file) and words.title.endswith(" file")
    return f"{words.title.removesuffix('file')}{file}" if named else words.title


def _described(call: ToolCallStart | ToolCallProgress) -> ToolWords:
    return describe_tool(
        ToolFacts(
            title=call.title or "",
            tool_name=call.tool_name,
            acp_kind=call.acp_kind,
            raw_input=call.raw_input,
            content=call.content or (),
            paths=tuple(location.path for location in call.locations),
            exists=False,
            cwd="",
        )
    )


def _result(call: ToolCallProgress) -> JsonValue:
    """Return the tool's output, else the call's content."""
    if call.raw_output is not None:
        return call.raw_output
    return content_text(call.content or ()) or None


def _content(call: ToolCallProgress) -> tuple[JsonValue, ...] | None:
    """Return the content if it has more than the text of ``result``."""
    content = call.content or ()
    plain = all(
        isinstance(item, ToolContentBlock) and isinstance(item.block, TextBlock) for item in content
    )
    ended = call.status in _ENDS
    return None if not content or (plain and ended) else tuple(write_tool_content(content))
