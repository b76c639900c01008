"""Folders that hold no work of anybody: what Jupyter and this program keep for themselves.

Jupyter writes into them all the time. So nothing in them is ever a turn's change, to be listed or
taken back, nor a part of a record.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["OwnFolders", "is_below", "make_private", "surrounding_folders"]

_log = logging.getLogger(__name__)
_PRIVATE = 0o700
_OTHERS = 0o077


def surrounding_folders(
    jupyter: Iterable[str], environment: Mapping[str, str], home: Path
) -> tuple[tuple[Path, ...], Path]:
    """Return Jupyter's own folders with IPython's, and that of a user's caches.

    Parameters
    ----------
    jupyter
        Its data, configuration and runtime folders, as it says itself.
    environment, home
        Of the user.
    """
    ipython = environment.get("IPYTHONDIR") or home / ".ipython"
    cache = environment.get("XDG_CACHE_HOME") or home / ".cache"
    own = tuple(Path(folder).expanduser() for folder in (*jupyter, ipython))
    return own, Path(cache).expanduser()


class OwnFolders:
    """Tells which of these lie below a folder.

    Parameters
    ----------
    folders
        Wherever they are; they need not exist.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._folders = frozenset(folders)

    def below(self, root: Path) -> frozenset[str]:
        """Return those below ``root``, relative to it, with forward slashes. Blocks.

        Who works in one of them, or in a folder below it, works with what is in there.
        """
        real = Path(os.path.realpath(root))
        found = (Path(os.path.realpath(folder)) for folder in self._folders)
        return frozenset(
            folder.relative_to(real).as_posix()
            for folder in found
            if folder != real and folder.is_relative_to(real)
        )


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Tell whether a relative path is one of these folders, or in one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def make_private(folder: Path, others: Iterable[Path]) -> None:
    """Make the data folder, for its user alone, also where it was there with other bits. Blocks.

    Parameters
    ----------
    folder
        Of this program.
    others
        Folders that are not its own, should it have been told to use one of them.
    """
    with contextlib.suppress(OSError):  # who writes in it then says what is wrong
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    real = folder.resolve()
    shared = {Path.home().resolve(), *(other.resolve() for other in others)}
    if any(other.is_relative_to(real) for other in shared):
        return
    try:
        status = real.stat()
        mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        if mine and status.st_mode & _OTHERS:
            real.chmod(_PRIVATE)
    except OSError as error:
        _log.warning("%s may be read by others: %s", folder, error)
