"""Reads and writes files for an agent: open documents first, then the disk.

Unsaved text in a page counts as the file's content.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from acp_jupyter.cells.context import NotNotebook, hide_left_out, with_left_out
from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.checkpoints.notebook_cells import is_notebook
from acp_jupyter.host.workspace.confined_files import (
    ConfinedFiles,
    RealPath,
    text_window,
)
from acp_jupyter.host.workspace.running_turns import Put, RunningTurns
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.session import FileWritten
from acp_jupyter.transcript.model.tool_items import ToolCall

_OPEN = {"pending", "in_progress"}
_CHANGES = {"edit", "delete", "move"}
_MAX_KNOWN = 64
_MAX_TEXT_BYTES = 256 * 1024
"""Longest text written with ``fs/write_text_file`` that gets a diff."""


class AgentFiles:
    """Reads and writes files for an agent. Used on the host's loop only.

    Parameters
    ----------
    cwd
        The session's folder; nothing outside it is touched.
    """

    def __init__(
        self,
        cwd: Path,
        journal: Journal,
        documents: Documents,
        running: RunningTurns,
        limits: Limits,
    ) -> None:
        self._files = ConfinedFiles(cwd, limits)
        self._journal = journal
        self._documents = documents
        self._running = running
        self._known: dict[str, str] = {}
        """Texts of open documents that the agent last read or wrote, by path."""

    async def read(
        self,
        path: str,
        line: int | None,
        limit: int | None,
        allowed: Callable[[RealPath], Awaitable[tuple[int, int] | None]],
    ) -> str:
        """Return a file's text, or some lines of it; the unsaved text of an open document counts.

        A notebook comes without the cells that the user left out.

        Parameters
        ----------
        allowed
            Called with the file before it is read; returns the file that may be read (its device
            and inode), or raises.
        """
        real = await asyncio.to_thread(self._files.real_path, path)
        only = await allowed(real)
        cells = is_notebook(real.path)
        lines = (None, None) if cells else (line, limit)
        read = partial(self._files.read_text, real, *lines, only=only)
        try:
            content = await asyncio.to_thread(read)
        except FileMissing:
            if line is None and limit is None and await self._is_check(real):
                return ""
            raise
        unsaved = await self._documents.read(Path(real.path))
        whole = line is None and limit is None
        if whole or unsaved is not None:
            self._learn(real.path, content if unsaved is None else unsaved)
        if cells:
            shown = await asyncio.to_thread(_shown_cells, content if unsaved is None else unsaved)
            return text_window(shown, line, limit)
        return content if unsaved is None else text_window(unsaved, line, limit)

    async def write(
        self,
        path: str,
        content: str,
        allowed: Callable[[RealPath, str | None, str], Awaitable[None]],
    ) -> None:
        """Replace a file's text, or create the file, and note it in the transcript.

        An open document is changed in its editor and saved. Cells of a notebook that the user left
        out stay as they are.

        Parameters
        ----------
        allowed
            Called with the file, its present text (None for a new file) and the new one; returns
            once it may be replaced.
        """
        real = await asyncio.to_thread(self._files.real_path, path)
        old = await asyncio.to_thread(self._files.text_to_replace, real, content)
        before = self._known.get(real.path, old)
        if before is not None and is_notebook(real.path):
            content = await asyncio.to_thread(_with_unseen_cells, real.path, content, before)
        await allowed(real, old, content)
        if await asyncio.to_thread(self._files.text_to_replace, real, content) != old:
            raise FileRefused(
                f"{Path(path).name} has changed while the user was asked. Nothing was written. "
                "Read it again."
            )
        await asyncio.to_thread(self._files.break_hard_links, real)  # an editor may write in place
        base = self._known.get(real.path)
        self._running.put(Put(self._journal.session_id, real.path, base, content))
        if await self._documents.write(Path(real.path), content, base):
            self._learn(real.path, content)
        else:
            was_there = self._known.pop(real.path, None) is not None
            if was_there and old is None:
                raise FileRefused(
                    f"{Path(path).name} was renamed or deleted since you read it. Nothing was "
                    "written. Write it again to create a new file."
                )
            old = await asyncio.to_thread(self._files.write_text, real, content)
        if old != content:
            self._journal.note(await asyncio.to_thread(self._written, real.path, old, content))

    def _written(self, path: str, old: str | None, new: str) -> FileWritten:
        digest = "" if old is None else hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()
        if len(new) + len(old or "") > _MAX_TEXT_BYTES:
            return FileWritten(path=path, old_digest=digest, kept=False)
        return FileWritten(path=path, old_text=old, new_text=new, old_digest=digest)

    def _learn(self, path: str, text: str) -> None:
        """Remember the text of an open document; only the newest few are kept."""
        self._known.pop(path, None)
        if len(text) <= _MAX_TEXT_BYTES:
            self._known[path] = text
        while len(self._known) > _MAX_KNOWN:
            del self._known[next(iter(self._known))]

    async def _is_check(self, path: RealPath) -> bool:
        """Return whether an agent reads a missing file only because it is about to create it.

        Some agents read a file before they create it, and can't tell a missing file from other
        errors, so they don't write it. An agent that reads for its model has announced a tool call,
        and gets the error.
        """
        state = self._journal.transcript
        turn_id = state.session.active_turn_id
        if turn_id is None or not await asyncio.to_thread(self._files.can_create, path):
            return False
        names = {relative_path(each, state.session.cwd) for each in (path.given, path.path)}
        announced = (
            item
            for item in state.items.recent(state.turn_first.get(turn_id, len(state.items)))
            if isinstance(item, ToolCall) and item.status in _OPEN
        )
        return not any(
            call.tool_kind not in _CHANGES
            and names & {call.path, *(location.path for location in call.locations)}
            for call in announced
        )


def _shown_cells(notebook: str) -> str:
    try:
        return hide_left_out(notebook)
    except NotNotebook as error:
        raise FileRefused(f"Nothing was read: {error}.") from None


def _with_unseen_cells(path: str, notebook: str, before: str) -> str:
    try:
        return with_left_out(notebook, before)
    except NotNotebook as error:
        raise FileRefused(f"{Path(path).name} was not written: {error}.") from None


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The result of saving documents: paths as pages know them, with forward slashes."""

    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Documents(Protocol):
    """Reads, writes and saves documents that are open in editors."""

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of an open document; None: read the file."""

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Replace the text of an open document and save it; False: write the file.

        Parameters
        ----------
        base
            The text that the change started from; None for the one on disk. Later edits of the
            user stay.
        """

    async def save(self, root: Path) -> SaveResult:
        """Save open documents below a folder."""


class NoDocuments:
    """No open documents: for a kernel without a server."""

    async def read(self, path: Path) -> None:
        """Return None: read the file."""
        return

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Return False: write the file."""
        return False

    async def save(self, root: Path) -> SaveResult:
        """Return an empty result."""
        return SaveResult()
