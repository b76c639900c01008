"""Git with a shadow repository for a folder, and the list of files that must be stored again.

Git knows ignored files, modes and links, and its index makes the second scan of a folder cheap.
The user's own git is not used: no configuration, hook, filter or attribute, and never the
folder's ``.git``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from acp_jupyter.errors import plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.scan import FolderScan
from acp_jupyter.system.processes.tree import kill_group

_MIB = 1024 * 1024
_MESSAGE_CHARS = 300
_READY = "acp-jupyter"
_SETTINGS = {
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.filemode": "true",
    "core.symlinks": "true",
    "core.ignorecase": "false",
    "core.precomposeunicode": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.splitIndex": "false",
    "core.looseCompression": "1",
    "core.fsync": "none",
    "core.logAllRefUpdates": "false",
    "core.longpaths": "true",
    "core.quotepath": "true",
    "diff.external": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}
# No conversion of bytes; whether a file is text follows from its content, not from attributes.
_ATTRIBUTES = "* -text -ident !eol !crlf !filter !working-tree-encoding !diff !merge\n"


class GitError(Exception):
    """A git command failed; the message says why."""


class GitMissing(GitError):
    """There is no git on ``PATH``."""


class GitSlow(GitError):
    """Git took too long and was killed."""


class GitTooMuch(GitError):
    """Git's output was longer than the limit."""


class GitFileChanging(GitError):
    """A file was written to while git read it; nothing was stored."""


class ShadowGit:
    """A git repository outside the folder that it stores. All methods block, with time limits.

    Parameters
    ----------
    root
        The folder; its ``.git`` is never touched.
    folder
        The repository's folder; created when first needed.
    index
        Name of the index file in it: a copy of a folder has its own.
    """

    def __init__(self, root: Path, folder: Path, index: str = "index") -> None:
        self.root = root
        self.folder = folder
        self.index = folder / index
        self._program = shutil.which("git")

    def prepare(self, seconds: float) -> None:
        """Create the repository if it does not exist."""
        if (self.folder / _READY).exists():
            # Left by a killed git.
            self.index.with_name(f"{self.index.name}.lock").unlink(missing_ok=True)
            return
        try:
            self.discard()
            self.folder.mkdir(mode=0o700, parents=True)
            self.run("init", "-q", "--template=", seconds=seconds)
            (self.folder / "info").mkdir(exist_ok=True)
            (self.folder / "info" / "attributes").write_text(_ATTRIBUTES, "utf-8")
            (self.folder / _READY).touch()
        except OSError as error:
            raise GitError(f"the repository can't be written: {plain_reason(error)}") from error

    def discard(self) -> None:
        """Delete the repository."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(
        self,
        *args: str,
        seconds: float,
        stdin: bytes = b"",
        max_bytes: int = 64 * _MIB,
        fine: tuple[int, ...] = (0,),
        settings: Mapping[str, str] | None = None,
        index: Path | None = None,
    ) -> bytes:
        """Run a git command and return its output."""
        if seconds <= 0:
            raise GitSlow("there was no time left")
        command = self._command({**_SETTINGS, **(settings or {})}, args)
        try:
            with tempfile.TemporaryFile() as input_file, tempfile.TemporaryFile() as error_file:
                input_file.write(stdin)
                input_file.seek(0)
                process = subprocess.Popen(
                    command,
                    stdin=input_file,
                    stdout=subprocess.PIPE,
                    stderr=error_file,
                    cwd=self.root,
                    env=self._environment(index or self.index),
                    start_new_session=True,
                )
                written = _read(process, seconds, max_bytes)
                error_file.seek(0)
                complaint = error_file.read(4 * _MESSAGE_CHARS).decode(errors="replace")
        except (OSError, ValueError) as error:
            raise GitError(f"git can't be started: {plain_reason(error)}") from error
        if process.returncode not in fine:
            if "unstable object source" in complaint:
                raise GitFileChanging("a file was written to all the time")
            code = process.returncode
            ended = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
            reason = " ".join(complaint.split())[:_MESSAGE_CHARS]
            raise GitError(reason or f"git {args[0]} {ended}")
        return written

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        """Start a git command that reads requests from its standard input; the caller ends it."""
        try:
            return subprocess.Popen(
                self._command(_SETTINGS, args),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
                env=self._environment(self.index),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git can't be started: {plain_reason(error)}") from error

    def _command(self, settings: Mapping[str, str], args: Iterable[str]) -> list[str]:
        if self._program is None:
            raise GitMissing("git is not installed")
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [self._program, "--no-pager", *options, *args]

    def _environment(self, index: Path) -> dict[str, str]:
        home = str(self.folder)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "LC_ALL": "C",
            "GIT_DIR": home,
            "GIT_WORK_TREE": str(self.root),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_INDEX_FILE": str(index),
            **{name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ},
        }


def _read(process: subprocess.Popen[bytes], seconds: float, most: int) -> bytes:
    """Return a process's output; kill it beyond a limit of time or length."""
    late = threading.Event()

    def end() -> None:
        late.set()
        kill_git(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    started = time.monotonic()
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout:
            written = process.stdout.read(most + 1)
            if len(written) > most:
                kill_git(process)
        process.wait()
    finally:
        timer.cancel()
        if process.returncode is None:
            kill_git(process)
            process.wait()
    if late.is_set():
        raise GitSlow(f"git took longer than {time.monotonic() - started:.0f} s")
    if len(written) > most:
        raise GitTooMuch("git gave too much output")
    return written


def kill_git(process: subprocess.Popen[bytes]) -> None:
    """End a git process and its children."""
    if process.returncode is None:
        kill_group(process.pid)


_BATCH_BYTES = 16 * 1024 * 1024
_BATCH_FILES = 1000


@dataclass(slots=True)
class FolderListing:
    """Files to store or to leave out, by path relative to the folder."""

    present: list[tuple[str, int]] = field(default_factory=list)
    """New and changed files with their sizes."""
    gone: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    """Files that are too large, not readable, or no plain files."""
    stale: set[str] = field(default_factory=set)
    """Paths of ``left_out`` whose older content is still stored."""
    nested: list[str] = field(default_factory=list)
    """Folders with a repository of their own."""

    @property
    def size(self) -> int:
        """Total size of ``present`` in bytes."""
        return sum(size for _, size in self.present)


def list_paths(
    root: Path, paths: Iterable[str], left_out: Collection[str], limits: Limits
) -> FolderListing:
    """Sort the paths that git lists as new, changed or deleted. Blocks."""
    listed = FolderListing()
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


def _sort(root: Path, path: str, most: int, listed: FolderListing) -> None:
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
    """Return whether a path and all its parents are folders, and none is a symbolic link."""
    if folder not in known:
        above = folder.rpartition("/")[0]
        try:
            is_folder = stat.S_ISDIR(os.lstat(root / folder).st_mode)
        except OSError:
            is_folder = False
        known[folder] = _is_reached(root, above, known) and is_folder
    return known[folder]


def batches(paths: list[tuple[str, int]]) -> Iterator[list[str]]:
    """Yield paths in batches; finished batches stay stored if time runs out."""
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


_IGNORE_FILE = ".gitignore"
_PIPE = os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


@contextlib.contextmanager
def not_waiting_for_pipes(root: Path, scan: FolderScan) -> Iterator[None]:
    """Open and close pipes with the name of a file that git reads: git would block on them."""
    with contextlib.ExitStack() as opened:
        for path in scan.unread:
            if PurePosixPath(path).name == _IGNORE_FILE:
                with contextlib.suppress(OSError):
                    pipe = os.open(root / path, _PIPE)
                    opened.callback(os.close, pipe)
        yield
