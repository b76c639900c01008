"""Finds the sessions of a notebook that was renamed or replaced outside of Jupyter.

A notebook is identified by its outputs, which contain the unique ids of their turns. The inode of
a file can't identify it, as a new file may reuse that of a file which was just deleted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.api.commands.saved_cells import cell_ids, claimed_turns
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.sessions.sessions import last_notebook
from acp_jupyter.host.workspace.folders import inode_of
from acp_jupyter.transcript.model.session_state import SessionState

_MAX_COPIES = 1000


@dataclass(frozen=True, slots=True)
class _NotebookFile:
    """The identifying facts of a notebook's file."""

    inode: int
    turn_ids: frozenset[str]
    cell_ids: frozenset[str]


class RenamedNotebooks:
    """Finds the sessions of a notebook whose path is new. Lives on the host's loop."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host
        self._one_by_one = asyncio.Lock()
        self._own: dict[str, int] = {}
        """Inodes by path of notebooks without sessions to find, such as copies."""

    async def follow(self, path: str) -> None:
        """Move the sessions of the notebook that is now at ``path`` to that path.

        Sessions of another notebook that was there before stay in the list, without a notebook.
        """
        if not path or not self._host.config.goes_on:
            return
        async with self._one_by_one:
            inode = await asyncio.to_thread(inode_of, self._host.config.root / path)
            if not inode or (await self._is_known(path) and not await self._replaced(path, inode)):
                return
            if self._own.get(path) == inode:
                return
            lost = await self._lost(path)
            if lost is not None:
                await self._host.sessions.follow_lost(lost, path)
                return
            # A copy stays a copy, even if the original is deleted.
            if len(self._own) >= _MAX_COPIES:
                self._own.clear()
            self._own[path] = inode

    # -- a path that has sessions ----------------------------------------------

    def _open_at(self, path: str) -> list[Session]:
        is_here = self._host.sessions.is_here
        return [
            session
            for session in self._host.sessions.values()
            if session.state.notebook_path == path and is_here(session.state.own_folder)
        ]

    async def _is_known(self, path: str) -> bool:
        return bool(self._open_at(path)) or any(
            meta.facts.notebook_path == path and self._host.sessions.is_here(meta.facts.own_folder)
            for meta in await self._host.sessions.stored()
        )

    async def _replaced(self, path: str, inode: int) -> bool:
        """Detach the sessions from a path if it has another notebook now; return whether it has.

        Editors also save by replacing the file; then it still has some cell or output of a turn.
        Sessions without turns of cells belong to the notebook by its path only.
        """
        stored = self._host.sessions
        noted = {session.turn_files.notebook_inode for session in self._open_at(path)}
        noted |= {
            meta.notebook_inode
            for meta in await stored.stored()
            if meta.facts.notebook_path == path
            if self._host.sessions.is_here(meta.facts.own_folder)
        }
        if inode in noted or not noted - {0}:
            return False
        await stored.wake_notebook(path)
        turns = [
            turn
            for session in self._open_at(path)
            for turn in session.transcript.turns.values()
            if turn.origin is not None and turn.origin.cell_id
        ]
        file = await asyncio.to_thread(_read, self._host.config.root / path, self._max_bytes)
        if file is None or not turns or not file.cell_ids:
            return False
        cells = {turn.origin.cell_id for turn in turns if turn.origin is not None}
        same = file.cell_ids & cells or file.turn_ids & {turn.turn_id for turn in turns}
        if same:
            for session in self._open_at(path):
                session.turn_files.notebook_inode = file.inode
            return False
        await stored.follow(path, "")
        return True

    # -- a path that has none --------------------------------------------------

    async def _lost(self, path: str) -> SessionState | None:
        """Return a session whose notebook is now at ``path``, and no longer at its own path."""
        root, stored = self._host.config.root, self._host.sessions
        file = await asyncio.to_thread(_read, root / path, self._max_bytes)
        if file is None or not file.turn_ids:
            return None
        for meta in await stored.stored():
            if file.turn_ids & set(meta.turn_ids):
                await stored.wake(meta.session_id)
        states = [
            (session.state, count)
            for session in self._host.sessions.values()
            if not session.state.read_only
            if self._host.sessions.is_here(session.state.own_folder)
            if (count := _sent_from_its_notebook(session, file.turn_ids))
        ]
        there = await asyncio.to_thread(_existing, root, (state for state, _ in states))
        found: Counter[str] = Counter()
        of_notebook: dict[str, SessionState] = {}
        for state, count in states:
            if state.notebook_path not in there:
                found[last_notebook(state)] += count
                of_notebook[last_notebook(state)] = state
        # The notebook may combine cells of several others: take the one with most turns.
        return of_notebook[found.most_common(1)[0][0]] if found else None

    @property
    def _max_bytes(self) -> int:
        return self._host.config.limits.checkpoint_file_bytes


def _sent_from_its_notebook(session: Session, turn_ids: Collection[str]) -> int:
    """Count the given turns that were sent by cells of the session's own notebook."""
    names = {session.state.notebook_path, *session.state.former_paths} - {""}
    known = session.transcript.turns
    origins = [known[turn_id].origin for turn_id in turn_ids if turn_id in known]
    return sum(origin is not None and origin.notebook_path in names for origin in origins)


def _read(notebook: Path, max_bytes: int) -> _NotebookFile | None:
    """Read a notebook; None if it is missing, or too large to read here. Blocks."""
    try:
        inode = inode_of(notebook)
        if not inode or notebook.stat().st_size > max_bytes:
            return None
        data = notebook.read_bytes()
    except (OSError, ValueError):
        return None
    return _NotebookFile(inode, claimed_turns(data), cell_ids(data))


def _existing(root: Path, states: Iterable[SessionState]) -> set[str]:
    """Return the paths of the sessions' notebooks that exist. Blocks."""
    paths = {state.notebook_path for state in states} - {""}
    return {path for path in paths if (root / path).exists()}
