"""The sessions of a host: the open ones, and those on disk, which are opened when they are needed.

If the agent of a stored session can't be started, or if it was imported from a log, it can only be
viewed. Closing a session leaves it on disk; deleting removes it, and asks the agent to delete its
own copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, ValuesView
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path

from acp_jupyter.errors import (
    AcpError,
    BadRequest,
    DiskRefused,
    NotAllowed,
    UnknownSession,
    UnknownTurn,
)
from acp_jupyter.host.config import HostConfig, environments
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry_entries import OUTSIDE, AgentSpec
from acp_jupyter.host.rpc.pool import AgentPool
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.host.sessions.bound import Bound
from acp_jupyter.host.sessions.day_use import DayUse
from acp_jupyter.host.sessions.session import HostServices, Session
from acp_jupyter.host.sessions.session_store import SessionStore
from acp_jupyter.host.store.changed_turns import ChangedTurns
from acp_jupyter.host.store.journal import Reader
from acp_jupyter.host.store.log_copy import UpToTurn, copy_log
from acp_jupyter.host.store.metadata import TRAFFIC_FILE, SessionMeta, opening_note_of
from acp_jupyter.host.store.permission_stores import PermissionStores
from acp_jupyter.host.store.restore import Restored, end_open_turns, resume_journal
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.folders import choose_cwd, path_after_move, shown_folder
from acp_jupyter.host.workspace.operations.operation import FolderOperation, FolderOperations
from acp_jupyter.host.workspace.running_turns import RunningTurns
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
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.use import Use
from acp_jupyter.transcript.redactor import KnownSecrets, Redactor

_logger = logging.getLogger(__name__)
_WOKEN_SESSIONS = 10
"""Newest ended sessions that are opened together with their notebook."""


class Sessions(Mapping[str, Session]):
    """The open sessions of a host by id, the oldest first; stored ones are opened. On its loop."""

    def __init__(
        self,
        config: HostConfig,
        permission_stores: PermissionStores,
        checkpoints: CheckpointStore,
        operations: FolderOperations,
        running_turns: RunningTurns,
    ) -> None:
        self.config = config
        self.secrets = KnownSecrets()
        """Secrets that all redactors of this host know, also later ones. For any thread."""
        runtime = () if config.runtime_folder is None else (config.runtime_folder,)
        hidden = (config.data_dir, *runtime)
        self.sandboxes = Sandboxes(hidden, Path.home(), resolve=config.resolve)
        self.pool = AgentPool(config.limits, self.sandboxes, self.redactor)
        self.services = HostServices(
            self.pool,
            config.documents,
            permission_stores,
            checkpoints,
            running_turns,
            config.root,
            config.mcp_servers,
            self.sandboxes,
            config.tools,
            config.limits,
            config.bounds,
            config.registry.served,
            self._bounds_of_all,
        )
        self.limit_of_all: Bound | None = None
        """What all sessions may use together; set for the job of a batch."""
        self.store = SessionStore(config.data_dir, config.limits, self.values, self._reopen)
        self.changed_turns = ChangedTurns(self._transcript_of)
        self._operations = operations
        self._open: dict[str, Session] = {}
        self._reads: dict[Reader, Session] = {}
        self._listeners: set[Callable[[], None]] = set()
        self._waking: dict[str, asyncio.Task[Session]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}

    def __getitem__(self, session_id: str) -> Session:
        return self._open[session_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def values(self) -> ValuesView[Session]:
        """Return the open sessions, the oldest first."""
        return self._open.values()

    # -- the open ones -----------------------------------------------------------

    def require(self, session_id: str) -> Session:
        """Return an open session; `wake` opens a stored one."""
        try:
            return self._open[session_id]
        except KeyError:
            raise UnknownSession(
                f"There is no session {session_id!r}. It may have been deleted."
            ) from None

    def of_turn(self, turn_id: str) -> Session:
        """Return the open session of a turn; `wake_turn` opens a stored one."""
        for session in self._open.values():
            if turn_id in session.transcript.turns:
                return session
        raise UnknownTurn("This turn is not known here. Its session may have been deleted.")

    def find(
        self,
        agent: str,
        notebook_path: str,
        label: str,
        recording: RecordingOptions | None = None,
        in_copy: bool | None = None,
    ) -> Session | None:
        """Return the newest session with this agent, notebook, label and recording.

        With ``in_copy`` it is one that works in a copy of its folder, or one that does not.
        """
        for session in reversed(self._open.values()):
            key = (session.spec.id, session.state.notebook_path, session.label)
            here = not notebook_path or self.is_here(session.state.own_folder)
            here = here and not session.state.archived and session.state.variant is None
            here = here and not self.goes_on_elsewhere(session.state)
            here = here and in_copy in {None, bool(session.state.copied_folder)}
            if key == (agent, notebook_path, label) and here and session.matches(recording):
                return session
        return None

    def of_cells(self) -> frozenset[str]:
        """Return the ids of the sessions for prompts of cells that name no session."""
        newest = {
            (session.spec.id, session.state.notebook_path): session.session_id
            for session in self._open.values()
            if session.state.notebook_path and not session.label and session.matches(None)
            if not session.state.archived and session.state.variant is None
            if not self.goes_on_elsewhere(session.state)
            if self.is_here(session.state.own_folder)
        }
        return frozenset(newest.values())

    def add(self, session: Session) -> None:
        """Add a session that is ready to be used."""
        self._open[session.session_id] = session
        self.changed_turns.add_session(session.session_id)
        readers = (
            *self.config.observers,
            self.changed_turns,
            session.turns.walls_met,
            session.day_use,
        )
        session.journal.observe(readers)
        self.announce_change()

    def _bounds_of_all(self) -> tuple[Bound, ...]:
        bound = self.limit_of_all
        return () if bound is None else (replace(bound, before=self.use_of_all()),)

    def use_of_all(self) -> Use:
        """Return what all open sessions used together."""
        return reduce(Use.plus, (session.state.use for session in self.values()), Use())

    def _transcript_of(self, session_id: str) -> Transcript | None:
        session = self._open.get(session_id)
        return None if session is None else session.transcript

    def is_here(self, cwd: str) -> bool:
        """Return whether a session's folder is below this server's root folder.

        Servers with other roots share the data folder, and may have notebooks of the same path.
        """
        return Path(cwd).is_relative_to(self.config.root.resolve())

    def redactor(self, spec: AgentSpec | None) -> Redactor:
        """Return a redactor that knows the secrets of the host's and the agent's environment."""
        own = {} if spec is None else spec.env
        known = (os.environ, own, *environments(self.config.mcp_servers))
        return Redactor.of_environments(*known, shared=self.secrets)

    def make_room(self) -> None:
        """Make room for one more session; suspend one that is not in use if need be."""
        most = self.config.limits.sessions
        if len(self._open) < most:
            return
        dormant = next((s for s in self._open.values() if s.dormant), None)
        if dormant is None:
            raise BadRequest(f"{most} sessions are open. Close some first.")
        del self._open[dormant.session_id]
        self.suspend(dormant)

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` when any session's state changes; return a function that stops it."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def announce_change(self) -> None:
        """Notify the listeners that a session's state has changed, and save it soon."""
        self.store.changed()
        for listener in tuple(self._listeners):
            listener()

    async def subscribe(
        self,
        session_id: str,
        reader: Reader,
        after: int | None = None,
        epoch: str = "",
        *,
        answers: bool = True,
    ) -> None:
        """Send a session's events to ``reader``; its requests then wait for an answer.

        They don't if ``answers`` is False: for a reader that can't answer, such as a kernel's.
        """
        await self.wake(session_id)
        session = self.require(session_id)
        if answers:
            session.attach()
        session.journal.add_reader(reader, after, epoch)
        self._reads[reader] = session

    def unsubscribe(self, reader: Reader) -> None:
        """Stop sending events to ``reader``."""
        session = self._reads.pop(reader, None)
        if session is not None:
            session.journal.remove_reader(reader)

    # -- stored ones ---------------------------------------------------------------

    async def stored(self, *, again: bool = True) -> tuple[SessionMeta, ...]:
        """Return the sessions that are stored and not open, the oldest first.

        For ``again`` see `SessionStore.ready`.
        """
        await self.store.ready(again=again)
        return tuple(self.store.stored.values())

    async def wake(self, session_id: str) -> None:
        """Open a stored session; its agent starts with the next prompt.

        Does nothing if it is open, or if there is no session of that id.
        """
        if (session := self._open.get(session_id)) is not None:
            if session.folder_has_moved:
                await self._reopen(session)
            return
        await self._operations.recovered()
        if (closing := self._closing.get(session_id)) is not None:
            await asyncio.wait([closing])
        await self.store.ready()
        task = self._waking.get(session_id)
        if task is None:
            meta = self.store.stored.get(session_id)
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
        open_turns = self.services.checkpoints.open_turns
        for turn_id, session_id, _ in await asyncio.to_thread(list, open_turns.places()):
            await self.store.ready()
            meta = self.store.stored.get(session_id)
            is_open = session_id in self._open or session_id in self._waking
            if not is_open and meta is not None and not self.is_here(str(_folder(meta))):
                continue
            if meta is None and not is_open:
                if not await asyncio.to_thread(self.store.folder(session_id).exists):
                    await asyncio.to_thread(open_turns.remove, (turn_id,))
                continue
            if is_open or await asyncio.to_thread(self.store.is_free, session_id):
                with contextlib.suppress(AcpError):  # the session was closed meanwhile
                    await self.wake(session_id)
                    await self.require(session_id).turn_files.all_settled()

    async def wake_turn(self, turn_id: str) -> None:
        """Open the stored session of a turn, if there is one."""
        for session in tuple(self._open.values()):
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
            if self.is_here(meta.facts.own_folder) and not meta.facts.archived
        ]
        for meta in metas[-_WOKEN_SESSIONS:]:
            await self.wake(meta.session_id)

    async def follow(self, old: str, new: str) -> None:
        """Update sessions after a notebook or folder was renamed; empty ``new``: it was deleted.

        The working folder of a session is updated, too, if it was renamed or is inside.
        """

        def after(state: SessionState) -> NotebookMoved | None:
            return self._after_move(state, old, new)

        if new:
            self.config.registry.served.move(partial(path_after_move, old=old, new=new))
        await self._move(after)

    async def follow_lost(self, lost: SessionState, new: str) -> None:
        """Move a session, and all others of the same notebook, to the notebook at ``new``.

        A session whose folder no longer exists then works in the new notebook's folder.
        """
        left, root = (lost.notebook_path, last_notebook(lost)), self.config.root
        folder = await asyncio.to_thread(choose_cwd, root, new)

        def after(state: SessionState) -> NotebookMoved | None:
            same = (state.notebook_path, last_notebook(state)) == left
            if not same or not self.is_here(state.own_folder):
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
        for session in tuple(self._open.values()):
            note = None if session.state.read_only else after(session.state)
            if note is not None:
                session.journal.note(note)
                await self.store.save(session)
            if session.session_id in waked and session.dormant:
                # A folder may have more sessions than can be open at once.
                self._open.pop(session.session_id, None)
                await asyncio.shield(self.suspend(session))

    def _after_move(self, state: SessionState, old: str, new: str) -> NotebookMoved | None:
        """Return the note for a session; None if neither its notebook nor its folder has moved."""
        if not self.is_here(state.own_folder):
            return None
        root = self.config.root.resolve()
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
        if not self.config.goes_on or not notebook_path:
            return None
        for meta in reversed(await self.stored()):
            facts = meta.facts
            if self.goes_on_elsewhere(facts):
                continue
            key = (facts.agent_id, facts.notebook_path, meta.label)
            remembered = "resume" in facts.can or "load" in facts.can
            here = self.is_here(facts.own_folder) and not facts.archived
            here = here and facts.variant is None
            here = here and in_copy in {None, bool(facts.copied_folder)}
            if key == (agent, notebook_path, label) and here and remembered and not meta.played:
                await self.wake(meta.session_id)
                session = self._open.get(meta.session_id)
                if session is not None and not session.state.read_only:
                    return session
        return None

    def goes_on_elsewhere(self, state: SessionState) -> bool:
        """Return whether another session has replaced this one, and still exists."""
        name = state.continues_in
        return bool(name) and (name in self._open or name in self.store.stored)

    async def _reopen(self, session: Session) -> None:
        """Close a session and open it again from its folder.

        For a session that another server has taken or left, or whose folder was renamed.
        """
        session_id = session.session_id
        readers = [reader for reader, of in self._reads.items() if of is session]
        await self.close(session_id)
        await self.wake(session_id)
        if (opened := self._open.get(session_id)) is not None:
            opened.keep_choices_of(session)
        for reader in readers:
            await self.subscribe(session_id, reader)

    async def save(self, session: Session) -> None:
        """Wait until a session is on disk, or its transcript says that it isn't.

        Otherwise it would be lost if the server were killed now.
        """
        await self.store.save(session)

    async def save_new(self, session: Session) -> None:
        """Save a new session; delete it if that fails."""
        if not await self.store.save(session):
            why = session.journal.log.why or "the list of sessions can't be written"
            await self.delete(session.session_id)
            raise DiskRefused(why)

    # -- copies -------------------------------------------------------------------

    async def fork(self, parent: Session, notebook_path: str = "", kernel_id: str = "") -> Session:
        """Create a session with a copy of another's log; the caller forks it at the agent.

        It belongs to the notebook at ``notebook_path``, and counts as created by ``kernel_id``.
        """
        title = parent.state.title
        label = f"Fork of {title}"[:200] if title else "Fork"
        meta = self._copied_facts(parent, label, notebook_path)
        session = await self._copy(parent, meta, opening_note_of(meta), kernel_id)
        session.rename(meta.label)
        self.add(session)
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
        await self.store.delete(session_id)

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
        self.make_room()
        folder = self.store.folder(meta.session_id)
        self.store.hold(meta.session_id)
        if not await parent.journal.flushed():
            raise DiskRefused(parent.journal.log.why or "it does not answer")
        to, now = folder / TRAFFIC_FILE, time.time()
        await asyncio.to_thread(copy_log, parent.journal.log.path, to, opening, now, end)
        return self._revived(meta, await self.store.read(meta), kernel_id)

    async def _wake(self, meta: SessionMeta) -> Session:
        restored = await self.store.read(meta)
        session = self._revived(meta, restored)
        if not session.state.read_only:
            await self._operations.recover_in(_folder(meta))
            await self._operations.finish(session.journal)
            open_turns = self.services.checkpoints.open_turns
            session.turn_files.begin_settling(await asyncio.to_thread(open_turns.ids))
        self.store.stored.pop(meta.session_id, None)
        self.add(session)
        return session

    def _revived(self, meta: SessionMeta, restored: Restored, kernel_id: str = "") -> Session:
        limits = self.config.limits
        spec = self._spec(meta)
        redactor = self.redactor(spec)
        journal = resume_journal(
            self.store.folder(meta.session_id),
            restored,
            limits,
            redactor,
            self.announce_change,
            partial(self.store.owns, meta.session_id),
        )
        read_only = bool(journal.transcript.session.read_only)
        if not read_only:
            end_open_turns(journal)
        session = Session(
            self.services,
            None if meta.played or read_only else spec,
            journal,
            redactor,
            label=meta.label,
            kernel_id=kernel_id,
        )
        session.turn_files.notebook_inode = meta.notebook_inode
        if meta.day:
            session.day_use = DayUse(session.state.use, meta.day, meta.use_before)
        return session

    def _spec(self, meta: SessionMeta) -> AgentSpec | None:
        """Return the agent's spec if it is still configured, or if it runs outside."""
        agent_id = meta.facts.agent_id
        if agent_id == OUTSIDE:
            return AgentSpec(OUTSIDE, meta.facts.agent_name, "")
        try:
            return self.config.registry.get(agent_id, meta.facts.notebook_path)
        except AcpError:
            return None

    # -- their ends ---------------------------------------------------------------

    async def close(self, session_id: str) -> None:
        """Close a session; it stays on disk, and can be opened again."""
        session = self.require(session_id)
        del self._open[session_id]
        await asyncio.shield(self.suspend(session))
        self.announce_change()

    async def archive(self, session_id: str, *, archived: bool) -> str:
        """Archive and close a session, or unarchive it; the agent does the same with its copy."""
        await self.wake(session_id)
        session = self.require(session_id)
        if session.state.read_only:
            raise NotAllowed(f"{session.state.read_only} It can't be archived from here.")
        if archived:
            # Before the agent is asked, which may first have to be started or downloaded.
            self._note_archived(session, archived=True)
            session.cancel()
        message = await session.agent.archive(archived=archived)
        if not archived:
            self._note_archived(session, archived=False)
        elif session.state.archived and self._open.get(session_id) is session:
            await self.close(session_id)
        return message

    def _note_archived(self, session: Session, *, archived: bool) -> None:
        session.journal.note(SessionArchived(archived=archived))
        self.announce_change()

    async def delete(self, session_id: str) -> None:
        """Close a session and delete everything stored for it.

        A running agent is asked to delete its own copy, if it can.
        """
        await self.wake(session_id)
        session = self.require(session_id)
        if words := await self.store.why_not_delete(session):
            raise NotAllowed(f"{words} It can't be deleted from here.")
        del self._open[session_id]
        await session.close(delete=True)
        await asyncio.to_thread(session.turn_files.forget)
        if session.state.copied_folder:
            copy = Path(session.state.cwd)
            await asyncio.to_thread(self.services.checkpoints.forget_copy, copy)
        await self.store.delete(session_id)
        self.announce_change()

    def suspend(self, session: Session, *, with_server: bool = False) -> asyncio.Task[None]:
        """Start closing a session that is no longer among the open ones.

        See `Session.close` for ``with_server``.
        """

        async def close() -> None:
            await session.close(with_server=with_server)
            await self.store.suspend(session)

        session_id = session.session_id
        task = self._closing[session_id] = asyncio.create_task(close())
        task.add_done_callback(lambda _: self._closing.pop(session_id, None))
        return task

    async def close_all(self) -> None:
        """Close all sessions with the server, and wait for those that are already closing."""
        sessions = tuple(self._open.values())
        self._open.clear()
        for session in sessions:
            self.suspend(session, with_server=True)
        results = await asyncio.gather(*self._closing.values(), return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, AcpError):
                _logger.error("a session did not close", exc_info=result)


def _folder(meta: SessionMeta) -> Path:
    """Return the folder that a session changes; where it works in a copy, the one copied."""
    return Path(meta.facts.copied or meta.facts.cwd)


def last_notebook(state: SessionState) -> str:
    """Return the path of a session's notebook, or its last path; empty if it never had one."""
    return next(filter(None, (state.notebook_path, *reversed(state.former_paths))), "")
