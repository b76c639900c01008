"""Closed vocabularies of packets: kinds, tool names, statuses, priorities; and their readers.

A reader takes any value: a word of another dialect becomes the protocol's closest word, or None.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

PacketType = Literal[
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call_start",
    "tool_call_progress",
    "agent_plan_update",
    "prompt_response",
    "artifact_created",
    "error",
    "unknown",
]
"""Onyx's packet types; `Packet` has more."""

ToolName = Literal[
    "glob",
    "grep",
    "read",
    "write",
    "edit",
    "bash",
    "task",
    "todowrite",
    "webfetch",
    "websearch",
    "unknown",
]
"""Onyx's tool names; the tool table may have more."""

SEED_TOOL_NAMES: frozenset[str] = frozenset(ToolName.__args__)  # type: ignore[attr-defined]

UiKind = Literal["search", "read", "execute", "edit", "task", "other"]
"""Kinds for views, coarser than the protocol's."""

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

ToolStatus = Literal["pending", "in_progress", "completed", "failed", "cancelled"]
"""The protocol's four, and ``cancelled``, which the client sets when it stops a turn."""

StepStatus = Literal["pending", "in_progress", "completed"]
Priority = Literal["high", "medium", "low"]

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
"""The protocol's ten kinds, and two words of older agents for them."""

_STATUSES: dict[str, ToolStatus] = {
    "pending": "pending",
    "todo": "pending",
    "inprogress": "in_progress",
    "running": "in_progress",
    "active": "in_progress",
    "completed": "completed",
    "complete": "completed",
    "done": "completed",
    "success": "completed",
    "succeeded": "completed",
    "failed": "failed",
    "failure": "failed",
    "error": "failed",
    "cancelled": "cancelled",
    "canceled": "cancelled",
}
"""All words for a status, in lower case without separators."""

_STEPS: dict[str, StepStatus] = {"in_progress": "in_progress", "completed": "completed"}

_PRIORITIES: dict[str, Priority] = {"high": "high", "low": "low"}


Unasked = Literal["", "edits", "judged", "all"]
"""What an agent does without asking in a permissive mode; the most permissive comes last."""

_UNASKED: dict[str, Unasked] = {
    "acceptedits": "edits",
    "autoedit": "edits",
    "workspacewrite": "edits",
    "workspaceaccess": "edits",
    "auto": "judged",
    "autoreview": "judged",
    "agentfullaccess": "all",
    "autoapprove": "all",
    "autopilot": "all",
    "allowall": "all",
    "bypass": "all",
    "bypasspermissions": "all",
    "dangerfullaccess": "all",
    "fullaccess": "all",
    "fullauto": "all",
    "unrestricted": "all",
    "yolo": "all",
}
"""Modes of known agents by id or name, in lower case without separators and spaces."""

UNASKED_WORDS: dict[Unasked, str] = {
    "edits": "edits files without asking",
    "judged": "decides itself what to ask",
    "all": "asks about nothing",
}


def read_unasked(*words: str) -> Unasked:
    """Return the most that modes with these ids and names do without asking, if known."""
    found = (_UNASKED.get(_folded(word)) for word in words)
    order = get_args(Unasked)
    return max((each or "" for each in found), key=order.index, default="")


_ASKING = ("default", "manual", "ask", "askfirst", "alwaysask", "normal", "readonly")
"""Modes in which known agents ask about every change, the best first; spelled as above."""


_LONGEST_WORD = 100


def asking_mode(modes: Iterable[tuple[str, str]]) -> str | None:
    """Return the mode, of these ids and names, in which an agent asks; None if unknown."""
    known = (each for each in modes if not read_unasked(*each))
    asking = {word: mode_id for mode_id, name in known for word in map(_folded, (name, mode_id))}
    return next((asking[word] for word in _ASKING if word in asking), None)


def _folded(word: str) -> str:
    """Return the letters of a word that may be a known one; empty for a longer text."""
    if len(word) > _LONGEST_WORD:
        return ""
    return "".join(filter(str.isalnum, word.lower()))


def read_acp_kind(value: object) -> AcpKind | None:
    """Read a tool kind: an unknown word is ``other``, nothing is None."""
    return ACP_KINDS.get(value, "other") if isinstance(value, str) and value else None


def read_status(value: object) -> ToolStatus | None:
    """Read a tool call's status in any dialect; None if it is unknown."""
    if not isinstance(value, str):
        return None
    return _STATUSES.get(value.lower().replace("_", "").replace("-", ""))


def normalize_todo_status(value: object) -> StepStatus:
    """Read the status of a todo or plan entry; an unknown one is pending."""
    return _STEPS.get(value, "pending") if isinstance(value, str) else "pending"


def read_priority(value: object) -> Priority:
    """Read a priority: a word, or a number from 1 for high to 3 and more for low."""
    if isinstance(value, str):
        return _PRIORITIES.get(value, "medium")
    if isinstance(value, bool) or not isinstance(value, int):
        return "medium"
    return "high" if value <= 1 else "medium" if value == 2 else "low"
