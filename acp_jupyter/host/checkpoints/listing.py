"""What of a folder must be kept anew, and what can't be."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from acp_jupyter.host.limits import Limits

__all__ = ["Listed", "batches", "list_paths"]

_BATCH_BYTES = 16 * 1024 * 1024
_BATCH_FILES = 1000


@dataclass(slots=True)
class Listed:
    """Paths relative to the folder."""

    present: list[tuple[str, int]] = field(default_factory=list)
    """New and changed ones, with their size."""
    gone: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    """Too large, not readable, no plain files."""
    stale: set[str] = field(default_factory=set)
    """Of those, what is still kept as it was before."""
    nested: list[str] = field(default_factory=list)
    """Folders with a repository of their own."""

    @property
    def size(self) -> int:
        """Of all that is present."""
        return sum(size for _, size in self.present)


def list_paths(
    root: Path, paths: Iterable[str], left_out: Collection[str], limits: Limits
) -> Listed:
    """Look at what git says is new, changed or gone. Blocks.

    Parameters
    ----------
    root
        The folder.
    paths
        As ``git ls-files`` tells them.
    left_out
        What is left out in any case.
    limits
        See `Limits`.
    """
    listed = Listed()
    folders: dict[str, bool] = {"": True}
    for path in paths:
        if path.endswith("/"):
            listed.nested.append(path)
        elif path in left_out:
            listed.left_out.add(path)
        elif not _is_reached(root, path.rpartition("/")[0], folders):
            listed.gone.append(path)
        else:
            _sort(root, path, limits.checkpoint_file_bytes, listed)
    return listed


def _sort(root: Path, path: str, most: int, listed: Listed) -> None:
    try:
        path.encode()
        status = os.lstat(root / path)
    except FileNotFoundError:
        listed.gone.append(path)
        return
    except (OSError, UnicodeEncodeError):
        listed.left_out.add(path)
        return
    mode, size = status.st_mode, status.st_size
    if stat.S_ISDIR(mode):
        listed.gone.append(path)
    elif stat.S_ISLNK(mode):
        listed.present.append((path, 0))
    elif stat.S_ISREG(mode) and size <= most and os.access(root / path, os.R_OK):
        listed.present.append((path, size))
    else:
        listed.left_out.add(path)


def _is_reached(root: Path, folder: str, known: dict[str, bool]) -> bool:
    """Tell whether a folder is one, and all above it too: what lies beyond a link is not in it."""
    if folder not in known:
        above = folder.rpartition("/")[0]
        try:
            is_folder = stat.S_ISDIR(os.lstat(root / folder).st_mode)
        except OSError:
            is_folder = False
        known[folder] = _is_reached(root, above, known) and is_folder
    return known[folder]


def batches(paths: list[tuple[str, int]]) -> Iterator[list[str]]:
    """Cut what must be read into pieces, each of which stays read if time runs out."""
    batch: list[str] = []
    room = _BATCH_BYTES
    for path, size in paths:
        batch.append(path)
        room -= size
        if room <= 0 or len(batch) == _BATCH_FILES:
            yield batch
            batch, room = [], _BATCH_BYTES
    if batch:
        yield batch
