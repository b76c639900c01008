"""Answers to the questions of agents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from acp_jupyter.packets.base import Model

__all__ = ["AnswerElicitation"]


class AnswerElicitation(Model):
    """Answer a question of the agent, once. ACP: elicitation/create."""

    name: Literal["answer_elicitation"] = "answer_elicitation"
    session_id: str
    request_id: str
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, JsonValue] = Field(default_factory=dict)
    """Of an accepted form, by field name."""
