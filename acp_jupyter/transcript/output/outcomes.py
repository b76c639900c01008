"""Facts that every output tells of items and turns: outcome, times, duration, subagents' steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, assert_never

from acp_jupyter.transcript.model.item_base import StepBase
from acp_jupyter.transcript.model.items import Item, Thought, TurnEnd, UserMessage
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.plain_text import line_counts


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


def other_details(call: ToolCall) -> list[tuple[str, str]]:
    """Return what a call's request says beside its command or paths, by name."""
    permission = call.permission
    if permission is None:
        return []
    folder = [("Folder", permission.folder)] if permission.folder else []
    return [*folder, *((detail.name, detail.value) for detail in permission.details)]


class ItemTime(NamedTuple):
    """When something happened to an item; in UTC, since what is exported may be read anywhere."""

    name: str
    iso: str
    words: str


def item_times(item: Item) -> list[ItemTime]:
    """Return when an item was sent, or began and ended; nothing where unknown."""
    match item:
        case UserMessage():
            named = [("Sent", item.at)]
        case ToolCall() | Thought():
            named = [("Started", item.started_at), ("ended", item.ended_at)]
        case _:
            named = []
    return [ItemTime(name, *_moment(at)) for name, at in named if at is not None and at > 0]


def _moment(seconds: float) -> tuple[str, str]:
    try:
        at = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return "", "at an unknown time"
    return f"{at.isoformat(timespec='milliseconds')}Z", f"{at:%Y-%m-%d %H:%M:%S} UTC"


def turn_seconds(turn: TurnState, items: Iterable[Item]) -> float | None:
    """Return how long a turn took: what its end tells, else what was measured."""
    for item in items:
        if isinstance(item, TurnEnd) and item.duration_seconds is not None:
            return item.duration_seconds
    if turn.started_at is None or turn.ended_at is None:
        return None
    return max(0.0, turn.ended_at - turn.started_at)


def duration_words(seconds: float | None) -> str:
    """Say how long something took, as the page does; empty below a tenth of a second."""
    if seconds is None or not 0.1 <= seconds < math.inf:
        return ""
    if seconds < 9.95:
        return f"{math.floor(seconds * 10 + 0.5) / 10:g}s"
    minutes, whole = divmod(math.floor(seconds + 0.5), 60)
    if minutes < 60:
        return f"{minutes}m {whole:02}s" if minutes else f"{whole}s"
    return f"{minutes // 60}h {minutes % 60:02}m"


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


def own_items(items: Iterable[Item]) -> list[Item]:
    """Return what the agent did itself."""
    return [item for item, _ in nested(items)]


def nested(items: Iterable[Item]) -> list[tuple[Item, tuple[Item, ...]]]:
    """Return the agent's own items, each with all that was done for it, in order.

    Every item is there once: below the outermost call that it was done for, or by itself where
    that call is not there before it. A record may have left calls out, and may be anybody's.
    """
    top: list[Item] = []
    steps: dict[str, list[Item]] = {}
    outermost: dict[str, str] = {}
    for item in items:
        root = outermost.get(item.parent_id) if isinstance(item, StepBase) else None
        if isinstance(item, ToolCall):
            outermost[item.id] = item.id if root is None else root
        if root is None:
            top.append(item)
        else:
            steps.setdefault(root, []).append(item)
    # An id that is there twice has its steps once.
    return [(item, tuple(steps.pop(item.id, ()))) for item in top]


def step_count_words(steps: Sequence[Item]) -> str:
    """Say how many tool calls these are; nothing of none."""
    count = sum(isinstance(step, ToolCall) for step in steps)
    return f"{count} step{'s' if count > 1 else ''}" if count else ""
