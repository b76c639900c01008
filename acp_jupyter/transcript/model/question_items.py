"""Questions to the user, ready to draw: elicitations of an agent, and whether a folder is trusted.

Here are also the words for what became of an elicitation. Permission requests are a state of their
tool call, see `tool_items`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.protocol.elicitation import ElicitationField, ElicitationMode
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.elicitation import WITHHELD

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


EXPIRED = "Expired: the agent stopped"

_ANSWER_CHARS = 2_000


def answer_texts(
    fields: tuple[ElicitationField, ...], content: dict[str, JsonValue]
) -> Iterator[ElicitationAnswer]:
    """Yield what was answered, in the words that the user saw."""
    for field in fields:
        if field.name in content:
            value = content[field.name]
            said = WITHHELD if field.secret else _answer_text(field, value)
            yield ElicitationAnswer(name=field.name, label=field.label, text=said)


def _answer_text(field: ElicitationField, value: JsonValue) -> str:
    labels = {choice.value: choice.label for choice in field.choices}
    match value:
        case bool():
            return "Yes" if value else "No"
        case list():
            return ", ".join(labels.get(str(each), str(each)) for each in value) or "None"
        case _:
            words = labels.get(str(value), str(value))
            return words if len(words) <= _ANSWER_CHARS else f"{words[:_ANSWER_CHARS]}…"


def unanswered_words(by: str) -> str:
    """Say why a question got no answer of its user."""
    match by:
        case "turn_cancelled":
            return "Not answered: turn stopped"
        case "nobody":
            return "Nobody could be asked, so this was not answered."
        case "withdrawn":
            return "Withdrawn by the agent"
        case "completed":
            return "Not needed any more: it was done elsewhere"
        case _:
            return "Dismissed"
