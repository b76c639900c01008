"""What an agent has said of a tool call so far, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.packets.content import ToolContent, ToolDiff
from acp_jupyter.packets.models import Location, ToolCallProgress, ToolCallStart
from acp_jupyter.packets.vocabulary import AcpKind

__all__ = ["CallFacts"]


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The newest value of every field that an agent sent (C13)."""

    item_id: str
    title: str = ""
    tool_name: str = "unknown"
    name: str = ""
    acp_kind: AcpKind | None = None
    content: tuple[ToolContent, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None

    def reads_like(self, other: CallFacts) -> bool:
        """Tell whether both give the same words: all but the output and its text is the same."""
        return (
            self.title == other.title
            and self.tool_name == other.tool_name
            and self.name == other.name
            and self.acp_kind == other.acp_kind
            and self.raw_input == other.raw_input
            and self.locations == other.locations
            and not any(isinstance(item, ToolDiff) for item in (*self.content, *other.content))
        )

    def joined(self, packet: ToolCallStart | ToolCallProgress) -> CallFacts:
        """Take a packet in: null keeps a field, a value replaces it whole."""
        known = packet.tool_name != "unknown"
        return CallFacts(
            item_id=self.item_id,
            title=packet.title or self.title,
            tool_name=packet.tool_name if known else self.tool_name,
            name=packet.name or self.name or _bare(packet.title),
            acp_kind=packet.acp_kind or self.acp_kind,
            content=self.content if packet.content is None else packet.content,
            locations=packet.locations
            if "locations" in packet.model_fields_set
            else self.locations,
            raw_input=self.raw_input if packet.raw_input is None else packet.raw_input,
            raw_output=self.raw_output if packet.raw_output is None else packet.raw_output,
        )


def _bare(title: str | None) -> str:
    """Return a first title that is a tool's name; later ones say what was found (C18)."""
    return title if title and title.isidentifier() else ""
