"""Notes on the agent's questions and on prompts that wait."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.permission_notes import Policy, Rule

__all__ = ["ElicitationSettled", "TurnEdited", "TurnMoved"]


class ElicitationSettled(Model):
    """Who or what answered a question of the agent; written before the answer."""

    note: Literal["elicitation_settled"] = "elicitation_settled"
    request_id: str
    by: Literal["user", "turn_cancelled", "nobody", "agent_exited", "withdrawn", "completed"]
    """``completed``: the agent says that it was done elsewhere."""
    user: str = ""
    """Who answered, as the server knows them."""
    told: str = ""
    """The name that is shown for them."""


class TurnEdited(Model):
    """The text of a prompt was changed before it was sent."""

    note: Literal["turn_edited"] = "turn_edited"
    turn_id: str
    prompt: tuple[dict[str, JsonValue], ...]
    policy: Policy | None = None
    """Where it is another now: a cell had sent the prompt, and a user has changed it."""
    rules: tuple[Rule, ...] | None = None
    """The same."""
    user: str | None = None
    """The same; who answers for it from now on."""


class TurnMoved(Model):
    """A prompt that waits was put before the others."""

    note: Literal["turn_moved"] = "turn_moved"
    turn_id: str
