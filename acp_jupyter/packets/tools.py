"""One row per tool that agents are known to have (S5.5, S5.18 to S5.23)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ACP_KINDS", "KIND_TITLES", "TOOLS", "ToolRow", "find_tool"]

UiKind = Literal["search", "read", "execute", "edit", "task", "other"]
AcpKind = Literal[
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
]

ACP_KINDS: dict[str, AcpKind] = {
    "read": "read",
    "edit": "edit",
    "write": "edit",
    "delete": "delete",
    "move": "move",
    "search": "search",
    "execute": "execute",
    "command": "execute",
    "think": "think",
    "fetch": "fetch",
    "switch_mode": "switch_mode",
    "other": "other",
}
"""The protocol's ten kinds, and the seeds' two more (C5)."""

KIND_TITLES: dict[AcpKind, str] = {
    "read": "Reading file",
    "edit": "Editing file",
    "delete": "Deleting file",
    "move": "Moving file",
    "search": "Searching files",
    "execute": "Running command",
    "think": "Thinking",
    "fetch": "Fetching web content",
    "switch_mode": "Switching mode",
    "other": "Running tool",
}


@dataclass(frozen=True, slots=True)
class ToolRow:
    """What is known of a tool by its name."""

    name: str
    acp_kind: AcpKind
    ui_kind: UiKind
    title: str


TOOLS: dict[str, ToolRow] = {
    row.name: row
    for row in (
        ToolRow("glob", "search", "search", "Searching files"),
        ToolRow("grep", "search", "search", "Searching content"),
        ToolRow("read", "read", "read", "Reading file"),
        ToolRow("write", "edit", "edit", "Writing file"),
        ToolRow("edit", "edit", "edit", "Editing file"),
        ToolRow("bash", "execute", "execute", "Running command"),
        ToolRow("task", "think", "task", "Running task"),
        ToolRow("todowrite", "other", "other", "Updating todos"),
        ToolRow("webfetch", "fetch", "other", "Fetching web content"),
        ToolRow("websearch", "search", "other", "Searching web"),
    )
}

_ALIASES = {"todo_write": "todowrite"}


def find_tool(name: str | None) -> ToolRow | None:
    """Find a tool's row by any spelling of its name."""
    if not name:
        return None
    lowered = name.strip().lower()
    return TOOLS.get(_ALIASES.get(lowered, lowered))
