"""Turns of agents that use what the protocol's own Python SDK helps them with."""

from __future__ import annotations

from acp.contrib.tool_calls import ToolCallTracker
from acp.schema import ToolCallProgress, ToolCallStart

from tests.support.transcript.traffic import Script

__all__ = ["Told"]


class Told(Script):
    """One such turn."""

    def __init__(self) -> None:
        super().__init__(cwd="/ws")
        self.turn()
        self.tracker = ToolCallTracker()

    def send(self, update: ToolCallStart | ToolCallProgress) -> None:
        raw = update.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.update(raw.pop("sessionUpdate"), **raw)
