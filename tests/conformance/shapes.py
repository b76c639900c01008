"""The messages of the protocol's schema, and the ways in which each can look."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = ["DEFINITIONS", "Message", "Schema", "alternatives", "messages_of_agents"]

Schema = Mapping[str, Any]

_FILE = Path(__file__).parent / "schema.json"
DEFINITIONS: Mapping[str, Schema] = json.loads(_FILE.read_text())["$defs"]
for _name, _schema in DEFINITIONS.items():
    for _field in _schema.get("properties", {}).values():
        _field["x-of"] = _name  # whose field it is, also where types are joined

_PROSE = frozenset({"description", "title", "discriminator", "default", "x-method", "x-side"})
_COMBINED = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "unevaluatedProperties"})


@dataclass(frozen=True)
class Message:
    """Something that an agent may write: a request, a notification or an answer."""

    name: str
    """Method, for updates with their kind."""
    method: str
    sort: Literal["request", "notification", "response"]
    schema: Schema
    """Of ``params``, or of the ``result``."""


def alternatives(schema: Schema) -> list[Schema]:
    """Return every way to meet ``schema`` as a schema without references and unions.

    Of the schema's keywords those are read that it uses. An arm that stands for names to come
    (``not`` one of the known) is marked ``open``.
    """
    own = {k: v for k, v in schema.items() if k not in _PROSE | _COMBINED}
    if "not" in schema:
        own["open"] = True
    found: list[Schema] = [own]
    parts: list[list[Schema]] = []
    if "$ref" in schema:
        parts.append(alternatives(DEFINITIONS[schema["$ref"].rpartition("/")[2]]))
    parts += [alternatives(part) for part in schema.get("allOf", ())]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            parts.append([flat for part in schema[union] for flat in alternatives(part)])
    for part in parts:
        found = [_merged(one, other) for one in found for other in part]
    return found


def _merged(one: Schema, other: Schema) -> Schema:
    return {
        **other,
        **one,
        "properties": {**other.get("properties", {}), **one.get("properties", {})},
        "required": [*one.get("required", ()), *other.get("required", ())],
    }


@cache
def messages_of_agents() -> tuple[Message, ...]:
    """Return all that an agent may write: its requests, its updates and its answers."""
    return tuple(_messages())


def _messages() -> Iterator[Message]:
    for name, schema in DEFINITIONS.items():
        method, side = schema.get("x-method", ""), schema.get("x-side")
        if name.endswith("Response") and side == "agent":
            yield Message(f"{method} answered", method, "response", schema)
        elif name == "SessionNotification":
            yield from _updates(schema)
        elif name.endswith("Notification") and side in {"client", "protocol"}:
            yield Message(method, method, "notification", schema)
        elif name.endswith("Request") and side == "client":
            yield Message(method, method, "request", schema)


def _updates(schema: Schema) -> Iterator[Message]:
    for flat in alternatives(DEFINITIONS["SessionUpdate"]):
        kind = flat["properties"]["sessionUpdate"]["const"]
        properties = {**schema["properties"], "update": flat}
        one = {**schema, "properties": properties}
        yield Message(f"session/update {kind}", "session/update", "notification", one)
