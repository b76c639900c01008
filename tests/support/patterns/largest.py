"""The largest messages that an agent may write: a table that tests and the benchmark share.

Each is one message, whose size in MiB the caller names. What is large in it is one text, or very
many parts. Add a row where a new kind of message is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["LARGEST", "SESSION", "largest"]

Json = dict[str, Any]

SESSION = "the-session"
"""Stands for the agent's id of the session."""

_MIB = 2**20
_WORDS = "lorem ipsum dolor "
_LINES = "a = 1\nbb = 2\n"
_DEEP = 400


Row = Callable[[int], Json]


def largest(name: str, mib: float) -> bytes:
    """Return a message of about ``mib`` MiB as one line."""
    message = {"jsonrpc": "2.0", **LARGEST[name](int(mib * _MIB))}
    return json.dumps(message).encode() + b"\n"


def _text(piece: str, size: int) -> str:
    """Return a text that is ``size`` bytes long in JSON."""
    return piece * (size // (len(json.dumps(piece)) - 2))


def _many(part: object, size: int) -> list[Any]:
    return [part] * (size // (len(json.dumps(part)) + 2))


def _fields(size: int) -> Json:
    return {f"field {number:07}": "a" for number in range(size // 22)}


def _deep(size: int) -> Any:
    value: Any = _text(_WORDS, size)
    for _ in range(_DEEP):
        value = {"a": [value]}
    return value


def _update(name: str, /, **fields: Any) -> Json:
    update = {"sessionUpdate": name, **fields}
    return {"method": "session/update", "params": {"sessionId": SESSION, "update": update}}


def _call(**fields: Any) -> Json:
    return _update("tool_call", **{"toolCallId": "c1", "title": "Large", "kind": "other"} | fields)


def _done(**fields: Any) -> Json:
    return _update("tool_call_update", toolCallId="c1", status="completed", **fields)


def _request(method: str, /, **params: Any) -> Json:
    return {"id": f"large {method}", "method": method, "params": {"sessionId": SESSION, **params}}


def _asked(call: Json, options: list[Json] | None = None) -> Json:
    yes = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
    call = {"toolCallId": "c2", "title": "Large", "kind": "execute", **call}
    return _request("session/request_permission", toolCall=call, options=options or [yes])


def _block(text: str) -> Json:
    return {"type": "text", "text": text}


def _content(text: str) -> Json:
    return {"type": "content", "content": _block(text)}


def _diff(old: str, new: str) -> Json:
    return {"type": "diff", "path": "/a/b.py", "oldText": old, "newText": new}


def _halves(size: int) -> Json:
    return _diff(_text(_LINES, size // 2), _text("a = 2\nbb = 2\n", size // 2))


def _commands(name: str, about: str) -> Json:
    return {"name": name, "description": about}


def _option(name: str, about: str) -> Json:
    values = [{"value": "one", "name": "One"}]
    text = {"name": name, "description": about, "category": "other"}
    return {"id": "c", "type": "select", "currentValue": "one", "options": values, **text}


def _schema(properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _said(kind: str, piece: str) -> Row:
    return lambda size: _update(kind, content=_block(_text(piece, size)))


def _rows() -> Iterator[tuple[str, Row]]:  # noqa: PLR0915 - one flat table
    for kind in ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk"):
        yield f"{kind}: text", _said(kind, _WORDS)
    kind = "agent_message_chunk"
    for words, piece in (
        ("lines", "a\n"),
        ("one word", "a"),
        ("escapes", "\x01"),
        ("emoji", "\U0001f600"),
        ("list", "- a\n"),
        ("table", "|a"),
    ):
        yield f"{kind}: {words}", _said(kind, piece)
    yield f"{kind}: blocks", lambda size: _update(kind, content=_many(_block("a"), size))
    yield (
        f"{kind}: image",
        lambda size: _update(
            kind, content={"type": "image", "mimeType": "image/png", "data": "A" * size}
        ),
    )
    yield (
        f"{kind}: resource",
        lambda size: _update(
            kind,
            content={
                "type": "resource",
                "resource": {"uri": "file:///a", "text": _text(_LINES, size)},
            },
        ),
    )
    yield (
        f"{kind}: link",
        lambda size: _update(
            kind,
            content={"type": "resource_link", "name": "a", "uri": "file:///" + "a/" * (size // 2)},
        ),
    )
    yield "tool_call: title", lambda size: _call(title=_text(_WORDS, size))
    yield "tool_call: id", lambda size: _call(toolCallId=_text(_WORDS, size))
    yield "tool_call: raw text", lambda size: _call(rawInput=_text(_LINES, size))
    yield (
        "tool_call: command",
        lambda size: _call(kind="execute", rawInput={"command": _text("echo 'a' && ", size)}),
    )
    yield "tool_call: fields", lambda size: _call(rawInput=_fields(size))
    yield "tool_call: numbers", lambda size: _call(rawInput={"a": _many(1, size)})
    yield "tool_call: nested", lambda size: _call(rawInput=_deep(size))
    yield "tool_call: brackets", lambda size: _call(rawInput=_many([], size))
    yield "tool_call: content", lambda size: _call(content=[_content(_text(_LINES, size))])
    yield "tool_call: contents", lambda size: _call(content=_many(_content("a"), size))
    yield "tool_call: diff", lambda size: _call(kind="edit", content=[_halves(size)])
    yield (
        "tool_call: new file",
        lambda size: _call(
            kind="edit", content=[{"type": "diff", "path": "/a/b", "newText": _text(_LINES, size)}]
        ),
    )
    yield (
        "tool_call: diffs",
        lambda size: _call(kind="edit", content=_many(_diff("a\n", "b\n"), size)),
    )
    yield (
        "tool_call: one line changed",
        lambda size: _call(
            kind="edit",
            content=[_diff(_text(_WORDS, size // 2), _text("lorem ipsum color ", size // 2))],
        ),
    )
    yield "tool_call: locations", lambda size: _call(locations=_many({"path": "/a"}, size))
    yield "tool_call: meta", lambda size: _call(_meta=_fields(size))
    yield "tool_call_update: raw text", lambda size: _done(rawOutput=_text(_LINES, size))
    yield "tool_call_update: raw fields", lambda size: _done(rawOutput=_fields(size))
    yield "tool_call_update: raw nested", lambda size: _done(rawOutput=_deep(size))
    yield "tool_call_update: content", lambda size: _done(content=[_content(_text(_LINES, size))])
    yield (
        "tool_call_update: colours",
        lambda size: _done(content=[_content(_text("\x1b[1ma\x1b[0m\r\n", size))]),
    )
    yield (
        "plan: text",
        lambda size: _update(
            "plan",
            entries=[{"content": _text(_WORDS, size), "status": "pending", "priority": "low"}],
        ),
    )
    yield (
        "plan: entries",
        lambda size: _update(
            "plan", entries=_many({"content": "a", "status": "pending", "priority": "low"}, size)
        ),
    )
    yield (
        "available_commands_update: text",
        lambda size: _update(
            "available_commands_update", availableCommands=[_commands("a", _text(_WORDS, size))]
        ),
    )
    yield (
        "available_commands_update: commands",
        lambda size: _update(
            "available_commands_update", availableCommands=_many(_commands("a", "b"), size)
        ),
    )
    yield (
        "config_option_update: text",
        lambda size: _update(
            "config_option_update", configOptions=[_option("a", _text(_WORDS, size))]
        ),
    )
    yield (
        "config_option_update: options",
        lambda size: _update("config_option_update", configOptions=_many(_option("a", "b"), size)),
    )
    yield (
        "current_mode_update: text",
        lambda size: _update("current_mode_update", currentModeId=_text(_WORDS, size)),
    )
    yield (
        "session_info_update: text",
        lambda size: _update("session_info_update", title=_text(_WORDS, size)),
    )
    yield (
        "usage_update: text",
        lambda size: _update(
            "usage_update", used=1, size=2, cost={"amount": 1, "currency": _text(_WORDS, size)}
        ),
    )
    yield "another update: text", lambda size: _update("another", text=_text(_WORDS, size))
    yield "another update: fields", lambda size: _update("another", **_fields(size))
    yield "no message: fields", _fields
    yield "no message: text", lambda size: {"type": "text", "text": _text(_WORDS, size)}
    yield (
        "another notification: fields",
        lambda size: {
            "method": "_another",
            "params": {"sessionId": SESSION, **_fields(size)},
        },
    )
    yield "an answer to nothing: fields", lambda size: {"id": 123456, "result": _fields(size)}
    yield "permission: title", lambda size: _asked({"title": _text(_WORDS, size)})
    yield (
        "permission: command",
        lambda size: _asked({"rawInput": {"command": _text("echo 'a' && ", size)}}),
    )
    yield "permission: one word", lambda size: _asked({"rawInput": {"command": "a" * size}})
    yield (
        "permission: quotes",
        lambda size: _asked({"rawInput": {"command": _text("\"$(a '", size)}}),
    )
    yield "permission: fields", lambda size: _asked({"rawInput": _fields(size)})
    yield "permission: nested", lambda size: _asked({"rawInput": _deep(size)})
    yield "permission: diff", lambda size: _asked({"kind": "edit", "content": [_halves(size)]})
    yield (
        "permission: diffs",
        lambda size: _asked({"kind": "edit", "content": _many(_diff("a\n", "b\n"), size)}),
    )
    yield (
        "permission: edit",
        lambda size: _asked(
            {
                "kind": "edit",
                "rawInput": {"file_path": "/a/b.py", "content": _text(_LINES, size)},
            }
        ),
    )
    yield (
        "permission: locations",
        lambda size: _asked({"kind": "edit", "locations": _many({"path": "/a"}, size)}),
    )
    yield (
        "permission: options",
        lambda size: _asked(
            {}, _many({"optionId": "yes", "name": "Yes", "kind": "allow_once"}, size)
        ),
    )
    yield (
        "question: text",
        lambda size: _request(
            "elicitation/create",
            mode="form",
            message=_text(_WORDS, size),
            requestedSchema=_schema({}),
        ),
    )
    yield (
        "question: fields",
        lambda size: _request(
            "elicitation/create",
            mode="form",
            message="Which?",
            requestedSchema=_schema(
                {f"a{number:06}": {"type": "string"} for number in range(size // 31)}
            ),
        ),
    )
    yield (
        "question: choices",
        lambda size: _request(
            "elicitation/create",
            mode="form",
            message="Which?",
            requestedSchema=_schema(
                {"a": {"type": "string", "enum": [f"{number:07}" for number in range(size // 11)]}}
            ),
        ),
    )
    yield (
        "question: address",
        lambda size: _request(
            "elicitation/create",
            mode="url",
            message="Go",
            elicitationId="a",
            url="https://example.org/" + "a" * size,
        ),
    )
    yield (
        "file: path to read",
        lambda size: _request("fs/read_text_file", path="/" + "a/" * (size // 2)),
    )
    yield (
        "file: path to write",
        lambda size: _request("fs/write_text_file", path="/" + "a/" * (size // 2), content="a"),
    )
    yield (
        "file: words",
        lambda size: _request("fs/write_text_file", path="large.txt", content=_text(_WORDS, size)),
    )
    yield (
        "file: lines",
        lambda size: _request("fs/write_text_file", path="large.py", content=_text(_LINES, size)),
    )
    yield (
        "terminal: command",
        lambda size: _request("terminal/create", command=_text("echo 'a' && ", size)),
    )
    yield (
        "terminal: arguments",
        lambda size: _request("terminal/create", command="echo", args=_many("a", size)),
    )
    yield (
        "terminal: variables",
        lambda size: _request(
            "terminal/create", command="echo", env=_many({"name": "A", "value": "b"}, size)
        ),
    )
    yield (
        "terminal: folder",
        lambda size: _request("terminal/create", command="echo", cwd="/" + "a/" * (size // 2)),
    )
    yield "another request: fields", lambda size: _request("_another", **_fields(size))


LARGEST: dict[str, Row] = dict(_rows())
"""By what they are and what is large in them; the values take a size in bytes."""
