"""The README as a script: the steps of its numbered lists, and what else in it can be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["README", "Step", "steps", "typed_elsewhere"]

README = Path(__file__).resolve().parents[2] / "README.md"

_SENTENCES = re.compile(r"(?<=[.?:*])\s+(?=[A-Z])")


@dataclass(frozen=True)
class Step:
    """A sentence of a numbered list, and the block of code that follows it."""

    words: str
    """As they are written, in Markdown."""
    code: str = ""


def steps(text: str) -> list[Step]:
    """Return what the numbered lists say, in order."""
    found: list[Step] = []
    for token in _inside_lists(text, numbered=True):
        if token.type == "fence":
            assert found, token.content
            assert not found[-1].code, f"two blocks after {found[-1].words}"
            found[-1] = replace(found[-1], code=token.content.rstrip("\n"))
        else:
            words = re.sub(r"\s+", " ", token.content)
            found += [Step(sentence) for sentence in _SENTENCES.split(words)]
    return found


def typed_elsewhere(text: str) -> list[str]:
    """Return the code that stands outside the numbered lists."""
    found: list[str] = []
    for token in _inside_lists(text, numbered=False):
        inline: Sequence[Token] = token.children or [token]
        found += [each.content for each in inline if each.type in ("code_inline", "fence")]
    return found


def _inside_lists(text: str, *, numbered: bool) -> Iterator[Token]:
    depth = 0
    for token in MarkdownIt().parse(text):
        if token.type in ("ordered_list_open", "ordered_list_close"):
            depth += token.nesting
        elif token.type in ("inline", "fence") and (depth > 0) == numbered:
            yield token
