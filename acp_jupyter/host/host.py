"""The host: all sessions of a program, on a loop and a thread of their own.

It makes new sessions, and ends all with the program.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from acp_jupyter.errors import BadRequest
from acp_jupyter.features import registered
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host_thread import HostThread
from acp_jupyter.host.recording import Recordings
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry_entries import OUTSIDE, AgentSpec
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.sessions.sessions import Sessions
from acp_jupyter.host.store.journal import Journal, Reader
from acp_jupyter.host.store.metadata import TRAFFIC_FILE
from acp_jupyter.host.store.permission_stores import PermissionStores
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.copied_folders import CopiedFolders, FolderCopy
from acp_jupyter.host.workspace.copy_maker import CopyMaker
from acp_jupyter.host.workspace.folders import (
    OwnFolders,
    choose_cwd,
    make_private,
    shown_folder,
)
from acp_jupyter.host.workspace.operations.operation import FolderOperations
from acp_jupyter.host.workspace.running_turns import RunningTurns
from acp_jupyter.protocol.host_events.notes import HostNotice, SessionOpened
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox, Variant
from acp_jupyter.transcript.redactor import Redactor


@dataclass(frozen=True, slots=True)
class MadeCopy:
    """A copy of a folder, made for a session that is about to be."""

    session_id: str
    path: Path
    words: str
    """What is not in it, or could not be saved before."""


class AgentHost(HostThread):
    """Owns all sessions, open and stored.

    The first methods may be called from any thread, the others only on the host's loop.
    """

    def __init__(self, config: HostConfig) -> None:
        super().__init__()
        self.config = config
        make_private(config.data_dir, config.own_folders)
        caches = () if config.caches is None else (config.caches,)
        own = OwnFolders((config.data_dir, *config.own_folders, *caches))
        self.permission_stores = PermissionStores.in_folder(
            config.data_dir, config.trust, config.own_folders
        )
        self._recordings: list[Recordings] = [
            make(config.root, self.permission_stores.seals, config.limits)
            for make in registered("recordings").values()
        ]
        self.checkpoints = CheckpointStore(config.data_dir, config.limits, own)
        self.operations = FolderOperations(self.checkpoints, config.limits.checkpoint_file_bytes)
        self.running_turns = RunningTurns()
        self.sessions = Sessions(
            config, self.permission_stores, self.checkpoints, self.operations, self.running_turns
        )
        """The open ones, by id; it opens stored ones."""
        self._copied_folders = CopiedFolders(
            config.data_dir, self.sessions.store.ownership, self.checkpoints
        )
        self.copies = CopyMaker(self.checkpoints, self._copied_folders, config.documents)
        self.pool = self.sessions.pool
        self.secrets = self.sessions.secrets
        config.registry.served.on_end(self._kernel_ended)
        config.registry.served.on_return(self._served_again)

    def start(self) -> None:
        """Start the thread, and clean up after servers that were killed."""
        super().start()
        self.submit(self._recover())

    # -- from any thread -------------------------------------------------

    def unsubscribe(self, reader: Reader) -> None:
        """Stop sending events to ``reader``; a few may still arrive."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.sessions.unsubscribe, reader)

    # -- on the host's loop ----------------------------------------------

    def open(
        self,
        agent: str,
        cwd: Path,
        *,
        notebook_path: str = "",
        label: str = "",
        kernel_id: str = "",
        policy: Policy | None = None,
        sandbox: Sandbox | None = None,
        network: Network | None = None,
        user: str = "",
        recording: RecordingOptions | None = None,
        copy: tuple[Variant, FolderCopy] | None = None,
        made: MadeCopy | None = None,
    ) -> Session:
        """Create a session; its agent starts when first needed. ``copy`` is that of a variant.

        With ``made`` it works in that copy, as long as it lasts. Without any copy the sandbox
        ``copy`` is ``read-only``: nothing reaches the folder in it either.
        """
        checkpoints = (
            self.recordings().prepare(agent, label, notebook_path, recording) if recording else None
        )
        spec = (checkpoints.player if checkpoints else None) or self.config.registry.get(
            agent, notebook_path or kernel_id
        )
        self.sessions.make_room()
        # A configured policy is not the choice of any user.
        chosen_by = user if policy else ""
        policy = policy or self.config.bounds.policy
        self.config.bounds.require_policy(policy)
        self.config.bounds.require_sandbox(sandbox)
        opening = opening_note(spec, cwd, policy, label, notebook_path, chosen_by)
        within = self.sandbox_of_new(spec, sandbox)
        if within == "copy" and copy is None and made is None:
            within = "read-only"
        network = network or spec.sandbox.network or self.config.network
        opening = opening.model_copy(update={"sandbox": within, "network": network})
        if copy is not None:
            opening = opening.model_copy(update={"cwd": str(copy[1].path), "variant": copy[0]})
        if made is not None:
            own = {"session_id": made.session_id, "cwd": str(made.path), "copied_folder": str(cwd)}
            opening = opening.model_copy(update=own)
        redactor = self.sessions.redactor(spec)
        journal = self._journal(opening, redactor)
        path = self.traffic_path(opening.session_id)
        session = Session(
            self.sessions.services,
            spec,
            journal,
            redactor,
            label=label,
            kernel_id=kernel_id,
            start_recording=partial(self.recordings().begin, checkpoints, journal, redactor, path)
            if checkpoints
            else None,
            copy=None if copy is None else copy[1],
        )
        self.sessions.add(session)
        return session

    def recordings(self) -> Recordings:
        """Return the recordings."""
        if not self._recordings:
            raise BadRequest("Nothing is recorded or played here.")
        return self._recordings[0]

    def sandbox_of_new(self, spec: AgentSpec | None, sandbox: Sandbox | None) -> Sandbox:
        """Return the sandbox of a new session; None leaves it to the settings.

        ``spec`` is None for a session that plays a recording.
        """
        configured = (spec and spec.sandbox.use) or self.config.sandbox
        return sandbox or self.config.bounds.within_sandbox(configured)

    async def make_copy(self, spec: AgentSpec | None, folder: Path) -> MadeCopy:
        """Copy a folder for a session that is about to be made, for as long as that lasts.

        Parameters
        ----------
        spec
            The agent that is to be kept in it; None where a recording is played.
        """
        self.sessions.make_room()  # before all is copied
        sandboxes = self.sessions.sandboxes
        if spec is not None and (why := await asyncio.to_thread(sandboxes.why_none, spec)):
            raise BadRequest(
                f"{spec.name} can't work in the sandbox copy here: it would not be kept in the "
                f"copy. {why}"
            )
        session_id = uuid.uuid4().hex
        try:
            place = await self.sessions.store.make_place(session_id)
            path, words = await self.copies.copy_into(place, folder)
        except BaseException:
            await asyncio.shield(self.sessions.store.delete(session_id))
            raise
        return MadeCopy(session_id, path, words)

    async def remove_copy(self, made: MadeCopy) -> None:
        """Remove a copy whose session was not made after all."""
        await asyncio.to_thread(self.checkpoints.forget_copy, made.path)
        await self.sessions.store.delete(made.session_id)

    def open_outside(self, name: str, notebook_path: str, policy: Policy, user: str) -> Session:
        """Create a session for an agent that was started elsewhere and uses the notebook tools."""
        self.sessions.make_room()
        spec = AgentSpec(OUTSIDE, name, "")
        policy = self.config.bounds.within_policy(policy)
        cwd = choose_cwd(self.config.root, notebook_path)
        # The label keeps it apart from the session for cells that name none.
        opening = opening_note(spec, cwd, policy, name, notebook_path, user)
        redactor = self.sessions.redactor(spec)
        journal = self._journal(opening, redactor)
        session = Session(self.sessions.services, spec, journal, redactor, label=name)
        self.sessions.add(session)
        return session

    def _journal(self, opening: SessionOpened, redactor: Redactor) -> Journal:
        log = self.new_log(opening.session_id, redactor)
        announce = self.sessions.announce_change
        return Journal.begin(opening, log, self.config.limits, announce)

    def new_log(self, session_id: str, redactor: Redactor) -> TrafficLog:
        """Create the log of a new session."""
        self.sessions.store.hold(session_id)
        path, owns = self.traffic_path(session_id), partial(self.sessions.store.owns, session_id)
        return TrafficLog(path, self.config.limits, redactor, owns)

    def traffic_path(self, session_id: str) -> Path:
        """Return the path of a session's traffic log."""
        return self.sessions.store.folder(session_id) / TRAFFIC_FILE

    def _kernel_ended(self, place: str, agent_id: str) -> None:
        for session in self._served_to(place, agent_id):
            name = session.spec.name
            session.journal.note(HostNotice(text=_KERNEL_ENDED.format(name), severity="warning"))

    def _served_again(self, place: str, agent_id: str) -> None:
        for session in self._served_to(place, agent_id):
            if session.state.agent_session_id:
                session.start_in_background()

    def _served_to(self, place: str, agent_id: str) -> list[Session]:
        return [
            session
            for session in self.sessions.values()
            if session.spec.id == agent_id and session.agent.startable
            if (session.state.notebook_path or session.kernel_id) == place
        ]

    async def _recover(self) -> None:
        await self.operations.recover()
        await self.sessions.settle_open_turns()
        await asyncio.to_thread(self._copied_folders.remove_orphans)
        await asyncio.to_thread(self.sessions.store.remove_orphans)
        await asyncio.to_thread(self.sessions.sandboxes.remove_orphans)

    async def _close(self) -> None:
        await self.config.registry.served.close()
        await self.operations.close()
        await self.sessions.close_all()
        if self.config.tools is not None:
            await self.config.tools.close()
        await self.pool.close()
        await asyncio.to_thread(self._copied_folders.close)
        await self.sessions.store.close()


_KERNEL_ENDED = (
    "{0} ran in the notebook's kernel, which has ended. Run the cell that serves it again."
)


def opening_note(
    spec: AgentSpec, cwd: Path, policy: Policy, title: str, notebook_path: str, user: str
) -> SessionOpened:
    """Return the first note of a new session, with a new id."""
    return SessionOpened(
        session_id=uuid.uuid4().hex,
        agent_id=spec.id,
        agent_name=spec.name,
        cwd=str(cwd),
        folder=shown_folder(cwd),
        policy=policy,
        title=title,
        notebook_path=notebook_path,
        user=user,
    )
