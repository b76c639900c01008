"""Checks the answers to an elicitation's form; the page's own checks do not count."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Annotated, assert_never
from urllib.parse import urlsplit

from pydantic import JsonValue, StringConstraints, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from acp_jupyter.errors import InvalidAnswers
from acp_jupyter.protocol.elicitation import ElicitationField

_TEXT_CHARS = 100_000
_INTEGER_DIGITS = 300


def checked_answers(
    fields: tuple[ElicitationField, ...], given: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return the answers for the agent, without empty ones.

    Parameters
    ----------
    fields
        The form's fields.
    given
        Answers by field name. Numbers may be text, as users type them.

    Raises
    ------
    InvalidAnswers
        Some answers do not fit their fields.
    """
    answers: dict[str, JsonValue] = {}
    wrong = {name[:80]: "The form has no such field." for name in given.keys() - _names(fields)}
    for field in fields:
        value = given.get(field.name)
        try:
            if value is None or value == "" or (value == [] and not field.required):
                if field.required:
                    raise _Wrong("Needs an answer.")  # noqa: TRY301 - one place tells of all
                continue
            answers[field.name] = _checked(field, value)
        except _Wrong as error:
            wrong[field.name] = str(error)
    if wrong:
        labels = {field.name: field.label for field in fields}
        words = " ".join(f"{labels.get(name, name)}: {why}" for name, why in wrong.items())
        raise InvalidAnswers(f"Nothing was sent. {words[:1000]}", fields=wrong)
    return answers


class _Wrong(Exception):
    """An answer that does not fit; the message says why."""


def _names(fields: tuple[ElicitationField, ...]) -> set[str]:
    return {field.name for field in fields}


def _checked(field: ElicitationField, value: JsonValue) -> JsonValue:
    match field.type:
        case "text" | "unknown":
            return _text(field, value)
        case "number" | "integer":
            return _number(field, value)
        case "boolean":
            if not isinstance(value, bool):
                raise _Wrong("Must be yes or no.")
            return value
        case "choice":
            if value not in [choice.value for choice in field.choices]:
                raise _Wrong("Choose one of those offered.")
            return value
        case "choices":
            return _several(field, value)
        case _:
            assert_never(field.type)


def _text(field: ElicitationField, value: JsonValue) -> str:
    if not isinstance(value, str):
        raise _Wrong("Must be text.")
    if len(value) > _TEXT_CHARS:
        raise _Wrong(f"Is longer than {_TEXT_CHARS} characters.")
    if field.min_length is not None and len(value) < field.min_length:
        raise _Wrong(f"Must have at least {field.min_length} characters.")
    if field.max_length is not None and len(value) > field.max_length:
        raise _Wrong(f"Must have at most {field.max_length} characters.")
    if field.pattern and not _matches(field.pattern, value):
        raise _Wrong(f"Must match the pattern {field.pattern[:200]}")
    check = _FORMATS.get(field.format)
    if check is not None and not check[0](value):
        raise _Wrong(check[1])
    return value


def _matches(pattern: str, value: str) -> bool:
    """Search as JSON Schema does, in time linear in the text, whatever the agent's pattern is.

    A pattern that this needs more than that for (look-ahead, references back), or that is none,
    is left to the agent to check.
    """
    adapter = _pattern(pattern)
    if adapter is None:
        return True
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=100)
def _pattern(pattern: str) -> TypeAdapter[str] | None:
    try:
        return TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])
    except SchemaError:
        return None


def _number(field: ElicitationField, value: JsonValue) -> int | float:
    if isinstance(value, str):
        value = _parsed(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Wrong("Must be a number.")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Wrong("Must be a number.")
    if field.type == "integer":
        if isinstance(value, float) and not value.is_integer():
            raise _Wrong("Must be a whole number.")
        value = int(value)
    if field.minimum is not None and value < field.minimum:
        raise _Wrong(f"Must be at least {field.minimum:g}.")
    if field.maximum is not None and value > field.maximum:
        raise _Wrong(f"Must be at most {field.maximum:g}.")
    return value


def _parsed(written: str) -> int | float:
    if len(written) > _INTEGER_DIGITS:
        raise _Wrong("Must be a number.")
    try:
        return int(written) if re.fullmatch(r"[+-]?[0-9]+", written) else float(written)
    except ValueError:
        raise _Wrong("Must be a number.") from None


def _several(field: ElicitationField, value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _Wrong("Must be a list of choices.")
    offered = {choice.value for choice in field.choices}
    if any(each not in offered for each in value):
        raise _Wrong("Choose from those offered.")
    chosen = list(dict.fromkeys(value))
    if field.min_items is not None and len(chosen) < field.min_items:
        raise _Wrong(f"Choose at least {field.min_items}.")
    if field.max_items is not None and len(chosen) > field.max_items:
        raise _Wrong(f"Choose at most {field.max_items}.")
    return chosen


def _is_email(value: str) -> bool:
    name, _, host = value.rpartition("@")
    return bool(name and host) and not re.search(r"[\s@<>()]", name + host)


def _is_uri(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", value)


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value) is not None


def _is_moment(value: str) -> bool:
    """RFC 3339: with an offset from UTC."""
    try:
        return "T" in value.upper() and datetime.fromisoformat(value.upper()).tzinfo is not None
    except ValueError:
        return False


_FORMATS = {
    "email": (_is_email, "Must be an e-mail address."),
    "uri": (_is_uri, "Must be an address such as https://example.org."),
    "date": (_is_date, "Must be a date such as 2026-03-01."),
    "date-time": (_is_moment, "Must be a time such as 2026-03-01T12:00:00Z."),
}
