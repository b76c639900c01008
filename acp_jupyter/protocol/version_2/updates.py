"""Translates updates and permission requests of version 2 into version 1.

Version 2 has separate updates for whole messages, pieces of a tool call's content, and terminals.
Here they become chunks, whole contents, and the ``_meta`` in which agents of version 1 report their
terminals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from acp_jupyter.protocol.normalise import normal_blocks
from acp_jupyter.protocol.objects import Obj, items, obj, text
from acp_jupyter.protocol.version_2.call_contents import CallContents
from acp_jupyter.protocol.version_2.diffs import diff_in_version_1
from acp_jupyter.protocol.version_2.meta_keys import (
    ASKED_WORDS,
    BACKGROUND,
    CAN_CANCEL,
    REPLACES,
    TERMINAL_ALONE,
)
from acp_jupyter.protocol.version_2.setup import mode_option, options_in_version_1

_MAX_WORKS = 200
"""Background work that is followed; what is listed beyond is not."""
ENDED = frozenset({"completed", "failed", "cancelled"})
"""The final states of a tool call."""


def updates_in_version_1(update: Obj, contents: CallContents, session_id: str) -> list[Obj]:
    """Return an update in version 1; one that version 1 has as well is returned unchanged."""
    kind = update.get("sessionUpdate")
    if kind == "tool_call_content_chunk":
        return _content_chunk(update, contents, session_id)
    translate = _TRANSLATORS.get(kind) if isinstance(kind, str) else None
    return [update] if translate is None else translate(update, contents)


# -- messages ------------------------------------------------------------------


def _message(update: Obj, _: CallContents) -> list[Obj]:
    """Return a whole message as chunks: the first text replaces what it was."""
    kind = f"{update['sessionUpdate']}_chunk"
    if "content" not in update:
        return []
    blocks = _joined_blocks(update["content"])
    if kind != "user_message_chunk" and not blocks:
        blocks = [{"type": "text", "text": ""}]
    chunks: list[Obj] = [{**update, "sessionUpdate": kind, "content": block} for block in blocks]
    if kind != "user_message_chunk":
        chunks[0]["_meta"] = {**obj(update.get("_meta")), REPLACES: True}
    return chunks


def _joined_blocks(content: JsonValue) -> list[Obj]:
    """Return blocks, with adjacent plain texts joined."""
    joined: list[Obj] = []
    for block in normal_blocks(content):
        plain = block.keys() == {"type", "text"} and block["type"] == "text"
        if plain and joined and joined[-1].keys() == {"type", "text"}:
            joined[-1] = {**joined[-1], "text": text(joined[-1]["text"]) + block["text"]}
        else:
            joined.append(block)
    return joined


# -- tool calls ----------------------------------------------------------------


def _tool_call(update: Obj, contents: CallContents) -> list[Obj]:
    old = _call_fields(update)
    if call_id := text(old.get("toolCallId")):
        content = items(old["content"]) if "content" in old else None
        rest = contents.set(call_id, content, ended=text(old.get("status")) in ENDED)
        if rest is not None:
            old = {**old, "content": rest}
    return [old]


def _call_fields(call: Obj) -> Obj:
    """Return a tool call; unchanged if it has nothing that only version 2 has."""
    content, old = call.get("content"), call
    if any("changes" in obj(item) for item in items(content)):
        parts = [_content(item) for item in items(content)]
        places = [place for _, diffs in parts for place in diffs]
        named = {obj(place).get("path") for place in places}
        others = [o for o in items(call.get("locations")) if obj(o).get("path") not in named]
        old = {**old, "content": [each for diffs, _ in parts for each in diffs]}
        if places:
            old["locations"] = [*places, *others]
    if "capabilities" in call:
        kept = {key: value for key, value in old.items() if key != "capabilities"}
        old = {**kept, "_meta": {**obj(call.get("_meta")), CAN_CANCEL: _can_cancel(call)}}
    return old


def _can_cancel(update: Obj) -> bool:
    """Return whether a tool call, or a terminal, can be cancelled by the client now."""
    return isinstance(obj(update.get("capabilities")).get("cancel"), dict)


def _content(item: JsonValue) -> tuple[list[JsonValue], list[JsonValue]]:
    """Return an item of content, and its locations."""
    if isinstance(item, dict) and item.get("type") == "diff" and "changes" in item:
        return diff_in_version_1(item)
    return [item], []


def _content_chunk(update: Obj, contents: CallContents, session_id: str) -> list[Obj]:
    call_id = text(update.get("toolCallId"))
    piece, _ = _content(update.get("content"))
    content = contents.added(session_id, call_id, piece) if call_id else None
    if content is None:
        return []
    rest = {**update, "sessionUpdate": "tool_call_update"}
    return [{**rest, "content": content}]


# -- terminals -----------------------------------------------------------------


def _terminal(update: Obj, _: CallContents) -> list[Obj]:
    named: Obj = {"terminal_id": update.get("terminalId")}
    about: Obj = {key: update[key] for key in ("command", "cwd") if text(update.get(key))}
    meta: Obj = {"terminal_info": {**named, **about}}
    output, ended = update.get("output", {}), update.get("exitStatus")
    data = "" if output is None else obj(output).get("data")
    if isinstance(data, str):
        meta["terminal_output"] = {**named, "base64": data}
    if isinstance(ended, dict):
        how: Obj = {"exit_code": ended.get("exitCode"), "signal": ended.get("signal")}
        meta["terminal_exit"] = {**named, **how}
    if "capabilities" in update:
        meta[CAN_CANCEL] = _can_cancel(update)
    return [_of_terminal(update, meta)]


def _terminal_chunk(update: Obj, _: CallContents) -> list[Obj]:
    piece: Obj = {"terminal_id": update.get("terminalId"), "base64": update.get("data")}
    return [_of_terminal(update, {"terminal_output_delta": piece})]


def _of_terminal(update: Obj, meta: Obj) -> Obj:
    """Return an update about a terminal alone: its id takes the place of the call's."""
    meta = {**obj(update.get("_meta")), **meta, TERMINAL_ALONE: True}
    named = update.get("terminalId")
    return {"sessionUpdate": "tool_call_update", "toolCallId": named, "_meta": meta}


def background_in_version_1(state: Obj) -> Obj | None:
    """Return an update with the background work that a state lists; None without a list.

    A malformed list counts as none, as the schema says.
    """
    listed = state.get("background")
    if not isinstance(listed, list) or not all(text(obj(each).get("type")) for each in listed):
        return None
    return {"sessionUpdate": "session_info_update", "_meta": {BACKGROUND: listed[:_MAX_WORKS]}}


def _options(update: Obj, _: CallContents) -> list[Obj]:
    options = update.get("configOptions")
    if not isinstance(options, list):
        return [update]
    old: list[Obj] = [{**update, "configOptions": options_in_version_1(options)}]
    if any("configId" in obj(each) for each in options) and (mode := mode_option(options)):
        kind = "current_mode_update"
        old.append({"sessionUpdate": kind, "currentModeId": mode["currentValue"]})
    return old


_TRANSLATORS: dict[str, Callable[[Obj, CallContents], list[Obj]]] = {
    "user_message": _message,
    "agent_message": _message,
    "agent_thought": _message,
    "tool_call_update": _tool_call,
    "terminal_update": _terminal,
    "terminal_output_chunk": _terminal_chunk,
    "config_option_update": _options,
}


# -- permission requests -------------------------------------------------------


def permission_in_version_1(params: Obj, contents: CallContents) -> Obj:
    """Return what is asked about as a tool call.

    The request's title becomes that of a call without one; otherwise it is what the agent says
    about the request.
    """
    if "toolCall" in params or not {"title", "subject"} & params.keys():
        return params
    rest = {key: value for key, value in params.items() if key not in _OF_REQUEST}
    subject, title = obj(params.get("subject")), params.get("title")
    call: dict[str, Any] = _call_fields(obj(subject.get("toolCall")))
    if subject.get("type") == "command":
        command = {key: subject.get(key) for key in ("command", "cwd") if key in subject}
        named = text(subject.get("toolCallId")) or text(subject.get("terminalId"))
        call = {"toolCallId": named, "kind": "execute", "rawInput": command}
    words = [text(title), text(params.get("description"))]
    if not call.get("title") and not contents.knows(text(call.get("toolCallId"))):
        call = {**call, "title": title}
    if call.get("title") == title:
        del words[0]
    if said := "\n".join(filter(None, words)):
        rest["_meta"] = {**obj(rest.get("_meta")), ASKED_WORDS: said}
    return {**rest, "toolCall": call}


_OF_REQUEST = frozenset({"title", "description", "subject"})
