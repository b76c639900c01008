"""What every item has."""

from __future__ import annotations

from acp_jupyter.packets.base import Model

__all__ = ["ItemBase"]


class ItemBase(Model):
    """Where an item stands."""

    id: str
    """Unique in its session."""
    turn_id: str | None = None
    """The prompt turn it belongs to; null for what came between turns."""
