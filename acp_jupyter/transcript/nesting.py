"""What subagents did, below the tool calls that started them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_jupyter.transcript.item_base import StepBase
from acp_jupyter.transcript.items import Item, ToolCall

__all__ = ["nested", "own", "steps_words"]


def own(items: Iterable[Item]) -> list[Item]:
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


def steps_words(steps: Sequence[Item]) -> str:
    """Say how many tool calls these are; nothing of none."""
    count = sum(isinstance(step, ToolCall) for step in steps)
    return f"{count} step{'s' if count > 1 else ''}" if count else ""
