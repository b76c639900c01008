"""Text that streams first and comes whole afterwards, shown once (S4.27)."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["StreamedText"]

_MOST_MESSAGES = 64


@dataclass(slots=True)
class _Block:
    kind: str
    parts: list[str] = field(default_factory=list)
    is_whole: bool = False


class StreamedText:
    """Remembers what of each message was shown."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}
        self._messages: dict[str, dict[int, _Block]] = {}

    def begin(self, parent: str, message_id: str) -> None:
        """Note that a message begins to stream; each subagent streams its own."""
        if len(self._messages) >= _MOST_MESSAGES:
            del self._messages[next(iter(self._messages))]
        if len(self._current) >= _MOST_MESSAGES:
            del self._current[next(iter(self._current))]
        self._current[parent] = message_id
        self._messages[message_id] = {}

    def message_id(self, parent: str) -> str:
        """Return the message that streams."""
        return self._current.get(parent, "")

    def add(self, parent: str, index: int, kind: str, piece: str) -> str:
        """Take a piece of a block; return what of it is to be shown."""
        blocks = self._messages.setdefault(self.message_id(parent), {})
        block = blocks.get(index)
        if block is None or block.kind != kind:
            block = blocks[index] = _Block(kind)
        if block.is_whole:
            return ""
        block.parts.append(piece)
        return piece

    def remainder(self, message_id: str, kind: str, whole: str) -> str:
        """Return what of a whole block has not been shown yet."""
        for block in self._messages.get(message_id, {}).values():
            if block.kind == kind and not block.is_whole:
                block.is_whole = True
                return _after("".join(block.parts), whole)
        return whole


def _after(shown: str, whole: str) -> str:
    if whole.startswith(shown):
        return whole[len(shown) :]
    # The CLI may take the blank lines off that a model begins and ends with.
    bare, full = shown.strip(), whole.strip()
    if full.startswith(bare):
        return full[len(bare) :]
    return "" if bare.startswith(full) else whole
