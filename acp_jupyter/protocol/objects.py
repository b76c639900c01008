"""`Model`, the base of all typed objects, and readers for fields of untyped JSON objects.

`misfits` describes in plain words what does not fit a model.

The readers never raise: a field of the wrong type reads as absent.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

_building = threading.RLock()


class Model(BaseModel):
    """Frozen, without extra fields, and with required tags in the generated TypeScript.

    Its validator is built when it is first used: at import, all of them take a third of a second.

    Field docstrings are read only when TypeScript is generated: see `scripts/gen_types.py`.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def model_rebuild(
        cls,
        *,
        force: bool = False,
        raise_errors: bool = True,
        _parent_namespace_depth: int = 2,
        _types_namespace: Mapping[str, Any] | None = None,
    ) -> bool | None:
        """Build the validator, in one thread at a time: pydantic before 2.14 has no lock."""
        with _building:
            return super().model_rebuild(
                force=force,
                raise_errors=raise_errors,
                _parent_namespace_depth=_parent_namespace_depth + 1,
                _types_namespace=_types_namespace,
            )


def misfits(error: ValidationError) -> list[str]:
    """Return what does not fit, field by field, e.g. ``command is missing``; never the input."""
    found = error.errors(include_url=False, include_input=False)
    places = [".".join(map(str, each["loc"]))[:_PLACE_CHARS] for each in found]
    words = [_misfit(each["type"], each.get("ctx", {})) for each in found]
    return [f"{at} {what}".strip() for at, what in zip(places, words, strict=True)]


_PLACE_CHARS = 100
_MISFITS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "string_type": "must be text",
    "string_pattern_mismatch": "does not have the right form",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "json_invalid": "is not JSON",
    "literal_error": "must be {expected}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} items",
    "too_long": "must have at most {max_length} items",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "value_error": "{error}",
}


def _misfit(kind: str, limits: dict[str, Any]) -> str:
    if limits.get("min_length") == 1:
        return "is empty"
    return _MISFITS.get(kind, "is not valid").format_map(limits)


Obj = dict[str, JsonValue]


def obj(value: JsonValue) -> Obj:
    """Return an object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: JsonValue) -> list[JsonValue]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def text(value: JsonValue) -> str:
    """Return a string, or an empty one for anything else."""
    return value if isinstance(value, str) else ""


def lines_or_text(value: JsonValue) -> str:
    """Return a multiline string of nbformat, which may be a list of its lines."""
    return "".join(map(text, value)) if isinstance(value, list) else text(value)


def text_or_none(value: JsonValue) -> str | None:
    """Return a string that is not empty, else None."""
    return value if isinstance(value, str) and value else None


def flag(value: JsonValue) -> bool:
    """Return whether a value is ``True``, not merely truthy."""
    return value is True


def bool_or_none(value: JsonValue) -> bool | None:
    """Return a boolean, None for anything else."""
    return value if isinstance(value, bool) else None


def count(value: JsonValue) -> int | None:
    """Return a non-negative integer."""
    return number(value) if isinstance(value, int | float) and value >= 0 else None


def number(value: JsonValue) -> int | None:
    """Return an integer, also from a number or text that equals one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def first(source: Obj, *keys: str) -> JsonValue:
    """Return the value of the first of ``keys`` that is present and not null."""
    for key in keys:
        value = source.get(key)
        if value is not None:
            return value
    return None
