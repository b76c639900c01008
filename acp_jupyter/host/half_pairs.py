"""An emoji that an agent cut in two: JavaScript counts it as two characters, and may send each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["HalfPairs"]

_LOST = "\ufffd"
"""What reading JSON makes of half a pair."""
_FIRST = re.compile(r'\\u(d[89ab][\da-f]{2})"', re.IGNORECASE)
_SECOND = re.compile(r'"\\u(d[c-f][\da-f]{2})', re.IGNORECASE)


class HalfPairs:
    """Joins the end of one piece of text to the beginning of the next of the same message.

    The first half waits for whatever the agent writes next into that session. Where the other one
    does not come it becomes U+FFFD.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[dict[str, Any], str]] = {}

    def concern(self, line: str) -> bool:
        """Tell whether a line may have halves in it, or come after one."""
        return bool(self._waiting) or "\\ud" in line or "\\uD" in line

    def joined(self, value: object, line: str) -> Iterator[tuple[object, str]]:
        """Yield what was read, whole; with the line that it was read from if it is the same."""
        text = _text_of(value)
        if text is None or not isinstance(value, dict):
            yield from self.lost()
            yield value, line
            return
        session_id = value["params"]["sessionId"]
        before, first = self._waiting.pop(session_id, (None, ""))
        halves = _FIRST.findall(line) if text.endswith(_LOST) else []
        second = _SECOND.search(line) if text.startswith(_LOST) else None
        if before is not None and second and _with_text(before, text) == value:
            pair = bytes.fromhex(first + second[1]).decode("utf-16-be")
            value, line, text = _with_text(value, pair + text[1:]), "", pair + text[1:]
        elif before is not None:
            yield _with_text(before, _LOST), ""
        if halves:
            self._waiting[session_id] = value, halves[-1]
            value, line = _with_text(value, text[:-1]), ""
        if text[: len(text) - len(halves[-1:])]:
            yield value, line

    def lost(self) -> Iterator[tuple[object, str]]:
        """Yield the halves that wait for nothing any more."""
        while self._waiting:
            before, _ = self._waiting.pop(next(iter(self._waiting)))
            yield _with_text(before, _LOST), ""


def _text_of(value: object) -> str | None:
    match value:
        case {
            "method": "session/update",
            "params": {
                "sessionId": str(),
                "update": {"sessionUpdate": str(), "content": {"type": "text", "text": str(text)}},
            },
        } if text:
            return text
        case _:
            return None


def _with_text(message: dict[str, Any], text: str) -> dict[str, Any]:
    params = message["params"]
    update = params["update"]
    content = {**update["content"], "text": text}
    return {**message, "params": {**params, "update": {**update, "content": content}}}
