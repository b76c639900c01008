"""A turn as it is saved in a notebook: one bundle with three faces."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets.base import Model
from acp_jupyter.transcript.events import AgentInfo, TurnState
from acp_jupyter.transcript.items import Item

__all__ = ["TURN_MIME", "Bundle", "TurnSnapshot"]

TURN_MIME = "application/vnd.acp-jupyter.turn+json"


class TurnSnapshot(Model):
    """The value of :data:`TURN_MIME`: a pointer to a turn, and a capped copy.

    Only the server's record of ``turn_id`` gives a view live state and
    controls; the copy is drawn without them.
    """

    version: int = 1
    turn_id: str
    session_id: str
    final: bool
    agent: AgentInfo
    session_title: str = ""
    turn: TurnState
    items: tuple[Item, ...] = ()
    footer: tuple[str, ...] = ()
    """Agent and version, model, mode, policy, files changed, tokens."""


class Bundle(Model):
    """A Jupyter MIME bundle."""

    data: dict[str, JsonValue]
    metadata: dict[str, JsonValue]
