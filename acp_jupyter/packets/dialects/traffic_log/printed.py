"""Objects that are printed over several lines, alone or in one array (``[`` on its own line).

Editors copy and export a session that way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Printed"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]')
_BETWEEN = re.compile(r"[\]\s,]*")


@dataclass(slots=True)
class Printed:
    """What has begun and not ended yet.

    Parameters
    ----------
    max_chars
        Longest object that is kept.
    """

    max_chars: int
    first: int = 0
    """The line where the newest object began."""
    array_first: int = 0
    _depth: int = 0
    _base: int = 0
    """Depth between two objects: 1 in an array."""
    _parts: list[str] = field(default_factory=list)
    _size: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the next line belongs to it."""
        return self._depth > 0

    @property
    def in_object(self) -> bool:
        """Whether an object has begun."""
        return self._depth > self._base

    def begins(self, text: str) -> bool:
        """Tell whether a line begins something new although an object has not ended.

        No printer leaves an inner object at the beginning of a line.
        """
        return self.in_object and text.startswith("{")

    def take(self, number: int, text: str) -> Iterator[tuple[int, str]]:
        """Add a line; yield the objects that it completes, and an empty text for what is none."""
        if not self.is_open:
            self._base, self.array_first = (1 if text.strip() == "[" else 0), number
        at = 0  # how far the line has been used up
        for token in _TOKEN.finditer(text):
            if token[0] in "{[":
                at = self._opened(number, token, at)
            elif token[0] in "}]" and self._depth:
                self._depth -= 1
                if token[0] == "}" and not self.in_object:
                    self._parts.append(text[at : token.end()])
                    yield self.first, "".join(self._parts)
                    self.drop()
                    at = token.end()
        if self.in_object:
            self._parts.append(text[at:])
            self._size += len(text) - at
        elif not _BETWEEN.fullmatch(text, at):
            yield number, ""
        if self._size > self.max_chars:
            yield self.first, ""
            self.drop()
            self._depth = self._base

    def drop(self) -> None:
        """Forget what was kept."""
        self._parts, self._size = [], 0

    def _opened(self, number: int, token: re.Match[str], at: int) -> int:
        begins_object = token[0] == "{" and not self.in_object
        if begins_object:
            self.first = number
        self._depth += 1
        if begins_object:
            return token.start()
        return at if self.in_object else token.end()
