"""Scans and stores the folder before and after each turn, and notes the turn's changes.

Open documents are saved before the prompt. The end of the turn waits for the last scan, up to a
limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from acp_jupyter.errors import FileMissing
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.agent_files import SaveResult
from acp_jupyter.host.workspace.authors import author_evidence, author_of
from acp_jupyter.host.workspace.changed_files import (
    FileContents,
    edited_paths,
    find_artifacts,
    input_strings,
    names_file,
    shown_paths,
)
from acp_jupyter.host.workspace.checkpoints.base_tree import LateSave
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.checkpoints.notebook_cells import is_notebook
from acp_jupyter.host.workspace.checkpoints.saved_text import UserText
from acp_jupyter.host.workspace.checkpoints.turn_checkpoints import FolderScans, TurnCheckpoints
from acp_jupyter.host.workspace.folders import inode_of, is_below
from acp_jupyter.host.workspace.running_turns import (
    Put,
    RunningTurn,
    RunningTurns,
    SavedFile,
    Seen,
)
from acp_jupyter.host.workspace.scan import FileChanged, FolderScan, changes, scan
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import (
    ArtifactsFound,
    Author,
    FileSaved,
    FilesChanged,
    FolderScanNote,
    TurnChangesNote,
    TurnChangesUnknown,
)
from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.model.tool_items import ToolCall

T = TypeVar("T")

_logger = logging.getLogger(__name__)
_SLACK_SECONDS = 0.5
_SAVE_SECONDS = 6.0
_SHOWN_ARTIFACTS = 20
"""New files of a turn that are shown as artifacts."""
_NOTICE_SECONDS = 1.0
"""A scan that takes longer gets a notice: the turn waits meanwhile."""
_STOP_SECONDS = 6.0
_STOPPED = (
    "The Jupyter server stopped during this turn, and what it has changed is not known yet. Try "
    "again in some seconds."
)
_LATE = (
    "The Jupyter server stopped during this turn. What was changed in the folder after that may "
    "be among these."
)
_UNKNOWN = "What this turn changed could not be found out."
_NOT_LOOKED = "The folder could not be scanned before this turn, so its changes are unknown."
_IGNORED = (
    "The folder has too many files to look at all of them. A change of a file that git ignores is "
    "not listed."
)
_GONE = "The folder of this turn no longer exists, so its changes are unknown."


class TurnFiles:
    """Scans the folder before and after each turn, in threads, and notes the changes.

    Used on the host's loop only. Faults are logged and never end a turn.

    Parameters
    ----------
    read_secrets
        Called in a thread before and after each turn, to read secrets for the redactor. Returns
        what was left out, in words.
    """

    def __init__(
        self,
        journal: Journal,
        root: Path,
        limits: Limits,
        save: Callable[[], Awaitable[SaveResult]],
        read_secrets: Callable[[], str],
        store: CheckpointStore,
        notebooks: Path,
        running: RunningTurns,
        copied: Path | None = None,
    ) -> None:
        self.checkpoints = TurnCheckpoints(store, root, copied)
        self._contents: FileContents | None = None
        """Contents of changed files, while the session is recorded."""
        self._finished: Callable[[], None] | None = None
        """Called at the end of each turn, while the session is recorded."""
        self._save_documents = save
        self.read_secrets = read_secrets
        self._unread = ""
        """The secrets that could not be read; reported once."""
        self._own = store.own.below(copied or root)
        self._notebooks = notebooks
        self._journal = journal
        self._root = root
        self._limits = limits
        self._running = running
        self.alone = copied is not None
        """Whether all changes are the agent's: in a copy that nobody else knows, or a playback."""
        self._real_root = Path(os.path.realpath(root))
        self._turn_id = ""
        self._saving = asyncio.Lock()
        """Saves are taken in one after the other, and none while the folder is compared."""
        self._late: list[LateSave] = []
        self._compared = False
        self._outcome = ""
        """The turn whose changes, or the reason why they are unknown, are noted."""
        self._unkept = ""
        """Why the last such turn's changes are unknown; the same reason is reported once."""
        self._first: asyncio.Task[FolderScan | None] | None = None
        self._before: FolderScan | None = None
        self._second: asyncio.Task[None] | None = None
        self.notebook_inode = 0
        """Inode of the notebook's file when a turn last began or ended; 0 if unknown."""
        self._over = asyncio.Event()
        self._over.set()
        self._interrupted: frozenset[str] = frozenset()
        self._settling: asyncio.Task[None] | None = None
        self._forgetting: set[asyncio.Task[None]] = set()

    def begin_recording(self, contents: FileContents, finished: Callable[[], None]) -> None:
        """Read contents of changed files from now on, and call ``finished`` after each turn."""
        self._contents, self._finished = contents, finished

    def end_recording(self) -> None:
        """Read no contents any more."""
        self._contents = self._finished = None

    def forget(self) -> None:
        """Delete the checkpoints of the session's turns. Blocks."""
        turn_ids = self._journal.transcript.turn_order
        self.checkpoints.store.open_turns.remove(turn_ids)
        self.checkpoints.checkpoints.forget(turn_ids)

    def begin_settling(self, open_turns: Collection[str]) -> None:
        """Start to find the changes of turns that a killed server left open."""
        self._interrupted = frozenset(self._journal.transcript.turn_order) & set(open_turns)
        if not self._interrupted:
            return
        for turn_id in self._interrupted:
            self._journal.note(TurnChangesUnknown(turn_id=turn_id, words=_STOPPED))
        self._settling = asyncio.create_task(self._settle(), name="acp-settle-turns")

    async def _settle(self) -> None:
        for turn_id in sorted(self._interrupted):
            self._outcome = ""
            await self._safe(self._settle_turn(turn_id))
            self._notify(turn_id)
        self._interrupted = frozenset()

    async def _settle_turn(self, turn_id: str) -> None:
        before = await asyncio.to_thread(self.checkpoints.resume, turn_id)
        if before is None or not await asyncio.to_thread(self._root.is_dir):
            self._note_unknown(turn_id, _NOT_LOOKED if before is None else _GONE)
            return
        after, found = await asyncio.to_thread(self._differences, before)
        await self._note_changes(turn_id, before, after, found, _LATE)

    def is_stored(self) -> bool:
        """Return whether all possible changes of the latest turn are stored."""
        if self.checkpoints.unstored is not None:
            return not self.checkpoints.unstored
        items = self._journal.transcript.turn_items(self._turn_id)
        return not any(isinstance(item, ToolCall | AgentMessage) for item in items)

    @property
    def unstored(self) -> str:
        """Names of files of the latest turn that are not stored; empty if they are not known."""
        return _listed(self.checkpoints.unstored or ())

    async def must_be_there(self) -> None:
        """Check that the folder exists."""
        if not await asyncio.to_thread(self._root.is_dir):
            raise FileMissing(
                f"The folder of this session is gone: {self._root}. Put it back and send the "
                "message again, or start a session in another folder."
            )

    def begin(self, turn_id: str) -> None:
        """Start saving open documents and scanning; the agent may start at the same time."""
        self._turn_id, self._outcome = turn_id, ""
        self._before = self._second = None
        self._over.clear()
        self._late, self._compared = [], False
        seen = partial(self._seen, turn_id)
        self._running.begin(RunningTurn(turn_id, self._real_root, seen, self._take_saved))
        self._first = asyncio.create_task(self._safe(self._first_scan()))

    async def scanned(self) -> None:
        """Wait for the first scan, up to its limit; the prompt must not be sent before."""
        if self._first is None:
            return
        seconds = self._limits.scan_seconds * (1 if self._contents is None else 2) + _SAVE_SECONDS
        seconds += self._limits.checkpoint_seconds
        done, _ = await asyncio.wait((self._first,), timeout=_NOTICE_SECONDS)
        if not done:
            self._journal.note(FolderScanNote(turn_id=self._turn_id))
            left = max(0.0, seconds + _SLACK_SECONDS - _NOTICE_SECONDS)
            try:
                done, _ = await asyncio.wait((self._first,), timeout=left)
            finally:
                self._journal.note(FolderScanNote(turn_id=self._turn_id, over=True))
        self._before = self._first.result() if done else None
        if self._before is None:
            self._note_unknown(self._turn_id, _NOT_LOOKED)

    async def hold_end(self, stop: asyncio.Event) -> None:
        """Scan again before the end of the turn is reported; a stopped turn does not wait."""
        stopped = asyncio.ensure_future(stop.wait())
        both = (self._rescanning(), stopped)
        try:
            await asyncio.wait(
                both,
                timeout=self._limits.scan_hold_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            stopped.cancel()

    async def finish(self) -> None:
        """Finish a second scan that the end of the turn did not wait for."""
        if self._before is not None:
            await asyncio.wait((self._rescanning(),), timeout=self._longest)
            self._notify(self._turn_id)
        self._running.end(self._turn_id)
        self._over.set()
        if self._finished is not None:
            self._finished()

    async def settled(self, turn_id: str) -> None:
        """Wait, up to a limit, until all changes of a turn are noted."""
        if turn_id in self._interrupted and self._settling is not None:
            await asyncio.wait((self._settling,), timeout=self._longest)
        if turn_id == self._turn_id and not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), self._longest)

    async def all_settled(self) -> None:
        """Wait, up to a limit, for the changes of turns that a killed server left open."""
        if self._settling is not None:
            await asyncio.wait((self._settling,), timeout=self._longest)

    async def close(self, *, look: bool = False) -> None:
        """Cancel running scans; with ``look``, first find the changes of the running turn.

        The agent must have ended.
        """
        if look and self._before is not None and not self._over.is_set():
            await asyncio.wait((self._rescanning(),), timeout=_STOP_SECONDS)
            if self._second is not None and self._second.done():
                self._notify(self._turn_id)
        self._running.end(self._turn_id)
        if self._forgetting:
            await asyncio.wait(tuple(self._forgetting), timeout=_STOP_SECONDS)
        if self._finished is not None and not self._over.is_set():
            self._finished()
        self._over.set()
        mine = (self._first, self._second, self._settling, *self._forgetting)
        tasks = [task for task in mine if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _notify(self, turn_id: str) -> None:
        """Note why a turn's changes are unknown, if they are, and remove it from open turns."""
        if self._outcome != turn_id:
            self._note_unknown(turn_id, _UNKNOWN)
        task = asyncio.create_task(self._forget_open(turn_id), name="acp-turn-files-noted")
        self._forgetting.add(task)
        task.add_done_callback(self._forgetting.discard)

    async def _forget_open(self, turn_id: str) -> None:
        """Remove a turn from open turns once its changes are in the log."""
        if await self._journal.flushed():
            await asyncio.to_thread(self.checkpoints.store.open_turns.remove, (turn_id,))

    def _note_unknown(self, turn_id: str, words: str) -> None:
        turn = self._journal.transcript.turns.get(turn_id)
        self._outcome = turn_id
        if turn is not None and turn.changes_unknown != words:
            self._journal.note(TurnChangesUnknown(turn_id=turn_id, words=words))

    @property
    def _longest(self) -> float:
        limits = self._limits
        return 2 * limits.scan_seconds + _SLACK_SECONDS + limits.checkpoint_seconds

    def _rescanning(self) -> asyncio.Task[None]:
        if self._second is None:
            self._second = asyncio.create_task(self._safe(self._rescan()))
        return self._second

    async def _rescan(self) -> None:
        before, turn_id = self._before, self._turn_id
        if before is None:
            return
        if not await asyncio.to_thread(self._root.is_dir):
            self._note_unknown(turn_id, _GONE)
            self._notice(
                "The folder of this session was deleted or renamed during this turn. "
                f"None of it can be reverted: {self._root}"
            )
            return
        async with self._saving:
            self._compared = True
        after, found = await asyncio.to_thread(self._differences, before)
        await self._note_changes(turn_id, before, after, found)
        if before.whole and after.whole:
            await self._note_artifacts(turn_id, before, after, found)
        elif self._contents is not None:
            self._notice(
                "The folder has too many files to tell what this turn changed: "
                "its file changes are not in the recording."
            )

    async def _note_changes(
        self,
        turn_id: str,
        before: FolderScan,
        after: FolderScan,
        found: tuple[FileChanged, ...],
        words: str = "",
    ) -> None:
        notebook = self.own_notebook(turn_id)
        transcript, seen = self._journal.transcript, self._seen(turn_id)
        others = self._running.others(turn_id)

        def checkpoint() -> TurnChangesNote | TurnChangesUnknown | None:
            # It reads all items of the turn, which may be 100,000.
            names = names_file(transcript, turn_id, notebook)
            edited = {
                path for path in edited_paths(transcript, turn_id) if not is_below(path, self._own)
            }
            beside = tuple(other() for other in others)
            scans = FolderScans(
                before, after, found, notebook, names, edited, seen(), beside, self._late
            )
            return self.checkpoints.after(turn_id, scans)

        note = await asyncio.to_thread(checkpoint)
        if isinstance(note, TurnChangesNote):
            told = " ".join(filter(None, (words, note.words)))
            self._journal.note(note.model_copy(update={"words": told}))
            self._outcome = turn_id
            return
        self._note_unknown(turn_id, "" if note is None else note.words)
        overlooked = _IGNORED if self.checkpoints.overlooks else ""
        words = overlooked if note is None else note.words
        if words and words != self._unkept:
            self._unkept = words
            self._notice(words)

    def _seen(self, turn_id: str) -> Seen:
        """Return a function that collects the evidence about a turn so far."""
        transcript, now = self._journal.transcript, time.time()
        return partial(author_evidence, transcript, turn_id, self._real_root, now, alone=self.alone)

    async def _take_saved(self, saved: SavedFile, puts: tuple[Put, ...]) -> None:
        """Process a person's save in the folder while a turn runs."""
        turn_id, first = self._turn_id, self._first
        path = relative_path(saved.path, str(self._real_root))
        if self.alone or first is None or path == self.own_notebook(turn_id):
            return
        await asyncio.wait((first,))
        if turn_id != self._turn_id or first.cancelled():
            return
        async with self._saving:
            if self._compared:
                self._late.append(LateSave(path, saved, puts))
                return
            transcript = self._journal.transcript

            def save() -> UserText:
                named = input_strings(transcript.turn_items(turn_id)) if is_notebook(path) else ()
                return self.checkpoints.save(path, saved, puts, named)

            taken = await self._safe(asyncio.to_thread(save))
        if taken is not None:
            await self._note_saved(turn_id, saved, taken)

    async def _note_saved(self, turn_id: str, saved: SavedFile, taken: UserText) -> None:
        evidence = self._journal.transcript.evidence
        own = any(put.session_id == self._journal.session_id for put in taken.put)
        by_agent = own or turn_id in taken.turns
        if taken.over_others and not by_agent:
            seen, others = self._seen(turn_id), self._running.others(turn_id)

            def author() -> Author:
                beside = tuple(other() for other in others)
                return author_of((saved.path,), saved.at, seen(), beside)

            by_agent = await asyncio.to_thread(author) == "agent"
        known = (saved.path in evidence.saved or not taken.by_person) and (
            saved.path in evidence.written or not by_agent
        )
        if known:
            return
        for path in filter(None, (saved.path, saved.moved_to)):
            self._journal.note(
                FileSaved(turn_id=turn_id, path=path, by_person=taken.by_person, by_agent=by_agent)
            )

    async def _note_artifacts(
        self,
        turn_id: str,
        before: FolderScan,
        after: FolderScan,
        found: tuple[FileChanged, ...],
    ) -> None:
        if found and self._contents is not None:
            contents = await asyncio.to_thread(self._contents.describe, found)
            if contents.files:
                self._journal.note(FilesChanged(turn_id=turn_id, files=contents.files))
            for words in contents.left_out:
                self._notice(words)
        transcript = self._journal.transcript
        shown = await asyncio.to_thread(shown_paths, transcript, turn_id)
        artifacts = find_artifacts(found, before, after, shown)
        if artifacts:
            most = _SHOWN_ARTIFACTS
            self._journal.note(
                ArtifactsFound(
                    turn_id=turn_id, artifacts=artifacts[:most], left_out=len(artifacts[most:])
                )
            )

    async def _first_scan(self) -> FolderScan:
        await self.all_settled()
        await self._safe(self._save())
        unread = await asyncio.to_thread(self.read_secrets)
        if unread and unread != self._unread:
            self._notice(unread)
        self._unread = unread
        return await asyncio.to_thread(self._scan)

    async def _save(self) -> None:
        """Save open documents: most agents read files with their own tools."""
        prompt_notebook = self._notebook_of(self._turn_id)
        for notice in await save_documents(self._save_documents, prompt_notebook, _SAVE_SECONDS):
            self._journal.note(notice)

    def _scan(self) -> FolderScan:
        self._look_at_notebook()
        found = scan(self._root, self._limits, self._own)
        if self._contents is not None:
            self._contents.remember(found)
        self.checkpoints.before(self._turn_id, found, self._journal.session_id)
        return found

    def _differences(self, before: FolderScan) -> tuple[FolderScan, tuple[FileChanged, ...]]:
        self.read_secrets()
        self._look_at_notebook()
        after = scan(self._root, self._limits, self._own)
        return after, changes(before, after)

    def _look_at_notebook(self) -> None:
        path = self._journal.transcript.session.notebook_path
        if path:
            self.notebook_inode = inode_of(self._notebooks / path) or self.notebook_inode

    def own_notebook(self, turn_id: str) -> str:
        """Return the turn's notebook, relative to the folder; empty for one outside it."""
        path = self._notebook_of(turn_id)
        try:
            return (self._notebooks / path).relative_to(self._root).as_posix() if path else ""
        except ValueError:
            return ""

    def _notebook_of(self, turn_id: str) -> str:
        turn = self._journal.transcript.turns.get(turn_id)
        return "" if turn is None or turn.origin is None else turn.origin.notebook_path

    def _notice(self, words: str) -> None:
        self._journal.note(HostNotice(severity="warning", text=words))

    async def _safe(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Run a task and log its errors, so that they don't end a turn."""
        try:
            return await work
        except Exception:
            _logger.exception("The folder of session %s", self._journal.session_id)
            return None


_MAX_NAMED = 5


async def save_documents(
    save: Callable[[], Awaitable[SaveResult]], documents: str, seconds: float
) -> tuple[HostNotice, ...]:
    """Save open documents; return notices about them.

    Parameters
    ----------
    documents
        Path of the notebook that the prompt comes from; saving it needs no notice.
    """
    try:
        saved = await asyncio.wait_for(save(), seconds)
    except TimeoutError:
        words = "Not every open document could be saved before this prompt: a page did not answer."
        return (HostNotice(severity="warning", text=words),)
    return tuple(_notices(saved, documents))


def _notices(saved: SaveResult, prompt_notebook: str) -> Iterator[HostNotice]:
    if saved.failed:
        words = f"Could not be saved before this prompt: {_listed(saved.failed)}."
        yield HostNotice(
            severity="warning", text=f"{words} The agent may read its last saved version."
        )
    if done := tuple(path for path in saved.done if path != prompt_notebook):
        yield HostNotice(text=f"Saved before this prompt: {_listed(done)}.")


def _listed(paths: tuple[str, ...]) -> str:
    names = ", ".join(path.rpartition("/")[2] for path in paths[:_MAX_NAMED])
    more = len(paths) - _MAX_NAMED
    return names if more <= 0 else f"{names} and {more} more"
