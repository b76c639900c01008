"""Hypothesis strategies of the schema's shapes.

hypothesis-jsonschema does not work with today's Hypothesis, and is slow on a schema of this size.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.conformance.shapes import Schema, alternatives

__all__ = ["NAMES", "values_of"]

_CHARACTERS = st.characters(exclude_categories=["Cs"])
_WORDS = st.text(_CHARACTERS, max_size=8)
NAMES = st.text(_CHARACTERS, min_size=1, max_size=8)
_KEYS = st.sampled_from(["a", "file_path", "command", "content", "type", "é", ""])
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=4,
)


_DISCRIMINATORS = ("type", "mode", "state", "stopReason", "action")


def values_of(schema: Schema, words: st.SearchStrategy[str] = _WORDS) -> st.SearchStrategy[Any]:
    """Return the strategy of all values that meet ``schema``."""
    return st.one_of([_flat(flat, words) for flat in alternatives(schema)])


def _flat(schema: Schema, words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    types = schema.get("type")
    if types is None:
        return _object(schema, words) if schema.get("properties") else _ANYTHING
    names = [types] if isinstance(types, str) else types
    return st.one_of([_typed(name, schema, words) for name in names])


def _typed(name: str, schema: Schema, words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    match name:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "string":
            return NAMES if schema.get("minLength") else words
        case "integer":
            least, most = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31 - 1)
            return st.integers(least, most)
        case "number":
            most = schema.get("maximum", 10**6)
            return st.floats(0, most) | st.integers(0, int(most))
        case "array":
            least = schema.get("minItems", 0)
            return st.lists(values_of(schema.get("items", {}), words), min_size=least, max_size=2)
        case "object":
            return _object(schema, words)
        case other:
            raise AssertionError(other)


def _object(schema: Schema, words: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    required = set(schema.get("required", ()))
    fields = {name: values_of(each, words) for name, each in schema.get("properties", {}).items()}
    if schema.get("open"):
        told = schema["properties"]
        named = [name for name in _DISCRIMINATORS if "const" not in told.get(name, {"const": 0})]
        fields |= {name: st.just("_of_tomorrow") for name in named}
    known = st.fixed_dictionaries(
        {name: fields[name] for name in sorted(required)},
        optional={name: fields[name] for name in sorted(fields.keys() - required)},
    )
    more = schema.get("additionalProperties")
    if not isinstance(more, dict) and more is not True:
        return known
    rest = st.dictionaries(_KEYS, _ANYTHING if more is True else values_of(more, words), max_size=2)
    return st.builds(lambda extra, own: {**extra, **own}, rest, known)
