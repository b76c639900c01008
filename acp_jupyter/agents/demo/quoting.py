"""Foreign text made harmless: prompts and file names inside the agent's own Markdown."""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["code_block", "one_line", "plain_name", "quote"]


def one_line(text: str, limit: int) -> str:
    """Return the start of `text` on one line, without control, bidi and surrogate characters."""
    visible = "".join(
        c if unicodedata.category(c)[0] not in "CZ" else " " for c in text[: 4 * limit]
    )
    line = " ".join(visible.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def quote(text: str, limit: int = 200) -> str:
    """Return the start of `text` on one line as Markdown that shows exactly its characters."""
    return re.sub(r"([\\`*_\[\]~|#!])", r"\\\1", html.escape(one_line(text, limit), quote=False))


def plain_name(name: str) -> str:
    """Return the name of a file without what would break a table cell or a code span."""
    return re.sub(r"[`|]", "_", one_line(name, 200))


def code_block(text: str, language: str = "") -> str:
    """Return `text` fenced so that nothing in it can close the fence."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
