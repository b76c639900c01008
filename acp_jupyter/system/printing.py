"""Text for people, at a terminal or in a cell."""

from __future__ import annotations

import sys

__all__ = ["echo", "printable"]


def echo(text: object = "", *, end: str = "\n", flush: bool = False) -> None:
    """Print text; characters that standard output can't encode are escaped."""
    print(printable(str(text)), end=end, flush=flush)  # noqa: T201 - for all others


def printable(text: str) -> str:
    r"""Return a text in which ``\u20ac`` stands for a character that standard output can't have."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
