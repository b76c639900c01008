"""Reads a session's traffic: entries in, packets and notes out, requests matched to responses.

A history that an agent replays when it loads a session becomes turns, or is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import JsonValue

from acp_jupyter.protocol.content import OtherBlock, TextBlock
from acp_jupyter.protocol.host_events.notes import (
    ImportedPacket,
    Note,
    SessionOpened,
    TurnQueued,
    TurnStartedNote,
    is_replayed,
    read_note,
)
from acp_jupyter.protocol.host_events.session import ReplayEnded, ReplayStarted
from acp_jupyter.protocol.large.messages import cut_message, is_whole_chunk
from acp_jupyter.protocol.normalise import normalise_clean
from acp_jupyter.protocol.objects import Obj, items, obj, text
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    PlanRemoved,
    PromptResponse,
    ToolCallProgress,
    ToolCallStart,
    UserMessageChunk,
)
from acp_jupyter.protocol.parse import elicitation, session, steering, tool_calls
from acp_jupyter.protocol.parse.packet import Packet, parse_packet
from acp_jupyter.protocol.parse.subagents import SUBAGENT_UPDATES, Subagents
from acp_jupyter.protocol.parse.tool_calls import ParseState
from acp_jupyter.protocol.session_packets import CallCancel, CancelSent
from acp_jupyter.protocol.traffic import TrafficEntry, is_plain
from acp_jupyter.protocol.version_2 import Version2

LogPacket = Packet | Note
"""What a line of a traffic log can contain: the agent's packets, and the host's notes."""

_SETUP = {"session/new", "session/load", "session/resume", "session/fork"}
_CONFIG = {"session/set_config_option"}
_CHOICES = {"session/set_mode", "session/set_model"}
"""Requests with an empty response: afterwards the requested state is in effect."""
_ASKED = {*_CHOICES, *session.CALL_CANCELS, steering.METHOD}
"""Requests that are parsed together with their response."""


class TrafficReader:
    """Parses lines into packets; remembers which request a response answers."""

    def __init__(self) -> None:
        self._requests: dict[int, tuple[str, Obj]] = {}
        self._version_2 = Version2()
        self._state = ParseState()
        self._subagents = Subagents(self._state)
        self._history: LoadedHistory | None = None
        self._played = False
        """Whether a recording is replayed in place of the agent, which the agent itself can't
        say."""

    def saved(self) -> Obj | None:
        """Return the state as JSON; None during a replay."""
        if self._history is not None:
            return None
        requests: list[JsonValue] = [[seq, *asked] for seq, asked in self._requests.items()]
        return {
            "requests": requests,
            "calls": self._state.saved(),
            "subagents": self._subagents.saved(),
            "played": self._played,
            "version_2": self._version_2.saved(),
        }

    @classmethod
    def of_saved(cls, saved: Obj) -> Self:
        """Return a reader that continues from a saved state."""
        reader = cls()
        for request in items(saved["requests"]):
            match request:
                case [int(seq), str(method), dict(body)]:
                    reader._requests[seq] = method, body
                case _:
                    raise ValueError(request)
        reader._state.load(obj(saved["calls"]))
        reader._subagents.load(obj(saved["subagents"]))
        reader._played = saved["played"] is True
        if (version_2 := saved["version_2"]) is not None:
            reader._version_2 = Version2.of_saved(obj(version_2))
        return reader

    def read(self, entry: TrafficEntry) -> list[LogPacket]:
        """Parse one line; a line that doesn't concern the session gives nothing."""
        if entry.direction == "<":
            plain = is_plain(entry.message)
            # Most lines are such a chunk, and counting their values would cost a fifth more.
            if not (plain and is_whole_chunk(entry.message)):
                message = cut_message(entry.message)
                if message is not entry.message:
                    entry, plain = entry._replace(message=message), is_plain(message)
            if plain and not self._version_2.is_used:
                return self._shown([*self._update(entry.message["params"])])
        packets: list[LogPacket] = []
        for each in self._version_2.entries(entry):
            packets += self._shown(self._read(each))
        return packets

    def _shown(self, packets: list[LogPacket]) -> list[LogPacket]:
        history = self._history
        if history is None:
            return packets
        return [replayed for packet in packets for replayed in self._replayed(packet, history)]

    def _replayed(self, packet: LogPacket, history: LoadedHistory) -> list[LogPacket]:
        """Return a packet of replayed history; the next turn ends the replay."""
        if isinstance(packet, ReplayEnded | TurnStartedNote):
            self._history = None
            return [*history.end(), packet]
        return history.apply(packet)

    def _read(self, entry: TrafficEntry) -> list[LogPacket]:
        if entry.direction == "!":
            return self._note(entry)
        if entry.direction == ">":
            return self._read_message(entry, entry.message)
        if is_plain(entry.message):
            return [*self._update(entry.message["params"])]
        packets: list[LogPacket] = []
        for message in normalise_clean(entry.message):
            packets.extend(self._read_message(entry, message))
        return packets

    def _update(self, params: Obj) -> list[Packet]:
        update = params.get("update")
        named = text(params.get("sessionId"))
        if isinstance(update, dict) and update.get("sessionUpdate") in SUBAGENT_UPDATES:
            return self._subagents.read(named, update)
        packets = self._subagents.placed(named, parse_packet(update, self._state, is_clean=True))
        return [*steering.played(packets, update)] if self._played else packets

    def _note(self, entry: TrafficEntry) -> list[LogPacket]:
        note = read_note(dict(entry.message))
        match note:
            case None:
                return []
            case ImportedPacket():
                return [parse_packet(note.packet, self._state, is_clean=True)]
            case ReplayStarted():
                self._history = LoadedHistory(keep_history=note.keep, number=entry.seq)
                return []
            case SessionOpened():
                self._played = is_replayed(note.agent_name)
                return [note]
            case TurnStartedNote():
                self._subagents.next_turn()
                return [note]
            case _:
                return [note]

    def _read_message(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[LogPacket]:
        method = text(message.get("method"))
        params = message.get("params")
        body = params if isinstance(params, dict) else {}
        if not method:
            return self._response(entry, message)
        if "id" in message:
            self._requests[entry.seq] = method, body if method in _ASKED else {}
        if method == "session/update" and entry.direction == "<":
            return [*self._update(body)]
        if method == "_auth/status_update" and entry.direction == "<":
            return [session.auth_status(body)]
        if method == "session/cancel" and entry.direction == ">":
            call_id = self._subagents.call_of(text(body.get("sessionId")))
            return [CallCancel(tool_call_id=call_id) if call_id else CancelSent()]
        if method in session.CALL_CANCELS and entry.direction == ">":
            return [session.call_cancel(body)]
        if method == "session/request_permission" and entry.direction == "<":
            asked = tool_calls.permission_request(body, self._state, f"p{entry.seq}")
            named = text(body.get("sessionId"))
            return [] if asked is None else [*self._subagents.placed(named, asked)]
        if method == "elicitation/create" and entry.direction == "<" and "id" in message:
            return [elicitation.elicitation_request(body, f"e{entry.seq}")]
        if method == "elicitation/complete" and entry.direction == "<":
            done = elicitation.elicitation_complete(body)
            return [] if done is None else [done]
        return []

    def _response(self, entry: TrafficEntry, message: Mapping[str, Any]) -> list[LogPacket]:
        method, asked = ("", {}) if entry.re is None else self._requests.pop(entry.re, ("", {}))
        if method == "session/request_permission" and entry.direction == ">":
            answer = tool_calls.permission_response(obj(message.get("result")), f"p{entry.re}")
            return [] if answer is None else [answer]
        if method == "elicitation/create" and entry.direction == ">":
            return [elicitation.elicitation_response(dict(message), f"e{entry.re}")]
        if entry.direction == ">":
            return []
        body = obj(message.get("result"))
        error = message.get("error")
        if error is not None:
            return _refused(method, asked, error)
        if method == "session/prompt":
            return [session.prompt_response(body)]
        if method == "initialize":
            return [session.agent_info(body)]
        if method == "auth/status":
            return [session.auth_status(body)]
        if method == steering.METHOD and not self._played:
            return [*steering.taken_message(body, asked)]
        if method in _SETUP or method in _CONFIG:
            return [session.session_setup(body)]
        return [*session.current_choice(method, asked)]


def _refused(method: str, asked: Obj, error: JsonValue) -> list[LogPacket]:
    """Read an error of the agent."""
    if method in session.CALL_CANCELS:
        return [session.call_cancel(asked, refused=True)]
    return [session.error(error)] if method == "session/prompt" else []


_REPLAYED = (
    UserMessageChunk,
    AgentMessageChunk,
    AgentThoughtChunk,
    ToolCallStart,
    ToolCallProgress,
    AgentPlanUpdate,
    PlanRemoved,
    PromptResponse,
)


class LoadedHistory:
    """Turns replayed history into turns, or drops it. ACP: session/load.

    Parameters
    ----------
    keep_history
        Whether it is shown; else only what is true of the session as a whole comes through.
    number
        Of the log's line that began it: names the turns.
    """

    def __init__(self, *, keep_history: bool, number: int) -> None:
        self._keep_history = keep_history
        self._number = number
        self._turns = 0
        self._prompt: list[TextBlock | OtherBlock] = []
        self._running = False

    def apply(self, packet: Packet | Note) -> list[Packet | Note]:
        """Return the entries for a packet of the replay."""
        if not isinstance(packet, _REPLAYED):
            return [packet]
        if not self._keep_history:
            return []
        if isinstance(packet, UserMessageChunk):
            ended = self._ended()
            if packet.block != TextBlock(text=""):  # instructions that were left out
                self._prompt.append(packet.block)
            return ended
        return [*self._begun(), packet]

    def end(self) -> list[Packet | Note]:
        """Return the entries that end the replay."""
        return [*self._begun(), *self._ended()]

    def _begun(self) -> list[Packet | Note]:
        """Begin the turn whose prompt was replayed."""
        if not self._prompt:
            return []
        self._turns += 1
        turn_id = f"history-{self._number}-{self._turns}"
        blocks = tuple(block.model_dump(mode="json") for block in self._prompt)
        self._prompt = []
        self._running = True
        return [TurnQueued(turn_id=turn_id, prompt=blocks), TurnStartedNote(turn_id=turn_id)]

    def _ended(self) -> list[Packet | Note]:
        if not self._running:
            return []
        self._running = False
        return [PromptResponse(stop_reason="end_turn")]
