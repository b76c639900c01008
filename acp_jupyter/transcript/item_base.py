"""What every item has."""

from __future__ import annotations

from acp_jupyter.packets.base import Model

__all__ = ["ItemBase", "StepBase"]


class ItemBase(Model):
    """Where an item stands."""

    id: str
    """Unique in its session."""
    turn_id: str | None = None
    """The prompt turn it belongs to; null for what came between turns."""


class StepBase(ItemBase):
    """What an agent does or says itself, or has a subagent do."""

    parent_id: str = ""
    """Id of the tool call item, of the same turn and before this one, whose subagent made it."""
