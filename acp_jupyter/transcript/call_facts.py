"""What an agent has said of a tool call so far, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import JsonValue

from acp_jupyter.packets.content import ToolDiff
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
    parent_id: str = ""
    has_content: bool = False
    diffs: tuple[ToolDiff, ...] = ()
    """Of the newest content; its text is the item's output."""
    locations: tuple[Location, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None

    def reads_like(self, other: CallFacts) -> bool:
        """Tell whether both give the same words: all but the output is the same."""
        if self is other:
            return True
        as_other = replace(self, raw_output=other.raw_output, has_content=other.has_content)
        return not self.diffs and as_other == other

    def joined(self, packet: ToolCallStart | ToolCallProgress) -> CallFacts:
        """Take a packet in: null keeps a field, a value replaces it whole."""
        changes: dict[str, object] = {}
        if packet.title is not None and packet.title != self.title:
            changes["title"] = packet.title
        if packet.tool_name not in {"unknown", self.tool_name}:
            changes["tool_name"] = packet.tool_name
        name = packet.name or self.name or _bare(packet.title)
        if name != self.name:
            changes["name"] = name
        if packet.acp_kind is not None and packet.acp_kind != self.acp_kind:
            changes["acp_kind"] = packet.acp_kind
        if packet.parent_id:
            changes["parent_id"] = packet.parent_id
        if packet.content is not None:
            changes |= self._content(packet)
        if "locations" in packet.model_fields_set and packet.locations != self.locations:
            changes["locations"] = packet.locations
        if packet.raw_input is not None and packet.raw_input != self.raw_input:
            changes["raw_input"] = packet.raw_input
        if packet.raw_output is not None:
            changes["raw_output"] = packet.raw_output
        return replace(self, **changes) if changes else self  # type: ignore[arg-type]

    def _content(self, packet: ToolCallStart | ToolCallProgress) -> dict[str, object]:
        diffs = tuple(item for item in packet.content or () if isinstance(item, ToolDiff))
        if self.has_content and diffs == self.diffs:
            return {}
        return {"has_content": True, "diffs": diffs}


def _bare(title: str | None) -> str:
    """Return a first title that is a tool's name; later ones say what was found (C18)."""
    return title if title and title.isidentifier() else ""
