"""The question whether agents may run in a folder, ready to draw."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model

__all__ = ["TrustRequest", "TrustState"]

TrustState = Literal["pending", "trusted", "declined", "cancelled"]


class TrustRequest(Model):
    """Asked before an agent's first start in a folder. Nothing runs before the answer."""

    kind: Literal["trust_request"] = "trust_request"
    id: str
    turn_id: str | None = None
    request_id: str
    """Unique in its session."""
    state: TrustState = "pending"
    agent_name: str
    folder: str
    """For people: home shortened to ``~``."""
    title: str
    words: str
    """What trusting means."""
    outcome: str = ""
    """What became of it, in words."""
    answered_by: str = ""
    """Which user has answered, where that is worth telling; in no record."""
    asked_at: float | None = None
