"""Normalising: one JSON-RPC message of any agent in, well-formed ACP messages out.

Dictionaries in, dictionaries out; `acp_jupyter.protocol.parse` makes typed packets of them.
`normalise` is pure, total and idempotent: it raises for nothing, and what it returned it leaves
alone. What can't be understood becomes a generic message, never nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from acp_jupyter.protocol.json import camel_case, clean_json, count_or_none
from acp_jupyter.protocol.traffic import is_plain
from acp_jupyter.protocol.update_repairs import normal_permission, normal_updates

Object = dict[str, Any]

UNRECOGNISED = "_acp-jupyter/unrecognised"
"""Method of the notification that carries an object which is no JSON-RPC message."""

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
        "$/cancel_request",
    }
)


def normalise(message: object) -> list[Object]:
    """Return what ``message``, one line of an agent, says in well-formed ACP.

    Parameters
    ----------
    message
        Any JSON value. An array is a batch. Other values than objects say nothing.

    Returns
    -------
    list of dict
        Requests, notifications and responses. Other methods than ACP's own start with ``_``.
        Requests and updates carry a ``sessionId``, which is empty where the agent sent none.
    """
    return normalise_clean(clean_json(message))


def normalise_clean(message: object) -> list[Object]:
    """Do the same with what `clean_json` or `read_json` has returned."""
    if isinstance(message, list):
        return [part for item in message for part in normalise_clean(item)]
    if not isinstance(message, Mapping):
        return []
    if is_plain(message):
        return [message if isinstance(message, dict) else dict(message)]
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
    if method.startswith(("_", "$")):
        return [result]
    params = camel_case(result["params"])
    if not isinstance(params.get("_meta", {}), Mapping):
        del params["_meta"]
    if not method.startswith("elicitation/") and not isinstance(params.get("sessionId"), str):
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
    """Drop arguments and variables that are no list, as the schema says; read a map of them."""
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
    """Return ``"2"`` and ``2.0`` as 2, anything else as it is."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _bare(message: Mapping[str, Any]) -> list[Object]:
    """Find an update in an object without a method (old agents write bare content blocks)."""
    shaped = camel_case(message)
    if isinstance(shaped.get("update"), Mapping) or isinstance(shaped.get("sessionUpdate"), str):
        params = {key: value for key, value in shaped.items() if key not in ("jsonrpc", "id")}
    elif shaped.get("type") == "text" and ("content" in shaped or "text" in shaped):
        content = shaped.get("content", shaped.get("text"))
        params = {"update": {"sessionUpdate": "agent_message_chunk", "content": content}}
        params |= {key: shaped[key] for key in ("sessionId",) if key in shaped}
    else:
        return [_unrecognised(message)]
    return _call({"method": "session/update", "params": params})


def _unrecognised(message: Mapping[str, Any]) -> Object:
    return {"jsonrpc": "2.0", "method": UNRECOGNISED, "params": {"message": dict(message)}}
