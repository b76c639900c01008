"""A question of the agent, ready to draw."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.elicitation import ElicitationField, ElicitationMode

__all__ = ["Elicitation", "ElicitationAnswer", "ElicitationState"]

ElicitationState = Literal["pending", "accepted", "declined", "cancelled", "expired"]


class ElicitationAnswer(Model):
    """What was answered in one field, in words."""

    name: str
    label: str
    text: str


class Elicitation(Model):
    """A form to fill in, or a page to open. ACP: elicitation."""

    kind: Literal["elicitation"] = "elicitation"
    id: str
    turn_id: str | None = None
    request_id: str
    """What an answer names; unique in its session."""
    state: ElicitationState = "pending"
    mode: ElicitationMode = "form"
    title: str
    """Who asks, e.g. ``Question from Demo``."""
    heading: str = ""
    message: str = ""
    description: str = ""
    fields: tuple[ElicitationField, ...] = ()
    url: str = ""
    host: str = ""
    """Where ``url`` really leads to."""
    tool_call_id: str = ""
    answers: tuple[ElicitationAnswer, ...] = ()
    """For the record; secrets are not kept."""
    outcome: str = ""
    """What became of it, in words."""
    answered_by: str = ""
    """Which user has answered, where that is worth telling; in no record."""
    asked_at: float | None = None
