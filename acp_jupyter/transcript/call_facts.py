"""What an agent has said of a tool call so far, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.packets.content import ToolContent
from acp_jupyter.packets.models import Location, ToolCallProgress, ToolCallStart
from acp_jupyter.packets.vocabulary import AcpKind

__all__ = ["CallFacts"]


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The newest value of every field that an agent sent (C13)."""

    title: str = ""
    tool_name: str = "unknown"
    name: str = ""
    acp_kind: AcpKind | None = None
    content: tuple[ToolContent, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None

    def joined(self, packet: ToolCallStart | ToolCallProgress) -> CallFacts:
        """Take a packet in: null keeps a field, a value replaces it whole."""
        known = packet.tool_name != "unknown"
        return CallFacts(
            title=packet.title or self.title,
            tool_name=packet.tool_name if known else self.tool_name,
            name=packet.name or self.name,
            acp_kind=packet.acp_kind or self.acp_kind,
            content=self.content if packet.content is None else packet.content,
            locations=packet.locations
            if "locations" in packet.model_fields_set
            else self.locations,
            raw_input=self.raw_input if packet.raw_input is None else packet.raw_input,
            raw_output=self.raw_output if packet.raw_output is None else packet.raw_output,
        )
