"""One lock for a folder, across sessions and servers, for all that writes in it or stores it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from acp_jupyter.host.store.shared_json import locked

_NAME_CHARS = 32


def folder_name(root: Path) -> str:
    """Return the name of a folder's lock, and of what is kept of it; ``root`` is its real path."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:_NAME_CHARS]


class FolderLocks:
    """The locks of folders, and of those in them: who has one has all that is below.

    May be used from any thread.

    Parameters
    ----------
    folder
        Holds the lock files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def hold(self, roots: Iterable[Path], deadline: float) -> Iterator[None]:
        """Hold the locks of folders, given by their real paths; wait until ``deadline``.

        The folders above are shared, so that nobody has one of them alone meanwhile. All are taken
        in one order, from the top.

        Raises
        ------
        TimeoutError
            Somebody else holds one.
        """
        own = set(roots)
        above = {parent for root in own for parent in root.parents}
        with contextlib.ExitStack() as held:
            for each in sorted(own | above, key=lambda path: path.parts):
                lock = self._folder / f"{folder_name(each)}.lock"
                held.enter_context(locked(lock, deadline, shared=each not in own))
            yield
