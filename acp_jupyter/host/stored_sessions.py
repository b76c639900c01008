"""Stored sessions: opened when they are needed, forked, archived, closed and deleted.

A stored session is on disk and not open. If its agent can't be started, or if it was imported from
a log, it is an imported session, which can only be viewed. Closing a session leaves it on disk;
deleting removes it, and asks the agent to delete its own copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from acp_jupyter.errors import AcpError, DiskRefused, NotAllowed
from acp_jupyter.host.open_sessions import OpenSessions
from acp_jupyter.host.registry_entries import OUTSIDE, AgentSpec
from acp_jupyter.host.session.build import build_session
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.session_store import SessionStore
from acp_jupyter.host.store.log_entries import UpToTurn, copy_log
from acp_jupyter.host.store.metadata import TRAFFIC_FILE, SessionMeta, opening_note_of
from acp_jupyter.host.store.restore import Restored, end_open_turns, resume_journal
from acp_jupyter.host.workspace.folders import choose_cwd, path_after_move, shown_folder
from acp_jupyter.host.workspace.operations.operation import FolderOperation, FolderOperations
from acp_jupyter.protocol.host_events.notes import (
    NotebookMoved,
    SessionArchived,
    SessionOpened,
)
from acp_jupyter.protocol.host_events.session import (
    Branch,
    RevertedTurn,
    RulesChanged,
    SessionBranched,
)
from acp_jupyter.transcript.model.session_state import SessionState, saved_facts


class StoredSessions:
    """Opens stored sessions. Lives on the host's loop."""

    def __init__(
        self,
        open_sessions: OpenSessions,
        store: SessionStore,
        operations: FolderOperations,
        reopen: Callable[[Session], Awaitable[None]],
    ) -> None:
        self._open = open_sessions
        self._store = store
        self._operations = operations
        self._reopen = reopen
        self._waking: dict[str, asyncio.Task[Session]] = {}

    async def stored(self, *, again: bool = True) -> tuple[SessionMeta, ...]:
        """Return the sessions that are stored and not open, the oldest first.

        For ``again`` see `SessionStore.ready`.
        """
        await self._store.ready(again=again)
        return tuple(self._store.stored.values())

    async def wake(self, session_id: str) -> None:
        """Open a stored session; its agent starts with the next prompt.

        Does nothing if it is open, or if there is no session of that id.
        """
        if (session := self._open.by_id.get(session_id)) is not None:
            if session.folder_has_moved:
                await self._reopen(session)
            return
        await self._operations.recovered()
        await self._open.wait_suspended(session_id)
        await self._store.ready()
        task = self._waking.get(session_id)
        if task is None:
            meta = self._store.stored.get(session_id)
            if meta is None:
                return
            task = asyncio.create_task(self._wake(meta), name=f"acp-wake-{session_id}")
            self._waking[session_id] = task
            task.add_done_callback(lambda _: self._waking.pop(session_id, None))
        await asyncio.shield(task)

    async def settle_open_turns(self) -> None:
        """Find the changes of turns that a killed server left running, if no server owns them.

        Sessions below other root folders are left to their own servers.
        """
        open_turns = self._open.services.checkpoints.open_turns
        for turn_id, session_id, _ in await asyncio.to_thread(list, open_turns.places()):
            await self._store.ready()
            meta = self._store.stored.get(session_id)
            is_open = session_id in self._open.by_id or session_id in self._waking
            if not is_open and meta is not None and not self._is_ours(meta):
                continue
            if meta is None and not is_open:
                if not await asyncio.to_thread(self._store.folder(session_id).exists):
                    await asyncio.to_thread(open_turns.remove, (turn_id,))
                continue
            if is_open or await asyncio.to_thread(self._store.is_free, session_id):
                with contextlib.suppress(AcpError):  # the session was closed meanwhile
                    await self.wake(session_id)
                    await self._open.get(session_id).turn_files.all_settled()

    def _is_ours(self, meta: SessionMeta) -> bool:
        return self._open.is_here(str(_folder(meta)))

    async def wake_turn(self, turn_id: str) -> None:
        """Open the stored session of a turn, if there is one."""
        for session in tuple(self._open.by_id.values()):
            if turn_id in session.transcript.turns:
                await self.wake(session.session_id)
                return
        for meta in await self.stored():
            if turn_id in meta.turn_ids:
                await self.wake(meta.session_id)

    async def wake_notebook(self, notebook_path: str, turn_ids: Collection[str] = ()) -> None:
        """Open the newest stored sessions of a notebook, or with one of these turns."""
        metas = [
            meta
            for meta in await self.stored()
            if meta.facts.notebook_path == notebook_path or set(turn_ids) & set(meta.turn_ids)
            if self._open.is_here(meta.facts.own_folder) and not meta.facts.archived
        ]
        for meta in metas[-self._open.config.limits.woken_sessions :]:
            await self.wake(meta.session_id)

    async def follow(self, old: str, new: str) -> None:
        """Update sessions after a notebook or folder was renamed; empty ``new``: it was deleted.

        The working folder of a session is updated, too, if it was renamed or is inside.
        """

        def after(state: SessionState) -> NotebookMoved | None:
            return self._after_move(state, old, new)

        if new:
            self._open.config.registry.served.move(partial(path_after_move, old=old, new=new))
        await self._move(after)

    async def follow_lost(self, lost: SessionState, new: str) -> None:
        """Move a session, and all others of the same notebook, to the notebook at ``new``.

        A session whose folder no longer exists then works in the new notebook's folder.
        """
        left, root = (lost.notebook_path, last_notebook(lost)), self._open.config.root
        folder = await asyncio.to_thread(choose_cwd, root, new)

        def after(state: SessionState) -> NotebookMoved | None:
            same = (state.notebook_path, last_notebook(state)) == left
            if not same or not self._open.is_here(state.own_folder):
                return None
            if Path(state.own_folder).is_dir():
                return NotebookMoved(notebook_path=new)
            return NotebookMoved(notebook_path=new, cwd=str(folder), folder=shown_folder(folder))

        await self._move(after)

    async def _move(self, after: Callable[[SessionState], NotebookMoved | None]) -> None:
        """Note the new path of the notebook in each session that is affected."""
        waked: set[str] = set()
        for meta in await self.stored():
            if after(meta.facts) is not None:
                await self.wake(meta.session_id)
                waked.add(meta.session_id)
        for session in tuple(self._open.by_id.values()):
            note = None if session.state.read_only else after(session.state)
            if note is not None:
                session.journal.note(note)
                await self._store.save(session)
            if session.session_id in waked and session.dormant:
                # A folder may have more sessions than can be open at once.
                self._open.by_id.pop(session.session_id, None)
                await asyncio.shield(self._open.suspend(session))

    def _after_move(self, state: SessionState, old: str, new: str) -> NotebookMoved | None:
        """Return the note for a session; None if neither its notebook nor its folder has moved."""
        if not self._open.is_here(state.own_folder):
            return None
        root = self._open.config.root.resolve()
        folder = Path(state.own_folder).relative_to(root).as_posix()
        path = path_after_move(state.notebook_path, old, new)
        folder_now = path_after_move(folder, old, new) or folder
        if (path, folder_now) == (state.notebook_path, folder):
            return None
        if folder_now == folder:
            return NotebookMoved(notebook_path=path)
        cwd = root / folder_now
        return NotebookMoved(notebook_path=path, cwd=str(cwd), folder=shown_folder(cwd))

    async def find_stored(
        self, agent: str, notebook_path: str, label: str, in_copy: bool | None = None
    ) -> Session | None:
        """Open the newest stored session of this agent, notebook and label, to continue it.

        Only one that the agent can resume or load: otherwise a new session serves as well.
        """
        if not self._open.config.goes_on or not notebook_path:
            return None
        for meta in reversed(await self.stored()):
            facts = meta.facts
            if self.goes_on_elsewhere(facts):
                continue
            key = (facts.agent_id, facts.notebook_path, meta.label)
            remembered = "resume" in facts.can or "load" in facts.can
            here = self._open.is_here(facts.own_folder) and not facts.archived
            here = here and facts.variant is None
            here = here and in_copy in {None, bool(facts.copied_folder)}
            if key == (agent, notebook_path, label) and here and remembered and not meta.played:
                await self.wake(meta.session_id)
                session = self._open.by_id.get(meta.session_id)
                if session is not None and not session.state.read_only:
                    return session
        return None

    def goes_on_elsewhere(self, state: SessionState) -> bool:
        """Return whether another session has replaced this one, and still exists."""
        name = state.continues_in
        return bool(name) and (name in self._open.by_id or name in self._store.stored)

    async def fork(self, parent: Session, notebook_path: str = "", kernel_id: str = "") -> Session:
        """Create a session with a copy of another's log; the caller forks it at the agent.

        It belongs to the notebook at ``notebook_path``, and counts as created by ``kernel_id``.
        """
        title = parent.state.title
        label = f"Fork of {title}"[:200] if title else "Fork"
        meta = self._copied_facts(parent, label, notebook_path)
        session = await self._copy(parent, meta, opening_note_of(meta), kernel_id)
        session.rename(meta.label)
        self._open.add(session)
        return session

    async def branch(
        self,
        parent: Session,
        end: UpToTurn,
        reverted: Sequence[RevertedTurn],
        operation: FolderOperation,
        *,
        files: bool,
        also: Sequence[str] = (),
    ) -> Session:
        """Create a session that continues from an earlier turn of another, and replaces it.

        ``also`` names other sessions with turns that were reverted together with its own. The
        session is a part of ``operation``, and is opened only once that has succeeded.
        """
        state = parent.state
        meta = self._copied_facts(parent, parent.label, state.notebook_path)
        opening = opening_note_of(meta).model_copy(update={"title": state.title})
        made: list[Session] = []
        await operation.make_session(
            meta.session_id, partial(self._remove_made, meta.session_id, made)
        )
        session = await self._copy(parent, meta, opening, parent.kernel_id, end)
        made.append(session)
        session.keep_choices_of(parent)
        if state.rules:
            session.journal.note(RulesChanged(rules=state.rules))
        earlier = () if state.branch is None else state.branch.also
        branch = Branch(
            session_id=state.session_id,
            turn_id=end.turn_id,
            files=files,
            also=(*earlier, *also),
        )
        session.journal.note(SessionBranched(branch=branch, reverted=tuple(reverted)))
        return session

    async def _remove_made(self, session_id: str, made: Sequence[Session]) -> None:
        for session in made:
            await session.close()
        await self._store.delete(session_id)

    def _copied_facts(self, parent: Session, label: str, notebook_path: str) -> SessionMeta:
        own = {
            "session_id": uuid.uuid4().hex,
            "agent_session_id": "",
            "notebook_path": notebook_path,
            "branch": None,
            "continues_in": "",
            "variant": None,
            "copied_folder": "",
            "created_at": time.time(),
            "updated_at": None,
        }
        return SessionMeta(facts=saved_facts(parent.state).model_copy(update=own), label=label)

    async def _copy(
        self,
        parent: Session,
        meta: SessionMeta,
        opening: SessionOpened,
        kernel_id: str,
        end: UpToTurn | None = None,
    ) -> Session:
        self._open.make_room()
        folder = self._store.folder(meta.session_id)
        self._store.hold(meta.session_id)
        if not await parent.journal.flushed():
            raise DiskRefused(parent.journal.log.why or "it does not answer")
        to, now = folder / TRAFFIC_FILE, time.time()
        await asyncio.to_thread(copy_log, parent.journal.log.path, to, opening, now, end)
        return self._revived(meta, await self._store.read(meta), kernel_id)

    async def _wake(self, meta: SessionMeta) -> Session:
        restored = await self._store.read(meta)
        session = self._revived(meta, restored)
        if not session.state.read_only:
            await self._operations.recover_in(_folder(meta))
            await self._operations.finish(session.journal)
            open_turns = self._open.services.checkpoints.open_turns
            session.turn_files.begin_settling(await asyncio.to_thread(open_turns.ids))
        self._store.stored.pop(meta.session_id, None)
        self._open.add(session)
        return session

    def _revived(self, meta: SessionMeta, restored: Restored, kernel_id: str = "") -> Session:
        limits = self._open.config.limits
        spec = self._spec(meta)
        redactor = self._open.redactor(spec)
        journal = resume_journal(
            self._store.folder(meta.session_id),
            restored,
            limits,
            redactor,
            self._open.announce_change,
            partial(self._store.owns, meta.session_id),
        )
        read_only = bool(journal.transcript.session.read_only)
        if not read_only:
            end_open_turns(journal)
        session = build_session(
            self._open.services,
            None if meta.played or read_only else spec,
            journal,
            redactor,
            label=meta.label,
            kernel_id=kernel_id,
        )
        session.turn_files.notebook_inode = meta.notebook_inode
        return session

    def _spec(self, meta: SessionMeta) -> AgentSpec | None:
        """Return the agent's spec if it is still configured, or if it runs outside."""
        agent_id = meta.facts.agent_id
        if agent_id == OUTSIDE:
            return AgentSpec(OUTSIDE, meta.facts.agent_name, "")
        try:
            return self._open.config.registry.get(agent_id, meta.facts.notebook_path)
        except AcpError:
            return None


def _folder(meta: SessionMeta) -> Path:
    """Return the folder that a session changes; where it works in a copy, the one copied."""
    return Path(meta.facts.copied or meta.facts.cwd)


def last_notebook(state: SessionState) -> str:
    """Return the path of a session's notebook, or its last path; empty if it never had one."""
    return next(filter(None, (state.notebook_path, *reversed(state.former_paths))), "")


class SessionCloser:
    """Closes, archives and deletes sessions. Lives on the host's loop."""

    def __init__(
        self, open_sessions: OpenSessions, stored_sessions: StoredSessions, store: SessionStore
    ) -> None:
        self._open = open_sessions
        self._stored = stored_sessions
        self._store = store

    async def close(self, session_id: str) -> None:
        """Close a session; it stays on disk, and can be opened again."""
        session = self._open.get(session_id)
        del self._open.by_id[session_id]
        await asyncio.shield(self._open.suspend(session))
        self._open.announce_change()

    async def archive(self, session_id: str, *, archived: bool) -> str:
        """Archive and close a session, or unarchive it; the agent does the same with its copy."""
        await self._stored.wake(session_id)
        session = self._open.get(session_id)
        if session.state.read_only:
            raise NotAllowed(f"{session.state.read_only} It can't be archived from here.")
        if archived:
            # Before the agent is asked, which may first have to be started or downloaded.
            self._note_archived(session, archived=True)
            session.cancel()
        message = await session.agent.archive(archived=archived)
        if not archived:
            self._note_archived(session, archived=False)
        elif session.state.archived and self._open.by_id.get(session_id) is session:
            await self.close(session_id)
        return message

    def _note_archived(self, session: Session, *, archived: bool) -> None:
        session.journal.note(SessionArchived(archived=archived))
        self._open.announce_change()

    async def delete(self, session_id: str) -> None:
        """Close a session and delete everything stored for it.

        A running agent is asked to delete its own copy, if it can.
        """
        await self._stored.wake(session_id)
        session = self._open.get(session_id)
        if words := await self._store.why_not_delete(session):
            raise NotAllowed(f"{words} It can't be deleted from here.")
        del self._open.by_id[session_id]
        await session.close(delete=True)
        await asyncio.to_thread(session.turn_files.forget)
        if session.state.copied_folder:
            copy = Path(session.state.cwd)
            await asyncio.to_thread(self._open.services.checkpoints.forget_copy, copy)
        await self._store.delete(session_id)
        self._open.announce_change()
