"""What the user has chosen for this kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_jupyter.protocol.host_events.permissions import Policy

__all__ = ["defaults"]


@dataclass(slots=True)
class _Defaults:
    agent: str = "demo"
    policy: Policy | None = None
    """Of cells that name none; None for that of their session."""
    session_id: str = ""
    """The session that was used last here."""
    labels: set[str] = field(default_factory=set)
    """Names of sessions that cells have used."""
    chosen: dict[tuple[str, str], str] = field(default_factory=dict)
    """Sessions that were taken up by id, by agent and name: cells go on in them."""


defaults = _Defaults()
"""Changed by ``%acp use`` and its like."""
