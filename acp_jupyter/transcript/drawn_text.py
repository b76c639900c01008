"""Text as it is drawn: without escape sequences, zero-width characters and HTML tags.

A secret may be partly coloured, contain zero-width characters or be written as HTML entities. A
terminal or a page still draws the whole secret, and it can be copied from there.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape

from acp_jupyter.transcript.secret_patterns import REDACTED

_Span = tuple[int, int]
_PART_CHARS = 16 * 1024

_ESCAPE = re.compile(
    "(?:\x1b\\[|\x9b)[0-9:;<=>?]{0,64}+[ -/]{0,8}+[@-~]"  # of colours and the cursor
    "|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\x9d\n]{0,2000}+(?:\x07|\x1b\\\\|\x9c)"  # of titles and links
    "|\x1b[ -/]{0,8}+[0-~]"
)
_ZERO_WIDTH = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_TAG = (
    r"</?(?:a|b|bdi|bdo|code|em|font|i|ins|kbd|mark|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)"
    r"(?:[\s/][^<>]{0,1000}+)?>"
)
"""HTML tags within a line that change how it looks."""
_ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30}+);"
_NOT_DRAWN = re.compile(f"{_ESCAPE.pattern}|[{_ZERO_WIDTH}]++|(?i:{_TAG})|{_ENTITY}")
_NOT_DRAWN_OR_STRUCK = re.compile(f"{_NOT_DRAWN.pattern}|[^\n\x08]\x08")
"""The same, and overstruck characters, with which manual pages write bold text."""
_SIGNS = re.compile(f"[\x1b\x9b\x9d\x08{_ZERO_WIDTH}]|<(?=[/A-Za-z])|&(?=[#A-Za-z])")


def may_hide(text: str) -> bool:
    """Return whether the text contains characters that are drawn differently, or not at all."""
    # In parts, as a search blocks other threads. They overlap: a match may need the next character.
    parts = range(0, len(text), _PART_CHARS)
    return any(_SIGNS.search(text, at, at + _PART_CHARS + 1) for at in parts)


@dataclass(frozen=True, slots=True)
class DrawnText:
    """A text as it was written and as it is drawn, and how the two correspond."""

    raw: str
    """The text as written."""
    text: str
    """The text as drawn."""
    _begins: array[int]
    """Offsets in ``text`` at which the parts begin."""
    _firsts: array[int]
    _ends: array[int]
    """Offsets of the parts in ``raw``; an entity is longer than the character drawn for it."""

    @classmethod
    def of(cls, raw: str) -> DrawnText:
        """Return a text as it is drawn, in linear time."""
        texts: list[str] = []
        # Arrays and no objects: the garbage collector would visit a million of them each time.
        begins, firsts, ends = array("Q"), array("Q"), array("Q")
        length = 0
        for first, end, drawn in _drawn_parts(raw):
            if drawn:
                texts.append(drawn)
                begins.append(length)
                firsts.append(first)
                ends.append(end)
                length += len(drawn)
        return cls(raw, "".join(texts), begins, firsts, ends)

    def without(self, spans: Iterable[_Span]) -> str:
        """Return the raw text with ``[redacted]`` in place of these spans of the drawn text.

        Terminal escapes in a span stay, so that a colour that begins or ends there still does.

        Parameters
        ----------
        spans
            Begin and end of each; they may overlap.
        """
        kept: list[str] = []
        done = 0
        for begin, end in _joined(spans):
            first, last = self._place(begin)[0], self._place(end - 1)[1]
            escapes = (match[0] for match in _ESCAPE.finditer(self.raw, first, last))
            kept += self.raw[done:first], REDACTED, *escapes
            done = last
        return "".join((*kept, self.raw[done:]))

    def _place(self, at: int) -> _Span:
        """Return the span in ``raw`` of the drawn character at ``at``."""
        number = bisect_right(self._begins, at) - 1
        begin, end = self._firsts[number], self._ends[number]
        after = self._begins[number + 1 : number + 2]
        drawn = (after[0] if after else len(self.text)) - self._begins[number]
        if drawn != end - begin:
            return begin, end
        first = begin + at - self._begins[number]
        return first, first + 1


def _joined(spans: Iterable[_Span]) -> list[_Span]:
    """Return the spans in order, with overlapping ones joined."""
    joined: list[_Span] = []
    for begin, end in sorted(spans):
        if joined and begin < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined


def _drawn_parts(raw: str) -> Iterator[tuple[int, int, str]]:
    done = 0
    not_drawn = _NOT_DRAWN_OR_STRUCK if "\x08" in raw else _NOT_DRAWN
    for match in not_drawn.finditer(raw):
        yield done, match.start(), raw[done : match.start()]
        if match[0].startswith("&"):
            signs = unescape(match[0])
            yield match.start(), match.end(), re.sub(f"[{_ZERO_WIDTH}]", "", signs)
        done = match.end()
    yield done, len(raw), raw[done:]
