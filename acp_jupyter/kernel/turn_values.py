"""What a turn holds, for reading."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.tool_calls import ToolCalls
from acp_jupyter.transcript.model.items import AgentMessage, Artifact, Plan, PlanEntry, Thought
from acp_jupyter.transcript.model.session_state import Usage
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall
from acp_jupyter.transcript.output.outcomes import own_items, turn_seconds

__all__ = ["TurnValues"]


class TurnValues(ABC):
    """Reads everything from the turn as it is now."""

    _detail: TurnDetail
    """As it was last heard of."""

    @abstractmethod
    def _current(self) -> TurnDetail:
        """Return the turn, brought up to date until it is done."""

    @property
    def id(self) -> str:
        """The turn's id."""
        return self._detail.turn.turn_id

    @property
    def session_id(self) -> str:
        """The id of its session."""
        return self._detail.turn.session_id

    @property
    def text(self) -> str:
        """The agent's answer, Markdown."""
        items = own_items(self._current().items)
        return "\n\n".join(item.text for item in items if isinstance(item, AgentMessage))

    @property
    def thoughts(self) -> str:
        """The agent's reasoning, Markdown."""
        items = own_items(self._current().items)
        return "\n\n".join(item.text for item in items if isinstance(item, Thought))

    @property
    def tool_calls(self) -> ToolCalls:
        """Its tool calls and those of its subagents (``parent_id``), in order.

        A tuple; ``tool_calls.to_frame()`` makes it a DataFrame, ``tool_calls.rows()`` dictionaries.
        """
        return ToolCalls(item for item in self._current().items if isinstance(item, ToolCall))

    @property
    def reported_diffs(self) -> tuple[Diff, ...]:
        """The file changes that the agent reported, made or only proposed."""
        return tuple(diff for call in self.tool_calls for diff in call.diffs)

    @property
    def permissions(self) -> tuple[Permission, ...]:
        """The permission requests and what became of them."""
        return tuple(call.permission for call in self.tool_calls if call.permission is not None)

    @property
    def plan(self) -> tuple[PlanEntry, ...]:
        """The newest plan."""
        plans = [item for item in self._current().items if isinstance(item, Plan)]
        return plans[-1].entries if plans else ()

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """What the agent made for you to look at, in order."""
        return tuple(item for item in self._current().items if isinstance(item, Artifact))

    @property
    def usage(self) -> Usage | None:
        """The session's use of its context, if the agent tells it. ACP: usage_update."""
        return self._current().session.usage

    @property
    def tokens(self) -> int | None:
        """Tokens that this turn took, if the agent tells it."""
        return self._current().turn.tokens

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``requires_action`` or ``done``."""
        return self._current().turn.status

    @property
    def stop_reason(self) -> str | None:
        """How it ended: a stop reason of ACP, or ``error``; None while it runs."""
        return self._current().turn.stop_reason or None

    @property
    def duration(self) -> float | None:
        """Seconds that it ran, so far; None while it is queued."""
        detail = self._current()
        turn = detail.turn
        if turn.started_at is None or turn.ended_at is not None:
            return turn_seconds(turn, detail.items)
        return max(0.0, time.time() - turn.started_at)

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._current().turn.status == "done"
