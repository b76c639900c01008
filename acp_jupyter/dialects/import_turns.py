"""Guesses the turns of an imported log, and writes its new entries."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acp_jupyter.protocol.host_events.notes import Note, TurnQueued, TurnStartedNote
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.traffic import Direction, TrafficEntry

JSONRPC = {"jsonrpc": "2.0"}


class EntryWriter:
    """Numbers lines and gives them their time.

    Attributes
    ----------
    at
        Time of the next line.
    """

    def __init__(self, sequence: Iterator[int], at: float) -> None:
        self.at = at
        self._sequence = sequence

    def line(
        self, direction: Direction, message: Mapping[str, Any], re: int | None = None
    ) -> TrafficEntry:
        """Return the next line."""
        return TrafficEntry(next(self._sequence), self.at, direction, message, re)

    def note(self, note: Note) -> TrafficEntry:
        """Return the next line, a note."""
        return self.line("!", note.model_dump(mode="json"))


def session_update(session_id: str, update: Obj) -> dict[str, Any]:
    """Return ACP's session/update."""
    params = {"sessionId": session_id, "update": update}
    return {**JSONRPC, "method": "session/update", "params": params}


class ImplicitTurns:
    """Guesses the turns of a log without prompt requests.

    A turn begins with the agent's first message after the last end, or with the user's message
    before that.

    Parameters
    ----------
    session_id
        The protocol's id; with it a turn is written as a request, and its end as the answer.
    """

    def __init__(self, writer: EntryWriter, session_id: str = "") -> None:
        self._writer = writer
        self._session_id = session_id
        self._prompt: list[Obj] = []
        self._request: int | None = None
        self._count = 0
        self.is_open = False

    @property
    def any_yet(self) -> bool:
        """Whether there has been a turn."""
        return self._count > 0

    def add_prompt(self, block: Obj) -> Iterator[TrafficEntry]:
        """Add a part of a prompt; end the previous turn, if it has not ended."""
        if self.is_open:
            yield from self.end({"stopReason": "end_turn"})
        self._prompt.append(block)

    def begin(self) -> Iterator[TrafficEntry]:
        """Begin a turn, unless one is running."""
        if self.is_open:
            return
        self.is_open = True
        self._count += 1
        prompt, self._prompt = self._prompt, []
        turn_id = gen_id()
        yield self._writer.note(TurnQueued(turn_id=turn_id, prompt=tuple(prompt)))
        yield self._writer.note(TurnStartedNote(turn_id=turn_id))
        if self._session_id:
            params = {"sessionId": self._session_id, "prompt": prompt}
            request = {**JSONRPC, "id": self._id, "method": "session/prompt", "params": params}
            asked = self._writer.line(">", request)
            self._request = asked.seq
            yield asked

    def end(self, result: Obj, error: Obj | None = None) -> Iterator[TrafficEntry]:
        """End the running turn; without one, begin and end an empty turn."""
        yield from self.begin()
        self.is_open = False
        if self._session_id:
            answer = {"result": result} if error is None else {"error": error}
            yield self._writer.line("<", {**JSONRPC, "id": self._id, **answer}, self._request)
        else:
            packet = {"type": "prompt_response", **result}
            yield self._writer.line("!", {"note": "imported_packet", "packet": packet})

    def ended(self) -> None:
        """Note an end that the log has as a line."""
        self.is_open = False

    def finish(self) -> Iterator[TrafficEntry]:
        """Begin a turn for a last prompt that the agent has not answered."""
        if self._prompt:
            yield from self.begin()

    @property
    def _id(self) -> str:
        return f"imported-{self._count}"


def as_blocks(content: object) -> Sequence[Obj]:
    """Return a text, a content block or a list of them as content blocks."""
    match content:
        case str():
            return [{"type": "text", "text": content}]
        case dict():
            return [content]
        case list():
            return [block for item in content for block in as_blocks(item)]
        case _:
            return []


_IN_TURN_NAMES = (
    "agent_message_chunk agent_thought_chunk tool_call tool_call_start tool_start "
    "permission_request plan agent_plan_update step_start step_delta output_delta"
)
_AFTER_TURN_NAMES = (
    "tool_call_update tool_call_progress tool_progress tool_end artifact_created file_write notice"
)

IN_TURN = frozenset(_IN_TURN_NAMES.split())
"""Updates that an agent only sends within a turn."""

AFTER_TURN = frozenset(_AFTER_TURN_NAMES.split())
"""Updates that may also follow a turn, and then belong to it."""


def gen_id() -> str:
    """Return a unique id."""
    return uuid.uuid4().hex
