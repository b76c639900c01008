"""A lock for a folder, across sessions and servers, for operations and checkpoints."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from acp_jupyter.host.store.shared_json import locked

_NAME_CHARS = 32


def folder_name(root: Path) -> str:
    """Return the name of a folder's lock and repository; ``root`` is its real path."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:_NAME_CHARS]


class FolderLocks:
    """The locks of folders; a lock includes all folders below.

    May be used from any thread.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def hold(self, roots: Iterable[Path], deadline: float) -> Iterator[None]:
        """Hold the locks of folders, given by their real paths; wait until ``deadline``.

        The folders above get shared locks, so that none of them can be locked exclusively. All
        locks are taken in the same order, from the top.
        """
        own = set(roots)
        above = {parent for root in own for parent in root.parents}
        with contextlib.ExitStack() as held:
            for each in sorted(own | above, key=lambda path: path.parts):
                lock = self._folder / f"{folder_name(each)}.lock"
                held.enter_context(locked(lock, deadline, shared=each not in own))
            yield
