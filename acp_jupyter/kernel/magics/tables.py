"""Sentences and tables that ``%acp`` shows below a cell."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import display

from acp_jupyter.transcript.safe_text.escaping import inert, one_line


def print_text(words: str) -> None:
    """Print words below the cell."""
    print(words)  # noqa: T201 - for the cell


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show rows as Markdown, and as aligned text where that is not rendered."""
    marked = [titles, ["---"] * len(titles), *rows]
    markdown = [
        "| " + " | ".join(cell if cell == "---" else inert(cell) for cell in row) + " |"
        for row in marked
    ]
    flat = [[one_line(cell) for cell in row] for row in (titles, *rows) if any(row)]
    widths = [max(map(len, column)) for column in zip(*flat, strict=True)]
    plain = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in flat]
    data = {"text/markdown": "\n".join(markdown), "text/plain": "\n".join(plain)}
    display(data, raw=True)  # type: ignore[no-untyped-call]
