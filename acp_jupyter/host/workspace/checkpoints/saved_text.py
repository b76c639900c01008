"""Separates a person's changes in a saved file from those of agents.

A save contains the person's changes, the texts that agents put into the open document, and what was
on disk before. Only the first count as the person's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from acp_jupyter.host.workspace.checkpoints.merge import (
    distance,
    joined,
    lines_of,
    merged,
    with_change,
    with_change_apart,
)
from acp_jupyter.host.workspace.checkpoints.notebook_cells import (
    cell_keys,
    is_notebook,
    merged_notebook,
    notebook_with_change,
)
from acp_jupyter.host.workspace.running_turns import Put, SavedFile

T = TypeVar("T")

_BINARY_PEEK = 8000


@dataclass(frozen=True, slots=True)
class UserText:
    """A file after a save, with only the changes of persons."""

    content: bytes | None
    """The file as if only persons had changed it; None for no file."""
    by_person: bool
    """Whether the save contains any change by a person."""
    put: tuple[Put, ...] = ()
    """The texts of agents that the save contains."""
    over_others: bool = False
    """Whether the file before the save had changes by others than persons."""
    turns: tuple[str, ...] = ()
    """Turns whose tools wrote cells in the file, by the marks of the cells."""


def user_text(
    known: bytes | None,
    saved: SavedFile,
    puts: Sequence[Put],
    named: Collection[str],
    max_bytes: int,
) -> UserText:
    """Return a file after a save, with only the changes of persons."""
    before, after = saved.before, saved.after
    if after is None:
        return UserText(None, by_person=known is not None or before is not None)
    if before == after:
        return UserText(known, by_person=False)
    texts = [text for text in (known, before, after) if text is not None]
    if sum(map(len, texts)) > 3 * max_bytes or any(b"\0" in text[:_BINARY_PEEK] for text in texts):
        same = [put for put in puts if put.text.encode("utf-8", "replace") == after]
        return UserText(known if same else after, by_person=not same, put=tuple(same))
    if is_notebook(saved.path) and not puts:
        try:
            made = merged_notebook(known, before, after, named)
        except ValueError:
            pass
        else:
            return UserText(made.content, by_person=made.by_person, turns=made.turns)
    return _of_lines(known, before, after, puts)


def _of_lines(
    known: bytes | None, before: bytes | None, after: bytes, puts: Sequence[Put]
) -> UserText:
    now = lines_of(after)
    there = lines_of(before or b"")
    applied: list[Put] = []
    for put in puts:
        text = lines_of(put.text.encode("utf-8", "replace"))
        base = there if put.base is None else lines_of(put.base.encode("utf-8", "replace"))
        with_it = merged(base, there, text)
        if distance(with_it, now) < distance(there, now):
            there = with_it
            applied.append(put)
    if there == now:
        # A file that only agents have made is not a person's change.
        made = known if before is not None or applied or known is not None else after
        return UserText(made, by_person=made is not known, put=tuple(applied))
    lines = merged(there, lines_of(known or b""), now)
    if known is None and before is None and not applied:
        return UserText(after, by_person=True)
    content = joined(lines) if lines or known is not None else None
    return UserText(content, by_person=True, put=tuple(applied))


def has_change(path: str, known: bytes, before: bytes, after: bytes) -> bool:
    """Return whether a file contains the change from ``before`` to ``after``, by lines or cells.

    Line ends don't count, as editors only use line feeds.
    """
    if is_notebook(path):
        with contextlib.suppress(ValueError):
            return _has(*map(cell_keys, (before, known, after)))
        return known == after
    texts = (text.replace(b"\r\n", b"\n") for text in (before, known, after))
    return _has(*map(lines_of, texts))


def _has(base: list[T], ours: list[T], theirs: list[T]) -> bool:
    return merged(base, ours, theirs) == ours


def merged_file(path: str, known: bytes, before: bytes, after: bytes) -> bytes:
    """Return a file with the change from ``before`` to ``after`` applied, unless it has it."""
    if is_notebook(path):
        return merged_notebook(known, before, after, ()).content or known
    texts = (text.replace(b"\r\n", b"\n") for text in (before, known, after))
    return joined(merged(*map(lines_of, texts)))


def text_with_change(path: str, known: bytes, before: bytes, after: bytes) -> bytes | None:
    """Return a file with the change from ``before`` to ``after`` applied, by lines or cells.

    None if it has the change already, or if the same lines or cells were changed otherwise.
    """
    if is_notebook(path):
        with contextlib.suppress(ValueError):
            return notebook_with_change(known, before, after)
        return None
    lines = with_change(lines_of(before), lines_of(known), lines_of(after))
    return None if lines is None else joined(lines)


def text_with_change_apart(path: str, known: bytes, before: bytes, after: bytes) -> bytes | None:
    """Return a file with the change from ``before`` to ``after`` applied, by lines or cells.

    None if it was changed otherwise in the same place, or just beside it.
    """
    if known in (before, after):
        return after
    if is_notebook(path):
        with contextlib.suppress(ValueError):
            return notebook_with_change(known, before, after, apart=True)
        return None
    lines = with_change_apart(lines_of(before), lines_of(known), lines_of(after))
    return None if lines is None else joined(lines)
