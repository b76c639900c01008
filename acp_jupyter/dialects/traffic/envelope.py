"""Envelopes: what clients and taps wrap around a message when they log it.

There are as many wrappers as tools, so this is one tolerant reader with tables of names:
``{"t", "d", "m"}``, ``{"ts", "dir", "msg"}``, ``{"timestamp", "direction", "message"}``,
``{"direction", "method", "parsed"}``, ``{"dir", "ts_ms", "line": "…"}``, and Zed's copy of its
log, where the members of the message stand beside ``_direction`` and ``_type``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from acp_jupyter.dialects.traffic.direction import Mark, read_mark
from acp_jupyter.protocol.json import read_json

Object = Mapping[str, Any]

_MAX_LAYERS = 5
_SENDER_NAMES = (
    "d dir direction _direction flow way from sender source side origin stream type kind"
)
_TIME_NAMES = (
    "t ts time timestamp @timestamp ts_ms t_ms time_ms timestamp_ms timestampMs epoch_ms at date "
    "datetime created_at createdAt sent_at sentAt occurred_at elapsed elapsed_ms elapsedMs offset "
    "offset_ms"
)
_MESSAGE_NAMES = (
    "m message msg payload data body frame object rpc parsed json line raw content entry event "
    "params"
)
_SENDERS = tuple(_SENDER_NAMES.split())
_RECEIVERS = ("to", "target", "destination", "receiver")
_KINDS = ("_type", "type", "kind", "envelope")
_TIMES = tuple(_TIME_NAMES.split())
_MESSAGES = tuple(_MESSAGE_NAMES.split())
_BESIDE = frozenset({*_SENDERS, *_RECEIVERS, *_KINDS, *_TIMES, "seq", "sequence", "index", "label"})


@dataclass(frozen=True, slots=True)
class Envelope:
    """An opened line.

    Attributes
    ----------
    message
        The JSON-RPC message; None where the line has none.
    mark
        How its direction was marked.
    time, time_key
        When it was written, as it stands there, and under which name.
    text
        In place of a message, what somebody wrote that is none.
    """

    message: Object | None = None
    mark: Mark | None = None
    time: object = None
    time_key: str = ""
    text: str = ""


def is_message(value: Object) -> bool:
    """Tell a JSON-RPC message, or an update that an old agent wrote bare."""
    if "jsonrpc" in value:
        return True
    if isinstance(value.get("method"), str):
        return "params" in value or "id" in value
    if "id" in value and ("result" in value or "error" in value):
        return True
    update = value.get("update", value)
    return isinstance(update, Mapping) and isinstance(update.get("sessionUpdate"), str)


def open_envelope(record: Object) -> Envelope:
    """Take the wrappers off a line's object, whatever they are."""
    found = Envelope()
    layer: object = record
    for _ in range(_MAX_LAYERS):
        if not isinstance(layer, Mapping):
            break
        beside = _mark(layer)
        found = _timed(found, layer)
        if is_message(layer) and (beside != "!" or "jsonrpc" in layer):
            mark = found.mark or beside
            message = _flat(layer) if beside else layer
            return replace(found, message=message, mark=None if mark == "!" else mark, text="")
        layer = _content(layer)
        found = replace(found, mark=found.mark or beside)
        if found.mark == "!" and not found.text:
            found = replace(found, text=_text(layer))
    return found


def _mark(record: Object) -> Mark | None:
    for names, receiver in ((_SENDERS, False), (_RECEIVERS, True)):
        for name in names:
            value = record.get(name)
            if isinstance(value, str) and (mark := read_mark(value, names_receiver=receiver)):
                return mark
    return None


def _timed(found: Envelope, record: Object) -> Envelope:
    if found.time_key:
        return found
    for name in _TIMES:
        value = record.get(name)
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return replace(found, time=value, time_key=name)
    return found


def _content(record: Object) -> object:
    """Return what is wrapped: an object, or the text of one."""
    values = [record[name] for name in _MESSAGES if name in record]
    for value in values:
        if isinstance(value, Mapping) and value:
            return value
    for value in values:
        if isinstance(value, str) and value.lstrip()[:1] == "{":
            try:
                return read_json(value)
            except (ValueError, RecursionError):
                continue
    return next((value for value in values if value not in (None, "", {})), None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _flat(record: Object) -> Object:
    """Return the message whose members stand beside the marks of its writer."""
    if "jsonrpc" in record or not record.keys() & {"method", "result", "error"}:
        return record
    kind = next((record[name] for name in _KINDS if isinstance(record.get(name), str)), "")
    message = {key: value for key, value in record.items() if key not in _BESIDE}
    if "method" in message and message.get("id", 0) is None:
        del message["id"]
    if kind.lower() == "response" and not message.keys() & {"result", "error"}:
        # Zed names the request's method, and has the result in the place of the parameters.
        message.pop("method", None)
        result = message.pop("params", None)
        message["error" if _is_error(result) else "result"] = result
    return message


def _is_error(result: object) -> bool:
    match result:
        case {"code": int(), "message": str()}:
            return True
        case _:
            return False
