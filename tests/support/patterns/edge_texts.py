"""Texts at the edges of what a regular expression matches, made from the expression itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

__all__ = ["edge_texts"]

_MAX_TIMES = 260
_MAX_TEXTS = 600
_SAMPLES = {
    codes.CATEGORY_DIGIT: "0a",
    codes.CATEGORY_NOT_DIGIT: "a0",
    codes.CATEGORY_SPACE: " a",
    codes.CATEGORY_NOT_SPACE: "a ",
    codes.CATEGORY_WORD: "a_-",
    codes.CATEGORY_NOT_WORD: "-a",
}


def edge_texts(pattern: str, flags: int = 0) -> list[str]:
    """Return texts that differ in one part each, and the first with one character put wrong."""
    found = dict.fromkeys(itertools.islice(_texts(parser.parse(pattern, flags)), _MAX_TEXTS))
    whole = next(iter(found), "")[:70]
    for i in range(len(whole)):
        found |= dict.fromkeys((whole[:i] + whole[i + 1 :], f"{whole[:i]}~{whole[i + 1 :]}"))
    around = (f"~{whole}", f"{whole}~", f" {whole}", f"{whole} ", f"{whole}\n", whole.swapcase())
    return [*(found | dict.fromkeys(around))]


def _texts(parsed: Any) -> Iterator[str]:
    """Yield what a sequence matches: first the plainest text, then each part in its other ways."""
    last = len(parsed) - 1
    parts = [
        [*itertools.islice(_one(op, argument, at_edge=i in {0, last}), _MAX_TEXTS)] or [""]
        for i, (op, argument) in enumerate(parsed)
    ]
    yield "".join(part[0] for part in parts)
    for i, part in enumerate(parts):
        head = "".join(each[0] for each in parts[:i])
        tail = "".join(each[0] for each in parts[i + 1 :])
        for other in part[1:]:
            yield head + other + tail


def _one(op: Any, argument: Any, *, at_edge: bool = False) -> Iterator[str]:  # noqa: C901 - one flat match
    match op:
        case codes.LITERAL:
            yield chr(argument)
        case codes.NOT_LITERAL:
            yield from [c for c in " a" if ord(c) != argument] + [chr(argument)]
        case codes.ANY:
            yield from " a\n"
        case codes.IN:
            yield from _members(argument)
        case codes.BRANCH:
            for branch in argument[1]:
                yield from _texts(branch)
        case codes.SUBPATTERN:
            yield from _texts(argument[3])
        case codes.ATOMIC_GROUP:
            yield from _texts(argument)
        case codes.ASSERT if at_edge:
            yield from _texts(argument[1])
            yield ""
        case codes.ASSERT | codes.ASSERT_NOT:
            yield ""
            yield from _texts(argument[1])
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            yield from _repeated(*argument)
        case _:
            yield ""


def _repeated(least: int, greatest: int, inner: Any) -> Iterator[str]:
    texts = [*itertools.islice(_texts(inner), _MAX_TEXTS)]
    usual = max(least, min(1, greatest))
    yield texts[0] * usual
    for other in texts[1:]:
        yield texts[0] * (usual - 1) + other
    for one, other in itertools.pairwise(texts if greatest > 1 else []):
        yield one + other
    for times in (least - 1, least, least + 1, greatest - 1, greatest, greatest + 1):
        if 0 <= times <= _MAX_TIMES and times != usual:
            yield texts[0] * times


def _members(choices: Any) -> Iterator[str]:
    inside: list[str] = []
    outside: list[str] = []
    for op, argument in choices:
        match op:
            case codes.LITERAL:
                inside.append(chr(argument))
            case codes.RANGE:
                first, last = argument
                inside += [chr(first), chr(last), chr((first + last) // 2)]
                outside += [chr(code) for code in (first - 1, last + 1) if 0 <= code < 0x110000]
            case codes.CATEGORY:
                inside.append(_SAMPLES[argument][0])
                outside += _SAMPLES[argument][1:]
            case _:
                pass
    negated = choices[0][0] is codes.NEGATE
    plain = [*" aA0-~"]
    yield from ([*(c for c in plain if c not in inside), *inside] if negated else inside)
    yield from outside
