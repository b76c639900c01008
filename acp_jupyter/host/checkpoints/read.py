"""Changed files as text, to be shown, and as one patch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from acp_jupyter.errors import ChangesGone
from acp_jupyter.host.checkpoints.diff import Side, TreeChange, blobs, sizes, tree_changes
from acp_jupyter.host.checkpoints.folder import Checkpoints
from acp_jupyter.host.checkpoints.git import GitError, GitTooMuch
from acp_jupyter.host.checkpoints.patch import make_patch
from acp_jupyter.protocol.paths import human_size

__all__ = ["FileSides", "read_changes", "read_patch"]

_BINARY_PEEK = 8000
"""How far git looks for a zero byte."""


@dataclass(frozen=True, slots=True)
class FileSides:
    """A file's text before and after; None where there was none, or it is not shown."""

    old_text: str | None = None
    new_text: str | None = None
    binary: bool = False
    too_large: bool = False


def read_changes(
    checkpoints: Checkpoints,
    trees: tuple[str, str],
    paths: Collection[str],
    *,
    renames: bool = True,
) -> dict[str, FileSides]:
    """Return the texts of some changed files. Blocks.

    Bytes that are not UTF-8 are shown by their numbers, so that other bytes are a change.

    Raises
    ------
    ChangesGone
        They are no longer kept.
    """
    git, limits = checkpoints.git, checkpoints.limits
    seconds = limits.checkpoint_seconds
    try:
        changes = tree_changes(git, *trees, seconds, renames=renames)
        found = [change for change in changes if change.path in paths]
        names = [side.blob for c in found for side in (c.old, c.new) if side.exists]
        lengths = sizes(git, names, seconds)
        small = [name for name in names if lengths.get(name, 0) <= limits.change_text_bytes]
        held = blobs(git, small, seconds, limits.changes_text_bytes)
    except GitError as error:
        raise ChangesGone(f"What this turn changed can't be read: {error}.") from None
    return {change.path: _sides(change, held) for change in found}


def _sides(change: TreeChange, held: dict[str, bytes]) -> FileSides:
    sides = [side for side in (change.old, change.new) if side.exists]
    if any(side.blob not in held for side in sides):
        return FileSides(binary=change.binary, too_large=True)
    if any(b"\0" in held[side.blob][:_BINARY_PEEK] for side in sides):
        return FileSides(binary=True)
    return FileSides(_text(change.old, held), _text(change.new, held))


def _text(side: Side, held: dict[str, bytes]) -> str | None:
    return held[side.blob].decode(errors="backslashreplace") if side.exists else None


def read_patch(
    checkpoints: Checkpoints, trees: tuple[str, str], paths: Collection[str] = ()
) -> str:
    """Return one patch of some changed files, or of all. Blocks.

    Raises
    ------
    ChangesGone
        It is too long, or what it needs is no longer kept.
    """
    limits = checkpoints.limits
    try:
        return make_patch(
            checkpoints.git,
            trees,
            paths,
            seconds=limits.checkpoint_seconds,
            most_bytes=limits.patch_bytes,
        )
    except GitTooMuch:
        raise ChangesGone(
            f"The patch is longer than {human_size(limits.patch_bytes)}. Ask for single files."
        ) from None
    except GitError as error:
        raise ChangesGone(f"The patch can't be made: {error}.") from None
