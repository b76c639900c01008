"""What is said of a turn's changes that can't be taken back, or not alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

from acp_jupyter.protocol.host_events.workspace import ChangedFile

__all__ = ["MARKED", "NOTEBOOK", "words_of"]

_NAMED = 3
_SHARED = (
    "Another turn ran in this folder at the same time. Its changes can't be told apart from these."
)
NOTEBOOK = "The notebook of this turn is saved while it runs, so it is not taken back."
MARKED = (
    "The notebook of this turn is saved while it runs: only the cells that tools wrote, and "
    "nobody changed since, are taken back, while it is open."
)


def words_of(
    shared: bool, uncovered: Mapping[str, str], files: Collection[ChangedFile]
) -> Iterator[str]:
    """Yield sentences.

    Parameters
    ----------
    shared
        Whether another turn ran in the folder at the same time.
    uncovered
        What changed and is not kept, and why.
    files
        What is told of the turn.
    """
    if shared:
        yield _SHARED
    yield from {file.words for file in files if file.words in {NOTEBOOK, MARKED}}
    if uncovered:
        by_why = groupby(sorted(uncovered, key=uncovered.__getitem__), uncovered.__getitem__)
        named = ", ".join(f"{_some(list(paths))} ({why})" for why, paths in by_why)
        alone = all(file.unread for file in files)
        yield f"Not kept: {named}." if alone else f"Not kept, so it can't be taken back: {named}."


def _some(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
