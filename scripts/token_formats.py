"""Write the formats of services' tokens from the rules of MongoDB's Kingfisher.

``python scripts/token_formats.py`` writes ``acp_jupyter/transcript/token_formats.py``; with
``--check`` it only says whether that file is current. The rules are those of the pinned package
``kingfisher-secret-scanner``: betterleaks', which go on where gitleaks' end, and Google's Veles.

A rule is a regular expression of another engine, which promises linear time for it; Python's does
not. So of each token only these are taken: how it begins, of which characters the rest is, how many
there are at least, and which signs are in every one. That finds all that the rule finds, and can't
take more than linear time. Rules that know a value only by a word near it are left out: values
are known by their names here, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from kingfisher_sdk.rules import Rules

__all__ = ["TARGET", "written"]

TARGET = Path(__file__).parents[1] / "acp_jupyter" / "transcript" / "token_formats.py"
PACKAGE = "kingfisher-secret-scanner"

_MAX_WAYS = 64
_MIN_START = 3
_MIN_PLAIN_START = 4
"""Of letters and digits alone: a shorter one would be found in base64."""
_MIN_REST = 10
_TELLING_START = 4
_SURELY_TELLING_START = 6
_SHORT_REST = 16
_ALNUM = frozenset(map(chr, (*range(48, 58), *range(65, 91), *range(97, 123))))
_LETTERS = frozenset(char for char in _ALNUM if char.isalpha())
_SEPARATORS = frozenset("-_./+=~:!%")
_CATEGORIES = {
    codes.CATEGORY_DIGIT: frozenset("0123456789"),
    codes.CATEGORY_WORD: _ALNUM | {"_"},
}
_POSIX = {"alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9", "xdigit": "0-9A-Fa-f"}
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)

Row = tuple[str, str, str, int, str]
"""Rule, beginning, characters of the rest, how many at least, signs that it must have."""


class _NoTokenError(ValueError):
    """A part of a rule can't be told as a run of characters."""


def _parsed(pattern: str) -> tuple[Any, bool]:
    """Return a rule's parts, and whether case does not matter anywhere in it."""
    for name, members in _POSIX.items():
        pattern = pattern.replace(f"[:{name}:]", members)
    pattern = pattern.replace(r"\z", r"\Z")
    flags = "".join(re.findall(r"(?<!\\)\(\?([a-z]+)\)", pattern))
    verbose = re.VERBOSE if "x" in flags else 0
    return parser.parse(re.sub(r"(?<!\\)\(\?[a-z]+\)", "", pattern), verbose), "i" in flags


def _group(parsed: Any, number: int) -> Any:
    for op, argument in parsed:
        inner: Iterable[Any] = ()
        if op is codes.SUBPATTERN:
            if argument[0] == number:
                return argument[3]
            inner = [argument[3]]
        elif op is codes.BRANCH:
            inner = argument[1]
        elif op in _REPEATS:
            inner = [argument[2]]
        for each in inner:
            found = _group(each, number)
            if found is not None:
                return found
    return None


def _ways(parsed: Any, any_case: bool) -> list[list[tuple[Any, Any, bool]]]:
    """Return the sequences of parts that a pattern stands for, one for each alternative."""
    ways: list[list[tuple[Any, Any, bool]]] = [[]]
    for op, argument in parsed:
        match op:
            case codes.AT | codes.ASSERT | codes.ASSERT_NOT:
                continue
            case codes.SUBPATTERN:
                more = _ways(argument[3], any_case or bool(argument[1] & re.IGNORECASE))
            case codes.BRANCH:
                more = [way for branch in argument[1] for way in _ways(branch, any_case)]
            case _:
                more = [[(op, argument, any_case)]]
        ways = [way + tail for way in ways for tail in more]
        if len(ways) > _MAX_WAYS:
            raise _NoTokenError(f"more than {_MAX_WAYS} alternatives")
    return ways


def _characters(op: Any, argument: Any, any_case: bool) -> frozenset[str]:
    found: set[str] = set()
    match op:
        case codes.LITERAL:
            found.add(chr(argument))
        case codes.IN if argument[0][0] is not codes.NEGATE:
            for kind, value in argument:
                if kind is codes.CATEGORY:
                    found |= _CATEGORIES.get(value, frozenset(" "))
                else:
                    first, last = value if kind is codes.RANGE else (value, value)
                    found |= {chr(code) for code in range(first, last + 1)}
        case codes.MAX_REPEAT | codes.MIN_REPEAT:
            for way in _ways(argument[2], any_case):
                found |= _all_characters(way)
        case _:
            raise _NoTokenError(str(op))
    return frozenset(found | {char.swapcase() for char in found if any_case and char.isascii()})


def _all_characters(way: list[tuple[Any, Any, bool]]) -> frozenset[str]:
    return frozenset().union(*(_characters(*part) for part in way))


def _least(way: list[tuple[Any, Any, bool]]) -> int:
    return sum(
        argument[0] * min(map(_least, _ways(argument[2], any_case))) if op in _REPEATS else 1
        for op, argument, any_case in way
    )


def _starts(way: list[tuple[Any, Any, bool]]) -> tuple[list[str], int]:
    """Return the literals that a token may begin with, and how many parts they are."""
    starts = [""]
    for count, (op, argument, _) in enumerate(way):
        few = op is codes.IN and len(argument) <= 4
        if op is codes.LITERAL:
            nexts = [chr(argument)]
        elif few and all(kind is codes.LITERAL for kind, _ in argument):
            nexts = [chr(value) for _, value in argument]
        elif op is codes.MAX_REPEAT and argument[0] == argument[1] and len(argument[2]) == 1:
            kind, value = argument[2][0]
            if kind is not codes.LITERAL:
                return starts, count
            nexts = [chr(value) * argument[0]]
        else:
            return starts, count
        starts = [start + each for start in starts for each in nexts]
    return starts, len(way)


def _rows(rule: dict[str, Any]) -> Iterator[Row]:
    parsed, any_case = _parsed(rule["pattern"])
    state = parsed.state
    number = rule["betterleaks_secret_group"] or state.groupdict.get("TOKEN", 1)
    token = _group(parsed, number) if state.groups > 1 else parsed
    name = rule["id"].removeprefix("betterleaks.").partition(".")[0]
    name = name.removeprefix("veles").strip("./") or rule["id"].rpartition("/")[2]
    for way in _ways(token, any_case):
        starts, taken = _starts(way)
        characters, least = _all_characters(way[taken:]), _least(way[taken:])
        if not characters <= _ALNUM | _SEPARATORS or least < _MIN_REST:
            continue
        if characters >= _LETTERS:
            characters |= _ALNUM
        signs = "".join(sorted({chr(value) for op, value, _ in way[taken:] if op is codes.LITERAL}))
        needed = "".join(sign for sign in signs if sign in _SEPARATORS)
        for start in starts:
            few = _MIN_PLAIN_START if start.isalnum() and "." not in needed else _MIN_START
            if len(start) < few or start.startswith("http"):
                continue
            enough = _enough(start, characters, least)
            yield name, start, _class(characters), enough, needed if enough == least else ""


def _enough(start: str, characters: frozenset[str], least: int) -> int:
    """Return how much of a token is enough.

    Services make their tokens longer and shorter over time, and output is cut off. After a
    beginning that no word has, a part of it tells.
    """
    telling = start[-1] in _SEPARATORS and (
        len(start) >= _SURELY_TELLING_START
        or (len(start) >= _TELLING_START and characters <= _ALNUM)
    )
    return min(least, _SHORT_REST) if telling else least


def _class(characters: frozenset[str]) -> str:
    """Return the members of a character class."""
    text = ""
    for first, last in ("09", "AZ", "az"):
        run = sorted(char for char in characters if first <= char <= last)
        if len(run) > 2 and ord(run[-1]) - ord(run[0]) == len(run) - 1:
            text += f"{run[0]}-{run[-1]}"
        else:
            text += "".join(run)
    return text + "".join(char for char in "./+=~:!%_-" if char in characters)


def _wanted() -> list[Row]:
    rules = Rules(confidence="low", cache=False)
    best: dict[tuple[str, str, str], Row] = {}
    for about in rules.metadata():
        try:
            found = list(_rows(rules.detail(about["id"])))
        except (_NoTokenError, re.error):
            continue
        for row in found:
            key = row[1], row[2], row[4]
            if key not in best or row[3] < best[key][3]:
                best[key] = row
    return sorted(best.values(), key=lambda row: row[1:])


def written() -> str:
    """Return the module."""
    rows = "\n".join(
        f'    ("{name}", "{start}", "{members}", {least}, "{needed}"),'
        for name, start, members, least, needed in _wanted()
    )
    return (
        '"""How tokens of services look.\n\n'
        f"Made by ``make gen`` from the rules of {PACKAGE} {version(PACKAGE)}: don't edit it,\n"
        'see scripts/token_formats.py.\n"""\n\n'
        "# ruff: noqa: E501\n"
        "from __future__ import annotations\n\n"
        "# fmt: off\n"
        "TOKEN_FORMATS: tuple[tuple[str, str, str, int, str], ...] = (\n"
        f"{rows}\n)\n"
        '"""The rule, how a token begins, the characters of its rest, their least number, and the\n'
        'signs that every token has.\n"""\n'
    )


def main() -> int:
    """Write the module, or check it."""
    new = written()
    if "--check" in sys.argv[1:]:
        old = TARGET.read_text(encoding="utf-8")
        if new != old:
            print("acp_jupyter/transcript/token_formats.py is not current. Run: make gen")
        return int(new != old)
    TARGET.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
