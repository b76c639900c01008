"""From the lines of one session's traffic to packets and notes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from acp_jupyter.packets.content import first, text
from acp_jupyter.packets.models import (
    AgentInfoPacket,
    AgentPacket,
    CancelSent,
    ErrorPacket,
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    PromptResponse,
    RawModes,
    SessionSetup,
    ToolCallProgress,
    Unknown,
)
from acp_jupyter.packets.normalise import RAW_OPTION_KIND, normalise_clean
from acp_jupyter.packets.notes import Note, read_note
from acp_jupyter.packets.parse import parse_update, read_tool_call
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["Packet", "TrafficReader"]

Packet = AgentPacket | Note

_SETUP = {"session/new", "session/load", "session/resume"}
_CONFIG = {"session/set_config_option"}


class TrafficReader:
    """Turns lines into packets; remembers which request a response answers."""

    def __init__(self) -> None:
        self._asked: dict[int, str] = {}

    def read(self, entry: TrafficEntry) -> list[Packet]:
        """Read one line; what says nothing about the session gives nothing."""
        if entry.direction == "!":
            note = read_note(dict(entry.message))
            return [] if note is None else [note]
        if entry.direction == ">":
            return self._read_message(entry, entry.message)
        packets: list[Packet] = []
        for message in normalise_clean(entry.message):
            packets.extend(self._read_message(entry, message))
        return packets

    def _read_message(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[Packet]:
        method = text(message.get("method"))
        params = message.get("params")
        body = params if isinstance(params, dict) else {}
        if not method:
            return self._response(entry, message)
        if "id" in message:
            self._asked[entry.seq] = method
        if method == "session/update" and entry.direction == "<":
            return [parse_update(body.get("update"))]
        if method == "session/cancel" and entry.direction == ">":
            return [CancelSent()]
        if method == "session/request_permission" and entry.direction == "<":
            return [_permission_request(entry.seq, body)]
        return []

    def _response(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[Packet]:
        method = "" if entry.re is None else self._asked.pop(entry.re, "")
        if method == "session/request_permission" and entry.direction == ">":
            return [_permission_response(entry.re or 0, message)]
        if entry.direction == ">":
            return []
        result = message.get("result")
        body: dict[str, JsonValue] = result if isinstance(result, dict) else {}
        error = message.get("error")
        if error is not None:
            return [_error(error)] if method == "session/prompt" else []
        if method == "session/prompt":
            return [_prompt_response(body)]
        if method == "initialize":
            return [_agent_info(body)]
        if method in _SETUP or method in _CONFIG:
            return [_session_setup(body)]
        return []


def _permission_request(seq: int, params: dict[str, JsonValue]) -> PermissionRequest:
    raw_call = first(params, "toolCall", "tool_call")
    call = read_tool_call(raw_call) or ToolCallProgress(tool_call_id="")
    raw_options = params.get("options")
    options = raw_options if isinstance(raw_options, list) else []
    return PermissionRequest(
        request_id=f"p{seq}",
        tool_call=call,
        options=tuple(_option(o) for o in options if isinstance(o, dict)),
    )


def _option(raw: dict[str, JsonValue]) -> OptionPacket:
    option_id = text(first(raw, "optionId", "option_id"))
    meta = raw.get("_meta")
    kept = text(meta.get(RAW_OPTION_KIND)) if isinstance(meta, dict) else ""
    return OptionPacket(
        option_id=option_id,
        name=text(raw.get("name")) or option_id,
        kind=kept or text(raw.get("kind")),
    )


def _permission_response(asked_seq: int, message: Mapping[str, Any]) -> PermissionResponse:
    result = message.get("result")
    outcome = result.get("outcome") if isinstance(result, dict) else None
    option = text(first(outcome, "optionId", "option_id")) if isinstance(outcome, dict) else ""
    return PermissionResponse(request_id=f"p{asked_seq}", option_id=option or None)


def _prompt_response(result: dict[str, JsonValue]) -> PromptResponse:
    usage = result.get("usage")
    total = usage.get("totalTokens") if isinstance(usage, dict) else None
    return PromptResponse(
        stop_reason=text(first(result, "stopReason", "stop_reason")) or "end_turn",
        tokens=total if isinstance(total, int) else None,
    )


def _agent_info(result: dict[str, JsonValue]) -> AgentInfoPacket:
    raw_info = first(result, "agentInfo", "agent_info")
    info = raw_info if isinstance(raw_info, dict) else {}
    raw_caps = first(result, "agentCapabilities", "agent_capabilities")
    caps = raw_caps if isinstance(raw_caps, dict) else {}
    prompt = first(caps, "promptCapabilities", "prompt_capabilities")
    flags = prompt if isinstance(prompt, dict) else {}
    return AgentInfoPacket(
        title=text(first(info, "title", "name")),
        version=text(info.get("version")),
        prompt_capabilities=tuple(
            name for name in ("image", "audio", "embeddedContext") if flags.get(name) is True
        ),
    )


def _session_setup(result: dict[str, JsonValue]) -> SessionSetup:
    raw = result.get("modes")
    options = first(result, "configOptions", "config_options")
    return SessionSetup(
        modes=_modes(raw) if isinstance(raw, dict) else None,
        options=tuple(o for o in options if isinstance(o, dict))
        if isinstance(options, list)
        else None,
    )


def _modes(raw: dict[str, JsonValue]) -> RawModes:
    listed = first(raw, "availableModes", "available_modes")
    return RawModes(
        modes=tuple(
            (text(m["id"]), text(m.get("name")) or text(m["id"]), text(m.get("description")))
            for m in (listed if isinstance(listed, list) else [])
            if isinstance(m, dict) and text(m.get("id"))
        ),
        current=text(first(raw, "currentModeId", "current_mode_id")),
    )


def _error(raw: JsonValue) -> ErrorPacket | Unknown:
    if not isinstance(raw, dict):
        return ErrorPacket(message=str(raw))
    code = raw.get("code")
    data = raw.get("data")
    detail = ""
    if isinstance(data, dict):
        detail = text(first(data, "details", "detail", "message"))
    elif isinstance(data, str):
        detail = data
    message = _plain(text(raw.get("message"))) or "The agent reported an error."
    detail = _plain(detail)
    return ErrorPacket(
        message=message,
        code="" if code is None else str(code),
        detail="" if detail == message else detail,
    )


def _plain(message: str) -> str:
    """Return the sentence in a provider's error that was passed on as JSON (codex, gemini)."""
    if not message.startswith("{"):
        return message
    try:
        body = json.loads(message)
    except (ValueError, RecursionError):
        return message
    inner = body.get("error", body) if isinstance(body, dict) else {}
    return text(inner.get("message")) if isinstance(inner, dict) else message
