"""One checkpoint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a folder at one moment."""

    tree: str
    left_out: frozenset[str] = frozenset()
    """Files that are not in the checkpoint: too large, not readable, no plain files."""
    nested: tuple[str, ...] = ()
    """Folders with a repository of their own; they are not entered."""
    since: str = ""
    """In a later checkpoint: the tree before the turn, with later changes of operations."""
