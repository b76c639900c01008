"""Paths of a tool call against the session's folder, as they lie on disk."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.protected_names import holds_credentials, is_protected

__all__ = ["Places", "Spot"]

_BARE_REPOSITORY = ("HEAD", "objects", "refs")
_ENVIRONMENT = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Spot:
    """A path that lies inside the folder."""

    named: str
    """Relative, as the agent wrote it, without detours."""
    real: str
    """Relative, after symbolic links."""
    protected: bool = False
    """Whether a change could run something later, or let agents do more: never granted at large."""
    secret: bool = False
    """Whether it may hold passwords or keys: not read without being named."""


class Places:
    """A session's folder.

    Parameters
    ----------
    root
        None where nothing is to be looked up on disk.
    own_folders
        Of Python, Jupyter and this package: protected wherever they lie, and never to be read.
    """

    def __init__(self, root: Path | None, own_folders: tuple[Path, ...] = ()) -> None:
        self.root = root
        self._own_folders = own_folders

    @property
    def cwd(self) -> str:
        """The folder as agents write it."""
        return "" if self.root is None else str(self.root)

    def locate(self, path: str) -> Spot | None:
        """Return where a path lies; None outside the folder, or if it can't be told. May block."""
        if path.startswith(("/", "~", "\\")) or ":" in path[:3] or not path.isprintable():
            return None
        written = path.replace("\\", "/")
        named = posixpath.normpath(written)
        if named == ".." or named.startswith("../"):
            return None
        if self.root is None:
            return Spot(named, named, is_protected(named), holds_credentials(named))
        try:
            root = self.root.resolve()
            # Of what was written: a detour behind a link leads elsewhere.
            real = (root / written).resolve()
            relative = real.relative_to(root).as_posix()
            own = any(real.is_relative_to(folder.resolve()) for folder in self._own_folders)
            protected = own or any(map(_is_special, _folders_between(root, real)))
            linked = real.is_file() and real.stat().st_nlink > 1
        except (OSError, RuntimeError, ValueError):
            return None
        names = (named, relative)
        return Spot(
            named,
            relative,
            # Another name of the same file may be protected, or outside.
            protected or linked or any(map(is_protected, names)),
            own or any(map(holds_credentials, names)),
        )


def _folders_between(root: Path, path: Path) -> Iterator[Path]:
    """Yield the folders that a file lies in, the root too, and the path itself."""
    while path != root:
        yield path
        path = path.parent
    yield root


def _is_special(folder: Path) -> bool:
    """Tell whether a folder is an environment of Python or a bare repository of git."""
    if (folder / _ENVIRONMENT).is_file():
        return True
    return all((folder / name).exists() for name in _BARE_REPOSITORY)
