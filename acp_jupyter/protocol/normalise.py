"""Normalises: one JSON-RPC message of any agent in, well-formed ACP messages out.

Dictionaries in, dictionaries out; `acp_jupyter.protocol.parse` makes typed packets of them.
`normalise` is pure, total and idempotent: it never raises, and it leaves its own results unchanged.
A message that can't be understood becomes a generic one; none is dropped.

Old or foreign spellings of updates, tool calls and permission requests become the protocol's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from acp_jupyter.protocol.content import BLOCK_TYPES
from acp_jupyter.protocol.json import camel_case, clean_json, count_or_none, string_or_none
from acp_jupyter.protocol.objects import first, items
from acp_jupyter.protocol.traffic import is_plain
from acp_jupyter.protocol.vocabulary import read_priority, read_status

Object = dict[str, Any]

UNRECOGNISED = "_acp-jupyter/unrecognised"
"""Method of the notification that carries an object that is not a JSON-RPC message."""

_INTERNAL_ERROR = -32603
_DIGITS = re.compile(r"-?[0-9]{1,18}")
_ENVELOPE = frozenset({"jsonrpc", "id"})
_ALIASES = {
    "session_update": "session/update",
    "session/notification": "session/update",
    "acp/notification/session_update": "session/update",
    "request_permission": "session/request_permission",
    "session_request_permission": "session/request_permission",
}
_CLIENT_METHODS = frozenset(
    {
        "session/update",
        "session/request_permission",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
        "elicitation/create",
        "elicitation/complete",
        "mcp/message",
        "$/cancel_request",
    }
)


def normalise(message: object) -> list[Object]:
    """Return ``message``, one line of an agent, as well-formed ACP messages."""
    return normalise_clean(clean_json(message))


def normalise_clean(message: object) -> list[Object]:
    """Do the same for a value that `clean_json` or `read_json` has returned."""
    if isinstance(message, list):
        return [part for item in message for part in normalise_clean(item)]
    if not isinstance(message, Mapping):
        return []
    if is_plain(message):
        return [dict(message)]
    if isinstance(message.get("method"), str):
        return _call(message)
    answer = "result" in message or "error" in message or message.keys() <= _ENVELOPE
    if "id" in message and answer:
        return [_response(message)]
    return _bare(message)


def _call(message: Mapping[str, Any]) -> list[Object]:
    method = str(message["method"])
    method = _ALIASES.get(method, method)
    if method not in _CLIENT_METHODS and not method.startswith("_"):
        method = f"_{method}"
    params = message.get("params")
    result: Object = {
        **message,
        "jsonrpc": "2.0",
        "method": method,
        "params": dict(params) if isinstance(params, Mapping) else {},
    }
    if method.startswith(("_", "$")) or method == "mcp/message":
        return [result]  # what is in a message of MCP is not ACP's
    params = camel_case(result["params"])
    if not isinstance(params.get("_meta", {}), Mapping):
        del params["_meta"]
    if not method.startswith("elicitation/"):
        session_id = params.get("sessionId")
        params["sessionId"] = "" if session_id is None else str(session_id)
    match method:
        case "session/update":
            return [{**result, "params": each} for each in _updates(params)]
        case "session/request_permission":
            params = normal_permission(params)
        case "fs/read_text_file":
            params = _file_window(params)
        case "terminal/create":
            params = _command(params)
        case _:
            pass
    return [{**result, "params": params}]


def _updates(params: Object) -> list[Object]:
    update = params.get("update")
    if isinstance(update, Mapping):
        return [{**params, "update": each} for each in normal_updates(update)]
    outside = {key: value for key, value in params.items() if key in ("sessionId", "_meta")}
    inside = {key: value for key, value in params.items() if key not in outside}
    if update is not None:
        inside = {"sessionUpdate": "unknown", **inside}
    return [{**outside, "update": each} for each in normal_updates(inside)]


def _file_window(params: Object) -> Object:
    result = dict(params)
    for key in ("line", "limit"):
        if key in result and (number := count_or_none(result.pop(key))) is not None:
            result[key] = number
    return result


def _command(params: Object) -> Object:
    """Drop arguments and variables that are not lists, as the schema requires; convert a map."""
    result = dict(params)
    env = result.get("env")
    if isinstance(env, Mapping):
        result["env"] = [{"name": name, "value": value} for name, value in env.items()]
    return {k: v for k, v in result.items() if k not in ("args", "env") or isinstance(v, list)}


def _response(message: Mapping[str, Any]) -> Object:
    request_id = _integer(message["id"])
    if not isinstance(request_id, int | str) or isinstance(request_id, bool):
        return _unrecognised(message)
    result = {key: value for key, value in message.items() if key not in ("error", "method")}
    result |= {"jsonrpc": "2.0", "id": request_id}
    error = message.get("error")
    if error is None:
        return {**result, "result": message.get("result")}
    result.pop("result", None)
    return {**result, "error": _error(error)}


def _error(error: object) -> Object:
    if not isinstance(error, Mapping):
        text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        return {"code": _INTERNAL_ERROR, "message": text}
    result: Object = dict(error)
    code = _integer(result.get("code"))
    good = isinstance(code, int) and not isinstance(code, bool)
    result["code"] = code if good else _INTERNAL_ERROR
    message = result.get("message")
    if not isinstance(message, str):
        result["message"] = "Error" if message is None else json.dumps(message, ensure_ascii=False)
    return result


def _integer(value: object) -> object:
    """Return ``"2"`` and ``2.0`` as 2, anything else unchanged."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _bare(message: Mapping[str, Any]) -> list[Object]:
    """Find an update in an object without a method (old agents write bare content blocks)."""
    shaped = camel_case(message)
    if isinstance(shaped.get("update"), Mapping) or isinstance(shaped.get("sessionUpdate"), str):
        params = {key: value for key, value in shaped.items() if key not in ("jsonrpc", "id")}
    elif shaped.get("type") == "text" and ("content" in shaped or "text" in shaped):
        content = first(shaped, "content", "text")
        params = {"update": {"sessionUpdate": "agent_message_chunk", "content": content}}
        params |= {key: shaped[key] for key in ("sessionId",) if key in shaped}
    else:
        return [_unrecognised(message)]
    return _call({"method": "session/update", "params": params})


def _unrecognised(message: Mapping[str, Any]) -> Object:
    return {"jsonrpc": "2.0", "method": UNRECOGNISED, "params": {"message": dict(message)}}


RAW_OPTION_KIND = "acp-jupyter/kind"
"""Key in the ``_meta`` of a permission option: the unknown kind that the agent sent."""

_CHUNKS = frozenset({"user_message_chunk", "agent_message_chunk", "agent_thought_chunk"})
OPTION_KINDS = frozenset({"allow_once", "allow_always", "reject_once", "reject_always"})


def normal_updates(update: Mapping[str, Any]) -> list[Object]:
    """Return ``update`` as the protocol defines it; a chunk with several blocks becomes several."""
    kind = update.get("sessionUpdate")
    if not isinstance(kind, str):
        kind = next((v for k in ("type", "kind") if isinstance(v := update.get(k), str)), "unknown")
    result: Object = {**update, "sessionUpdate": kind}
    if kind in _CHUNKS:
        return _chunks(result)
    repair = _REPAIRS.get(kind)
    return [repair(result) if repair is not None else result]


def normal_permission(params: Mapping[str, Any]) -> Object:
    """Return the parameters of ``session/request_permission`` in a form that the user can be asked.

    ACP: session/request_permission. An option of unknown kind is shown, but it counts as a
    rejection when the host answers by itself.
    """
    call = params.get("toolCall")
    if not isinstance(call, Mapping):
        call = {"title": call} if isinstance(call, str) else {}
    call = _tool_call(call)
    tool_call_id = call.get("toolCallId", string_or_none(params.get("toolCallId")))
    options = params.get("options")
    if isinstance(options, Mapping):
        # Values below a key such as rawInput have kept their own keys until now.
        options = [camel_case(option) for key, option in options.items() if key != "_meta"]
    return {
        **params,
        "toolCall": {**call, "toolCallId": tool_call_id or ""},
        "options": [_option(option) for option in options] if isinstance(options, list) else [],
    }


def normal_blocks(content: object) -> list[Object]:
    """Return message content of any shape as content blocks."""
    if content is None:
        return []
    if isinstance(content, list):
        return [block for item in content for block in normal_blocks(item)]
    if not isinstance(content, Mapping):
        return [{"type": "text", "text": text_or_json(content)}]
    block = {key: value for key, value in content.items() if key != "mediaType"}
    if "mediaType" in content:
        block.setdefault("mimeType", content["mediaType"])
    if not isinstance(block.get("type"), str):
        block["type"] = "text" if "text" in block else "unknown"
    if block["type"] == "content" and "content" in block:
        return normal_blocks(block["content"])
    if block["type"] == "text":
        block["text"] = text_or_json(block.get("text", ""))
    return [block]


def _chunks(update: Object) -> list[Object]:
    content = first(update, "content", "text")
    blocks = normal_blocks(content) or [{"type": "text", "text": ""}]
    rest = {key: value for key, value in update.items() if key not in ("content", "text")}
    if (message_id := string_or_none(rest.pop("messageId", None))) is not None:
        rest["messageId"] = message_id
    return [{**rest, "content": block} for block in blocks]


def _tool_call(call: Mapping[str, Any]) -> Object:
    """Repair the fields that are present; null means unchanged and stays."""
    result: Object = dict(call)
    for key in ("toolCallId", "title", "kind"):
        if key in result and (text := string_or_none(result.pop(key))) is not None:
            result[key] = text
    if not isinstance(result.get("name", ""), str):
        del result["name"]
    if "status" in result:
        status = result.pop("status")
        if isinstance(status, str):
            result["status"] = read_status(status) or status
    if result.get("content") is not None:
        result["content"] = _tool_content(result["content"])
    if result.get("locations") is not None:
        result["locations"] = _locations(result["locations"])
    return result


def _new_tool_call(call: Mapping[str, Any]) -> Object:
    result = _tool_call(call)
    if not result.get("title"):
        name = result.get("name") or result.get("kind")
        result["title"] = name if isinstance(name, str) else "Tool call"
    return result


def _tool_content(content: object) -> list[Object]:
    items = content if isinstance(content, list) else [content]
    result: list[Object] = []
    for item in items:
        kind = item.get("type") if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and kind == "content":
            blocks = normal_blocks(item.get("content"))
            result += [{**item, "content": block} for block in blocks]
        elif isinstance(item, Mapping) and isinstance(kind, str) and kind not in BLOCK_TYPES:
            result.append(dict(item))
        else:
            result += [{"type": "content", "content": block} for block in normal_blocks(item)]
    return result


def _locations(locations: object) -> list[Object]:
    result: list[Object] = []
    for item in locations if isinstance(locations, list) else [locations]:
        location = {"path": item} if isinstance(item, str) else item
        if not isinstance(location, Mapping) or not isinstance(location.get("path"), str):
            continue
        line = count_or_none(location.get("line"))
        rest = {key: value for key, value in location.items() if key != "line"}
        result.append(rest if line is None else {**rest, "line": line})
    return result


def _option(option: object) -> Object:
    if not isinstance(option, Mapping):
        option = {"optionId": text_or_json(option), "name": text_or_json(option)}
    result: Object = dict(option)
    option_id = string_or_none(first(result, "optionId", "id"))
    names = [string_or_none(result.get(key)) for key in ("name", "label", "title")]
    name = next((text for text in names if text), None)
    result["optionId"] = option_id if option_id is not None else name or ""
    result["name"] = name or result["optionId"] or "Option"
    kind = result.get("kind")
    word = _snake_case(kind) if isinstance(kind, str) else ""
    if word in OPTION_KINDS:
        result["kind"] = word
        return result
    meta = result.get("_meta")
    result["kind"] = "reject_once"
    result["_meta"] = {
        **(meta if isinstance(meta, Mapping) else {}),
        RAW_OPTION_KIND: text_or_json(kind),
    }
    return result


def _plan(update: Object) -> Object:
    entries = update.get("entries")
    return {**update, "entries": [_entry(e) for e in entries] if isinstance(entries, list) else []}


def _entry(entry: object) -> Object:
    result: Object = dict(entry) if isinstance(entry, Mapping) else {"content": entry}
    texts = (result.get(key) for key in ("content", "description", "title", "text", "step"))
    result["content"] = text_or_json(next((text for text in texts if text is not None), ""))
    result["priority"] = read_priority(result.get("priority"))
    word = read_status(result.get("status"))
    result["status"] = word if word in ("in_progress", "completed") else "pending"
    return result


def _usage(update: Object) -> Object:
    result = dict(update)
    for key in ("used", "size"):
        if key in result:
            number = count_or_none(result.pop(key))
            if number is not None:
                result[key] = number
    return result


def _commands(update: Object) -> Object:
    commands: list[Object] = []
    for item in items(update.get("availableCommands")):
        command = {"name": item} if isinstance(item, str) else item
        name = command.get("name") if isinstance(command, dict) else None
        if not isinstance(command, dict) or not isinstance(name, str):
            continue
        text = string_or_none(command.get("description"))
        commands.append({**command, "name": name.removeprefix("/"), "description": text or ""})
    return {**update, "availableCommands": commands}


def _mode(update: Object) -> Object:
    mode = string_or_none(first(update, "currentModeId", "modeId"))
    return update if mode is None else {**update, "currentModeId": mode}


def _config(update: Object) -> Object:
    options = [item for item in items(update.get("configOptions")) if isinstance(item, Mapping)]
    return {**update, "configOptions": options}


_REPAIRS: Mapping[str, Callable[[Object], Object]] = {
    "tool_call": _new_tool_call,
    "tool_call_update": _tool_call,
    "plan": _plan,
    "usage_update": _usage,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _config,
}


def _snake_case(text: str) -> str:
    """Return ``allowOnce`` and ``allow-once`` as ``allow_once``."""
    spaced = "".join(f"_{char.lower()}" if char.isupper() else char for char in text)
    return spaced.replace("-", "_").removeprefix("_")


def text_or_json(value: object) -> str:
    """Return a text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
