"""Merges consecutive chunks of one message or thought before they are reduced.

Agents write thousands of chunks per second; merged, they cost one step of the transcript in place
of thousands.
"""

from __future__ import annotations

from acp_jupyter.protocol.traffic import TextChunk, TrafficEntry, text_chunk

_CHARS = 65_536


class ChunkMerger:
    """Merges consecutive chunks; the resulting transcript is the same."""

    def __init__(self) -> None:
        self._first: TrafficEntry | None = None
        self._last = 0
        self._chunk: TextChunk | None = None
        self._pieces: list[str] = []
        self._chars = 0

    def add(self, entry: TrafficEntry) -> bool:
        """Add an entry if it continues the merged text or begins one; return whether it did."""
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
        """Remove and return the merged entry; None if there is none."""
        first, chunk = self._first, self._chunk
        if first is None or chunk is None:
            return None
        self._first = self._chunk = None
        pieces, self._pieces, self._chars = self._pieces, [], 0
        if len(pieces) == 1:
            return first
        return TrafficEntry(self._last, first.t, "<", chunk.with_text("".join(pieces)))
