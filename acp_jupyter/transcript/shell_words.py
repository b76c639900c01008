"""A command as words, if it is one plain command and nothing else."""

from __future__ import annotations

import os
import shlex

__all__ = ["is_plain_list", "plain_words"]

_MOST_CHARS = 4000
_SHELL = frozenset(";&|<>()$`\\{}[]*?~!#") | (frozenset("%^") if os.name == "nt" else frozenset())
"""What means something to a shell. Not looked at with its quotes: a doubt is a question."""


def plain_words(command: str) -> tuple[str, ...] | None:
    """Return the words of a command; None where a shell could do anything more than run them.

    Operators, substitutions, redirections, patterns, several lines, characters that can't be
    seen, and assignments before the command are all more.
    """
    if len(command) > _MOST_CHARS or not command.isprintable() or not _SHELL.isdisjoint(command):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return tuple(words) if words and words[0] and "=" not in words[0] else None


def is_plain_list(command: str) -> bool:
    """Tell whether a text may be plain commands one after the other, as far as characters say."""
    shown = command.replace("\n", ";")
    odd = _SHELL - frozenset(";&|")
    return len(shown) <= _MOST_CHARS and shown.isprintable() and odd.isdisjoint(shown)
