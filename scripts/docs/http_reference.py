"""Write the reference of the HTTP API and the WebSocket, and ``openapi.json``, from the models."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from acp_jupyter._version import __version__
from acp_jupyter.api.models.command_row import CommandRow, Route
from acp_jupyter.api.models.command_table import COMMANDS
from acp_jupyter.api.models.frames import ClientFrame, ErrorBody, ServerFrame
from acp_jupyter.errors import AcpError

BASE = "acp-jupyter/api"
REF = "#/components/schemas/{model}"

STREAMS = {
    "sessions/{session_id}/packets": (
        "Follow a session: its packets as server-sent events, live and from any point on.",
        {"after": "number of the last packet that you have", "dialect": "`build-mode` for those"},
        "text/event-stream",
    ),
    "sessions/{session_id}/traffic": (
        "The raw protocol traffic of a session, as it is now.",
        {},
        "application/x-ndjson",
    ),
}
"""Routes that answer with something else than one JSON value."""

HTTP = """\
# HTTP API

All paths are below `<server>/acp-jupyter/api/`. Every request needs a Jupyter identity:
the header `Authorization: token …`, or a logged-in browser's cookie with its XSRF token. `GET`
changes nothing. [openapi.json](../openapi.json) describes the same for programs. To follow a
session step by step, see {doc}`/how-to/follow-over-http`.

"""

ERRORS = """\

## Errors

Any error answers with its status and a JSON object: `message`, `reason` (stable, for programs),
`detail`, `status` and `fields`.

| Status | Reason | When |
| --- | --- | --- |
"""

SOCKET = """\
# WebSocket

A page follows sessions over one WebSocket at `<server>/acp-jupyter/api/stream`. A frame is one JSON
object; its `type` says which of these it is. A page subscribes to the sessions that it shows, gets
their events in order, and acknowledges what it has drawn.

"""


def write_pages(source: Path) -> None:
    """Write ``reference/http.md``, ``reference/websocket.md`` and ``openapi.json``."""
    described = openapi()
    extra = source / "_extra"
    extra.mkdir(exist_ok=True)
    (extra / "openapi.json").write_text(json.dumps(described, indent=1))
    (source / "openapi.json").write_text(json.dumps(described, indent=1))
    schemas = described["components"]["schemas"]
    http = [HTTP, *(_route(row) for row in COMMANDS if row.route is not None)]
    for path, (words, query, kind) in STREAMS.items():
        http.append(f"## GET {path}\n\n{words} Answers with `{kind}`.\n")
        http += [f"- `?{name}=`: {text}" for name, text in query.items()]
        http.append("")
    http += [ERRORS + _errors(), "\n## Objects\n"]
    http += [
        _object(name, schema) for name, schema in sorted(schemas.items()) if name != "JsonValue"
    ]
    (source / "reference/http.md").write_text("\n".join(http))
    (source / "reference/websocket.md").write_text(SOCKET + _frames())


def openapi() -> dict[str, Any]:
    """Return the OpenAPI description of the routes."""
    rows = [row for row in COMMANDS if row.route is not None]
    results = {index: row.result for index, row in enumerate(rows) if row.result is not None}
    adapters: list[tuple[int, Any, TypeAdapter[Any]]] = [
        (index, "serialization", TypeAdapter(result)) for index, result in results.items()
    ]
    adapters.append((-1, "serialization", TypeAdapter(ErrorBody)))
    operations, shared = TypeAdapter.json_schemas(adapters, by_alias=False, ref_template=REF)
    schemas: dict[str, Any] = dict(shared.get("$defs", {}))
    paths: dict[str, dict[str, Any]] = {}
    for index, row in enumerate(rows):
        assert row.route is not None
        answer: dict[str, Any] = {"description": "Done"}
        schema = operations.get((index, "serialization"))
        if schema is not None:
            answer |= {"content": {"application/json": {"schema": schema}}}
        operation = _operation(row, row.route)
        asked = row.model.model_json_schema(mode="validation", ref_template=REF)
        schemas = {**asked.get("$defs", {}), **schemas}
        operation["responses"] = {
            str(row.route.status): answer,
            "default": {
                "description": "An error",
                "content": {"application/json": {"schema": operations[(-1, "serialization")]}},
            },
        }
        paths.setdefault(f"/{row.route.path}", {})[row.route.method.lower()] = operation
    for path, (words, query, kind) in STREAMS.items():
        named = [_parameter(name, "query", {"type": "string"}) for name in query]
        paths[f"/{path}"] = {
            "get": {
                "summary": words,
                "parameters": [_parameter("session_id", "path", {"type": "string"}), *named],
                "responses": {"200": {"description": "Done", "content": {kind: {}}}},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "acp-jupyter", "version": __version__},
        "servers": [{"url": f"/{BASE}", "description": "below the server's base URL"}],
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": schemas},
    }


def _parameter(name: str, location: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": location, "required": location == "path", "schema": schema}


def _operation(row: CommandRow, route: Route) -> dict[str, Any]:
    schema = row.model.model_json_schema(mode="validation", ref_template=REF)
    fields = schema["properties"]
    parameters = [_parameter(name, "path", {"type": "string"}) for name in route.path_fields]
    parameters += [_parameter(a, "query", fields.get(to, {})) for a, to in route.query.items()]
    found: dict[str, Any] = {
        "operationId": row.name,
        "summary": _words(row.model),
        "parameters": parameters,
    }
    if route.body:
        found["requestBody"] = {
            "content": {"application/json": {"schema": _body_schema(schema, route)}}
        }
    return found


def _body_schema(schema: dict[str, Any], route: Route) -> dict[str, Any]:
    elsewhere = {"name", *route.path_fields, *route.query.values()}
    fields = {name: each for name, each in schema["properties"].items() if name not in elsewhere}
    needed = [name for name in schema.get("required", ()) if name in fields]
    return {
        "type": "object",
        "properties": fields,
        **({"required": needed} if needed else {}),
    }


def _words(model: type) -> str:
    return " ".join((inspect.getdoc(model) or "").replace("``", "`").split())


def _route(row: CommandRow) -> str:
    route = row.route
    assert route is not None
    operation = _operation(row, route)
    lines = [f"## {route.method} {route.path}", "", _words(row.model), ""]
    if row.only_user:
        lines += [f"For users only: a kernel is refused when it tries to {row.only_user}.", ""]
    for each in operation["parameters"]:
        if each["in"] == "query":
            lines.append(
                f"- `?{each['name']}=` {_type(each['schema'])}{_described(each['schema'])}"
            )
    if route.raw_body:
        lines.append(
            f"- The body is the {route.raw_body} itself, at most {route.body_bytes:,} bytes."
        )
    if route.body:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        lines += ["", *_fields(body)] if body["properties"] else []
    answer = _result(row.result)
    status = f"Answers {route.status}" + (f" with {answer}." if answer else ".")
    return "\n".join([*lines, "", status, ""])


def _result(result: Any) -> str:
    if result is None:
        return ""
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", str(result))
    if inspect.isclass(result) and "[" not in text:
        text = result.__name__
    text = re.sub(r"tuple\[(\w+), \.\.\.\]", r"list[\1]", text)
    return f"`{text}`"


def _fields(schema: dict[str, Any]) -> list[str]:
    needed = set(schema.get("required", ()))
    rows = ["| Field | Type | Default | Meaning |", "| --- | --- | --- | --- |"]
    for name, field in schema.get("properties", {}).items():
        default = "required" if name in needed else _default(field)
        words = _described(field).removeprefix(": ").replace("|", "\\|")
        rows.append(f"| `{name}` | {_type(field)} | {default} | {words} |")
    return rows


def _default(field: dict[str, Any]) -> str:
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else ""


def _described(field: dict[str, Any]) -> str:
    words = " ".join(str(field.get("description", "")).replace("``", "`").split())
    return f": {words}" if words else ""


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return f"`{field['$ref'].rpartition('/')[2]}`"
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{json.dumps(each)}`" for each in field["enum"])
    for key in ("anyOf", "oneOf"):
        if key in field:
            return " or ".join(_type(each) for each in field[key])
    kind = field.get("type", "")
    if kind == "array" and "items" in field:
        return f"list of {_type(field['items'])}"
    return str(kind or "any JSON")


def _object(name: str, schema: dict[str, Any]) -> str:
    words = " ".join(str(schema.get("description", "")).replace("``", "`").split())
    lines = [f"### {name}", "", words, ""]
    if schema.get("properties"):
        lines += _fields(schema)
    elif "oneOf" in schema or "anyOf" in schema or "enum" in schema:
        lines.append(_type(schema))
    return "\n".join([*lines, ""])


def _errors() -> str:
    def of(kind: type[AcpError]) -> list[type[AcpError]]:
        return [kind, *(each for child in kind.__subclasses__() for each in of(child))]

    rows = {
        (error.status, error.reason, inspect.getdoc(error) or "")
        for error in of(AcpError)
        if error.__module__ == AcpError.__module__
    }
    return "\n".join(
        f"| {status} | `{reason}` | {words.splitlines()[0].replace('``', '`')} |"
        for status, reason, words in sorted(rows)
    )


def _frames() -> str:
    parts: list[str] = []
    titled: tuple[tuple[str, Any], ...] = (
        ("From the page", ClientFrame),
        ("From the server", ServerFrame),
    )
    for title, frame in titled:
        schema = TypeAdapter(frame).json_schema(mode="serialization", ref_template=REF)
        parts.append(f"## {title}\n")
        kinds = schema.get("discriminator", {}).get("mapping", {})
        for kind, ref in kinds.items():
            model = schema["$defs"][ref.rpartition("/")[2]]
            words = " ".join(str(model.get("description", "")).replace("``", "`").split())
            parts.append(f"### `{kind}`\n\n{words}\n")
            fields = dict(model)
            if kind == "command":
                fields["properties"] = {
                    name: {"description": "a command: its `name`, and the fields of its route"}
                    if name == "command"
                    else field
                    for name, field in model["properties"].items()
                }
            parts += [*_fields(fields), ""]
    return "\n".join(parts)
