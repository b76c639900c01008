"""The handshake, logins and sessions: requests in either version, responses in version 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, items, obj, text

_SAME_SESSION = frozenset({"prompt", "mcp"})
"""Session capabilities that version 1 has in other places."""
_METHODS = {"authenticate": "auth/login", "logout": "auth/logout", "session/load": "session/resume"}
_OLD_METHODS = {"auth/login": "authenticate", "auth/logout": "logout"}
_FROM_START: Obj = {"type": "start"}


def is_hello(result: Obj) -> bool:
    """Return whether a response to ``initialize`` is in version 2, by its fields.

    Some agents of version 1 answer with whatever version they are offered.
    """
    return (
        str(result.get("protocolVersion")).removesuffix(".0") == "2"
        and isinstance(result.get("info"), dict)
        and "agentCapabilities" not in result
    )


def hello_in_version_1(result: Obj) -> Obj:
    """Return the response to ``initialize``."""
    methods: list[JsonValue] = [_login(obj(raw)) for raw in items(result.get("authMethods"))]
    kept = {key: value for key, value in result.items() if key not in ("info", "capabilities")}
    return {
        **kept,
        "protocolVersion": 1,
        "agentInfo": result.get("info"),
        "agentCapabilities": _capabilities(obj(result.get("capabilities")), logs_in=bool(methods)),
        "authMethods": methods,
    }


def _capabilities(raw: Obj, *, logs_in: bool) -> Obj:
    auth: Obj = {**obj(raw.get("auth")), **({"logout": {}} if logs_in else {})}
    session = raw.get("session")
    if not isinstance(session, dict):
        return {**raw, "auth": auth}
    rest = {key: value for key, value in session.items() if key not in _SAME_SESSION}
    return {
        **{key: value for key, value in raw.items() if key != "session"},
        "auth": auth,
        "loadSession": True,
        "promptCapabilities": _flags(session.get("prompt")),
        "mcpCapabilities": _flags(session.get("mcp")),
        "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, **rest},
    }


def _flags(raw: JsonValue) -> Obj:
    """Return an object as true."""
    return {key: isinstance(value, dict) for key, value in obj(raw).items() if key != "_meta"}


def _login(raw: Obj) -> Obj:
    kept = {key: value for key, value in raw.items() if key != "methodId"}
    return {**kept, "id": raw["methodId"]} if "methodId" in raw else raw


def setup_in_version_1(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the response to a request that opens a session, or sets an option.

    The option for the mode also becomes modes; the commands become an update after it.
    """
    result = obj(message.get("result"))
    options, commands = result.get("configOptions"), result.get("availableCommands")
    if not isinstance(options, list) and not isinstance(commands, list):
        return [message]
    old: Obj = {key: value for key, value in result.items() if key != "availableCommands"}
    if isinstance(options, list):
        old["configOptions"] = options_in_version_1(options)
        mode = mode_option(options)
        if mode and "modes" not in result and "configId" in mode:
            old["modes"] = _modes(mode)
    answers: list[Mapping[str, Any]] = [message if old == result else {**message, "result": old}]
    if isinstance(commands, list):
        update = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
        params = {"sessionId": text(result.get("sessionId")), "update": update}
        answers.append({"jsonrpc": "2.0", "method": "session/update", "params": params})
    return answers


def mode_option(options: JsonValue) -> Obj:
    """Return the option for the mode, in the terms of either version; an empty one for none."""
    listed = map(obj, items(options))
    return next((o for o in listed if o.get("category") == "mode" and _mode_id(o)), {})


def _mode_id(option: Obj) -> str:
    return text(option.get("currentValue"))


def _modes(option: Obj) -> Obj:
    values = [obj(each) for each in items(option.get("options"))]
    grouped = [obj(each) for value in values for each in items(value.get("options"))]
    modes: list[JsonValue] = [
        {"id": each["value"], **{k: each[k] for k in ("name", "description") if k in each}}
        for each in (*values, *grouped)
        if text(each.get("value"))
    ]
    return {"currentModeId": _mode_id(option), "availableModes": modes}


def options_in_version_1(options: list[JsonValue]) -> list[JsonValue]:
    """Return config options with the ids of version 1."""
    return [_option(raw) for raw in options]


def _option(raw: JsonValue) -> JsonValue:
    if not isinstance(raw, dict) or "configId" not in raw:
        return raw
    named = {key: value for key, value in raw.items() if key != "configId"}
    named["id"] = raw["configId"]
    if isinstance(raw.get("options"), list):
        named["options"] = [_group(each) for each in items(raw["options"])]
    return named


def _group(raw: JsonValue) -> JsonValue:
    if not isinstance(raw, dict) or "groupId" not in raw:
        return raw
    return {"group": raw["groupId"], **{k: v for k, v in raw.items() if k != "groupId"}}


def request_in_version_1(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return one of our requests in version 2."""
    method = text(message.get("method"))
    if method in _OLD_METHODS:
        return {**message, "method": _OLD_METHODS[method]}
    if method == "session/resume" and obj(message.get("params")).get("replayFrom"):
        return {**message, "method": "session/load"}
    return message


def request_in_version_2(
    method: str, params: dict[str, Any], *, stdio: bool, mode: str
) -> tuple[str, dict[str, Any]]:
    """Return one of our requests as an agent of version 2 takes it."""
    if method == "session/set_mode":
        params = {"sessionId": params["sessionId"], "configId": mode, "value": params["modeId"]}
        method = "session/set_config_option"
    if isinstance(params.get("mcpServers"), list):
        servers = map(_server, params["mcpServers"])
        params["mcpServers"] = [each for each in servers if stdio or each["type"] != "stdio"]
    if method == "session/load":
        params["replayFrom"] = _FROM_START
    elif method == "session/set_config_option" and "type" not in params:
        params["type"] = "id"
    return _METHODS.get(method, method), params


def _server(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "stdio", **raw}
