"""`Model`, the base of every typed object, and readers for the fields of untyped JSON objects.

The readers never raise: a field of another type reads as one that is absent.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue


class Model(BaseModel):
    """Frozen, closed, and generating TypeScript with required tags and field docs."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
        use_attribute_docstrings=True,
    )


Obj = dict[str, JsonValue]


def obj(value: JsonValue) -> Obj:
    """Return an object as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: JsonValue) -> list[JsonValue]:
    """Return a list as it is, anything else as an empty one."""
    return value if isinstance(value, list) else []


def text(value: JsonValue) -> str:
    """Return a string as it is, anything else as nothing."""
    return value if isinstance(value, str) else ""


def text_or_none(value: JsonValue) -> str | None:
    """Return a string that says something."""
    return value if isinstance(value, str) and value else None


def flag(value: JsonValue) -> bool:
    """Tell whether a value is true, and not merely truthy."""
    return value is True


def count(value: JsonValue) -> int | None:
    """Return an integer that is not negative."""
    return number(value) if isinstance(value, int | float) and value >= 0 else None


def number(value: JsonValue) -> int | None:
    """Return an integer, written as one or not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def first(source: Obj, *keys: str) -> JsonValue:
    """Return the value of the first of ``keys`` that is there and not null."""
    for key in keys:
        value = source.get(key)
        if value is not None:
            return value
    return None
