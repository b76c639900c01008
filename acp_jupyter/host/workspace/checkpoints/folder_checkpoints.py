"""Checkpoints of one folder: its content as a git tree, in a repository outside the folder.

Blocks, one call at a time. Files that are too large or not readable are left out and listed.

`CheckpointStore` has the checkpoints of all folders, and knows the turns that run in each.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.checkpoint import Checkpoint
from acp_jupyter.host.workspace.checkpoints.git import (
    FolderListing,
    GitError,
    GitFileChanging,
    GitMissing,
    GitSlow,
    GitTooMuch,
    ShadowGit,
    batches,
    list_paths,
)
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.open_turns import OpenTurns
from acp_jupyter.host.workspace.folders import OwnFolders, is_below
from acp_jupyter.host.workspace.operations.folder_lock import FolderLocks, folder_name
from acp_jupyter.host.workspace.operations.record import OperationRecords
from acp_jupyter.host.workspace.scan import (
    RECORDING_FOLDER_SUFFIX,
    SKIPPED,
    TEMPORARY,
    is_environment,
)
from acp_jupyter.protocol.files import human_size

_logger = logging.getLogger(__name__)
_MOMENTS = ("before", "base", "after", "own", "unknown")
"""``base`` is what was before with what persons saved meanwhile, ``own`` and ``unknown`` are that
with such changes alone. They are kept where they are other trees."""
_FEW = 200
_MANY = {"core.bigFileThreshold": "1", "core.compression": "0"}
"""One uncompressed pack for all files: four times as fast as one file each."""
_SAVING_SECONDS = 2.0
"""Longest wait for files that are being saved."""
_RESCAN_SECONDS = 0.02
_SAVED_FOR_SECONDS = 30.0
_COPY_SECONDS = 24 * 60 * 60.0
"""The index of a copy that is older was left by a server that was killed."""
_PATH_BYTES = 400
"""Bytes of a path with its mark; an upper bound for the average."""


class CheckpointFailed(Exception):
    """No checkpoint could be made; the message is a sentence for the user."""


class Checkpoints:
    """Makes checkpoints of one folder. All methods block, one at a time.

    Parameters
    ----------
    copied
        The folder that ``root`` is a copy of; both share its repository and lock.
    locks
        The locks of folders; by default those beside the repository.
    records
        The records of operations on folders; an unfinished operation is undone before the folder
        is read.
    """

    def __init__(
        self,
        root: Path,
        folder: Path,
        limits: Limits,
        excluded: Iterable[str] = (),
        index: str = "index",
        copied: Path | None = None,
        locks: FolderLocks | None = None,
        records: OperationRecords | None = None,
    ) -> None:
        self.git = ShadowGit(root, folder, index)
        self.limits = limits
        self.root = root
        self._excluded = tuple(excluded)
        self._locked = Path(os.path.realpath(root if copied is None else copied))
        self._locks = locks or FolderLocks(folder.parent)
        self._records = records
        self._lock = threading.Lock()

    def take(
        self,
        turn_id: str,
        moment: str,
        earlier: Checkpoint | None = None,
        seconds: float | None = None,
    ) -> Checkpoint:
        """Make a checkpoint of the folder.

        Parameters
        ----------
        turn_id, moment
            The turn, and ``before`` or ``after``; together they identify the checkpoint.
        earlier
            An earlier checkpoint of the turn; files left out there are left out here.
        seconds
            Timeout; default: that of the limits.
        """
        seconds = self.limits.checkpoint_seconds if seconds is None else seconds
        deadline = time.monotonic() + seconds
        with self._locked_folder(deadline):
            try:
                self.git.prepare(_left(deadline))
                if earlier is None:
                    self._make_room(deadline)
                listed = self._entered(earlier, deadline)
                tree = self._output_of("write-tree", deadline=deadline)
                since = "" if earlier is None else self._tree_before(turn_id, deadline)
                self._output_of("update-ref", _ref(turn_id, moment), tree, deadline=deadline)
            except GitMissing:
                raise CheckpointFailed(
                    "Git is not installed here, so changes can't be reverted."
                ) from None
            except GitSlow:
                raise CheckpointFailed(
                    "Storing the folder's state took longer than "
                    f"{seconds:g} s, so changes can't be reverted."
                ) from None
            except GitTooMuch:
                raise self._too_many() from None
            except GitError as error:
                raise CheckpointFailed(
                    f"The folder's state could not be stored: {error}."
                ) from None
        return Checkpoint(tree, frozenset(listed.left_out), tuple(listed.nested), since)

    def ignored(self) -> frozenset[str]:
        """Return the ignored files, and ignored folders as one entry each. Blocks."""
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        output = self.git.run(
            *("ls-files", "-z", "--others", "--ignored", "--directory", "--no-empty-directory"),
            *(f"--exclude={pattern}" for pattern in self._never()),
            "--exclude-standard",
            seconds=_left(deadline),
        )
        return frozenset(os.fsdecode(path).rstrip("/") for path in output.split(b"\0") if path)

    def folders(self, without: Collection[str]) -> Iterator[str]:
        """Yield the folders that a checkpoint's files could be in, from the top down.

        Parameters
        ----------
        without
            Folders to skip: those that git ignores, and nested repositories.
        """
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        passed = {*without, *self._excluded}
        pending, left = [""], self.limits.checkpoint_files
        while pending:
            for path in _folders_in(self.root, pending.pop()):
                if path in passed:
                    continue
                left -= 1
                if left < 0 or time.monotonic() > deadline:
                    return
                yield path
                pending.append(path)

    def leave_out(
        self,
        turn_id: str,
        taken: Checkpoint,
        paths: Collection[str],
        unchanged: Mapping[str, tuple[str, str]],
    ) -> Checkpoint:
        """Replace a turn's later checkpoint by one without the changes of some files."""
        entries: dict[str, tuple[str, str] | None] = {**dict.fromkeys(paths), **unchanged}
        return replace(taken, tree=self.put(turn_id, "after", taken.tree, entries))

    def put(
        self, turn_id: str, moment: str, tree: str, entries: Mapping[str, tuple[str, str] | None]
    ) -> str:
        """Store a changed tree as one of a turn's, and return it.

        Parameters
        ----------
        entries
            New modes and blobs by path; None to remove a file.
        """
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        own = self.git.folder / f"index.{moment}.{turn_id}"
        gone = (path for path, entry in sorted(entries.items()) if entry is None)
        stdin = b"".join(os.fsencode(path) + b"\0" for path in gone)
        there = b"".join(
            f"{entry[0]} {entry[1]}\t".encode() + os.fsencode(path) + b"\0"
            for path, entry in sorted(entries.items())
            if entry is not None
        )
        commands = (
            (("read-tree", tree), b""),
            (("update-index", "--force-remove", "-z", "--stdin"), stdin),
            (("update-index", "-z", "--index-info"), there),
            (("write-tree",), b""),
        )
        with self._locked_folder(deadline):
            try:
                for command, given in commands:
                    output = self.git.run(*command, stdin=given, seconds=_left(deadline), index=own)
            finally:
                own.unlink(missing_ok=True)
            made = output.decode().strip()
            self._output_of("update-ref", _ref(turn_id, moment), made, deadline=deadline)
        return made

    def blob(self, data: bytes) -> str:
        """Store bytes as a blob; a tree must refer to it soon."""
        seconds = self.limits.checkpoint_seconds
        command = ("hash-object", "-w", "--stdin", "--no-filters")
        return self.git.run(*command, stdin=data, seconds=seconds).decode().strip()

    def entries(self, tree: str, path: str) -> dict[str, tuple[str, str]]:
        """Return mode and blob of a file, or of all files below a folder, by path."""
        command = ("ls-tree", "-r", "-z", tree, "--", f":(literal){path}")
        output = self.git.run(*command, seconds=self.limits.checkpoint_seconds)
        found: dict[str, tuple[str, str]] = {}
        for line in output.split(b"\0"):
            kind, _, name = line.partition(b"\t")
            if name:
                mode, what, blob = kind.decode().split()
                if what == "blob":
                    found[os.fsdecode(name)] = mode, blob
        return found

    def trees(self, turn_id: str, objects: GitObjects | None = None) -> tuple[str, str] | None:
        """Return the trees before and after a turn; None if they no longer exist.

        Persons' saves during the turn count as before it.

        Parameters
        ----------
        objects
            Reads the repository; by default a new process does.
        """
        if not self.root.is_dir():
            raise GitError(f"the folder is gone: {self.root}")
        if not self.git.folder.is_dir():
            return None
        found = self.moments(turn_id, objects)
        before, after = found["base"], found["after"]
        return (before, after) if before and after else None

    def moments(self, turn_id: str, objects: GitObjects | None = None) -> dict[str, str]:
        """Return the trees of a turn by moment; a moment that is not stored gets the next best."""
        with contextlib.ExitStack() as own:
            seconds = self.limits.checkpoint_seconds
            read = objects or own.enter_context(GitObjects(self.git, seconds))
            trees = read.named([_ref(turn_id, moment) for moment in _MOMENTS])
        found = dict(zip(_MOMENTS, trees, strict=True))
        return {
            **found,
            "base": found["base"] or found["before"],
            "own": found["own"] or found["after"],
            "unknown": found["unknown"] or found["after"],
        }

    def forget(self, turn_ids: Iterable[str]) -> None:
        """Delete the checkpoints of turns. Never raises."""
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        with (
            contextlib.suppress(GitError, CheckpointFailed, OSError),
            self._locked_folder(deadline),
        ):
            refs = (_ref(turn_id, moment) for turn_id in turn_ids for moment in _MOMENTS)
            lines = "".join(f"delete {ref}\n" for ref in refs)
            # A copy may be deleted by then, and git can't start in a missing folder.
            there = self.root.is_dir()
            git = self.git if there else ShadowGit(self.git.folder, self.git.folder)
            git.run("update-ref", "--stdin", stdin=lines.encode(), seconds=_left(deadline))
            git.run("gc", "-q", "--prune=now", seconds=_left(deadline))

    @contextlib.contextmanager
    def _locked_folder(self, deadline: float) -> Iterator[None]:
        if not self._lock.acquire(timeout=max(0.0, _left(deadline))):
            raise CheckpointFailed("Another session was busy with this folder for too long.")
        try:
            with self._locks.hold((self._locked,), deadline):
                if self._records is not None:
                    self._records.undo_unfinished((self._locked,))
                yield
        except TimeoutError:
            raise CheckpointFailed(
                "Another session or program was busy with this folder for too long."
            ) from None
        finally:
            self._lock.release()

    def _tree_before(self, turn_id: str, deadline: float) -> str:
        name = _ref(turn_id, "before")
        command = ("rev-parse", "--verify", "-q", name)
        return self.git.run(*command, seconds=_left(deadline), fine=(0, 1)).decode().strip()

    def rebase(self, turn_id: str, paths: Iterable[str]) -> None:
        """Store the present files as those before a running turn. The lock must be held."""
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        found = self.moments(turn_id) if self.git.folder.is_dir() else {}
        if not found.get("before"):
            return  # the turn waits for the lock, and will store the folder then
        own = self.git.folder / "index.rebased"
        stdin = b"".join(os.fsencode(f"./{path}") + b"\0" for path in paths)
        ignored = self.git.run(
            *("check-ignore", "-z", "--stdin", "--no-index"),
            stdin=stdin,
            seconds=_left(deadline),
            fine=(0, 1),
        )
        kept = set(stdin.split(b"\0")) - set(ignored.split(b"\0")) - {b""}
        update = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        written = b"".join(path.removeprefix(b"./") + b"\0" for path in sorted(kept))
        for moment in ("before", "base"):
            commands = ((("read-tree", found[moment]), b""), (update, written))
            try:
                for command, given in commands:
                    self.git.run(*command, stdin=given, seconds=_left(deadline), index=own)
                output = self.git.run("write-tree", seconds=_left(deadline), index=own)
            finally:
                own.unlink(missing_ok=True)
            tree = output.decode().strip()
            self._output_of("update-ref", _ref(turn_id, moment), tree, deadline=deadline)

    def _make_room(self, deadline: float) -> None:
        """Delete all checkpoints if the repository is too large, unless copies are in use."""
        output = self._output_of("count-objects", "-v", deadline=deadline)
        counts = dict(line.split(": ", 1) for line in output.splitlines() if ": " in line)
        kib = sum(int(counts.get(name, "0")) for name in ("size", "size-pack"))
        if kib * 1024 > self.limits.checkpoint_store_bytes and not self._has_copies():
            self.git.discard()
            self.git.prepare(_left(deadline))

    def _has_copies(self) -> bool:
        """Return whether copies of the folder are in use, which need their first checkpoint."""
        for index in self.git.folder.glob(_COPY_INDEX):
            with contextlib.suppress(OSError):
                if time.time() - index.stat().st_mtime < _COPY_SECONDS:
                    return True
        return False

    def _listed(self, deadline: float, left_out: Collection[str]) -> FolderListing:
        """Return the files that are new, changed or deleted since the last checkpoint."""
        output = self.git.run(
            *("ls-files", "-z", "-t", "--others", "--modified", "--deleted"),
            *(f"--exclude={pattern}" for pattern in self._never()),
            "--exclude-standard",
            seconds=_left(deadline),
            max_bytes=self.limits.checkpoint_files * _PATH_BYTES,
        )
        lines = [(line[:1], os.fsdecode(line[2:])) for line in output.split(b"\0") if line]
        named = {path for _, path in lines}
        # Git still lists files that it stored before they were excluded.
        entries = {path for path in named if not is_below(path, self._excluded)}
        if len(entries) > self.limits.checkpoint_files:
            raise self._too_many()
        listed = list_paths(self.root, sorted(entries), left_out, self.limits)
        listed.stale = {path for mark, path in lines if mark != b"?"} & listed.left_out
        if listed.size > self.limits.checkpoint_bytes:
            raise CheckpointFailed(
                f"The folder has more than {human_size(self.limits.checkpoint_bytes)} in it, "
                "so changes can't be reverted."
            )
        return listed

    def _entered(self, earlier: Checkpoint | None, deadline: float) -> FolderListing:
        """Update the index; read files that were just being saved again when they are complete."""
        left_out = () if earlier is None else earlier.left_out
        listed = self._listed(deadline, left_out)
        if earlier is None:
            # The index must not keep an older content of files that are now left out.
            self._update("--force-remove", paths=sorted(listed.stale), deadline=deadline)
        self._enter(listed, deadline)
        until = min(deadline, time.monotonic() + _SAVING_SECONDS)
        torn = [path for path, size in listed.present if self._was_torn(path, size, until)]
        if torn:
            again = list_paths(self.root, torn, left_out, self.limits)
            self._enter(again, deadline)
            if earlier is None:
                paths = sorted(again.left_out)
                self._update("--force-remove", paths=paths, deadline=deadline)
            listed.left_out |= again.left_out
        return listed

    def _was_torn(self, path: str, size: int, until: float) -> bool:
        """Return whether a file may have been read partially; wait until it is complete."""
        whole = self.root / path
        torn = False
        while _is_being_saved(whole) and time.monotonic() < until:
            torn = True
            time.sleep(_RESCAN_SECONDS)
        try:
            status = whole.lstat()
        except OSError:
            return True
        return torn or (status.st_size != size and not stat.S_ISLNK(status.st_mode))

    def _enter(self, listed: FolderListing, deadline: float) -> None:
        """Update the index; deleted paths first, as they may block new ones."""
        self._update("--force-remove", paths=listed.gone, deadline=deadline)
        for batch in batches(listed.present):
            self._update("--add", "--remove", "--replace", paths=batch, deadline=deadline)

    def _update(self, *options: str, paths: list[str], deadline: float) -> None:
        if paths:
            stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
            command = ("update-index", *options, "-z", "--stdin")
            settings = _MANY if len(paths) > _FEW else None
            until = min(deadline, time.monotonic() + _SAVING_SECONDS)
            while True:
                try:
                    self.git.run(*command, stdin=stdin, seconds=_left(deadline), settings=settings)
                except GitFileChanging:
                    if time.monotonic() > until:
                        raise
                    time.sleep(_RESCAN_SECONDS)
                else:
                    return

    def _output_of(self, *args: str, deadline: float) -> str:
        return self.git.run(*args, seconds=_left(deadline)).decode().strip()

    def _never(self) -> list[str]:
        """Return the patterns that are always excluded, whatever ``.gitignore`` says."""
        lines = [f"{name}/" for name in sorted(SKIPPED)]
        lines += [f"*{RECORDING_FOLDER_SUFFIX}/", *(f"{start}*" for start in TEMPORARY)]
        with contextlib.suppress(OSError), os.scandir(self.root) as entries:
            lines += [f"/{_escaped(e.name)}/" for e in entries if is_environment(e)]
        return lines + [f"/{_escaped(folder)}/" for folder in self._excluded]

    def _too_many(self) -> CheckpointFailed:
        return CheckpointFailed(
            f"The folder has more than {self.limits.checkpoint_files:,} files, "
            "so changes can't be reverted."
        )


def _folders_in(root: Path, above: str) -> list[str]:
    try:
        with os.scandir(root / above) as entries:
            return [
                f"{above}/{entry.name}".lstrip("/")
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
                and entry.name not in SKIPPED
                and not entry.name.endswith(RECORDING_FOLDER_SUFFIX)
                and not entry.name.startswith(TEMPORARY)
                and not is_environment(entry)
            ]
    except OSError:
        return []  # just deleted, or not readable


def _is_being_saved(path: Path) -> bool:
    """Return whether Jupyter is saving a file, and has its old content in a file beside it."""
    try:
        since = time.time() - path.with_name(f".~{path.name}").lstat().st_ctime
    except (OSError, ValueError):
        return False
    return abs(since) < _SAVED_FOR_SECONDS  # an older one was left by a server that died


def _ref(turn_id: str, moment: str) -> str:
    if not turn_id.isalnum():
        raise GitError("this is not a turn")
    return f"refs/turns/{turn_id}/{moment}"


def _left(deadline: float) -> float:
    return deadline - time.monotonic()


def _escaped(name: str) -> str:
    return "".join(f"\\{char}" if char in "\\*?[ " else char for char in name)


_COPY_INDEX = f"index.{'[0-9a-f]' * 32}"


class CheckpointStore:
    """The checkpoints of a host; sessions of one folder share them.

    May be used from any thread.
    """

    def __init__(self, data_dir: Path, limits: Limits, own: OwnFolders | None = None) -> None:
        self._data_dir = data_dir
        self.own = own or OwnFolders((data_dir,))
        self.locks = FolderLocks(self._repositories)
        self.records = OperationRecords(Path(os.path.realpath(data_dir)), limits)
        self.open_turns = OpenTurns(Path(os.path.realpath(data_dir)))
        self._limits = limits
        self._known: dict[Path, Checkpoints] = {}
        self._running: dict[str, tuple[Path, bool]] = {}
        """The folder of each turn, and whether another turn ran there at the same time."""
        self._lock = threading.Lock()

    def of(self, root: Path, copied: Path | None = None) -> Checkpoints:
        """Return the checkpoints of a folder.

        Parameters
        ----------
        copied
            The folder that ``root`` is a copy of. Both share one repository, so that changes in
            the copy can be put into the folder.
        """
        root = Path(os.path.realpath(root))
        with self._lock:
            if root not in self._known:
                folder = self._repository(root if copied is None else copied)
                index = "index" if copied is None else f"index.{folder_name(root)}"
                self._known[root] = Checkpoints(
                    root,
                    folder,
                    self._limits,
                    self.own.below(copied or root),
                    index,
                    copied,
                    self.locks,
                    self.records,
                )
            return self._known[root]

    def forget_copy(self, root: Path) -> None:
        """Forget a copy of a folder; the checkpoints of its turns stay. Blocks."""
        with self._lock:
            known = self._known.pop(Path(os.path.realpath(root)), None)
        if known is not None:
            known.git.index.unlink(missing_ok=True)

    @property
    def _repositories(self) -> Path:
        return Path(os.path.realpath(self._data_dir)) / "checkpoints"

    def _repository(self, root: Path) -> Path:
        return self._repositories / folder_name(Path(os.path.realpath(root)))

    def rebase_running(self, root: Path, paths: Iterable[str]) -> None:
        """Keep files that an operation wrote out of the changes of running turns. Blocks."""
        running = {turn_id: folder for turn_id, _, folder in self.open_turns.places()}
        with self._lock:
            running |= {turn_id: folder for turn_id, (folder, _) in self._running.items()}
        # There may be thousands of files, and usually no turn runs.
        written = [root / path for path in paths] if running else []
        for turn_id, folder in running.items():
            seen = [
                path.relative_to(folder).as_posix()
                for path in written
                if path.is_relative_to(folder) and self._sees(folder, path.parent)
            ]
            if seen:
                try:
                    self.of(folder).rebase(turn_id, seen)
                except GitError:
                    _logger.exception("What an operation wrote counts as a turn's: %s", turn_id)

    def begin(self, turn_id: str, root: Path) -> None:
        """Note that a turn starts in a folder."""
        root = Path(os.path.realpath(root))
        with self._lock:
            shared = False
            for other, (folder, _) in self._running.items():
                if self._sees(root, folder) or self._sees(folder, root):
                    self._running[other] = folder, True
                    shared = True
            self._running[turn_id] = root, shared

    def _sees(self, root: Path, folder: Path) -> bool:
        """Return whether a turn in ``root`` sees changes in ``folder``."""
        if folder == root:
            return True
        if not folder.is_relative_to(root):
            return False
        return not is_below(folder.relative_to(root).as_posix(), self.own.below(root))

    def is_shared(self, turn_id: str) -> bool:
        """Return whether another turn has run in a turn's folder since it began."""
        with self._lock:
            return self._running.get(turn_id, (Path(), False))[1]

    def end(self, turn_id: str) -> None:
        """Note a turn's end."""
        with self._lock:
            self._running.pop(turn_id, None)
