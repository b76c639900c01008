"""Elicitation: an agent's questions to its user, as packets and form fields.

Each field of a form is one property of a JSON schema. A form that can't be shown says why.
"""

from __future__ import annotations

import math
import re
from typing import Literal, assert_never

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import Model, Obj, count, first, items, obj, text
from acp_jupyter.protocol.packets import TimedPacket

ElicitationMode = Literal["form", "url", "other"]

FieldType = Literal["text", "number", "integer", "boolean", "choice", "choices", "unknown"]

FieldValue = TypeAliasType("FieldValue", str | bool | int | float | tuple[str, ...])
"""The value of a field."""


class ElicitationChoice(Model):
    """One of the values that a field offers."""

    value: str
    label: str
    description: str = ""


class ElicitationField(Model):
    """A field of a form."""

    name: str
    """The field's key in the answer."""
    label: str
    description: str = ""
    type: FieldType = "text"
    """``unknown`` is shown as a text field."""
    words: str = ""
    """What to tell the user about an unknown type."""
    required: bool = False
    secret: bool = False
    """Whether the field's name suggests that the answer is a secret, which must not be stored."""
    default: FieldValue | None = None
    choices: tuple[ElicitationChoice, ...] = ()
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    format: str = ""
    """``email``, ``uri``, ``date``, ``date-time``, or a format that is not checked."""
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
    """The host that ``url`` really leads to."""
    elicitation_id: str = ""
    tool_call_id: str = ""
    problem: str = ""
    """Why the user can't be asked this; it is then answered with an error."""


class ElicitationResponse(TimedPacket):
    """ACP: elicitation/create, the client's answer; ``error`` if the answer was an error."""

    type: Literal["elicitation_response"] = "elicitation_response"
    request_id: str
    action: Literal["accept", "decline", "cancel", "error"] = "cancel"
    content: dict[str, JsonValue] = Field(default_factory=dict)
    reason: str = ""


class ElicitationComplete(TimedPacket):
    """ACP: elicitation/complete: the user has finished on the page."""

    type: Literal["elicitation_complete"] = "elicitation_complete"
    elicitation_id: str


_NAME_CHARS = 500
_WORDS_CHARS = 4_000
_DEFAULT_CHARS = 100_000
_CHOICES = 1_000
_SECRET = re.compile(
    r"pass[\W_]*(?:word|phrase|code)|passwd|secret|token|credential|api[\W_]*key"
    r"|private[\W_]*key|access[\W_]*key|(?:^|[\W_])(?:pwd|pin|otp|cvv)(?:$|[\W_])",
    re.IGNORECASE,
)
_TYPES: dict[str, FieldType] = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "array": "choices",
}


def read_field(name: str, raw: Obj, *, required: bool) -> ElicitationField | str:
    """Return a field, or why the user can't be asked for it."""
    if len(name) > _NAME_CHARS:
        return f"A field's name is longer than {_NAME_CHARS} characters."
    kind = _kind(raw.get("type"))
    source = obj(raw.get("items")) if kind == "array" else raw
    choices = _choices(source)
    if len(choices) > _CHOICES:
        return f"The field {name[:80]!r} offers more than {_CHOICES} choices."
    type_ = _field_type(kind, choices)
    label = text(raw.get("title")) or _title_of(name)
    words = "" if type_ != "unknown" else _unknown_text(kind)
    hidden = raw.get("writeOnly") is True or raw.get("format") == "password"
    return ElicitationField(
        name=name,
        label=label[:_NAME_CHARS],
        description=text(raw.get("description"))[:_WORDS_CHARS],
        type=type_,
        words=words,
        required=required,
        secret=hidden or _SECRET.search(f"{name}\n{label}") is not None,
        default=_default(type_, raw.get("default"), choices),
        choices=choices if type_ in {"choice", "choices"} else (),
        min_length=count(first(raw, "minLength", "min_length")),
        max_length=count(first(raw, "maxLength", "max_length")),
        pattern=text(raw.get("pattern"))[:_WORDS_CHARS],
        format=text(raw.get("format"))[:40],
        minimum=_bound(raw.get("minimum")),
        maximum=_bound(raw.get("maximum")),
        min_items=count(first(raw, "minItems", "min_items")),
        max_items=count(first(raw, "maxItems", "max_items")),
    )


def _kind(value: JsonValue) -> str:
    """Return the type; if several are allowed, the first known one."""
    if isinstance(value, list):
        names = [name for name in value if isinstance(name, str)]
        return next((name for name in names if name in _TYPES), "")
    return text(value)


def _field_type(kind: str, choices: tuple[ElicitationChoice, ...]) -> FieldType:
    if kind in {"string", ""} and choices:
        return "choice"
    if kind == "array" and not choices:
        return "unknown"
    return _TYPES.get(kind, "unknown")


def _unknown_text(kind: str) -> str:
    named = f" ({kind[:40]})" if kind else ""
    return f"The agent wants a kind of answer that is not known here{named}. It is sent as text."


def _choices(raw: Obj) -> tuple[ElicitationChoice, ...]:
    listed = items(first(raw, "oneOf", "one_of", "anyOf", "any_of"))
    if listed:
        found = [_choice(obj(each)) for each in listed]
    else:
        names = items(raw.get("enumNames"))
        found = [
            ElicitationChoice(
                value=value,
                label=(text(names[i]) if i < len(names) else "") or value,
            )
            for i, value in enumerate(items(raw.get("enum")))
            if isinstance(value, str)
        ]
    unique = {choice.value: choice for choice in found if choice is not None}
    return tuple(unique.values())


def _choice(raw: Obj) -> ElicitationChoice | None:
    value = raw.get("const")
    if not isinstance(value, str):
        return None
    return ElicitationChoice(
        value=value,
        label=(text(raw.get("title")) or value)[:_NAME_CHARS],
        description=text(raw.get("description"))[:_WORDS_CHARS],
    )


def _default(
    kind: FieldType, value: JsonValue, choices: tuple[ElicitationChoice, ...]
) -> FieldValue | None:
    """Return the initial value; one of the wrong type is ignored."""
    offered = {choice.value for choice in choices}
    match kind:
        case "text" | "unknown":
            return text(value)[:_DEFAULT_CHARS] or None
        case "choice":
            return value if isinstance(value, str) and value in offered else None
        case "choices":
            chosen = [each for each in items(value) if isinstance(each, str) and each in offered]
            return tuple(dict.fromkeys(chosen)) or None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "integer" | "number":
            if isinstance(value, bool) or not isinstance(value, int | float):
                return None
            return value if kind == "number" or float(value).is_integer() else None
        case _:
            assert_never(kind)


def _bound(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        bound = float(value)
    except OverflowError:
        return None
    return bound if math.isfinite(bound) else None


def _title_of(name: str) -> str:
    """Return a name for people: ``max_depth`` as ``Max depth``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-]+", " ", name).strip()
    return words[:1].upper() + words[1:] if words else name
