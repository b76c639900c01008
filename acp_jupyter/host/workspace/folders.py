"""The session's folder, its ``.env`` files, and the folders of Jupyter and this program.

Secrets in ``.env`` files are read so that they are redacted in the log.

Jupyter writes into its own folders all the time. So files in them never count as a turn's changes
and are never part of a recording. Agents may not write into them without permission.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.transcript.redactor import Redactor, named_secrets
from acp_jupyter.transcript.secret_patterns import is_random


def choose_cwd(root: Path, notebook_path: str) -> Path:
    """Return the folder for the sessions of a notebook.

    It is the nearest git root above the notebook that lies within ``root``, else the notebook's own
    folder. A path that leads out of ``root`` gives ``root``.

    Parameters
    ----------
    notebook_path
        Path relative to ``root``, with forward slashes; empty for none.
    """
    root = root.resolve()
    folder = (root / notebook_path).parent.resolve() if notebook_path else root
    if not folder.is_relative_to(root) or not folder.is_dir():
        return root
    for candidate in (folder, *folder.parents):
        if _is_git_root(candidate):
            return candidate
        if candidate == root:
            break
    return folder


def _is_git_root(folder: Path) -> bool:
    """Return whether a folder is a git root; an empty ``.git``, as Codex leaves one, is not."""
    mark = folder / ".git"
    return mark.is_file() or (mark / "HEAD").exists()


def shown_folder(folder: Path) -> str:
    """Return a folder for people: the home folder is shortened to ``~``."""
    try:
        return f"~/{folder.relative_to(Path.home()).as_posix()}".removesuffix("/.")
    except ValueError:
        return str(folder)


def inode_of(file: Path) -> int:
    """Return the inode, which stays when a file is renamed; 0 if there is none. Blocks."""
    try:
        status = file.stat()
    except (OSError, ValueError):
        return 0
    return status.st_ino if stat.S_ISREG(status.st_mode) else 0


def path_after_move(path: str, old: str, new: str) -> str:
    """Return a path after the file, or a folder above it, was renamed from ``old`` to ``new``.

    All are relative to one root, with forward slashes; with an empty ``new`` it was deleted.
    """
    if path == old:
        return new
    if path.startswith(f"{old}/"):
        return new and f"{new}{path[len(old) :]}"
    return path


def resolve_cwd(root: Path, cwd: str, *, inside_root: bool) -> Path:
    """Return the folder that a caller named.

    Parameters
    ----------
    cwd
        Absolute, or relative to ``root``; ``~`` is the home folder.
    inside_root
        Whether the folder must be in ``root``. Required for kernels, as an agent's code may run in
        them, and an agent can read its session's folder.
    """
    root = root.resolve()
    try:
        folder = (root / Path(cwd).expanduser()).resolve()
        is_folder = folder.is_dir()
    except (OSError, RuntimeError, ValueError):
        is_folder = False
    if not is_folder:
        raise BadRequest(f"There is no folder {cwd}. Name a folder that exists.")
    if inside_root and not folder.is_relative_to(root):
        raise NotAllowed(
            f"The folder {cwd} is outside the server's root folder. "
            "From a notebook only folders within it can be used."
        )
    return folder


_logger = logging.getLogger(__name__)
_PRIVATE = 0o700
_OTHERS = 0o077


def jupyter_folders(
    jupyter: Iterable[str], environment: Mapping[str, str], home: Path
) -> tuple[tuple[Path, ...], Path]:
    """Return Jupyter's and IPython's own folders, and the user's cache folder."""
    ipython = environment.get("IPYTHONDIR") or home / ".ipython"
    cache = environment.get("XDG_CACHE_HOME") or home / ".cache"
    own = tuple(Path(folder).expanduser() for folder in (*jupyter, ipython))
    return own, Path(cache).expanduser()


class OwnFolders:
    """The folders of Jupyter and this program; finds those below a session's folder.

    Parameters
    ----------
    folders
        The folders; they need not exist.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._folders = frozenset(folders)

    def below(self, root: Path) -> frozenset[str]:
        """Return the folders below ``root``, relative to it, with forward slashes. Blocks.

        If ``root`` is one of them or lies in one, that one does not count.
        """
        real = Path(os.path.realpath(root))
        found = (Path(os.path.realpath(folder)) for folder in self._folders)
        return frozenset(
            folder.relative_to(real).as_posix()
            for folder in found
            if folder != real and folder.is_relative_to(real)
        )


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Return whether a relative path is one of the folders or inside one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def make_private(folder: Path, others: Iterable[Path]) -> None:
    """Create the data folder with mode 0700, or give an existing one that mode. Blocks."""
    with contextlib.suppress(OSError):  # the first write reports the error
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
        _logger.warning("%s may be read by others: %s", folder, error)


_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LINE = re.compile(r"(?:export[ \t]++)?([A-Za-z_][A-Za-z0-9_]{0,199}+)[ \t]*+=[ \t]*+(.*)")
_MAX_ENTRIES = 100_000
_MAX_FILES = 100
_MAX_BYTES = 64 * 1024
_MAX_VALUES = 500
_RANDOM_CHARS = 16
_MAX_NAMED = 5
_USUAL = (".env", ".envrc", ".env.local", ".env.development", ".env.production", ".env.test")
_EXAMPLES = (".dist", ".example", ".sample", ".template")
_LEFT_OUT = "Secrets in {} are not known, so they are not taken out of logs and saved turns: {}."


class EnvFiles:
    """Gives the redactor the secrets in a folder's ``.env`` files.

    Secrets are values of variables with a secret's name, and random-looking values. At most 100
    files are read whose names begin with ``.env``: the shortest names first, then alphabetically,
    examples last. At most 64 KB of each file are read, and 500 values of all. Links that lead out
    of the folder are not followed.
    """

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        self._source = f"files .env in {folder}"
        self._seen: tuple[_EnvFile, ...] = ()
        self._left_out = ""

    def read(self) -> str:
        """Read the files again if they have changed. Blocks: not for an event loop."""
        try:
            found, all_seen = self._found()
        except OSError:
            return ""
        if tuple(found) != self._seen:
            known: dict[str, None] = {}
            for file in found[:_MAX_FILES]:
                known |= dict.fromkeys(_secrets(Path(file.path)))
            written = max((file.changed_at for file in found), default=0) / 1e9
            self._redactor.learn_from_files(self._source, *list(known)[:_MAX_VALUES], at=written)
            self._seen = tuple(found)
            self._left_out = _left_out(found, len(known))
        if not all_seen:
            why = f"the folder has more than {_MAX_ENTRIES:,} entries"
            return _LEFT_OUT.format("some .env files", why)
        return self._left_out

    def _found(self) -> tuple[list[_EnvFile], bool]:
        """Return the files in the order of reading, and whether all names were seen."""
        root = os.path.realpath(self._folder)
        # Asked for by name, so that they are found in a folder of any size.
        names = set(_USUAL)
        with os.scandir(root) as entries:
            first = itertools.islice(entries, _MAX_ENTRIES)
            names.update(entry.name for entry in first if entry.name.startswith(".env"))
            all_seen = next(entries, None) is None
        ordered = sorted(names, key=lambda name: (name.endswith(_EXAMPLES), len(name), name))
        files = [file for name in ordered if (file := _env_file(root, name)) is not None]
        return files, all_seen


@dataclass(frozen=True, slots=True)
class _EnvFile:
    path: str
    changed_at: int
    size: int


def _env_file(root: str, name: str) -> _EnvFile | None:
    path = os.path.realpath(os.path.join(root, name))
    if os.path.dirname(path) != root and not path.startswith(os.path.join(root, "")):
        return None
    try:
        about = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(about.st_mode):
        return None
    # Copying a file can keep its mtime, but not its ctime.
    return _EnvFile(path, max(about.st_mtime_ns, about.st_ctime_ns), about.st_size)


def _left_out(files: list[_EnvFile], values: int) -> str:
    more = len(files) - _MAX_FILES
    if more > 0:
        first = os.path.basename(files[_MAX_FILES].path)
        many = f"{more} .env files, from {first} on" if more > 1 else f"the file {first}"
        return _LEFT_OUT.format(many, f"the first {_MAX_FILES} are read")
    if values > _MAX_VALUES:
        return _LEFT_OUT.format(
            "the last .env files", f"they have {values}, and {_MAX_VALUES} are kept"
        )
    large = [file for file in files[:_MAX_FILES] if file.size > _MAX_BYTES]
    if large:
        names = ", ".join(os.path.basename(file.path) for file in large[:_MAX_NAMED])
        return _LEFT_OUT.format(f"the rest of {names}", "the first 64 KB of a file are read")
    return ""


def _secrets(path: Path) -> Iterator[str]:
    try:
        fd = os.open(path, _FLAGS)
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        assigned = _LINE.fullmatch(line.strip())
        if assigned is None:
            continue
        value = _value(assigned[2])
        yield from named_secrets({assigned[1]: value})
        if len(value) >= _RANDOM_CHARS and is_random(value):
            yield value


def _value(written: str) -> str:
    """Return a value without its quotes or trailing comment."""
    quote = written[:1]
    if quote in {"'", '"'} and (end := written.find(quote, 1)) > 0:
        return written[1:end]
    return written.split(" #", 1)[0].strip()
