"""Commands about sessions: create, find, configure, close, archive, delete, fork and resume.

Also for sessions that an agent stores itself: list them, and open them here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from acp_jupyter.api.access import (
    Caller,
    KernelCaller,
    UserCaller,
    folder_of,
    notebook_of,
    sender,
    visible_session,
)
from acp_jupyter.api.commands.permissions import TrustCommands
from acp_jupyter.api.commands.renamed_notebooks import RenamedNotebooks
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import (
    AgentSession,
    AgentSessions,
    ArchiveReply,
    ArchiveSession,
    CloseSession,
    CreateSession,
    DeleteSession,
    ForkSession,
    ListAgentSessions,
    OpenAgentSession,
    ResumeSession,
    UnarchiveSession,
)
from acp_jupyter.errors import BadRequest, LoginNeeded
from acp_jupyter.host.host import AgentHost, MadeCopy
from acp_jupyter.host.recording import Recorder
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.sessions.branching import goes_on_from_branch
from acp_jupyter.host.sessions.opening import AgentSessionOpener, SessionConnection
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.folders import resolve_cwd
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import Sandbox
from acp_jupyter.protocol.objects import first, items, obj, text
from acp_jupyter.protocol.session_packets import abilities
from acp_jupyter.transcript.model.session_state import SessionState


def reuse_session(session: Session, recording: RecordingOptions | None) -> None:
    """Let a notebook use a session again; without recording options it is no longer recorded."""
    if recording is None and isinstance(session.recording, Recorder):
        session.recording.end()


class SessionOpener:
    """Carries out ``create_session``."""

    def __init__(self, host: AgentHost, trust: TrustCommands, renamed: RenamedNotebooks) -> None:
        self._host = host
        self._trust = trust
        self._renamed = renamed

    @handles(CreateSession)
    async def create(self, command: CreateSession, caller: Caller) -> SessionState:
        """Return the state of the session, found or created."""
        self._host.config.bounds.require_policy(command.policy)
        self._host.config.bounds.require_sandbox(command.sandbox)
        notebook, kernel_id = notebook_of(caller, command.notebook_path)
        agent = await self._agent_id(command.agent, notebook or kernel_id)
        command = command.model_copy(update={"agent": agent})
        found = None if command.new else await self._find(command, notebook, kernel_id)
        root = self._host.config.root
        own = None if found is None else Path(found.state.own_folder)
        cwd = own or folder_of(caller, root, command.cwd, notebook)
        await self._trust.admit(command, caller, notebook, cwd, found)
        session = found or await self._open(command, cwd, notebook, kernel_id, caller)
        await session.check_recording()
        self._trust.grant(command, session, caller)
        if isinstance(caller, KernelCaller):
            reuse_session(session, command.record)
            session.tools_on = command.tools and not session.tools_refused
            session.choose_for_kernel(kernel_id, command.policy, command.sandbox)
        elif found is None:
            session.tools_on = command.tools
            session.tools_refused = not command.tools
        if command.network is not None:
            session.set_network(command.network, by_user=isinstance(caller, UserCaller))
        if command.start == "background":
            session.start_in_background()
        elif command.start == "wait" and session.may_start():
            with session.modes.expecting(command.mode):
                try:
                    await session.start()
                except LoginNeeded:
                    return session.state  # the agent says so, and how to log in
                except BaseException:
                    if found is None:
                        await self._host.sessions.delete(session.session_id)
                    raise
                await set_agent_options(
                    session, caller, mode=command.mode, config=self._model(session, command)
                )
        return session.state

    async def _agent_id(self, name: str, place: str) -> str:
        return await asyncio.to_thread(self._host.config.registry.id_of, name, place)

    async def _find(self, command: CreateSession, notebook: str, kernel_id: str) -> Session | None:
        if not notebook and not kernel_id:
            return None
        await self._renamed.follow(notebook)
        found = self._host.sessions.find(
            command.agent, notebook, command.label, command.record, _in_copy(command)
        )
        if found is not None and not notebook and found.kernel_id != kernel_id:
            return None
        if found is None and command.record is None:
            return await self._host.sessions.find_stored(
                command.agent, notebook, command.label, _in_copy(command)
            )
        if found is None:
            return None
        await self._host.sessions.wake(found.session_id)  # its folder may have been renamed
        return self._host.sessions.require(found.session_id)

    async def _open(
        self,
        command: CreateSession,
        cwd: Path,
        notebook: str,
        kernel_id: str,
        caller: Caller,
    ) -> Session:
        if isinstance(caller, KernelCaller):  # its own choice applies to its prompts
            policy, network = None, None
            sandbox: Sandbox | None = "copy" if _in_copy(command) else None
        else:
            policy, sandbox, network = command.policy, command.sandbox, command.network
        made = await self._copy(command, cwd, notebook or kernel_id)
        try:
            session = self._host.open(
                command.agent,
                cwd,
                notebook_path=notebook,
                label=command.label,
                kernel_id=kernel_id,
                policy=policy,
                sandbox=sandbox,
                network=network,
                user=sender(caller),
                recording=command.record,
                made=made,
            )
        except BaseException:
            if made is not None:
                await asyncio.shield(self._host.remove_copy(made))
            raise
        await self._host.sessions.save_new(session)
        if made is not None and made.words:
            session.journal.note(HostNotice(text=made.words))
        return session

    async def _copy(self, command: CreateSession, cwd: Path, place: str) -> MadeCopy | None:
        """Copy the folder for a session that works in a copy; None for any other."""
        plays = command.record is not None and command.record.mode == "replay"
        # A recording is played without its agent, which may not even be known here.
        spec = None if plays else self._host.config.registry.get(command.agent, place)
        in_copy = _in_copy(command)
        if in_copy is None:
            in_copy = self._host.sandbox_of_new(spec, None) == "copy"
        return await self._host.make_copy(spec, cwd) if in_copy else None

    def _model(self, session: Session, command: CreateSession) -> dict[str, str | bool]:
        if command.model is None:
            return {}
        option = next((o for o in session.state.config_options if o.category == "model"), None)
        return {"model" if option is None else option.id: command.model}


def _in_copy(command: CreateSession) -> bool | None:
    """Return whether a session should work in a copy; None if nothing was specified."""
    if command.in_copy is None and command.sandbox is not None:
        return command.sandbox == "copy"
    return command.in_copy


class SessionLifecycle:
    """Carries out commands about a session as a whole."""

    def __init__(self, host: AgentHost, trust: TrustCommands) -> None:
        self._host = host
        self._trust = trust

    @handles(CloseSession)
    async def close(self, command: CloseSession, caller: Caller) -> dict[str, str]:
        """Close a session; it stays saved."""
        visible_session(self._host, command.session_id, caller)
        await self._host.sessions.close(command.session_id)
        return {}

    @handles(DeleteSession)
    async def delete(self, command: DeleteSession, caller: UserCaller) -> dict[str, str]:
        """Close a session and delete its files."""
        await self._host.sessions.delete(command.session_id)
        return {}

    @handles(ArchiveSession)
    async def archive(self, command: ArchiveSession, caller: UserCaller) -> ArchiveReply:
        """Close and archive a session."""
        message = await self._host.sessions.archive(command.session_id, archived=True)
        return ArchiveReply(message=message)

    @handles(UnarchiveSession)
    async def unarchive(self, command: UnarchiveSession, caller: UserCaller) -> ArchiveReply:
        """Unarchive a session."""
        message = await self._host.sessions.archive(command.session_id, archived=False)
        return ArchiveReply(message=message)

    @handles(ResumeSession)
    async def resume(self, command: ResumeSession, caller: Caller) -> SessionState:
        """Start a session's agent, unless it runs."""
        session = visible_session(self._host, command.session_id, caller)
        await session.start()
        return session.state

    @handles(ForkSession)
    async def fork(self, command: ForkSession, caller: Caller) -> SessionState:
        """Create a session that continues a copy of another."""
        parent = visible_session(self._host, command.session_id, caller)
        if goes_on_from_branch(parent.transcript):
            raise BadRequest("The agent has had no message in this session yet. Send one first.")
        if parent.state.variant is not None:
            raise BadRequest("A variant can't be forked: its folder goes with its turn.")
        if parent.state.copied:
            raise BadRequest(
                "A session that works in a copy of its folder can't be forked: the copy is its own."
            )
        connection = await parent.agent.open()
        if not connection.can("fork"):
            raise BadRequest(f"{parent.state.agent_info.name} can't fork a session.")
        notebook = caller.notebook_path if isinstance(caller, KernelCaller) else ""
        kernel_id = caller.kernel_id if isinstance(caller, KernelCaller) else ""
        child = await self._host.sessions.fork(parent, notebook, kernel_id)

        async def fork(attaching: AgentSessionOpener) -> SessionConnection:
            return await attaching.fork(connection.agent_session_id)

        child.agent.first_open = fork
        try:
            await child.start()
        except BaseException:
            await self._host.sessions.delete(child.session_id)
            raise
        return child.state

    @handles(ListAgentSessions)
    async def list(self, command: ListAgentSessions, caller: UserCaller) -> AgentSessions:
        """Return the sessions that an agent stores."""
        spec = self._host.config.registry.get(command.agent)
        root = self._host.config.root
        cwd = resolve_cwd(root, command.cwd or ".", inside_root=False)
        await self._trust.require(spec, cwd, trust=False)
        async with self._host.pool.borrowed(spec, cwd) as connection:
            can = abilities(dict(connection.initialize_result))
            if "list" not in can:
                raise BadRequest(f"{spec.name} does not list its sessions.")
            params = {"cwd": str(cwd)} if command.cwd is not None else {}
            if command.cursor:
                params["cursor"] = command.cursor
            if command.archived and "archive" in can:
                params["archived"] = "include"
            result = await connection.request("session/list", params)
        known = await self._known()
        listed = map(obj, items(result.get("sessions")))
        return AgentSessions(
            sessions=tuple(
                AgentSession(
                    agent_session_id=name,
                    cwd=text(entry.get("cwd")),
                    title=text(entry.get("title"))[:200],
                    updated_at=text(first(entry, "updatedAt", "updated_at")),
                    archived=entry.get("archived") is True,
                    session_id=known.get(name, ""),
                )
                for entry in listed
                if (name := text(first(entry, "sessionId", "session_id")))
            ),
            next_cursor=text(first(result, "nextCursor", "next_cursor")),
        )

    @handles(OpenAgentSession)
    async def open(self, command: OpenAgentSession, caller: UserCaller) -> SessionState:
        """Open one of an agent's own sessions here."""
        known = (await self._known()).get(command.agent_session_id)
        if known is not None:
            await self._host.sessions.wake(known)
            return self._host.sessions.require(known).state
        root = self._host.config.root
        cwd = resolve_cwd(root, command.cwd or ".", inside_root=False)
        spec = self._host.config.registry.get(command.agent)
        await self._trust.require(spec, cwd, trust=command.trust)
        session = self._host.open(command.agent, cwd, label=command.title[:200])
        await self._host.sessions.save_new(session)
        refused = f"{session.state.agent_info.name} could not open this session again."

        async def open_known(attaching: AgentSessionOpener) -> SessionConnection:
            connection = await attaching.open_existing(command.agent_session_id)
            if connection is None:
                raise BadRequest(refused)
            return connection

        session.agent.first_open = open_known
        try:
            await session.start()
        except BaseException:
            await asyncio.shield(self._host.sessions.delete(session.session_id))
            raise
        return session.state

    async def _known(self) -> dict[str, str]:
        """Return the host's ids of sessions by the agents' ids."""
        open_ = {s.state.agent_session_id: s.session_id for s in self._host.sessions.values()}
        stored = {
            m.facts.agent_session_id: m.session_id for m in await self._host.sessions.stored()
        }
        return {name: ours for name, ours in {**stored, **open_}.items() if name}


_NOTICE_CHARACTERS = 500


async def set_agent_options(
    session: Session, caller: Caller, *, mode: str | None, config: Mapping[str, str | bool]
) -> None:
    """Set mode and options at the agent, where they apply to all later prompts of the session.

    Therefore each change by a kernel adds a notice to the session.
    """
    state = session.state
    if mode is not None:
        await session.set_mode(mode)
        if mode != state.current_mode_id:
            names = {each.id: each.name for each in state.modes}
            _note_choice(session, caller, "Mode", names.get(mode) or mode)
    for config_id, value in config.items():
        await session.set_config(config_id, value)
        option = next((each for each in state.config_options if each.id == config_id), None)
        if option is None:
            _note_choice(session, caller, config_id, str(value))
        elif value != option.current_value:
            names = {choice.value: choice.name for choice in option.choices}
            _note_choice(
                session, caller, option.name or config_id, names.get(str(value)) or str(value)
            )


def _note_choice(session: Session, caller: Caller, what: str, value: str) -> None:
    if isinstance(caller, KernelCaller):
        text = f"A cell of the notebook chose {what}: {value}. It applies to your messages, too."
        session.journal.note(HostNotice(text=text[:_NOTICE_CHARACTERS]))
