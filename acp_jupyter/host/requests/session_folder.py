"""Resolves the paths that agents name in a session's folder; nothing else does.

Policies, rules, protected files and credentials are decided by the file itself, however its path
is spelled: by another name of the folder, ``..``, symbolic links or hard links.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from acp_jupyter.host.requests.protected_paths import holds_credentials, is_plain, is_protected
from acp_jupyter.system.open_folder import inside_by_any_name
from acp_jupyter.transcript.raw_input import local_path

FileId = tuple[int, int]
"""Device and number of a file, the same for all its names."""

_BARE_REPOSITORY = ("HEAD", "objects", "refs")
_ENVIRONMENT = "pyvenv.cfg"
_MAX_ENTRIES = 200_000
"""Most entries of a folder in which a file's other names are searched."""


@dataclass(frozen=True, slots=True)
class FolderPath:
    """A path inside the session's folder."""

    named: str
    """Relative path as the agent wrote it, without ``..``."""
    real: str
    """Relative path with symbolic links resolved."""
    at: str = ""
    """Relative path of the link itself, if the last name is a link; else the same as ``real``."""
    links: tuple[str, ...] = ()
    """The file's other names in the folder, if it has hard links."""
    why: str = ""
    """Why a change could run something later or let agents do more; empty if it can't."""
    secret: bool = False
    """Whether the file may hold passwords or keys; reading it needs a rule or the user."""
    plain: bool = False
    """Whether it holds source, data, text or a notebook, and no program runs it by its name."""
    file: FileId | None = field(default=None, compare=False)
    """The present file; another program may replace it by a file of the same name."""

    @property
    def protected(self) -> bool:
        """Whether each change needs its own permission."""
        return bool(self.why)

    @property
    def names(self) -> tuple[str, ...]:
        """All known names of the file."""
        return tuple(dict.fromkeys((self.named, self.at, self.real, *self.links)))


class SessionFolder:
    """A session's folder; locates paths in it.

    Parameters
    ----------
    root
        The folder; None to use names only, without the disk.
    own_folders
        Folders of Python, Jupyter and this package: protected wherever they are, and never read.
    home
        The user's home folder: a hard link to one of the credentials there is never read.
    """

    def __init__(
        self,
        root: Path | None,
        own_folders: tuple[Path, ...] = (),
        home: Path | None = None,
    ) -> None:
        self.root = root
        self._own_folders = own_folders
        self._home = home

    @property
    def cwd(self) -> str:
        """The folder's path as agents write it."""
        return "" if self.root is None else str(self.root)

    def locate(self, path: str) -> FolderPath | None:
        """Locate a path; see `locate_all`."""
        return self.locate_all([path])[0]

    def locate_all(self, paths: Sequence[str]) -> tuple[FolderPath | None, ...]:
        """Locate paths; None for one that is outside the folder or unknown. May block."""
        if self.root is None:
            return tuple(map(_by_name, paths))
        try:
            root = self.root.resolve()
        except (OSError, RuntimeError):
            return (None,) * len(paths)
        found = [_found(root, path) for path in paths]
        linked = {each.file for each in found if each is not None and each.links > 1 and each.file}
        others = _OtherNames(root, self._home, linked)
        return tuple(None if each is None else self._locate(root, each, others) for each in found)

    def real_name(self, path: str) -> str | None:
        """Return the name in the folder that a path leads to; None if unknown. May block."""
        if self.root is None:
            return None
        try:
            found = _found(self.root.resolve(), path)
        except (OSError, RuntimeError):
            return None
        return None if found is None else found.name

    def file_of_uri(self, uri: str) -> Path | None:
        """Return the path in the folder that a ``file:`` address leads to, if any. May block."""
        path = local_path(uri, self.cwd) if uri.lower().startswith("file:") else None
        name = None if path is None else self.real_name(path)
        return None if self.root is None or name is None else self.root.resolve() / name

    def _locate(self, root: Path, found: _Found, others: _OtherNames) -> FolderPath:
        own = any(found.real.is_relative_to(folder.resolve()) for folder in self._own_folders)
        is_linked = found.links > 1
        links = tuple(sorted({*others.of(found.file)} - {found.name})) if is_linked else ()
        names = {*found.names, *links}
        why = _why(names)
        if own:
            why = "is in a folder of Jupyter, IPython or acp-jupyter"
        elif any(map(_is_special, _folders_between(root, found.real))):
            why = "is in a Python environment or a bare git repository"
        elif is_linked and not why:
            # The other name may be protected, or outside the folder.
            why = f"is also {links[0]}, by a hard link" if links else "has a hard link elsewhere"
        secret = own or any(map(holds_credentials, names))
        if is_linked and not secret:
            secret = others.may_be_credentials(found.file, found.links)
        plain = all(map(is_plain, names))
        return FolderPath(found.named, found.name, found.at, links, why, secret, plain, found.file)


@dataclass(frozen=True, slots=True)
class _Found:
    """What is on disk for a path."""

    named: str
    name: str
    at: str
    names: tuple[str, ...]
    """All names that the path may mean."""
    real: Path
    file: FileId | None
    links: int
    """How many names a file has; 0 for anything else."""


def _found(root: Path, path: str) -> _Found | None:
    if _is_odd(path):
        return None
    try:
        real = _resolved(root, path)
        name = real.relative_to(root).as_posix()
        named = _named(root, path) or name
        folder, last = os.path.split(named)
        at = name if last == "." else (_resolved(root, folder) / last).relative_to(root).as_posix()
        names = [named, name, at]
        if "\\" in path:  # a separator on Windows, and for some agents
            written = path.replace("\\", "/")
            other = _resolved(root, written).relative_to(root).as_posix()
            names += [posixpath.normpath(written), other]
        try:
            status = real.stat()
        except (FileNotFoundError, NotADirectoryError):
            return _Found(named, name, at, tuple(names), real, None, 0)
        links = status.st_nlink if stat.S_ISREG(status.st_mode) else 0
        file = (status.st_dev, status.st_ino)
        return _Found(named, name, at, tuple(names), real, file, links)
    except (OSError, RuntimeError, ValueError):
        return None


def _is_odd(path: str) -> bool:
    return path.startswith(("~", "\\")) or ":" in path[:3] or not path.isprintable()


def _by_name(path: str) -> FolderPath | None:
    named = posixpath.normpath(path.replace("\\", "/"))
    if _is_odd(path) or named.startswith(("/", "../")) or named == "..":
        return None
    return FolderPath(
        *(named, named, named),
        why=_why([named]),
        secret=holds_credentials(named),
        plain=is_plain(named),
    )


class _OtherNames:
    """The other names of files with hard links; the folder is searched once for all of them."""

    def __init__(self, root: Path, home: Path | None, files: Collection[FileId]) -> None:
        self._home = home
        self._files = files
        self._names, self._complete = _names_of(files, root) if files else ({}, True)

    def of(self, file: FileId | None) -> list[str]:
        """Return the names of a file in the folder."""
        return [] if file is None else self._names.get(file, [])

    def may_be_credentials(self, file: FileId | None, links: int) -> bool:
        """Return whether a name that wasn't found in the folder may be that of credentials."""
        if not self._complete:
            return True
        return file is not None and len(self.of(file)) < links and file in self._at_home

    @cached_property
    def _at_home(self) -> frozenset[FileId]:
        """The files that are also credentials in the user's home folder."""
        found: set[FileId] = set()
        for entry in () if self._home is None else folder_entries(self._home):
            if not holds_credentials(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                names, complete = _names_of(self._files, Path(entry.path))
                found.update(names if complete else self._files)
            else:
                found.update(filter(None, [_one_of(entry, self._files)]))
        return frozenset(found)


def _why(names: Iterable[str]) -> str:
    if any(map(is_protected, names)):
        return "can change what runs later, or what agents may do"
    return ""


def _resolved(root: Path, path: str) -> Path:
    """Resolve all links first: ``..`` after a symbolic link leads elsewhere."""
    real = (root / path).resolve()
    if real.is_symlink():
        raise OSError(0, "is a loop of links")
    inside = inside_by_any_name(str(root), str(real))
    return real if inside is None else root / inside


def _named(root: Path, path: str) -> str:
    """Return a path relative to the folder as it is spelled; empty if it is not below it."""
    rest = path
    if path.startswith("/"):
        parts = path.split("/")
        # By whatever name the path calls the folder.
        found = (
            "/".join(parts[end:])
            for end in range(1, len(parts) + 1)
            if inside_by_any_name(str(root), os.path.realpath("/".join(parts[:end]) or "/")) == "."
        )
        rest = next(found, "..") or "."
    named = posixpath.normpath(rest)
    return "" if named == ".." or named.startswith(("/", "../")) else named


def _names_of(files: Collection[FileId], folder: Path) -> tuple[dict[FileId, list[str]], bool]:
    """Return the files' names below a folder, and whether the search was complete."""
    found: dict[FileId, list[str]] = {}
    numbers = {number for _, number in files}
    left = _MAX_ENTRIES
    todo = [folder]
    while todo:
        for entry in folder_entries(todo.pop()):
            left -= 1
            if left < 0:
                return found, False
            if entry.is_dir(follow_symlinks=False):
                todo.append(Path(entry.path))
            elif entry.inode() in numbers and (file := _one_of(entry, files)):
                found.setdefault(file, []).append(Path(entry.path).relative_to(folder).as_posix())
    return found, True


def folder_entries(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder; none if it can't be read."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _one_of(entry: os.DirEntry[str], files: Collection[FileId]) -> FileId | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    file = (status.st_dev, status.st_ino)
    return file if file in files else None


def _folders_between(root: Path, path: Path) -> Iterator[Path]:
    """Yield the folders above a file, the root included, and the path itself."""
    while path != root:
        yield path
        path = path.parent
    yield root


def _is_special(folder: Path) -> bool:
    """Return whether a folder is a Python environment or a bare git repository."""
    if (folder / _ENVIRONMENT).is_file():
        return True
    return all((folder / name).exists() for name in _BARE_REPOSITORY)
