"""Repairs of session updates, tool calls and permission requests.

Dictionaries in, dictionaries out, for `acp_jupyter.protocol.normalise`: old or foreign spellings
become the protocol's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from acp_jupyter.protocol.json import camel_case, count_or_none, string_or_none
from acp_jupyter.protocol.vocabulary import read_priority, read_status

Object = dict[str, Any]

RAW_OPTION_KIND = "acp-jupyter/kind"
"""In the ``_meta`` of a permission option: the kind that the agent sent and nobody knows."""

_CHUNKS = frozenset({"user_message_chunk", "agent_message_chunk", "agent_thought_chunk"})
_BLOCK_TYPES = frozenset({"text", "image", "audio", "resource", "resource_link"})
OPTION_KINDS = frozenset({"allow_once", "allow_always", "reject_once", "reject_always"})


def normal_updates(update: Mapping[str, Any]) -> list[Object]:
    """Return ``update`` as the protocol has it; a chunk with several blocks becomes several."""
    kind = update.get("sessionUpdate")
    if not isinstance(kind, str):
        kind = next((v for k in ("type", "kind") if isinstance(v := update.get(k), str)), "unknown")
    result: Object = {**update, "sessionUpdate": kind}
    if kind in _CHUNKS:
        return _chunks(result)
    repair = _REPAIRS.get(kind)
    return [repair(result) if repair is not None else result]


def normal_permission(params: Mapping[str, Any]) -> Object:
    """Return the parameters of ``session/request_permission`` so that the user is asked.

    ACP: session/request_permission. An option of unknown kind is shown, but counts as a
    rejection wherever something else than the user chooses.
    """
    call = params.get("toolCall")
    if not isinstance(call, Mapping):
        call = {"title": call} if isinstance(call, str) else {}
    call = _tool_call(call)
    tool_call_id = call.get("toolCallId", string_or_none(params.get("toolCallId")))
    options = params.get("options")
    if isinstance(options, Mapping):
        # What stood under a key such as rawInput has kept its own keys until now.
        options = [camel_case(option) for key, option in options.items() if key != "_meta"]
    return {
        **params,
        "toolCall": {**call, "toolCallId": tool_call_id or ""},
        "options": [_option(option) for option in options] if isinstance(options, list) else [],
    }


def normal_blocks(content: object) -> list[Object]:
    """Return message content, whatever its shape, as content blocks."""
    if content is None:
        return []
    if isinstance(content, list):
        return [block for item in content for block in normal_blocks(item)]
    if not isinstance(content, Mapping):
        return [{"type": "text", "text": _text(content)}]
    block = {key: value for key, value in content.items() if key != "mediaType"}
    if "mediaType" in content:
        block.setdefault("mimeType", content["mediaType"])
    if not isinstance(block.get("type"), str):
        block["type"] = "text" if "text" in block else "unknown"
    if block["type"] == "content" and "content" in block:
        return normal_blocks(block["content"])
    if block["type"] == "text":
        block["text"] = _text(block.get("text", ""))
    return [block]


def _chunks(update: Object) -> list[Object]:
    content = update.get("content", update.get("text"))
    blocks = normal_blocks(content) or [{"type": "text", "text": ""}]
    rest = {key: value for key, value in update.items() if key not in ("content", "text")}
    if (message_id := string_or_none(rest.pop("messageId", None))) is not None:
        rest["messageId"] = message_id
    return [{**rest, "content": block} for block in blocks]


def _tool_call(call: Mapping[str, Any]) -> Object:
    """Repair the fields that are there; null means unchanged and stays."""
    result: Object = dict(call)
    for key in ("toolCallId", "title", "kind"):
        if key in result and (text := string_or_none(result.pop(key))) is not None:
            result[key] = text
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
        elif isinstance(item, Mapping) and isinstance(kind, str) and kind not in _BLOCK_TYPES:
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
        option = {"optionId": _text(option), "name": _text(option)}
    result: Object = dict(option)
    option_id = string_or_none(result.get("optionId", result.get("id")))
    names = [string_or_none(result.get(key)) for key in ("name", "label", "title")]
    name = next((text for text in names if text), None)
    result["optionId"] = option_id if option_id is not None else name or ""
    result["name"] = name or result["optionId"] or "Option"
    kind = result.get("kind")
    word = _words(kind) if isinstance(kind, str) else ""
    if word in OPTION_KINDS:
        result["kind"] = word
        return result
    meta = result.get("_meta")
    result["kind"] = "reject_once"
    result["_meta"] = {**(meta if isinstance(meta, Mapping) else {}), RAW_OPTION_KIND: _text(kind)}
    return result


def _plan(update: Object) -> Object:
    entries = update.get("entries")
    return {**update, "entries": [_entry(e) for e in entries] if isinstance(entries, list) else []}


def _entry(entry: object) -> Object:
    result: Object = dict(entry) if isinstance(entry, Mapping) else {"content": entry}
    texts = (result.get(key) for key in ("content", "description", "title", "text", "step"))
    result["content"] = _text(next((text for text in texts if text is not None), ""))
    result["priority"] = read_priority(result.get("priority"))
    word = read_status(result.get("status"))
    result["status"] = word if word in ("pending", "in_progress", "completed") else "pending"
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
    for item in _list(update.get("availableCommands")):
        command = {"name": item} if isinstance(item, str) else item
        if not isinstance(command, Mapping) or not isinstance(command.get("name"), str):
            continue
        name = command["name"].removeprefix("/")
        text = string_or_none(command.get("description"))
        commands.append({**command, "name": name, "description": text or ""})
    return {**update, "availableCommands": commands}


def _mode(update: Object) -> Object:
    mode = string_or_none(update.get("currentModeId", update.get("modeId")))
    return update if mode is None else {**update, "currentModeId": mode}


def _config(update: Object) -> Object:
    options = [item for item in _list(update.get("configOptions")) if isinstance(item, Mapping)]
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


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _words(text: str) -> str:
    """Return ``allowOnce`` and ``allow-once`` as ``allow_once``."""
    spaced = "".join(f"_{char.lower()}" if char.isupper() else char for char in text)
    return spaced.replace("-", "_").lstrip("_")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
