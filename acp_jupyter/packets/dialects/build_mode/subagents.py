"""What subagents say, as steps: the dialect's output is the agent's own answer."""

from __future__ import annotations

from datetime import datetime

from acp_jupyter.packets.content import OtherBlock
from acp_jupyter.packets.dialects.build_mode.base import moment_of
from acp_jupyter.packets.dialects.build_mode.content import build_content
from acp_jupyter.packets.dialects.build_mode.models import (
    BuildPacket,
    StepDeltaPacket,
    StepEndPacket,
    StepStartPacket,
)
from acp_jupyter.packets.models import AgentMessageChunk, AgentThoughtChunk
from acp_jupyter.packets.vocabulary import ToolStatus

__all__ = ["SubagentSteps"]

_MOST_OPEN = 1000


class SubagentSteps:
    """One step for each tool call whose subagent speaks; it ends with the call.

    They may be open at once, beside the agent's own text: each piece names its step (S3.5).
    """

    def __init__(self) -> None:
        self._open: dict[str, None] = {}

    def text(self, chunk: AgentMessageChunk | AgentThoughtChunk, name: str) -> list[BuildPacket]:
        """Return a piece of text, in the step of its tool call."""
        step_id, at = chunk.parent_id, moment_of(chunk)
        block = chunk.block
        delta = StepDeltaPacket(
            step_id=step_id,
            content=chunk.text,
            content_block=build_content(block) if isinstance(block, OtherBlock) else None,
            timestamp=at,
        )
        if step_id in self._open:
            return [delta]
        if len(self._open) >= _MOST_OPEN:
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
        """Return the ends of those that the turn leaves open."""
        return [end for call_id in [*self._open] for end in self.end(call_id, "cancelled", at)]
