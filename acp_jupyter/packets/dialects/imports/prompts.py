"""The prompts of a log of ACP traffic as turns: queued, running, answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from acp_jupyter.packets.dialects.imports.writer import LineWriter
from acp_jupyter.packets.ids import gen_id
from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.notes import TurnFailed, TurnQueued, TurnStartedNote
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["Prompts"]

_NO_END = "The log has no end of this turn."


class Prompts:
    """Writes the notes that a host would have written; the first of the open turns is running.

    Parameters
    ----------
    writer
        Makes the lines.
    """

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._open: deque[tuple[int, str]] = deque()

    def queue(self, request: int, prompt: Sequence[Obj]) -> Iterator[TrafficEntry]:
        """Take a prompt, before its request is written."""
        turn_id = gen_id()
        self._open.append((request, turn_id))
        yield self._writer.note(TurnQueued(turn_id=turn_id, prompt=tuple(prompt)))
        if len(self._open) == 1:
            yield self._writer.note(TurnStartedNote(turn_id=turn_id))

    def answer(self, request: int | None) -> Iterator[TrafficEntry]:
        """Make the answered turn the running one, before the answer is written."""
        if any(asked == request for asked, _ in self._open):
            while self._open[0][0] != request:
                yield from self._lose()

    def answered(self, request: int | None) -> Iterator[TrafficEntry]:
        """Go on with the next turn, after the answer was written."""
        if self._open and self._open[0][0] == request:
            self._open.popleft()
            yield from self._start_next()

    def lose_all(self) -> Iterator[TrafficEntry]:
        """End the open turns: their process is gone."""
        while self._open:
            yield from self._lose()

    def _lose(self) -> Iterator[TrafficEntry]:
        _, turn_id = self._open.popleft()
        yield self._writer.note(TurnFailed(turn_id=turn_id, message=_NO_END, reason="log_ended"))
        yield from self._start_next()

    def _start_next(self) -> Iterator[TrafficEntry]:
        if self._open:
            yield self._writer.note(TurnStartedNote(turn_id=self._open[0][1]))
