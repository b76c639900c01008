"""Files of a session as its agent sees and writes them: open documents first, then the disk.

What a page has open and not saved is the file's content.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.workspace_files import WorkspaceFiles, text_window
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.workspace import FileWritten
from acp_jupyter.transcript.model.tool_items import ToolCall

_OPEN = {"pending", "in_progress"}
_CHANGES = {"edit", "delete", "move"}


class AgentFiles:
    """Reads and writes for an agent. Lives on the host's loop.

    Parameters
    ----------
    cwd
        The session's folder; nothing outside it is touched.
    journal
        Of the session.
    documents
        Open documents, read before the disk.
    limits
        See `Limits`.
    """

    _MOST_KNOWN = 64

    def __init__(self, cwd: Path, journal: Journal, documents: Documents, limits: Limits) -> None:
        self._files = WorkspaceFiles(cwd, limits)
        self._journal = journal
        self._documents = documents
        self._bound = limits.written_text_bytes
        self._known: dict[str, str] = {}
        """What the agent was told last of open documents, or wrote."""

    async def read(self, path: str, line: int | None, limit: int | None) -> str:
        """Return a file's text, or some lines of it; the unsaved text of an open document counts.

        Raises
        ------
        FileMissing
            There is no such file, or none that the agent may see.
        FileRefused
            It is no text file, too large, or not readable.
        """
        try:
            content = await asyncio.to_thread(self._files.read_text, path, line, limit)
        except FileMissing:
            if line is None and limit is None and await self._is_check(path):
                return ""
            raise
        unsaved = await self._documents.read(Path(path))
        whole = line is None and limit is None
        if whole or unsaved is not None:
            self._learn(path, content if unsaved is None else unsaved)
        return content if unsaved is None else text_window(unsaved, line, limit)

    async def write(
        self, path: str, content: str, allowed: Callable[[str | None], Awaitable[None]]
    ) -> None:
        """Replace a file's text, or create the file. The change is told in the transcript.

        An open document is changed in its editor and saved.

        Parameters
        ----------
        path, content
            The file and its new text.
        allowed
            Gets the text on disk, None for a new file, and returns once it may be replaced.

        Raises
        ------
        FileRefused
            Outside the folder, no plain file, too large, or not writable; or its user has
            changed the same, renamed or deleted it since the agent has read it.
        """
        old = await asyncio.to_thread(self._files.text_to_replace, path, content)
        await allowed(old)
        if await asyncio.to_thread(self._files.text_to_replace, path, content) != old:
            raise FileRefused(
                f"{Path(path).name} has changed while the user was asked. Nothing was written. "
                "Read it again."
            )
        await asyncio.to_thread(self._files.part, path)  # an editor may write in place
        if await self._documents.write(Path(path), content, self._known.get(path)):
            self._learn(path, content)
        else:
            was_there = self._known.pop(path, None) is not None
            if was_there and old is None:
                raise FileRefused(
                    f"{Path(path).name} was renamed or deleted since you read it. Nothing was "
                    "written. Write it again if it is to be made anew."
                )
            old = await asyncio.to_thread(self._files.write_text, path, content)
        if old != content:
            self._journal.note(await asyncio.to_thread(self._written, path, old, content))

    def _written(self, path: str, old: str | None, new: str) -> FileWritten:
        digest = "" if old is None else hashlib.sha256(old.encode("utf-8", "replace")).hexdigest()
        if len(new) + len(old or "") > self._bound:
            return FileWritten(path=path, old_digest=digest, kept=False)
        return FileWritten(path=path, old_text=old, new_text=new, old_digest=digest)

    def _learn(self, path: str, text: str) -> None:
        """The texts of the last files are kept, those of a page's memory and not of a disk's."""
        self._known.pop(path, None)
        if len(text) <= self._bound:
            self._known[path] = text
        while len(self._known) > self._MOST_KNOWN:
            del self._known[next(iter(self._known))]

    async def _is_check(self, path: str) -> bool:
        """Tell whether an agent looks at a missing file only to make it.

        Some take any error for a reason not to write: they read a file before they make it, and
        their JSON-RPC library gives them no error that they could know again. An agent that reads
        on the model's behalf announces that as a tool call, and is told the truth.
        """
        state = self._journal.transcript
        turn_id = state.session.active_turn_id
        if turn_id is None or not await asyncio.to_thread(self._files.can_create, path):
            return False
        name = relative_path(path, state.session.cwd)
        announced = (
            item
            for item in state.items.recent(state.turn_first.get(turn_id, len(state.items)))
            if isinstance(item, ToolCall) and item.status in _OPEN
        )
        return not any(
            call.tool_kind not in _CHANGES
            and name in {call.path, *(place.path for place in call.locations)}
            for call in announced
        )


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What came of saving: paths as pages know them, with forward slashes."""

    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Documents(Protocol):
    """Reads, writes and saves documents as their editors show them."""

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of an open document, or None: then the file counts."""

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Make this the text of an open document and save it; False: then write the file.

        Parameters
        ----------
        path
            Absolute.
        text
            What it is to be.
        base
            The text that was changed into it; None for the one on disk. What its user has
            changed since stays.

        Raises
        ------
        FileRefused
            Its user has changed the same since, or it can't be saved, or nobody answers.
        """

    async def save(self, root: Path) -> SaveResult:
        """Save open documents below a folder."""


class NoDocuments:
    """Where no page holds documents: a kernel without a server."""

    async def read(self, path: Path) -> None:
        """Return None: the file counts."""
        return

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Return False: the file counts."""
        return False

    async def save(self, root: Path) -> SaveResult:
        """Return nothing: there is nothing to save."""
        return SaveResult()
