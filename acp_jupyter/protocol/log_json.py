"""The JSON values of a log: one per line, after a prefix, or printed over several lines.

Editors copy and export a session as objects printed over several lines, alone or in one array.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_jupyter.protocol.json import clean_json, read_json

_MAX_CHARS = 64 * 1024 * 1024
_MAX_PREFIX = 300
_NO_OBJECT = "This value in the array is not an object, or is too long."


@dataclass(frozen=True, slots=True)
class LogProblem:
    """A line, counted from 1, that could not be read as it should be."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class LogValue:
    """A JSON value, its first line, and the text before it in that line."""

    line: int
    value: Any
    prefix: str = ""


def read_values(lines: Iterable[bytes | str]) -> Iterator[LogValue | LogProblem]:
    """Yield the values in ``lines``; a torn or invalid one gives a problem."""
    printed = PrettyPrinted(_MAX_CHARS)
    for number, line in enumerate(lines, 1):
        if len(line) > _MAX_CHARS:
            yield LogProblem(number, f"The line is longer than {_MAX_CHARS:,} characters.")
            continue
        text, damaged = _decoded(line)
        if damaged:
            yield LogProblem(number, "Bytes that are not UTF-8 were replaced.")
        if not text.strip():
            continue
        if printed.begins(text):
            yield _torn(printed)
            printed = PrettyPrinted(_MAX_CHARS)
        if printed.is_open or text.strip() in ("[", "{"):
            for first, whole in printed.feed(number, text):
                yield _parsed(first, whole) if whole else LogProblem(first, _NO_OBJECT)
        else:
            yield from _value(number, text.strip())
    if printed.is_open:
        yield _torn(printed)


def _torn(printed: PrettyPrinted) -> LogProblem:
    if printed.in_object:
        return LogProblem(printed.first, "The object that begins here is not closed.")
    return LogProblem(printed.array_first, "The array is not closed. What is in it was read.")


def _decoded(line: bytes | str) -> tuple[str, bool]:
    """Return a line's text without a byte order mark, and whether it is damaged."""
    if isinstance(line, str):
        text: str = clean_json(line)
        return text.removeprefix("\ufeff"), False
    try:
        return line.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace"), True


def _value(number: int, text: str) -> Iterator[LogValue | LogProblem]:
    """Parse a line that holds one value."""
    parsed = _parsed(number, text.removesuffix(","))
    if isinstance(parsed, LogProblem):
        prefix, brace, rest = text.partition("{")
        if brace and len(prefix) <= _MAX_PREFIX:
            after = _parsed(number, brace + rest)
            if isinstance(after, LogValue):
                parsed = LogValue(number, after.value, prefix)
    if isinstance(parsed, LogValue) and isinstance(parsed.value, list) and parsed.value:
        yield from (LogValue(number, item) for item in parsed.value)
    else:
        yield parsed


def _parsed(number: int, text: str) -> LogValue | LogProblem:
    try:
        return LogValue(number, read_json(text))
    except RecursionError:
        return LogProblem(number, "The JSON is nested too deeply.")
    except json.JSONDecodeError as error:
        return LogProblem(number, f"This is not JSON ({error.msg} at character {error.colno}).")


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]')
_BETWEEN = re.compile(r"[\]\s,]*")


@dataclass(slots=True)
class PrettyPrinted:
    """A value that has begun and not ended yet."""

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
        """Return whether a line begins a new value although one has not ended.

        No printer puts an inner object at the beginning of a line.
        """
        return self.in_object and text.startswith("{")

    def feed(self, number: int, text: str) -> Iterator[tuple[int, str]]:
        """Add a line; yield the objects that it completes, and an empty text for an invalid one."""
        if not self.is_open:
            self._base, self.array_first = (1 if text.strip() == "[" else 0), number
        at = 0  # how much of the line is consumed
        for token in _TOKEN.finditer(text):
            match token[0]:
                case "{" | "[":
                    at = self._opened(number, token, at)
                case "}" | "]" if self._depth:
                    self._depth -= 1
                    if token[0] == "}" and not self.in_object:
                        self._parts.append(text[at : token.end()])
                        yield self.first, "".join(self._parts)
                        self.drop()
                        at = token.end()
                case _:
                    pass
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
        """Discard the kept lines."""
        self._parts, self._size = [], 0

    def _opened(self, number: int, token: re.Match[str], at: int) -> int:
        begins_object = token[0] == "{" and not self.in_object
        if begins_object:
            self.first = number
        self._depth += 1
        if begins_object:
            return token.start()
        return at if self.in_object else token.end()
