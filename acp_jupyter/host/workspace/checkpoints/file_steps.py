"""Writes files of a folder in steps; each replaces one file atomically, unless it has changed."""

from __future__ import annotations

import stat
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

from acp_jupyter.errors import plain_reason
from acp_jupyter.host.workspace.checkpoints.disk import Disk, FileOnDisk, blob_name
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.saved_text import text_with_change
from acp_jupyter.host.workspace.checkpoints.tree_change import NOTHING, Side

SINCE = "was changed since"
"""Reason for a file that is not written."""
_MAX_SYNCED = 100
"""A disk takes some milliseconds for each."""
_WORKERS = 4
_BATCH = 50


class FileNotWritten(Exception):
    """A file could not be written; the message says why."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why
        self.done = "reverted"
        """The intended result."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The present or wanted state of a path."""

    side: Side = NOTHING
    mode: int | None = None
    """The permission bits; None for a new file's."""
    data: bytes | None = None
    """The content, if the repository doesn't have it."""


@dataclass(frozen=True, slots=True)
class FileStep:
    """A change of one file: written, created or removed."""

    path: str
    present: FileState
    wanted: FileState

    @property
    def back(self) -> FileStep:
        """The step that undoes this one."""
        return FileStep(self.path, self.wanted, self.present)


@dataclass(frozen=True, slots=True)
class FolderSteps:
    """The steps in one folder."""

    files: tuple[FileStep, ...] = ()
    emptied: tuple[str, ...] = ()
    """Folders that are removed where they are empty once files in them were."""
    made: tuple[str, ...] = ()
    """Folders that are not there before."""
    by_pages: bool = False
    """Whether pages write the files, with the text typed there: see `DocumentRevert`."""

    @property
    def back(self) -> FolderSteps:
        """The steps that undo these."""
        files = tuple(step.back for step in self.files)
        return FolderSteps(files, self.made, self.emptied, self.by_pages)


class FileWriter:
    """Takes steps in one folder. All methods block."""

    def __init__(self, disk: Disk, objects: GitObjects, token: str) -> None:
        self._disk = disk
        self._token = token
        self._objects = objects
        self._sync = True

    def run(self, steps: FolderSteps) -> None:
        """Carry out all steps; skip files that are already as wanted."""
        removed, put = _in_order(steps.files)
        self._sync = len(put) <= _MAX_SYNCED
        with self._disk.staying():
            for step in removed:
                with _naming_file(step):
                    self._remove(step)
            self._remove_emptied(steps.emptied, removed)
        contents = self._contents(put)
        if self._sync:
            with self._disk.staying():
                for step, data in contents:
                    self._put(self._disk, step, data)
        else:
            self._put_many(contents)

    def _contents(self, put: Sequence[FileStep]) -> Iterator[tuple[FileStep, bytes]]:
        held = self._objects.blobs(
            step.wanted.side.blob for step in put if step.wanted.data is None
        )
        for step in put:
            with _naming_file(step):
                data = next(held) if step.wanted.data is None else step.wanted.data
            yield step, data

    def _put_many(self, contents: Iterator[tuple[FileStep, bytes]]) -> None:
        """Write many files in several threads, as most of the time goes to waiting for the disk."""
        running: deque[Future[None]] = deque()
        with ThreadPoolExecutor(_WORKERS, "acp-files") as pool:
            while batch := tuple(islice(contents, _BATCH)):
                running.append(pool.submit(self._put_batch, batch))
                if len(running) > 2 * _WORKERS:
                    running.popleft().result()
            for each in running:
                each.result()

    def _put_batch(self, batch: Iterable[tuple[FileStep, bytes]]) -> None:
        disk = self._disk.another()
        with disk.staying():
            for step, data in batch:
                self._put(disk, step, data)

    def undo(self, steps: FolderSteps) -> list[str]:
        """Undo the steps that were carried out; return the files that could not be restored."""
        back, left = steps.back, list[str]()
        for step in steps.files:
            self._disk.remove_unfinished(step.path, self._token)
        removed, put = _in_order(back.files)
        for step in (*removed, *put):
            try:
                if not step.wanted.side.exists:
                    self._remove(step)
                    continue
                to_do = self._beside_typed(step) if steps.by_pages else step
                if self._is_to_do(self._disk, to_do):
                    self._put(self._disk, to_do, self._held(to_do.wanted))
            except FileNotWritten as error:
                if error.why != SINCE:
                    left.append(step.path)
            except (OSError, GitError):
                left.append(step.path)
        self._remove_emptied(back.emptied, removed)
        return left

    def _beside_typed(self, step: FileStep) -> FileStep:
        """Return the step for the present file, which may contain what a person typed since."""
        there = self._disk.read(step.path)
        before, after = step.present.data, step.wanted.data
        if there is None or before is None or after is None or there in (before, after):
            return step
        made = text_with_change(step.path, there, before, after)
        if made is None:
            return step
        return FileStep(step.path, _holding(step.present, there), _holding(step.wanted, made))

    def _held(self, state: FileState) -> bytes:
        if state.data is not None:
            return state.data
        (data,) = self._objects.blobs([state.side.blob])
        return data

    def _is_to_do(self, disk: Disk, step: FileStep) -> bool:
        """Check that a file is as expected; return False if it is already as wanted."""
        found = disk.find(step.path)
        if found.is_as(step.wanted.side):
            return False
        if not found.is_as(step.present.side):
            raise FileNotWritten(step.path, SINCE)
        return True

    def _remove(self, step: FileStep) -> None:
        if self._is_to_do(self._disk, step):
            self._disk.remove(step.path)

    def _remove_emptied(self, folders: Collection[str], removed: Iterable[FileStep]) -> None:
        above = {step.path[:at] for step in removed for at in _slashes(step.path)}
        for folder in sorted(above.intersection(folders), key=len, reverse=True):
            self._disk.remove_folder(folder)

    def _put(self, disk: Disk, step: FileStep, data: bytes) -> None:
        wanted = step.wanted
        mode = None if wanted.side.is_link else wanted.mode
        with _naming_file(step):
            if self._is_to_do(disk, step):
                link = wanted.side.is_link
                disk.put(
                    step.path, data, is_link=link, mode=mode, sync=self._sync, token=self._token
                )


class _naming_file:
    """Adds the file's name to errors of the system. A class for speed: there are many files."""

    def __init__(self, step: FileStep) -> None:
        self._step = step

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, OSError | GitError):
            raise FileNotWritten(self._step.path, plain_reason(error)) from None


def _in_order(steps: Iterable[FileStep]) -> tuple[list[FileStep], list[FileStep]]:
    """Split the steps into removals and writes: a file may have become a folder, or vice versa."""
    removed = [step for step in steps if not step.wanted.side.exists]
    put = [step for step in steps if step.wanted.side.exists]
    return sorted(removed, key=_depth, reverse=True), sorted(put, key=_depth)


def _depth(step: FileStep) -> int:
    return step.path.count("/")


def _slashes(path: str) -> Iterator[int]:
    return (at for at, char in enumerate(path) if char == "/")


def _holding(state: FileState, data: bytes) -> FileState:
    side = replace(state.side, blob=blob_name(data))
    return replace(state, side=side, data=data)


def state_of(found: FileOnDisk) -> FileState:
    """Return the present state of a file."""
    return FileState(found.side, found.mode if found.blob and not found.is_link else None)


def mode_for(found: FileOnDisk, wanted: Side, known: int | None) -> int | None:
    """Return the permission bits for a file.

    Parameters
    ----------
    known
        The file's former permission bits; None if unknown.
    """
    if known is not None and bool(known & stat.S_IXUSR) == wanted.is_executable:
        return known
    if not found.blob or found.is_link:
        return 0o755 if wanted.is_executable else None
    if bool(found.mode & stat.S_IXUSR) == wanted.is_executable:
        return found.mode
    bits = 0o111
    return found.mode | (bits & found.mode >> 2) if wanted.is_executable else found.mode & ~bits
