"""One wrong value for each field that a receiver must tolerate, by the schema's annotations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.conformance.shapes import CORPORA, Definitions, Schema, alternatives, references

__all__ = ["Fault", "annotated_places", "closure", "faults_of", "written_by_agents"]

_DEFAULT = "x-deserialize-default-on-error"
_SKIP = "x-deserialize-skip-invalid-items"
_NULL = "x-deserialize-default-on-null"
_WRONG: dict[str, Any] = {"wrong": [1]}


@dataclass(frozen=True)
class Fault:
    """A body with one wrong value, and what it must be read as."""

    place: str
    """Type and field of the schema, e.g. ``ToolCall.kind``; with ``[]`` for an item of it."""
    path: str
    """From the root, e.g. ``update.kind``."""
    wrong: Any
    right: Any


def annotated_places(corpus: str) -> set[str]:
    """Return the places of all annotations in types that agents write."""
    definitions = CORPORA[corpus]
    return {
        place
        for name in written_by_agents(definitions)
        for field, schema in definitions[name].get("properties", {}).items()
        for place in _places(f"{name}.{field}", schema)
        if _has_wrong_values(schema)
    }


def _places(place: str, schema: Schema) -> Iterator[str]:
    if schema.get(_DEFAULT) or schema.get(_NULL):
        yield place
    if schema.get(_SKIP):
        yield f"{place}[]"


def _has_wrong_values(schema: Schema) -> bool:
    """Return whether there is a type: anything may be in ``rawInput``."""
    return any("type" in flat or "enum" in flat or "const" in flat for flat in alternatives(schema))


def written_by_agents(definitions: Definitions) -> set[str]:
    """Return the names of the types that occur in what agents write."""

    def is_root(schema: Schema) -> bool:
        answers = {"agent": "Response", "client": "Request"}
        ends = (answers.get(schema.get("x-side", ""), "-"), "Notification")
        return str(schema["name"]).endswith(ends) and schema.get("x-side") in FROM_AGENTS

    roots = {name for name, schema in definitions.items() if is_root({**schema, "name": name})}
    return closure(definitions, roots - {"CancelNotification", "MessageMcpNotification"})


FROM_AGENTS = frozenset({"agent", "client", "protocol"})
"""Sides of the schema whose messages agents may write; the others are a conductor's."""


def closure(definitions: Definitions, roots: set[str]) -> set[str]:
    """Return ``roots`` and the names of all that they refer to."""
    waiting = sorted(roots)
    found: set[str] = set()
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += [r["$ref"].rpartition("/")[2] for r in references(definitions[name])]
    return found


def faults_of(schema: Schema) -> Iterator[Fault]:
    """Yield the faults of ``schema`` and of all that it holds."""
    for flat in alternatives(schema):
        if "items" in flat:
            for fault in faults_of(flat["items"]):
                yield replace(fault, path=f"[]{fault.path}", **_both(fault, lambda v: [v]))
        more = flat.get("additionalProperties")
        if isinstance(more, dict):
            for fault in faults_of(more):
                yield replace(fault, path=f".*{fault.path}", **_both(fault, lambda v: {"key": v}))
        if flat.get("properties"):
            yield from _of_fields(flat)


def _of_fields(flat: Schema) -> Iterator[Fault]:
    whole = example_of(flat)
    for name, schema in flat["properties"].items():
        place, path = f"{schema.get('x-of', '')}.{name}", f".{name}"
        without = {key: value for key, value in whole.items() if key != name}
        if schema.get(_DEFAULT) and _has_wrong_values(schema):
            yield Fault(place, path, {**whole, name: _wrong_for(schema)}, without)
        if schema.get(_NULL):
            empty: Any = {} if "object" in _types(alternatives(schema)[0]) else []
            yield Fault(place, path, {**whole, name: None}, {**whole, name: empty})
        if schema.get(_SKIP):
            good = next(example_of(f["items"]) for f in alternatives(schema) if "items" in f)
            items = ([good, _WRONG], [good])
            wrong, right = ({**whole, name: each} for each in items)
            yield Fault(f"{place}[]", f"{path}[]", wrong, right)
        for fault in faults_of(schema):
            both = _both(fault, lambda value, name=name: {**whole, name: value})
            yield replace(fault, path=f"{path}{fault.path}", **both)


def _both(fault: Fault, around: Any) -> dict[str, Any]:
    return {"wrong": around(fault.wrong), "right": around(fault.right)}


def _wrong_for(schema: Schema) -> Any:
    types = {name for flat in alternatives(schema) for name in _types(flat)}
    return "wrong" if "object" in types or "array" in types else _WRONG


def _types(flat: Schema) -> list[str]:
    types = flat.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def example_of(schema: Schema) -> Any:
    """Return the smallest value that meets ``schema`` and says something."""
    flat = alternatives(schema)[0]
    if "const" in flat or "enum" in flat:
        return flat.get("const", flat.get("enum", [None])[0])
    match next(iter(_types(flat)), "object" if flat.get("properties") else "null"):
        case "string":
            return "_of_tomorrow" if flat.get("open") else "word"
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "array":
            return [example_of(flat["items"])] if "items" in flat else []
        case "object":
            required = dict.fromkeys(flat.get("required", ()))
            return {name: example_of(flat["properties"][name]) for name in required}
        case _:
            return None
