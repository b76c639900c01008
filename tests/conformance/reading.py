"""From a message of an agent to packets and a transcript, as the host does it."""

from __future__ import annotations

import json
from typing import Any

from acp_jupyter.protocol.host_events.notes import SessionOpened, TurnQueued, TurnStartedNote
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.conformance.shapes import VERSION_2, Message

__all__ = ["after", "entries_of", "read"]

_OPENING = SessionOpened(
    session_id="s", agent_id="a", agent_name="A", cwd="/ws", folder="/ws", policy="ask"
)
_CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "goes on"}}
_LATER = {"method": "session/update", "params": {"sessionId": "s", "update": _CHUNK}}


_INFO: Obj = {"name": "a", "version": "1"}
_SPEAKS_2 = (
    TrafficEntry(-1, 0.0, ">", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
    TrafficEntry(
        0,
        0.0,
        "<",
        {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 2, "info": _INFO}},
        -1,
    ),
)
"""How an agent says that it speaks version 2."""


def entries_of(message: Message, body: Any) -> list[TrafficEntry]:
    """Return the lines with which ``body`` comes, read as from a pipe."""
    if message.sort == "response":
        asked = {"jsonrpc": "2.0", "id": 1, "method": message.method, "params": {}}
        answer = {"jsonrpc": "2.0", "id": 1, "result": body}
        return [TrafficEntry(1, 1.0, ">", asked), TrafficEntry(2, 2.0, "<", _piped(answer), 1)]
    sent = {"jsonrpc": "2.0", "method": message.method, "params": body}
    sent |= {"id": 1} if message.sort == "request" else {}
    return [TrafficEntry(1, 1.0, "<", _piped(sent))]


def read(message: Message, body: Any) -> list[LogPacket]:
    """Return what it says."""
    reader = TrafficReader()
    if message.corpus in VERSION_2:
        for entry in _SPEAKS_2:
            reader.read(entry)
    return [packet for entry in entries_of(message, body) for packet in reader.read(entry)]


def after(message: Message, body: Any) -> Transcript:
    """Return a transcript in whose turn ``body`` and then a word came."""
    transcript = opened_transcript(_OPENING, 0)
    words: Obj = {"type": "text", "text": "Go"}
    begun = (TurnQueued(turn_id="t", prompt=(words,), policy="ask"), TurnStartedNote(turn_id="t"))
    later = TrafficReader().read(TrafficEntry(3, 3.0, "<", {"jsonrpc": "2.0", **_LATER}))
    for packet in (*begun, *read(message, body), *later):
        transcript, events = reduce(transcript, packet, 4.0)
        for event in events:
            event.model_dump_json()
    return transcript


def _piped(message: dict[str, Any]) -> dict[str, Any]:
    value = read_json(json.dumps(message))
    assert isinstance(value, dict)
    return value
