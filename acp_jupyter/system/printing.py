"""Text for people, at a terminal or in a cell."""

from __future__ import annotations

import sys

__all__ = ["printable", "say"]


def say(words: object = "", *, end: str = "\n", flush: bool = False) -> None:
    """Print what can be printed."""
    print(printable(str(words)), end=end, flush=flush)  # noqa: T201 - for all others


def printable(text: str) -> str:
    r"""Return a text in which ``\u20ac`` stands for a character that standard output can't have."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
