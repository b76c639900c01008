"""Packets of a conversation: messages, tool calls, permission requests, plans, ends of turns.

Fields are snake case in Python and camel case on the wire. None in a packet of a tool call means
that it says nothing of the field: the earlier value stays.
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
    """Base of packets: camel case aliases, read by either name."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class TimedPacket(PacketModel):
    """Base of packets that may carry a time of their own."""

    timestamp: float | None = None
    """Seconds since the epoch."""


class _AgentPacket(TimedPacket):
    parent_id: str = ""
    """Id of the tool call whose subagent made it; empty for what the agent itself does."""


class _Chunk(_AgentPacket):
    block: ContentBlock
    message_id: str = ""

    @property
    def text(self) -> str:
        """The piece of text; empty for any other content."""
        return "" if isinstance(self.block, OtherBlock) else self.block.text


class UserMessageChunk(_Chunk):
    """ACP: user_message_chunk; a replayed prompt, or an echo of the running one."""

    type: Literal["user_message_chunk"] = "user_message_chunk"
    steered: bool = False
    """Whether the user said it while the turn ran, and the agent has taken it."""


class AgentMessageChunk(_Chunk):
    """ACP: agent_message_chunk."""

    type: Literal["agent_message_chunk"] = "agent_message_chunk"
    replaces: bool = False
    """Whether it takes the place of what its message said so far."""


class AgentThoughtChunk(_Chunk):
    """ACP: agent_thought_chunk; or a piece of a step."""

    type: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    step_id: str = ""
    """The step that it belongs to, whatever came between."""
    replaces: bool = False
    """Whether it takes the place of what its thought said so far."""


class Location(PacketModel):
    """ACP: tool call location."""

    path: str
    line: int | None = None


class _ToolCallPacket(_AgentPacket):
    tool_call_id: str
    tool_name: str = "unknown"
    """A name of the tool table, or ``unknown``."""
    kind: UiKind = "other"
    """Kind for views, which know fewer than the protocol."""
    acp_kind: AcpKind | None = None
    """The protocol's ten kinds; None where the packet names none."""
    title: str | None = None
    name: str | None = None
    """The tool's name as the agent spells it."""
    content: tuple[ToolContent, ...] | None = None
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    locations: tuple[Location, ...] = ()
    """Set (see ``model_fields_set``) only where the packet lists them."""
    progress: float | None = None
    """From 0 to 1."""
    message: str | None = None
    """What is being done right now."""
    terminal: TerminalPiece | None = None
    """What its ``_meta`` says of a terminal of the agent's."""
    can_cancel: bool | None = None
    """Whether the client may cancel it from now on."""
    subagent_session_id: str = ""
    """The child session whose work it is. ACP: subagent_update."""
    is_cut: bool | None = None
    """Whether the agent has sent more of it than is read."""

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def input(self) -> ToolInput:
        """What the tool was asked to do; read when it is asked for."""
        return TOOLS.get(self.tool_name, UNKNOWN_TOOL).read_input(obj(self.raw_input))


class ToolCallStart(_ToolCallPacket):
    """ACP: tool_call."""

    type: Literal["tool_call_start"] = "tool_call_start"
    status: ToolStatus = "pending"


class ToolCallProgress(_ToolCallPacket):
    """ACP: tool_call_update; a missing status means that it has not changed."""

    type: Literal["tool_call_progress"] = "tool_call_progress"
    status: ToolStatus | None = None

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def output(self) -> ToolOutput | None:
        """What the tool gave; None where this packet gives nothing."""
        if self.content is None and self.raw_output is None:
            return None
        row = TOOLS.get(self.tool_name, UNKNOWN_TOOL)
        failed = self.status == "failed"
        given = CallResult.of(
            self.raw_output, self.content or (), failed=failed, raw_input=self.raw_input
        )
        return row.read_output(given)


class OptionPacket(PacketModel):
    """ACP: permission option; ``kind`` as the agent sent it."""

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
    """Whether it needs no answer: the agent's own settings allowed it."""
    action: str = ""
    """What is wanted, in the host's own words; never the agent's."""
    reason: str = ""
    """What the host has to say of it."""
    by_user: bool = False
    """Whether the user wants it, who is asked all the same: the answer counts for this alone."""
    words: str = ""
    """What the agent says of the request, beside its tool call."""


class PermissionResponse(TimedPacket):
    """ACP: session/request_permission, the client's answer."""

    type: Literal["permission_response"] = "permission_response"
    request_id: str
    option_id: str | None = None
    """None when the outcome was ``cancelled``."""
    approved: bool | None = None
    """For an answer that names no option."""
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
    """ACP: stop reason; an unknown one is kept as it is."""
    detail: str = ""
    """The agent's own, finer reason."""
    summary: str = ""
    """What the agent says it did."""
    usage: PromptUsage | None = None
    duration_seconds: float | None = None
    """As the agent measured it."""


class ErrorPacket(TimedPacket):
    """A JSON-RPC error that ends the turn."""

    type: Literal["error"] = "error"
    message: str
    code: str = ""
    detail: str = ""
    duration_seconds: float | None = None
    """Of the turn, as the agent measured it."""


class Unknown(TimedPacket):
    """A packet of no known type, kept raw."""

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


def stop_reason_words(stop_reason: str, detail: str = "") -> str:
    """Return why a turn ended; nothing for an ordinary end.

    Parameters
    ----------
    stop_reason
        ACP: stop reason. One that is unknown is shown as it is.
    detail
        The agent's own, finer reason, where it has words of its own.
    """
    words = _STOP_REASONS.get(detail) or _STOP_REASONS.get(stop_reason)
    return f"Ended: {stop_reason}." if words is None else words
