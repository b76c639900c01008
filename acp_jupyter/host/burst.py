"""Pieces of one text that come at once, taken as one."""

from __future__ import annotations

from acp_jupyter.protocol.traffic import TextChunk, TrafficEntry, text_chunk

__all__ = ["Burst"]

_CHARS = 65_536


class Burst:
    """Collects the chunks of one message or thought that follow each other directly.

    Agents write thousands of chunks in a second; joined, they cost one step of the transcript and
    not thousands. What the transcript says is the same.
    """

    def __init__(self) -> None:
        self._first: TrafficEntry | None = None
        self._last = 0
        self._chunk: TextChunk | None = None
        self._pieces: list[str] = []
        self._chars = 0

    def add(self, entry: TrafficEntry) -> bool:
        """Take an entry in if it goes on with what is here, or begins a text."""
        chunk = text_chunk(entry.message) if entry.direction == "<" else None
        if chunk is None or self._chars > _CHARS:
            return False
        if self._first is None:
            self._first, self._chunk = entry, chunk
        elif self._chunk is None or chunk[:3] != self._chunk[:3]:
            return False
        self._last = entry.seq
        self._pieces.append(chunk.text)
        self._chars += len(chunk.text)
        return True

    def take(self) -> TrafficEntry | None:
        """Give up what is here, as one entry; None for nothing."""
        first, chunk = self._first, self._chunk
        if first is None or chunk is None:
            return None
        self._first = self._chunk = None
        pieces, self._pieces, self._chars = self._pieces, [], 0
        if len(pieces) == 1:
            return first
        return TrafficEntry(self._last, first.t, "<", chunk.with_text("".join(pieces)))
