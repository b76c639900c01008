"""Texts that a regular expression is slow on, made from the expression itself."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

__all__ = ["MAX_RATIO", "grows_linearly", "pumped", "repeats_group_possessively", "worst"]

_TRIED = [chr(code) for code in (97, 65, 48, 45, 46, 32, 47, 61, 58, 10, 34, *range(33, 127), 27)]
_RUN = 40
_SMALL, _LARGE = 30_000, 600_000
_SCREEN = 12_000
_NOISE_SECONDS = 0.0004
MAX_RATIO = 150
"""For 20 times the text. A quadratic one takes 400 times as long."""


def pumped(pattern: str, flags: int = 0) -> list[tuple[str, str]]:
    """Return heads, and what is to be repeated after them.

    Each prefix of the pattern is repeated, and so is each of its parts after all that is before
    it; a part that repeats itself is also made long, and never comes to what has to follow it.
    """
    found: dict[tuple[str, str], None] = {}
    for parts in _ways(parser.parse(pattern, flags)):
        texts = [text for text, _ in parts]
        for end in range(1, len(parts) + 1):
            head = "".join(texts[:end])
            found["", head] = None
            text, repeats = parts[end - 1]
            if repeats and text:
                found[head, text] = None
                found["", head + text * _RUN] = None
                found["", head + text * _RUN + "\0"] = None
        for begin in range(len(parts)):
            for end in range(begin + 1, min(begin + 4, len(parts)) + 1):
                found["".join(texts[:begin]), "".join(texts[begin:end])] = None
    return [(head, unit) for head, unit in found if unit]


def worst(
    search: Callable[[str], object], cases: Sequence[tuple[str, str]], most: int = 3
) -> list[tuple[str, str]]:
    """Return the cases that take longest, of those that a short text tells of."""
    timed = sorted(cases, key=lambda case: -_seconds(search, case, _SCREEN, 1))
    return timed[:most]


def grows_linearly(search: Callable[[str], object], case: tuple[str, str]) -> float:
    """Return how many times as long 20 times the text takes.

    A machine that stands still for a moment looks the same once; so what seems slow is measured
    again, and only what is slow each time counts.
    """
    ratio = float("inf")
    for _ in range(3):
        small = max(_seconds(search, case, _SMALL, 3), _NOISE_SECONDS)
        if small <= 0.4:  # else there is no need to wait for minutes
            ratio = min(ratio, _seconds(search, case, _LARGE, 1) / small)
        if ratio < MAX_RATIO:
            break
    return ratio


def _seconds(
    search: Callable[[str], object], case: tuple[str, str], chars: int, rounds: int
) -> float:
    head, unit = case
    text = (head + unit * (chars // len(unit)))[:chars] + "\0"
    best = float("inf")
    for _ in range(rounds):
        began = time.thread_time()
        search(text)
        best = min(best, time.thread_time() - began)
        if best > 0.4:
            break
    return best


def repeats_group_possessively(pattern: str) -> bool:
    """Return whether a pattern repeats more than a single character possessively."""
    return _in_parts(parser.parse(pattern))


def _in_parts(parsed: Any) -> bool:
    for op, argument in parsed:
        if op is codes.POSSESSIVE_REPEAT:
            inner = argument[2]
            if len(inner) != 1 or inner[0][0] not in _SINGLE:
                return True
        for part in argument if isinstance(argument, tuple | list) else [argument]:
            inner = part if isinstance(part, list) else [part]
            if any(isinstance(each, parser.SubPattern) and _in_parts(each) for each in inner):
                return True
    return False


_SINGLE = {codes.ANY, codes.IN, codes.LITERAL, codes.NOT_LITERAL}

_Parts = list[tuple[str, bool]]
"""Texts that parts of a pattern match, and whether each may be repeated by itself."""


def _ways(parsed: Any) -> Iterator[_Parts]:
    """Yield the parts of a pattern, once for each of its alternatives."""
    ways: list[_Parts] = [[]]
    for op, argument in parsed:
        more = list(_one(op, argument))
        if len(more) == 1:
            ways = [way + more[0] for way in ways]
        else:
            ways = [way + more[0] for way in ways] + [ways[0] + other for other in more[1:]]
    yield from ways


def _one(op: Any, argument: Any) -> Iterator[_Parts]:  # noqa: C901 - one flat match
    match op:
        case codes.LITERAL:
            yield [(chr(argument), False)]
        case codes.NOT_LITERAL:
            yield [(next(c for c in _TRIED if ord(c) != argument), False)]
        case codes.ANY:
            yield [("a", False)]
        case codes.IN:
            yield [(_member(argument), False)]
        case codes.BRANCH:
            for branch in argument[1]:
                yield from _ways(branch)
        case codes.SUBPATTERN:
            yield from _ways(argument[3])
        case codes.ATOMIC_GROUP:
            yield from _ways(argument)
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            least, greatest, inner = argument
            for way in _ways(inner):
                text = "".join(text for text, _ in way)
                if greatest == 1:
                    yield way
                else:
                    yield [(text * max(1, min(least, 2000)), False), (text, True)]
        case codes.ASSERT if argument[0] < 0:
            yield []  # what stands before is in the other parts
        case codes.ASSERT:
            yield from _ways(argument[1])
        case _:
            yield []


def _member(items: Any) -> str:
    source = [(op, value) for op, value in items]
    negated = bool(source) and source[0][0] is codes.NEGATE
    rest = source[1:] if negated else source

    def has(char: str) -> bool:
        for op, value in rest:
            code = ord(char)
            if op is codes.LITERAL and code == value:
                return True
            if op is codes.RANGE and value[0] <= code <= value[1]:
                return True
            if op is codes.CATEGORY and _in_category(value, char):
                return True
        return False

    for char in _TRIED:
        if has(char) is not negated:
            return char
    return chr(rest[0][1] if rest and isinstance(rest[0][1], int) else 97)


def _in_category(category: Any, char: str) -> bool:
    spelled = {
        codes.CATEGORY_DIGIT: r"\d",
        codes.CATEGORY_NOT_DIGIT: r"\D",
        codes.CATEGORY_SPACE: r"\s",
        codes.CATEGORY_NOT_SPACE: r"\S",
        codes.CATEGORY_WORD: r"\w",
        codes.CATEGORY_NOT_WORD: r"\W",
    }
    return re.match(spelled[category], char) is not None
