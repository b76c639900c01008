"""Carries out operations on folders, one at a time per folder, each completely or not at all.

A plan is made under the folder's lock, recorded, and carried out file by file. Then the log entries
of the sessions are written to disk; the answer comes last.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, TypeVar

from acp_jupyter.errors import ChangesRefused, HostClosed
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.log_reader import read_entries
from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.file_steps import (
    FileNotWritten,
    FileWriter,
    FolderSteps,
)
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints, CheckpointStore
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.operations.record import (
    READ_SECONDS,
    OperationRecord,
    Recorded,
    RecordedNote,
    overlap,
)
from acp_jupyter.protocol.formatting import first_names
from acp_jupyter.protocol.host_events.notes import Note, read_note
from acp_jupyter.protocol.objects import Obj

T = TypeVar("T")

_logger = logging.getLogger(__name__)
_BUSY_SECONDS = 30.0
_CLOSE_SECONDS = 8.0
_NAMED = 3
_BUSY = "Something else is being reverted or kept in this folder, or it is being stored. Try again."


class FolderOperation:
    """One operation. Lives on the host's loop; files are read and written in threads."""

    def __init__(self, record: OperationRecord, file_bytes: int) -> None:
        self._record = record
        self._bound = file_bytes
        self._disks: dict[Path, Disk] = {}
        self._objects: dict[Path, GitObjects] = {}
        self._begun: list[tuple[Checkpoints, FolderSteps]] = []
        self._undo: list[Callable[[], Awaitable[None]]] = []
        self._notes: list[tuple[Journal, Note]] = []

    def disk(self, checkpoints: Checkpoints) -> Disk:
        """Return the files of a folder."""
        root = checkpoints.root
        return self._disks.setdefault(root, Disk(root, self._bound))

    def objects(self, checkpoints: Checkpoints) -> GitObjects:
        """Return the reader of a folder's repository."""
        git = checkpoints.git
        return self._objects.setdefault(git.folder, GitObjects(git, READ_SECONDS))

    async def write(self, checkpoints: Checkpoints, steps: FolderSteps) -> None:
        """Write files of a folder."""
        if steps.files:
            await asyncio.to_thread(self._write, checkpoints, steps)

    def _write(self, checkpoints: Checkpoints, steps: FolderSteps) -> None:
        self._record.add_steps(checkpoints.root, checkpoints.git.folder, steps)
        self._begun.append((checkpoints, steps))
        self._writer(checkpoints).run(steps)

    def _writer(self, checkpoints: Checkpoints) -> FileWriter:
        token = self._record.path.stem
        return FileWriter(self.disk(checkpoints), self.objects(checkpoints), token)

    async def write_elsewhere(
        self, checkpoints: Checkpoints, steps: FolderSteps, undo: Callable[[], Awaitable[None]]
    ) -> None:
        """Record changes that are about to be written elsewhere, for example in an editor."""
        if steps.files:
            self._undo.append(undo)
            root, repository = checkpoints.root, checkpoints.git.folder
            await asyncio.to_thread(self._record.add_steps, root, repository, steps)

    async def make_session(self, session_id: str, undo: Callable[[], Awaitable[None]]) -> None:
        """Record a session that is about to be created; ``undo`` removes it."""
        self._undo.append(undo)
        await asyncio.to_thread(self._record.add_session, session_id)

    def note(self, journal: Journal, note: Note) -> None:
        """Add a note for a session's log, to be written after the commit."""
        self._notes.append((journal, note))

    async def commit(self) -> None:
        """Commit the operation: from now on it counts as done, whatever happens."""
        notes = [
            RecordedNote(journal.session_id, journal.number, note.model_dump(mode="json"))
            for journal, note in self._notes
        ]
        if self._begun or notes:
            await asyncio.to_thread(self._record.commit, notes)

    async def tell(self, rebase: Callable[[Path, Iterable[str]], None]) -> None:
        """Write the notes into the sessions' logs; if that fails, opening a session does it."""
        for checkpoints, steps in self._begun:
            paths = [step.path for step in steps.files]
            try:
                await asyncio.to_thread(rebase, checkpoints.root, paths)
            except OSError:
                _logger.exception("What an operation wrote counts as changes of running turns")
        for journal, note in self._notes:
            journal.note(note)
        journals = {journal.session_id: journal for journal, _ in self._notes}.values()
        written = [await journal.flushed(sync=True) for journal in journals]
        if all(written):
            await asyncio.to_thread(self._record.remove)

    async def roll_back(self) -> list[str]:
        """Undo everything; return the files that could not be restored."""
        for undo in reversed(self._undo):
            await undo()
        return await asyncio.to_thread(self._undo_files)

    def _undo_files(self) -> list[str]:
        left: list[str] = []
        for checkpoints, steps in reversed(self._begun):
            left += self._writer(checkpoints).undo(steps)
        self._record.remove()
        return left

    def close(self) -> None:
        """End the processes that read repositories. Blocks."""
        for objects in self._objects.values():
            objects.close()


class FolderOperations:
    """The operations of a host. Lives on its loop."""

    def __init__(self, checkpoints: CheckpointStore, file_bytes: int) -> None:
        self._checkpoints = checkpoints
        self._locks = checkpoints.locks
        self._records = checkpoints.records
        self._bound = file_bytes
        self._turn = asyncio.Lock()
        """Serialises operations even on systems without file locks."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._recovered = asyncio.Event()

    async def own(self, work: Coroutine[Any, Any, T]) -> T:
        """Run some work to its end, even if the caller is cancelled, so that none is half done."""
        if self._closed:
            work.close()
            raise HostClosed("The agent host is shutting down.")
        task = asyncio.create_task(work, name="acp-folder-operation")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def run(
        self, roots: Iterable[Path], work: Callable[[FolderOperation], Awaitable[T]]
    ) -> T:
        """Carry out an operation: everything that ``work`` does, or nothing."""
        return await self.own(self._run(set(roots), work))

    async def _run(self, roots: set[Path], work: Callable[[FolderOperation], Awaitable[T]]) -> T:
        async with self._turn:
            held = contextlib.ExitStack()
            try:
                await asyncio.to_thread(self._take, held, roots, _BUSY_SECONDS)
                return await self._carry_out(roots, work)
            finally:
                held.close()

    def _take(self, held: contextlib.ExitStack, roots: set[Path], seconds: float) -> None:
        try:
            held.enter_context(self._locks.hold(roots, time.monotonic() + seconds))
        except TimeoutError:
            raise ChangesRefused(_BUSY) from None
        self._records.undo_unfinished(roots)

    async def _carry_out(
        self, roots: set[Path], work: Callable[[FolderOperation], Awaitable[T]]
    ) -> T:
        operation = FolderOperation(self._records.begin(roots), self._bound)
        try:
            result = await work(operation)
            await operation.commit()
        except BaseException as error:
            left = await operation.roll_back()
            if isinstance(error, FileNotWritten):
                said = (
                    f"Left in between: {first_names(left, _NAMED)}."
                    if left
                    else "Nothing was changed."
                )
                words = f"{error.path} could not be {error.done}: {error.why}. {said}"
                raise ChangesRefused(words) from None
            raise
        else:
            await operation.tell(self._checkpoints.rebase_running)
            return result
        finally:
            await asyncio.to_thread(operation.close)

    async def recover(self) -> None:
        """Undo unfinished operations of killed servers, in folders that are not in use."""
        try:
            for roots in await asyncio.to_thread(self._records.unfinished_roots):
                with contextlib.suppress(ChangesRefused, OSError), contextlib.ExitStack() as held:
                    await asyncio.to_thread(self._take, held, set(roots), _BUSY_SECONDS)
        finally:
            self._recovered.set()

    async def recover_in(self, folder: Path) -> None:
        """Undo unfinished operations of killed servers in the folder of a session that is opened.

        Does nothing while an operation of this server runs, which has done so already.
        """
        if not self._turn.locked():
            with contextlib.suppress(ChangesRefused, OSError):
                await asyncio.to_thread(self._undo_in, folder)

    def _undo_in(self, folder: Path) -> None:
        root = Path(os.path.realpath(folder))
        for roots in self._records.unfinished_roots():
            if overlap(roots, (root,)):
                with contextlib.ExitStack() as held:
                    self._take(held, set(roots), 0)

    async def recovered(self) -> None:
        """Wait until `recover` is done."""
        await self._recovered.wait()

    async def finish(self, journal: Journal) -> None:
        """Write the missing notes of committed operations into a session that is opened."""
        for record, notes in await asyncio.to_thread(self._unnoted, journal):
            for note in notes:
                journal.note(note)
            if await journal.flushed(sync=True):
                await asyncio.to_thread(self._records.noted, record, journal.session_id)

    def _unnoted(self, journal: Journal) -> list[tuple[Recorded, list[Note]]]:
        found: list[tuple[Recorded, list[Note]]] = []
        for record in self._records.committed():
            own = [n for n in record.notes or () if n.session_id == journal.session_id]
            if not own or journal.session_id in record.noted:
                continue
            there = _lines_after(journal.log.path, min(note.after for note in own))
            lacking = (read_note(each.note) for each in own if each.note not in there)
            found.append((record, [note for note in lacking if note is not None]))
        return found

    async def close(self) -> None:
        """Start no more operations, and wait for those that are running."""
        self._closed = True
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=_CLOSE_SECONDS)


def _lines_after(path: Path, number: int) -> list[Obj]:
    with path.open("rb") as file:
        later = (entry for entry in read_entries(file) if entry.seq > number)
        return [dict(entry.message) for entry in later if entry.direction == "!"]
