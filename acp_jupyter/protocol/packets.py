"""Packets of a conversation: messages, tool calls, permission requests, plans, ends of turns.

Fields are snake case in Python and camel case on the wire. None in a tool call packet means that
the field is not sent: the earlier value stays.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import ConfigDict, JsonValue, computed_field
from pydantic.alias_generators import to_camel

from acp_jupyter.protocol.content import ContentBlock, OtherBlock, ToolContent
from acp_jupyter.protocol.objects import Model, obj
from acp_jupyter.protocol.tools.inputs import ToolInput
from acp_jupyter.protocol.tools.outputs import TerminalPiece, ToolOutput
from acp_jupyter.protocol.tools.read_outputs import CallResult
from acp_jupyter.protocol.tools.table import TOOLS, UNKNOWN_TOOL
from acp_jupyter.protocol.vocabulary import AcpKind, Priority, StepStatus, ToolStatus, UiKind


class PacketModel(Model):
    """Base of packets: camel case aliases; either name is accepted."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class TimedPacket(PacketModel):
    """Base of packets that may carry a time."""

    timestamp: float | None = None
    """Seconds since the epoch."""


class _AgentPacket(TimedPacket):
    parent_id: str = ""
    """Id of the tool call whose subagent sent it; empty for the agent itself."""


class _Chunk(_AgentPacket):
    block: ContentBlock
    message_id: str = ""

    @property
    def text(self) -> str:
        """The chunk's text; empty for any other content."""
        return "" if isinstance(self.block, OtherBlock) else self.block.text


class UserMessageChunk(_Chunk):
    """ACP: user_message_chunk; a replayed prompt, or an echo of the running one."""

    type: Literal["user_message_chunk"] = "user_message_chunk"
    steered: bool = False
    """Whether the user sent it while the turn ran, and the agent accepted it."""


class AgentMessageChunk(_Chunk):
    """ACP: agent_message_chunk."""

    type: Literal["agent_message_chunk"] = "agent_message_chunk"
    replaces: bool = False
    """Whether it replaces what its message said so far."""


class AgentThoughtChunk(_Chunk):
    """ACP: agent_thought_chunk; or a part of a step."""

    type: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    step_id: str = ""
    """The step that it belongs to, whatever came between."""
    replaces: bool = False
    """Whether it replaces what its thought said so far."""


class Location(PacketModel):
    """ACP: tool call location."""

    path: str
    line: int | None = None


class _ToolCallPacket(_AgentPacket):
    tool_call_id: str
    tool_name: str = "unknown"
    """A name of the tool table, or ``unknown``."""
    kind: UiKind = "other"
    """Kind for views, which have fewer than the protocol."""
    acp_kind: AcpKind | None = None
    """The protocol's ten kinds; None if the packet has none."""
    title: str | None = None
    name: str | None = None
    """The tool's name in the agent's spelling."""
    content: tuple[ToolContent, ...] | None = None
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    locations: tuple[Location, ...] = ()
    """Set (see ``model_fields_set``) only if the packet lists them."""
    progress: float | None = None
    """From 0 to 1."""
    message: str | None = None
    """What the tool is doing right now."""
    terminal: TerminalPiece | None = None
    """What its ``_meta`` says about a terminal of the agent."""
    can_cancel: bool | None = None
    """Whether the client may cancel it from now on."""
    subagent_session_id: str = ""
    """The child session that does the work. ACP: subagent_update."""
    is_cut: bool | None = None
    """Whether the agent sent more than was read."""

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def input(self) -> ToolInput:
        """The tool's input; parsed on first use."""
        return TOOLS.get(self.tool_name, UNKNOWN_TOOL).read_input(obj(self.raw_input))


class ToolCallStart(_ToolCallPacket):
    """ACP: tool_call."""

    type: Literal["tool_call_start"] = "tool_call_start"
    status: ToolStatus = "pending"


class ToolCallProgress(_ToolCallPacket):
    """ACP: tool_call_update; without a status, it is unchanged."""

    type: Literal["tool_call_progress"] = "tool_call_progress"
    status: ToolStatus | None = None

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def output(self) -> ToolOutput | None:
        """The tool's output; None if this packet has none."""
        if self.content is None and self.raw_output is None:
            return None
        row = TOOLS.get(self.tool_name, UNKNOWN_TOOL)
        failed = self.status == "failed"
        given = CallResult.of(
            self.raw_output, self.content or (), failed=failed, raw_input=self.raw_input
        )
        return row.read_output(given)


class OptionPacket(PacketModel):
    """ACP: permission option; ``kind`` in the agent's spelling."""

    option_id: str
    name: str
    kind: str = ""


class PermissionRequest(TimedPacket):
    """ACP: session/request_permission, the agent's request."""

    type: Literal["permission_request"] = "permission_request"
    request_id: str
    tool_call: ToolCallProgress
    options: tuple[OptionPacket, ...]
    auto_approve: bool = False
    """Whether it needs no answer, since the agent's own settings allowed it."""
    action: str = ""
    """What is requested, in the host's words, never the agent's."""
    reason: str = ""
    """The host's remarks on the request."""
    by_user: bool = False
    """Whether the user started this and is asked all the same: the answer applies to this action
    only."""
    words: str = ""
    """What the agent says about the request, beside its tool call."""


class PermissionResponse(TimedPacket):
    """ACP: session/request_permission, the client's answer."""

    type: Literal["permission_response"] = "permission_response"
    request_id: str
    option_id: str | None = None
    """None if the outcome was ``cancelled``."""
    approved: bool | None = None
    """For an answer without an option."""
    reason: str = ""


class PlanEntryPacket(PacketModel):
    """One step of a plan."""

    content: str
    priority: Priority = "medium"
    status: StepStatus = "pending"


class AgentPlanUpdate(TimedPacket):
    """ACP: plan, plan_update."""

    type: Literal["agent_plan_update"] = "agent_plan_update"
    plan_id: str = ""
    entries: tuple[PlanEntryPacket, ...] = ()
    text: str = ""


class PlanRemoved(TimedPacket):
    """ACP: plan_removed."""

    type: Literal["plan_removed"] = "plan_removed"
    plan_id: str = ""


class PromptUsage(PacketModel):
    """ACP: PromptResponse.usage; tokens of the turn."""

    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class PromptResponse(TimedPacket):
    """ACP: the result of session/prompt; the turn is over."""

    type: Literal["prompt_response"] = "prompt_response"
    stop_reason: str
    """ACP: stop reason; an unknown one is kept unchanged."""
    detail: str = ""
    """The agent's own, more specific reason."""
    summary: str = ""
    """The agent's summary."""
    usage: PromptUsage | None = None
    duration_seconds: float | None = None
    """As measured by the agent."""


class ErrorPacket(TimedPacket):
    """A JSON-RPC error that ends the turn."""

    type: Literal["error"] = "error"
    message: str
    code: str = ""
    detail: str = ""
    cause: Literal["", "login", "rate_limit", "network"] = ""
    """Why the agent could not answer, if its error says so."""
    duration_seconds: float | None = None
    """Of the turn, as measured by the agent."""


class Unknown(TimedPacket):
    """A packet of unknown type, kept raw."""

    type: Literal["unknown"] = "unknown"
    raw: JsonValue = None


_STOP_REASONS = {
    "end_turn": "",
    "stop_sequence": "",
    "max_tokens": "The answer was cut: the model reached its token limit.",
    "max_turn_requests": "The agent stopped: it reached its limit of requests for one turn.",
    "refusal": "The agent refused to continue.",
    "cancelled": "Stopped by you.",
    "error_max_budget_usd": "The agent stopped: its budget is used up.",
}


def stop_reason_text(stop_reason: str, detail: str = "") -> str:
    """Return why a turn ended; empty for an ordinary end.

    Parameters
    ----------
    stop_reason
        ACP: stop reason. One that is unknown is shown as it is.
    """
    words = _STOP_REASONS.get(detail) or _STOP_REASONS.get(stop_reason)
    return f"Ended: {stop_reason}." if words is None else words


def stop_reason_of(answer: PromptResponse | ErrorPacket, *, stopping: bool) -> str:
    """Return how an agent's answer ends its turn; if the user stops it, that counts.

    Some agents answer ``end_turn`` or an error to a cancel.
    """
    if stopping:
        return "cancelled"
    return answer.stop_reason if isinstance(answer, PromptResponse) else "error"
