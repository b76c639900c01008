"""Plain text that all outputs share: outcomes, times and durations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple, assert_never

from acp_jupyter.transcript.model.items import Item, Thought, TurnEnd, UserMessage
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.diff_text import line_counts

ANSWERED = (
    "What it asks can be answered in the panel of a JupyterLab that has acp-jupyter, on the same "
    "server."
)
ELSEWHERE = (
    f"The turn goes on in the Jupyter server, in session {{session}}. {ANSWERED} Interrupting the "
    "kernel stops it."
)
"""Shown below a waiting cell whose page can't draw the turn; names the session."""


def outcome_facts(call: ToolCall) -> list[str]:
    """Return the outcome of a call: lines changed, permission, exit code, status."""
    facts = [line_counts(diff) for diff in call.diffs]
    permission = call.permission
    if permission is not None:
        facts.append(permission.outcome or "Waiting for an answer")
    if call.exit_code is not None:
        facts.append(f"exit code {call.exit_code}")
    refused = permission is not None and permission.state not in {"pending", "allowed"}
    if call.status in {"failed", "cancelled"} and not refused:
        facts.append(call.status)
    if call.background:
        facts.append("goes on in the background")
    if call.wall is not None:
        facts.append(call.wall.words)
    return [fact for fact in facts if fact]


def other_details(call: ToolCall) -> list[tuple[str, str]]:
    """Return the other fields of a call's permission request, by name."""
    permission = call.permission
    if permission is None:
        return []
    folder = [("Folder", permission.folder)] if permission.folder else []
    cautions = [("Caution", words) for words in permission.cautions]
    return [*cautions, *folder, *((detail.name, detail.value) for detail in permission.details)]


class ItemTime(NamedTuple):
    """When something happened to an item; in UTC, as exports may be read anywhere."""

    name: str
    iso: str
    words: str


def item_times(item: Item) -> list[ItemTime]:
    """Return when an item was sent, or began and ended, as far as known."""
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
    """Return how long a turn took: as its agent reports, else as measured."""
    for item in items:
        if isinstance(item, TurnEnd) and item.duration_seconds is not None:
            return item.duration_seconds
    if turn.started_at is None or turn.ended_at is None:
        return None
    return max(0.0, turn.ended_at - turn.started_at)


def duration_text(seconds: float | None) -> str:
    """Return a duration as the page writes it; empty below a tenth of a second."""
    if seconds is None or not 0.1 <= seconds < math.inf:
        return ""
    if seconds < 9.95:
        return f"{math.floor(seconds * 10 + 0.5) / 10:g}s"
    minutes, whole = divmod(math.floor(seconds + 0.5), 60)
    if minutes < 60:
        return f"{minutes}m {whole:02}s" if minutes else f"{whole}s"
    return f"{minutes // 60}h {minutes % 60:02}m"


def running_text(turn: TurnState) -> str:
    """Return what a turn is doing, in words; empty if it is done."""
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
