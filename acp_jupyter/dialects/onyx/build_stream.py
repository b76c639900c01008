"""`BuildModeStream`: a session's packets as a stream of build mode, with starts and ends of output.

The text of a subagent becomes a step; the output is only the agent's own answer.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, assert_never

from acp_jupyter.dialects.onyx import build_converters as convert
from acp_jupyter.dialects.onyx import build_packets as build
from acp_jupyter.dialects.onyx.build_content import build_content, packet_time
from acp_jupyter.dialects.onyx.build_converters import shown_name
from acp_jupyter.dialects.onyx.build_packets import (
    BuildPacket,
    StepDeltaPacket,
    StepEndPacket,
    StepStartPacket,
)
from acp_jupyter.protocol.content import OtherBlock
from acp_jupyter.protocol.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ErrorPacket,
    OptionPacket,
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
from acp_jupyter.protocol.parse.tool_calls import remember
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
from acp_jupyter.protocol.vocabulary import ToolStatus

_FINAL: frozenset[ToolStatus] = frozenset({"completed", "failed", "cancelled"})
_LEFT_OUT = (
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    UsageUpdate,
    SessionInfoUpdate,
    SessionSetup,
    CurrentModelUpdate,
    AgentInfoPacket,
    AuthStatusUpdate,
    CancelSent,
    CallCancel,
    ElicitationRequest,
    ElicitationResponse,
    ElicitationComplete,
    Unknown,
)
"""Packets that may come at any time, and don't end a text."""


@dataclass(slots=True)
class _Call:
    name: str
    status: ToolStatus
    title: str = ""


class BuildModeStream:
    """Writes the packets of one session, in order.

    It omits what the dialect has no packet for: the user's messages, commands, config options,
    the use of the context, and unknown packets. Notices become steps.
    """

    def __init__(self) -> None:
        self._open: Literal["", "output", "thought"] = ""
        self._message_id = ""
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._open_requests: OrderedDict[str, tuple[OptionPacket, ...]] = OrderedDict()
        self._subagents = SubagentSteps()

    def write(self, packet: Packet) -> list[BuildPacket]:
        """Return the packets of build mode for one packet."""
        if isinstance(packet, _LEFT_OUT):
            return []
        if isinstance(packet, AgentMessageChunk | AgentThoughtChunk) and packet.parent_id:
            call = self._calls.get(packet.parent_id)
            return self._subagents.text(packet, (call and call.title) or "Subagent")
        if isinstance(packet, AgentMessageChunk):
            return self._chunk(packet, "output")
        if isinstance(packet, AgentThoughtChunk) and not packet.step_id:
            return self._chunk(packet, "thought")
        if isinstance(packet, AgentThoughtChunk | StepStart | StepEnd):
            return self._other(packet)  # it says itself where it belongs
        return [*self._close(packet_time(packet)), *self._other(packet)]

    def _other(self, packet: Packet) -> list[BuildPacket]:  # noqa: C901 - one flat match
        match packet:
            case AgentThoughtChunk():
                return [convert.convert_acp_thought_to_step_delta(packet)]
            case StepStart() | StepEnd():
                return [convert.step(packet)]
            case MessageStart():
                self._open, self._message_id = "output", ""
                return [build.OutputStartPacket(timestamp=packet_time(packet))]
            case ToolCallStart() | ToolCallProgress():
                return self._call(packet)
            case PermissionRequest():
                remember(self._open_requests, packet.request_id, packet.options)
                return [convert.convert_acp_permission_request_to_permission_request(packet)]
            case PermissionResponse():
                options = self._open_requests.pop(packet.request_id, ())
                return [
                    convert.convert_acp_permission_response_to_permission_response(packet, options)
                ]
            case AgentPlanUpdate():
                return [convert.convert_acp_plan_to_plan(packet)]
            case PlanRemoved():
                return [build.PlanPacket(timestamp=packet_time(packet))]
            case CurrentModeUpdate():
                return [convert.convert_acp_mode_update_to_mode_update(packet)]
            case NoticePacket():
                return convert.notice(packet)
            case FileWrite():
                return [convert.convert_acp_file_write_to_file_write(packet)]
            case ArtifactCreated():
                return [convert.convert_acp_artifact_to_artifact_created(packet)]
            case PromptResponse():
                done = convert.convert_acp_prompt_response_to_done(packet)
                return [*self._end_calls(done.timestamp), done]
            case ErrorPacket():
                error = convert.convert_acp_error_to_error(packet)
                return [*self._end_calls(error.timestamp), error]
            case (
                UserMessageChunk()
                | AgentMessageChunk()
                | MessageEnd()
                | AvailableCommandsUpdate()
                | ConfigOptionUpdate()
                | UsageUpdate()
                | SessionInfoUpdate()
                | SessionSetup()
                | CurrentModelUpdate()
                | AgentInfoPacket()
                | AuthStatusUpdate()
                | CancelSent()
                | CallCancel()
                | ElicitationRequest()
                | ElicitationResponse()
                | ElicitationComplete()
                | Unknown()
            ):
                return []
            case _:
                assert_never(packet)

    # -- text --------------------------------------------------------------------

    def _chunk(
        self, packet: AgentMessageChunk | AgentThoughtChunk, kind: Literal["output", "thought"]
    ) -> list[BuildPacket]:
        delta: BuildPacket = (
            convert.convert_acp_message_chunk_to_output_delta(packet)
            if isinstance(packet, AgentMessageChunk)
            else convert.convert_acp_thought_to_step_delta(packet)
        )
        same = packet.message_id in {"", self._message_id} or not self._message_id
        if self._open == kind and same:
            return [delta]
        closing = self._close(delta.timestamp)
        self._open, self._message_id = kind, packet.message_id
        if kind == "output":
            return [*closing, build.OutputStartPacket(timestamp=delta.timestamp), delta]
        start = build.StepStartPacket(
            step_id=convert.THINKING, step_name="Thinking", timestamp=delta.timestamp
        )
        return [*closing, start, delta]

    def _close(self, at: datetime) -> list[BuildPacket]:
        was, self._open = self._open, ""
        match was:
            case "output":
                return [build.OutputEndPacket(timestamp=at)]
            case "thought":
                return [build.StepEndPacket(step_id=convert.THINKING, timestamp=at)]
            case "":
                return []

    # -- tool calls --------------------------------------------------------------

    def _call(self, packet: ToolCallStart | ToolCallProgress) -> list[BuildPacket]:
        """Return a call's start, once, then its progress or its end, which may be repeated."""
        known = self._calls.get(packet.tool_call_id)
        new = known is None or (isinstance(packet, ToolCallStart) and known.status in _FINAL)
        if known is None or new:
            known = _Call(shown_name(packet), "pending")
            remember(self._calls, packet.tool_call_id, known)
        known.status = packet.status or known.status
        packet = packet.model_copy(update={"name": known.name})
        started: list[BuildPacket] = []
        if new:
            start = convert.convert_acp_tool_start_to_tool_start(packet)
            known.title = start.title
            started.append(start)
            if isinstance(packet, ToolCallStart) and packet.status not in _FINAL:
                return started
        fields = {name: value for name, value in packet.__dict__.items() if name != "type"}
        progress = ToolCallProgress.model_construct(**{**fields, "status": known.status})
        if known.status in _FINAL:
            at = packet_time(packet)
            started += self._subagents.end(packet.tool_call_id, known.status, at)
        return [*started, convert.convert_acp_tool_progress_to_tool_end(progress)]

    def _end_calls(self, at: datetime) -> list[BuildPacket]:
        """End the calls that are open at the turn's end, as cancelled."""
        left = [(key, call) for key, call in self._calls.items() if call.status not in _FINAL]
        for _, call in left:
            call.status = "cancelled"
        ended = (
            build.ToolEndPacket(
                tool_call_id=key, tool_name=call.name, status="cancelled", timestamp=at
            )
            for key, call in left
        )
        return [*self._subagents.end_all(at), *ended]


_MAX_OPEN = 1000


class SubagentSteps:
    """A step for each tool call whose subagent writes text; it ends with the call.

    Several steps and the agent's own text may be open together, as each piece names its step.
    """

    def __init__(self) -> None:
        self._open: dict[str, None] = {}

    def text(self, chunk: AgentMessageChunk | AgentThoughtChunk, name: str) -> list[BuildPacket]:
        """Return a piece of text, in the step of its tool call."""
        step_id, at = chunk.parent_id, packet_time(chunk)
        block = chunk.block
        delta = StepDeltaPacket(
            step_id=step_id,
            content=chunk.text,
            content_block=build_content(block) if isinstance(block, OtherBlock) else None,
            timestamp=at,
        )
        if step_id in self._open:
            return [delta]
        if len(self._open) >= _MAX_OPEN:
            del self._open[next(iter(self._open))]
        self._open[step_id] = None
        return [StepStartPacket(step_id=step_id, step_name=name, timestamp=at), delta]

    def end(self, call_id: str, status: ToolStatus, at: datetime) -> list[BuildPacket]:
        """Return the end of a call's step, if it has one."""
        if call_id not in self._open:
            return []
        del self._open[call_id]
        ended = "completed" if status == "completed" else "failed"
        return [StepEndPacket(step_id=call_id, status=ended, timestamp=at)]

    def end_all(self, at: datetime) -> list[BuildPacket]:
        """Return the ends of the steps that are open at the turn's end."""
        return [end for call_id in [*self._open] for end in self.end(call_id, "cancelled", at)]
