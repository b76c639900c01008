"""Three-way merges of sequences: of lines, or of a notebook's cells."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeVar

T = TypeVar("T")

_MAX_COMPARED = 20_000
"""Lines or cells between the first and the last difference."""


def merged(base: Sequence[T], ours: Sequence[T], theirs: Sequence[T]) -> list[T]:
    """Return ``ours`` with the changes from ``base`` to ``theirs`` applied.

    Nothing of ``theirs`` is lost: where both changed the same, ``theirs`` replaces it or is added.
    """
    if base in (ours, theirs):
        return list(theirs if base == ours else ours)
    blocks = _changes(base, ours)
    made: list[T] = []
    at = 0
    for start, end, first, last in _changes(base, theirs):
        from_, to = _place(blocks, start, is_end=False), _place(blocks, end, is_end=True)
        made += ours[at:from_]
        at = max(at, from_)
        new = list(theirs[first:last])
        if list(ours[at : at + len(new)]) == new and to <= at:
            continue  # both have the same change
        made += new
        at = max(at, to)
    made += ours[at:]
    return made


def with_change(base: Sequence[T], ours: Sequence[T], theirs: Sequence[T]) -> list[T] | None:
    """Merge; None if ``ours`` has the change already, or if it touches other changes there."""
    made = merged(base, ours, theirs)
    return made if merged(theirs, made, base) == list(ours) else None


def with_change_apart(base: Sequence[T], ours: Sequence[T], theirs: Sequence[T]) -> list[T] | None:
    """Merge; None if a change of ours is in the same place as one of theirs, or just beside it."""
    if ours in (base, theirs):
        return list(theirs)
    own, made = _changes(base, ours), list(ours)
    for start, end, first, last in reversed(_changes(base, theirs)):
        moved = 0
        for from_, to, one, other in own:
            if from_ <= end and start <= to:
                return None
            if to < start:
                moved += (other - one) - (to - from_)
        made[start + moved : end + moved] = theirs[first:last]
    return made


def distance(one: Sequence[T], other: Sequence[T]) -> int:
    """Return how many lines or cells differ."""
    return sum((b - a) + (d - c) for a, b, c, d in _changes(one, other))


_Change = tuple[int, int, int, int]


def _changes(one: Sequence[T], other: Sequence[T]) -> list[_Change]:
    head = 0
    most = min(len(one), len(other))
    while head < most and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < most - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    a, b = one[head : len(one) - tail], other[head : len(other) - tail]
    if not a and not b:
        return []
    if len(a) + len(b) > _MAX_COMPARED:
        return [(head, head + len(a), head, head + len(b))]
    matcher: SequenceMatcher[T] = SequenceMatcher(None, a, b, autojunk=False)
    return [
        (i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _place(blocks: Sequence[_Change], at: int, *, is_end: bool) -> int:
    """Return the index in the changed sequence for an index in the base."""
    moved = 0
    for start, end, first, last in blocks:
        if at <= start:
            break
        if at < end:
            if end - start == last - first:
                return first + at - start
            return first if is_end else last
        moved = last - end
    return at + moved


def lines_of(text: bytes) -> list[bytes]:
    """Split a text at line feeds only, as the page does."""
    parts = text.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def joined(lines: Sequence[bytes]) -> bytes:
    """Join lines; add a line feed to a former last line that lacks one."""
    whole = [line if line.endswith(b"\n") else line + b"\n" for line in lines[:-1]]
    return b"".join([*whole, *lines[-1:]])
