"""Questions that an agent asks its user: a form, or a page to open."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.models import TimedPacket

__all__ = [
    "ElicitationChoice",
    "ElicitationComplete",
    "ElicitationField",
    "ElicitationMode",
    "ElicitationRequest",
    "ElicitationResponse",
    "FieldType",
    "FieldValue",
]

ElicitationMode = Literal["form", "url", "other"]

FieldType = Literal["text", "number", "integer", "boolean", "choice", "choices", "unknown"]

FieldValue = TypeAliasType("FieldValue", str | bool | int | float | tuple[str, ...])
"""What a field can hold."""


class ElicitationChoice(Model):
    """One value of a field that offers some."""

    value: str
    label: str
    description: str = ""


class ElicitationField(Model):
    """A field of a form."""

    name: str
    """As the answer spells it."""
    label: str
    description: str = ""
    type: FieldType = "text"
    """``unknown`` is asked as text."""
    words: str = ""
    """What the user should know of an unknown type."""
    required: bool = False
    secret: bool = False
    """Whether its name says that the answer must not be kept."""
    default: FieldValue | None = None
    choices: tuple[ElicitationChoice, ...] = ()
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    format: str = ""
    """``email``, ``uri``, ``date``, ``date-time``, or one that is not checked."""
    minimum: float | None = None
    maximum: float | None = None
    min_items: int | None = None
    max_items: int | None = None


class ElicitationRequest(TimedPacket):
    """ACP: elicitation/create, the agent's request."""

    type: Literal["elicitation_request"] = "elicitation_request"
    request_id: str
    mode: ElicitationMode = "form"
    message: str = ""
    heading: str = ""
    """Title of the form."""
    description: str = ""
    fields: tuple[ElicitationField, ...] = ()
    url: str = ""
    host: str = ""
    """Where ``url`` really leads to."""
    elicitation_id: str = ""
    tool_call_id: str = ""
    problem: str = ""
    """Why nobody can be asked this; then it is answered with an error."""


class ElicitationResponse(TimedPacket):
    """ACP: elicitation/create, the client's answer; ``error`` where it was none."""

    type: Literal["elicitation_response"] = "elicitation_response"
    request_id: str
    action: Literal["accept", "decline", "cancel", "error"] = "cancel"
    content: dict[str, JsonValue] = Field(default_factory=dict)
    reason: str = ""


class ElicitationComplete(TimedPacket):
    """ACP: elicitation/complete; what was to be done on a page is done."""

    type: Literal["elicitation_complete"] = "elicitation_complete"
    elicitation_id: str
