"""Parses long JSON in steps, so that other threads can run.

`json` parses a text in one step, and 1 MiB stops the whole program for up to 50 ms. Here a step is
one token, or a part of a long string.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, decoder
from typing import Any

from acp_jupyter.protocol.json import MAX_DEPTH, TOO_DEEP, finite_or_none, integer_or_none

_MAX_PARTS = 100_000
_MAX_VALUES = 200_000
_STRING_CHARS = 64 * 1024
_LONGEST_ESCAPE = 6
_TOKEN = re.compile(
    r'([][{}:,"])|(-?(?:0|[1-9][0-9]*+))((?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)'
    r"|(true|false|null|NaN|-?Infinity)"
)
_BLANKS = re.compile(r"[ \t\n\r]*+")
_WORDS = {"true": True, "false": False}
_scan = decoder.scanstring  # type: ignore[attr-defined]
_HALF = re.compile("[\ud800-\udfff]")


class TooManyParts(ValueError):
    """The text has more parts than any message needs."""


def read_long_json(text: str) -> Any:
    """Parse JSON as `read_json` does.

    A text with more parts than any message needs is refused: as objects they take thirty times the
    memory.
    """
    return _LongText(text).value()


class _LongText:
    """A text that is being parsed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._parts = 0
        self._values = 0
        self._names: dict[str, str] = {}

    def value(self) -> Any:
        """Return the parsed value."""
        root: list[Any] = []
        inside: list[dict[str, Any] | list[Any]] = [root]
        name, token = "", self._token()
        while True:
            opened = self._read(token, inside, name)
            if opened is not None:
                inside.append(opened)
                token = self._token()
                if not _closes(token, opened):
                    name, token = self._begun(opened, token)
                    continue
                inside.pop()
            while len(inside) > 1:
                token = self._token()
                if token[1] == ",":
                    name, token = self._begun(inside[-1], self._token())
                    break
                if not _closes(token, inside[-1]):
                    raise self._error("Expecting ',' or the end")
                inside.pop()
            else:
                break
        if self._past_blanks() != len(self._text):
            raise self._error("Extra data")
        return root[0]

    def _read(
        self, token: re.Match[str], inside: list[dict[str, Any] | list[Any]], name: str
    ) -> dict[str, Any] | list[Any] | None:
        """Store the value that begins with a token; return it if it is a container."""
        self._values += 1
        opened: dict[str, Any] | list[Any] | None = None
        value: Any
        match token[1]:
            case "{" | "[":
                self._parts += 1
                opened = {} if token[1] == "{" else []
                value = opened if len(inside) <= MAX_DEPTH else TOO_DEEP
            case '"':
                value = self._string()
            case None if token[2] is not None and token[3]:
                value = finite_or_none(token[2] + token[3])
            case None if token[2] is not None:
                value = integer_or_none(token[2])
            case None:
                value = _WORDS.get(token[4])
            case _:
                raise self._error("Expecting value")
        if self._parts > _MAX_PARTS or self._values > _MAX_VALUES:
            raise TooManyParts("It has too many parts.")
        container = inside[-1]
        if isinstance(container, dict):
            container[name] = value
        else:
            container.append(value)
        return opened

    def _begun(
        self, container: dict[str, Any] | list[Any], token: re.Match[str]
    ) -> tuple[str, re.Match[str]]:
        """Return the name of the next value, if it has one, and the token that begins it."""
        if isinstance(container, list):
            return "", token
        if token[1] != '"':
            raise self._error("Expecting a name in quotes")
        name = self._string()
        if self._token()[1] != ":":
            raise self._error("Expecting ':'")
        return self._names.setdefault(name, name), self._token()

    def _token(self) -> re.Match[str]:
        found = _TOKEN.match(self._text, self._past_blanks())
        if found is None:
            raise self._error("Expecting value")
        self._at = found.end()
        return found

    def _past_blanks(self) -> int:
        blanks = _BLANKS.match(self._text, self._at)
        return self._at if blanks is None else blanks.end()

    def _string(self) -> str:
        """Read up to the closing quote."""
        pieces: list[str] = []
        while True:
            piece = self._text[self._at : self._at + _STRING_CHARS]
            is_last = len(piece) < _STRING_CHARS
            if not is_last:
                piece = piece[: _whole_escapes(piece)]
            # One of our quotes ends it, unless another comes before.
            said, end = _scan(f'{piece}"', 0)
            pieces.append(said)
            if end <= len(piece):
                self._at += end
                break
            if is_last:
                raise self._error("Unterminated string")
            self._at += len(piece)
        whole = pieces[0] if len(pieces) == 1 else "".join(pieces)
        if _HALF.search(whole) is None:
            return whole
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _error(self, words: str) -> JSONDecodeError:
        start = max(0, self._at - 1)
        return JSONDecodeError(words, self._text[start : start + 1], 0)


def _closes(token: re.Match[str], container: dict[str, Any] | list[Any]) -> bool:
    return token[1] == ("}" if isinstance(container, dict) else "]")


def _whole_escapes(piece: str) -> int:
    """Return how many of a piece's characters end outside an escape sequence."""
    at = piece.find("\\", len(piece) - _LONGEST_ESCAPE)
    if at < 0:
        return len(piece)
    before = len(piece[:at]) - len(piece[:at].rstrip("\\"))
    return at - before % 2
