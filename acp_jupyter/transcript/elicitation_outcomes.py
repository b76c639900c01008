"""What became of a question of the agent, in the words that the user sees."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from acp_jupyter.packets.elicitation import ElicitationField
from acp_jupyter.packets.elicitation_secrets import NOT_KEPT
from acp_jupyter.transcript.elicitation_items import ElicitationAnswer

__all__ = ["EXPIRED", "answer_texts", "settled_words"]

EXPIRED = "Expired: the agent stopped"

_ANSWER_CHARS = 2_000


def answer_texts(
    fields: tuple[ElicitationField, ...], content: dict[str, JsonValue]
) -> Iterator[ElicitationAnswer]:
    """Yield what was answered, in the words that the user saw."""
    for field in fields:
        if field.name in content:
            value = content[field.name]
            said = NOT_KEPT if field.secret else _text(field, value)
            yield ElicitationAnswer(name=field.name, label=field.label, text=said)


def _text(field: ElicitationField, value: JsonValue) -> str:
    labels = {choice.value: choice.label for choice in field.choices}
    match value:
        case bool():
            return "Yes" if value else "No"
        case list():
            return ", ".join(labels.get(str(each), str(each)) for each in value) or "None"
        case _:
            words = labels.get(str(value), str(value))
            return words if len(words) <= _ANSWER_CHARS else f"{words[:_ANSWER_CHARS]}…"


def settled_words(by: str) -> str:
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
