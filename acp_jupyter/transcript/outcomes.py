"""What became of tool calls and turns, in a few words."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.transcript.diff_text import line_counts
from acp_jupyter.transcript.items import ToolCall
from acp_jupyter.transcript.session_state import TurnState

__all__ = ["asked_beside", "outcome_facts", "running_words"]


def outcome_facts(call: ToolCall) -> list[str]:
    """Return what became of a call: lines changed, permission, exit code, status."""
    facts = [line_counts(diff) for diff in call.diffs]
    permission = call.permission
    if permission is not None:
        facts.append(permission.outcome or "Waiting for an answer")
    if call.exit_code is not None:
        facts.append(f"exit code {call.exit_code}")
    refused = permission is not None and permission.state not in {"pending", "allowed"}
    if call.status in {"failed", "cancelled"} and not refused:
        facts.append(call.status)
    return [fact for fact in facts if fact]


def asked_beside(call: ToolCall) -> list[tuple[str, str]]:
    """Return what a call's request says beside its command or paths, by name."""
    permission = call.permission
    if permission is None:
        return []
    folder = [("Folder", permission.folder)] if permission.folder else []
    return [*folder, *((detail.name, detail.value) for detail in permission.details)]


def running_words(turn: TurnState) -> str:
    """Say what a turn is doing; nothing for one that is done."""
    match turn.status:
        case "queued":
            return "Queued. The turn runs when the one before it has ended."
        case "requires_action":
            return "Waiting for your answer."
        case "running":
            return "Turn running…"
        case "done":
            return ""
        case _:
            assert_never(turn.status)
