"""Text for people and for agents: shortened, in a code block, and numbers with their nouns."""

from __future__ import annotations

import re
from collections.abc import Sequence


def shorten(text: str, chars: int) -> str:
    """Return a text of at most ``chars`` characters; a longer one ends with an ellipsis."""
    return text if len(text) <= chars else f"{text[: chars - 1]}…"


def shorten_end(text: str, chars: int) -> str:
    """Return the first ``chars`` characters of a longer text, and how many are left out."""
    left = len(text) - chars
    return text if left <= 0 else f"{text[:chars]}\n… {left:,} characters left out"


def shorten_middle(text: str, chars: int) -> str:
    """Return the beginning and the end of a longer text, and how many are left out between."""
    if len(text) <= chars:
        return text
    half = chars // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n… {left:,} characters left out …\n{text[-half:]}"


def is_shortened(text: str) -> bool:
    """Return whether a text says that it lacks a part, as the functions above do, and pages."""
    return " characters left out" in text


def code_block(text: str, language: str = "") -> str:
    """Return a code block whose fence is longer than any run of backticks inside."""
    marks = fence(text)
    return f"{marks}{language}\n{text}\n{marks}"


def fence(text: str, sign: str = "`") -> str:
    """Return a fence that nothing in the text can close."""
    return sign * max(3, 1 + max(map(len, re.findall(f"{sign}+", text)), default=0))


def quantity(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 turn``, ``3 turns``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are: ``a, b and 3 more``."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
