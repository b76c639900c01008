"""From the lines of one session's traffic to packets and notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_jupyter.packets.history import History
from acp_jupyter.packets.json_fields import Obj, obj, text
from acp_jupyter.packets.normalise import normalise_clean
from acp_jupyter.packets.notes import ImportedPacket, Note, TurnStartedNote, read_note
from acp_jupyter.packets.parse import elicitation, session, setup, tools
from acp_jupyter.packets.parse.packet import parse_packet
from acp_jupyter.packets.parse.state import ParseState
from acp_jupyter.packets.plain import is_plain
from acp_jupyter.packets.session_models import CancelSent
from acp_jupyter.packets.session_notes import ReplayEnded, ReplayStarted
from acp_jupyter.packets.traffic import TrafficEntry
from acp_jupyter.packets.union import Packet

__all__ = ["LogPacket", "TrafficReader"]

LogPacket = Packet | Note
"""What a line of a traffic log can say: the agent's packets, the host's notes."""

_SETUP = {"session/new", "session/load", "session/resume", "session/fork"}
_CONFIG = {"session/set_config_option"}
_CHOICES = {"session/set_mode", "session/set_model"}
"""Answered by nothing: what was asked for is what is so then."""


class TrafficReader:
    """Turns lines into packets; remembers which request a response answers."""

    def __init__(self) -> None:
        self._requests: dict[int, tuple[str, Obj]] = {}
        self._state = ParseState()
        self._history: History | None = None

    def read(self, entry: TrafficEntry) -> list[LogPacket]:
        """Read one line; what says nothing about the session gives nothing."""
        packets = self._read(entry)
        if self._history is None:
            return packets
        return [told for packet in packets for told in self._replayed(packet)]

    def _replayed(self, packet: LogPacket) -> list[LogPacket]:
        """Take a packet of a history that an agent tells; the next turn ends that."""
        if self._history is None:
            return [packet]
        if isinstance(packet, ReplayEnded | TurnStartedNote):
            history, self._history = self._history, None
            return [*history.end(), packet]
        return self._history.take(packet)

    def _read(self, entry: TrafficEntry) -> list[LogPacket]:
        if entry.direction == "!":
            return self._note(entry)
        if entry.direction == ">":
            return self._read_message(entry, entry.message)
        if is_plain(entry.message):
            return [parse_packet(entry.message["params"]["update"], self._state, is_clean=True)]
        packets: list[LogPacket] = []
        for message in normalise_clean(entry.message):
            packets.extend(self._read_message(entry, message))
        return packets

    def _note(self, entry: TrafficEntry) -> list[LogPacket]:
        note = read_note(dict(entry.message))
        match note:
            case None:
                return []
            case ImportedPacket():
                return [parse_packet(note.packet, self._state, is_clean=True)]
            case ReplayStarted():
                self._history = History(keep_history=note.keep, number=entry.seq)
                return []
            case _:
                return [note]

    def _read_message(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[LogPacket]:
        method = text(message.get("method"))
        params = message.get("params")
        body = params if isinstance(params, dict) else {}
        if not method:
            return self._response(entry, message)
        if "id" in message:
            self._requests[entry.seq] = method, body if method in _CHOICES else {}
        if method == "session/update" and entry.direction == "<":
            return [parse_packet(body.get("update"), self._state, is_clean=True)]
        if method == "session/cancel" and entry.direction == ">":
            return [CancelSent()]
        if method == "session/request_permission" and entry.direction == "<":
            asked = tools.permission_request(body, self._state, f"p{entry.seq}")
            return [] if asked is None else [asked]
        if method == "elicitation/create" and entry.direction == "<" and "id" in message:
            return [elicitation.elicitation_request(body, f"e{entry.seq}")]
        if method == "elicitation/complete" and entry.direction == "<":
            done = elicitation.elicitation_complete(body)
            return [] if done is None else [done]
        return []

    def _response(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[LogPacket]:
        method, asked = ("", {}) if entry.re is None else self._requests.pop(entry.re, ("", {}))
        if method == "session/request_permission" and entry.direction == ">":
            answer = tools.permission_response(obj(message.get("result")), f"p{entry.re}")
            return [] if answer is None else [answer]
        if method == "elicitation/create" and entry.direction == ">":
            return [elicitation.elicitation_response(dict(message), f"e{entry.re}")]
        if entry.direction == ">":
            return []
        body = obj(message.get("result"))
        error = message.get("error")
        if error is not None:
            return [session.error(error)] if method == "session/prompt" else []
        if method == "session/prompt":
            return [session.prompt_response(body)]
        if method == "initialize":
            return [setup.agent_info(body)]
        if method in _SETUP or method in _CONFIG:
            return [setup.session_setup(body)]
        return [*setup.chosen(method, asked)]
