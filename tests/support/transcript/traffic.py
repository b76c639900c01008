"""Write the traffic of a session line by line, as a transport would."""

from __future__ import annotations

import itertools
from typing import Any

from acp_jupyter.protocol.host_events.notes import ImportedPacket, Note, SessionOpened
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript


class Script:
    """A session whose lines a test writes; time passes one second a line."""

    def __init__(self, cwd: str = "/ws", start: float = 0.0, agent: str = "Demo") -> None:
        self._start = start
        self.opening = SessionOpened(
            session_id="s1", agent_id="demo", agent_name=agent, cwd=cwd, folder="~/ws"
        )
        self.transcript: Transcript = opened_transcript(self.opening, start)
        self.events: list[Event] = []
        self.entries: list[TrafficEntry] = []
        self._reader = TrafficReader()
        self._seq = itertools.count(1)

    def line(self, direction: str, message: dict[str, Any], re: int | None = None) -> int:
        """Enter one line; return its number."""
        seq = next(self._seq)
        entry = TrafficEntry(seq, self._start + seq, direction, message, re)  # type: ignore[arg-type]
        self.entries.append(entry)
        for packet in self._reader.read(entry):
            self.transcript, events = reduce(self.transcript, packet, entry.t)
            self.events += events
        return seq

    def note(self, note: Note) -> None:
        """Enter a line of the host's own."""
        self.line("!", note.model_dump(mode="json"))

    def imported(self, packet: dict[str, Any]) -> None:
        """Enter a packet of a log that is no traffic of the protocol."""
        self.note(ImportedPacket(packet=packet))

    def turn(self, text: str = "Do it", turn_id: str = "t1") -> int:
        """Queue and start a turn; return the number of its prompt request."""
        prompt = [{"type": "text", "text": text}]
        self.line("!", {"note": "turn_queued", "turn_id": turn_id, "prompt": prompt})
        self.line("!", {"note": "turn_started", "turn_id": turn_id})
        params = {"sessionId": "a1", "prompt": prompt}
        return self.line(">", {"id": 1, "method": "session/prompt", "params": params})

    def update(self, kind: str, /, **fields: Any) -> None:
        """Enter a session/update of the agent."""
        update = {"sessionUpdate": kind, **fields}
        params = {"sessionId": "a1", "update": update}
        self.line("<", {"jsonrpc": "2.0", "method": "session/update", "params": params})

    def text(self, text: str, kind: str = "agent_message_chunk", **fields: Any) -> None:
        """Enter a chunk."""
        self.update(kind, content={"type": "text", "text": text}, **fields)

    def ask(self, tool_call: dict[str, Any], options: list[dict[str, str]] | None = None) -> str:
        """Enter a permission request; return its id."""
        offered = OPTIONS if options is None else options
        params = {"sessionId": "a1", "toolCall": tool_call, "options": offered}
        message = {"id": 9, "method": "session/request_permission", "params": params}
        return f"p{self.line('<', message)}"

    def answer(self, request_id: str, option_id: str | None) -> None:
        """Enter the client's answer."""
        outcome: dict[str, str] = {"outcome": "cancelled"}
        if option_id is not None:
            outcome = {"outcome": "selected", "optionId": option_id}
        self.line(">", {"id": 9, "result": {"outcome": outcome}}, int(request_id[1:]))

    def end(self, prompt_seq: int, stop_reason: str = "end_turn") -> None:
        """Enter the agent's end of turn."""
        self.line("<", {"id": 1, "result": {"stopReason": stop_reason}}, prompt_seq)


OPTIONS = [
    {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
