"""From the lines of one session's traffic to packets and notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_jupyter.packets import parse_session as session
from acp_jupyter.packets import parse_tools as tools
from acp_jupyter.packets.json_fields import Obj, first, items, obj, text
from acp_jupyter.packets.normalise import normalise_clean
from acp_jupyter.packets.notes import ImportedPacket, Note, read_note
from acp_jupyter.packets.parse import parse_clean
from acp_jupyter.packets.parse_state import ParseState
from acp_jupyter.packets.plain import is_plain
from acp_jupyter.packets.session_models import AgentInfoPacket, CancelSent, RawModes, SessionSetup
from acp_jupyter.packets.traffic import TrafficEntry
from acp_jupyter.packets.union import Packet

__all__ = ["LogPacket", "TrafficReader"]

LogPacket = Packet | Note
"""What a line of a traffic log can say: the agent's packets, the host's notes."""

_SETUP = {"session/new", "session/load", "session/resume"}
_CONFIG = {"session/set_config_option"}


class TrafficReader:
    """Turns lines into packets; remembers which request a response answers."""

    def __init__(self) -> None:
        self._asked: dict[int, str] = {}
        self._state = ParseState()

    def read(self, entry: TrafficEntry) -> list[LogPacket]:
        """Read one line; what says nothing about the session gives nothing."""
        if entry.direction == "!":
            note = read_note(dict(entry.message))
            if isinstance(note, ImportedPacket):
                return [parse_clean(note.packet, self._state)]
            return [] if note is None else [note]
        if entry.direction == ">":
            return self._read_message(entry, entry.message)
        if is_plain(entry.message):
            return [parse_clean(entry.message["params"]["update"], self._state)]
        packets: list[LogPacket] = []
        for message in normalise_clean(entry.message):
            packets.extend(self._read_message(entry, message))
        return packets

    def _read_message(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[LogPacket]:
        method = text(message.get("method"))
        params = message.get("params")
        body = params if isinstance(params, dict) else {}
        if not method:
            return self._response(entry, message)
        if "id" in message:
            self._asked[entry.seq] = method
        if method == "session/update" and entry.direction == "<":
            return [parse_clean(body.get("update"), self._state)]
        if method == "session/cancel" and entry.direction == ">":
            return [CancelSent()]
        if method == "session/request_permission" and entry.direction == "<":
            asked = tools.permission_request(body, self._state, f"p{entry.seq}")
            return [] if asked is None else [asked]
        return []

    def _response(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[LogPacket]:
        method = "" if entry.re is None else self._asked.pop(entry.re, "")
        if method == "session/request_permission" and entry.direction == ">":
            answer = tools.permission_response(obj(message.get("result")), f"p{entry.re}")
            return [] if answer is None else [answer]
        if entry.direction == ">":
            return []
        body = obj(message.get("result"))
        error = message.get("error")
        if error is not None:
            return [session.error(error)] if method == "session/prompt" else []
        if method == "session/prompt":
            return [session.prompt_response(body)]
        if method == "initialize":
            return [_agent_info(body)]
        if method in _SETUP or method in _CONFIG:
            return [_session_setup(body)]
        return []


def _agent_info(result: Obj) -> AgentInfoPacket:
    info = obj(first(result, "agentInfo", "agent_info"))
    caps = obj(first(result, "agentCapabilities", "agent_capabilities"))
    flags = obj(first(caps, "promptCapabilities", "prompt_capabilities"))
    return AgentInfoPacket(
        title=text(first(info, "title", "name")),
        version=text(info.get("version")),
        prompt_capabilities=tuple(
            name for name in ("image", "audio", "embeddedContext") if flags.get(name) is True
        ),
    )


def _session_setup(result: Obj) -> SessionSetup:
    raw = result.get("modes")
    options = first(result, "configOptions", "config_options")
    return SessionSetup(
        modes=_modes(raw) if isinstance(raw, dict) else None,
        options=tuple(o for o in map(obj, options) if o) if isinstance(options, list) else None,
    )


def _modes(raw: Obj) -> RawModes:
    listed = items(first(raw, "availableModes", "available_modes"))
    return RawModes(
        modes=tuple(
            (text(m["id"]), text(m.get("name")) or text(m["id"]), text(m.get("description")))
            for m in map(obj, listed)
            if text(m.get("id"))
        ),
        current=text(first(raw, "currentModeId", "current_mode_id")),
    )
