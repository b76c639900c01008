"""The messages of the protocol's schemas, and the ways in which each can look.

There are three schemas of version 1: that of release 1.21, and of the newest SDK the stable and
the unstable one; and the latter two of version 2. A message that looks the same in two of them is
one message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "CORPORA",
    "DEFINITIONS",
    "VERSION_2",
    "Definitions",
    "Message",
    "Schema",
    "alternatives",
    "messages_of_agents",
    "references",
]

Schema = Mapping[str, Any]
Definitions = Mapping[str, Schema]

_FOLDER = Path(__file__).parent
_FILES = {
    "unstable": "sdk-2.4.0/v1.unstable.json",
    "stable": "sdk-2.4.0/v1.json",
    "1.21": "schema.json",
}


def _read(corpus: str, file: str) -> Definitions:
    definitions: dict[str, dict[str, Any]] = json.loads((_FOLDER / file).read_text())["$defs"]
    for name, schema in definitions.items():
        for field in schema.get("properties", {}).values():
            field["x-of"] = name  # whose field it is, also where types are joined
        _mark_references(schema, corpus)
    return definitions


def _mark_references(value: Any, corpus: str) -> None:
    """Say of each reference in which schema its definition stands."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            value["x-corpus"] = corpus
        for item in value.values():
            _mark_references(item, corpus)
    elif isinstance(value, list):
        for item in value:
            _mark_references(item, corpus)


CORPORA: Mapping[str, Definitions] = {name: _read(name, file) for name, file in _FILES.items()}
"""Of version 1; the newest and widest first."""

VERSION_2: Mapping[str, Definitions] = {
    "2 unstable": _read("2 unstable", "sdk-2.4.0/v2.unstable.json"),
    "2 stable": _read("2 stable", "sdk-2.4.0/v2.json"),
}

DEFINITIONS = CORPORA["unstable"]
"""All that there is: the unstable schema holds the stable one."""

_PROSE = frozenset(
    {"description", "title", "discriminator", "default", "x-method", "x-side", "x-corpus"}
)
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
    corpus: str
    """Which of `CORPORA` has it so."""

    def __str__(self) -> str:
        return self.name if self.corpus == "unstable" else f"{self.name} ({self.corpus})"


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
        parts.append(alternatives(_referred(schema)))
    parts += [alternatives(part) for part in schema.get("allOf", ())]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            parts.append([flat for part in schema[union] for flat in alternatives(part)])
    for part in parts:
        found = [_merged(one, other) for one in found for other in part]
    return found


def _referred(schema: Schema) -> Schema:
    return {**CORPORA, **VERSION_2}[schema["x-corpus"]][schema["$ref"].rpartition("/")[2]]


def references(value: Any) -> Iterator[Schema]:
    """Yield every reference in ``value``."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value
        for item in value.values():
            yield from references(item)


def _merged(one: Schema, other: Schema) -> Schema:
    return {
        **other,
        **one,
        "properties": {**other.get("properties", {}), **one.get("properties", {})},
        "required": [*one.get("required", ()), *other.get("required", ())],
    }


@cache
def messages_of_agents(version: int = 1) -> tuple[Message, ...]:
    """Return all that an agent may write: its requests, its updates and its answers.

    A message that an older or narrower schema has in another way is there twice.
    """
    found: dict[tuple[str, str], Message] = {}
    for corpus, definitions in (CORPORA if version == 1 else VERSION_2).items():
        for message in _messages(corpus, definitions):
            found.setdefault((message.name, _spelled(message.schema)), message)
    return tuple(found.values())


def _spelled(schema: Schema) -> str:
    """Return ``schema`` and all that it refers to, without prose, as text to compare."""
    seen: dict[str, Schema] = {}
    waiting = [schema]
    while waiting:
        for reference in references(waiting.pop()):
            if reference["$ref"] not in seen:
                waiting.append(seen.setdefault(reference["$ref"], _referred(reference)))
    return json.dumps(_without_prose({"": schema, **seen}), sort_keys=True)


def _without_prose(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in _PROSE or not isinstance(v, str)}
        return {key: _without_prose(item) for key, item in kept.items()}
    return [_without_prose(item) for item in value] if isinstance(value, list) else value


def _messages(corpus: str, definitions: Definitions) -> Iterator[Message]:
    for name, schema in definitions.items():
        method, side = schema.get("x-method", ""), schema.get("x-side")
        if name.endswith("Response") and side == "agent":
            yield Message(f"{method} answered", method, "response", schema, corpus)
        elif name in {"SessionNotification", "UpdateSessionNotification"}:
            yield from _updates(schema, definitions["SessionUpdate"], corpus)
        elif name.endswith("Notification") and side in {"client", "protocol"}:
            yield Message(method, method, "notification", schema, corpus)
        elif name.endswith("Request") and side == "client":
            yield Message(method, method, "request", schema, corpus)


def _updates(schema: Schema, update: Schema, corpus: str) -> Iterator[Message]:
    for flat in alternatives(update):
        kind = flat["properties"]["sessionUpdate"].get("const")
        if kind is None:
            continue  # kinds to come
        properties = {**schema["properties"], "update": flat}
        one = {**schema, "properties": properties}
        yield Message(f"session/update {kind}", "session/update", "notification", one, corpus)
