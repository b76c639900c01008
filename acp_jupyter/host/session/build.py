"""Puts a session together: each part gets what it needs when it is made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.recording import Playback, SessionRecording
from acp_jupyter.host.registry_entries import AgentSpec, runs_in_kernel
from acp_jupyter.host.requests.elicitation import Elicitations
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.rules import SessionRules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.rpc.connection import AgentConnection
from acp_jupyter.host.rpc.handlers import SessionClient
from acp_jupyter.host.rpc.pool import AgentPool
from acp_jupyter.host.sandbox.host_questions import HostQuestions
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.host.served_agents import ServedAgents
from acp_jupyter.host.session.agent import SessionAgent
from acp_jupyter.host.session.current_turn import CurrentTurn
from acp_jupyter.host.session.modes import SessionModes
from acp_jupyter.host.session.outside_runs import OutsideRuns
from acp_jupyter.host.session.sandboxing import SessionSandbox
from acp_jupyter.host.session.session import McpServerProvider, Session
from acp_jupyter.host.session.turns import TurnRunner
from acp_jupyter.host.session.walls_met import WallsMet
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import PermissionStores
from acp_jupyter.host.workspace.agent_files import AgentFiles, Documents
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.host.workspace.folders import EnvFiles, OwnFolders
from acp_jupyter.host.workspace.running_turns import RunningTurns
from acp_jupyter.host.workspace.terminals import SessionTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.host_events.notes import HostNotice, PolicyChanged
from acp_jupyter.protocol.session_packets import abilities
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.redactor import Redactor

IMPORTED = "imported"
"""In place of an agent's id."""


@dataclass(frozen=True, slots=True)
class HostServices:
    """What all sessions of a host share."""

    pool: AgentPool
    """The running agents."""
    documents: Documents
    """Open documents, read before the disk."""
    permission_stores: PermissionStores
    checkpoints: CheckpointStore
    running_turns: RunningTurns
    root: Path
    """The host's root folder, which paths of notebooks are relative to."""
    mcp_servers: Sequence[Mapping[str, Any]]
    sandboxes: Sandboxes
    tools: McpServerProvider | None
    """Gives sessions MCP servers of their own."""
    limits: Limits
    bounds: Bounds
    """The administrator's bounds."""
    served: ServedAgents
    """The agents that run in kernels."""


def build_session(
    services: HostServices,
    spec: AgentSpec | None,
    journal: Journal,
    redactor: Redactor,
    *,
    label: str = "",
    kernel_id: str = "",
    start_recording: Callable[[TurnFiles], SessionRecording] | None = None,
    copy: FolderCopy | None = None,
) -> Session:
    """Return a new session; call it on the host's loop.

    Parameters
    ----------
    spec
        The agent. None if none can be started: the session was imported, replayed by an earlier
        server, or is read-only, so that it can only be viewed. A spec without a command is an
        outside agent, which is never started here.
    """
    state = journal.transcript.session
    cwd, limits = Path(state.cwd), services.limits
    stores = services.permission_stores
    agent_spec = spec or AgentSpec(IMPORTED, state.agent_name, "")
    ended = state.variant is not None and copy is None
    startable = bool(agent_spec.command) and not ended

    def doubtful() -> bool:
        return agent.restricts_another()

    async def own_servers(connection: AgentConnection) -> Sequence[Mapping[str, Any]]:
        if services.tools is None:
            return ()
        if "acp" in abilities(dict(connection.initialize_result)):
            server = services.tools.over_acp(session)
            if server is not None:
                return (client.mcp.declare(server, connection, journal),)
        return await services.tools.servers(session)

    def served() -> AgentSpec:
        place = journal.transcript.session.notebook_path or kernel_id
        return services.served.running(agent_spec.id, place)

    # A folder's trust, rules and .env files apply to its copies, which lack what git ignores.
    decided = _copied(state) or cwd
    turn_files = TurnFiles(
        journal,
        cwd,
        limits,
        partial(services.documents.save, cwd),
        _secrets_reader((cwd, decided), redactor),
        services.checkpoints,
        services.root,
        services.running_turns,
        _copied(state),
    )
    recording = None if start_recording is None else start_recording(turn_files)
    playback = recording if isinstance(recording, Playback) else None
    turn_files.alone = turn_files.alone or playback is not None
    current = CurrentTurn(journal, played=playback is not None)
    rules = trust = None
    if spec is not None:
        rules = SessionRules(journal, decided, stores.rules, _located(state, stores))
    if spec is not None and startable:
        nobody = current.nobody_to_answer
        trust = TrustRequests(journal, spec, decided, stores.trust, nobody, playback)
    permissions = PermissionRequests(
        journal,
        current.nobody_to_answer,
        current.refuse,
        doubtful,
        rules,
        trust,
        None if playback is None else playback.answers,
    )
    elicitations = Elicitations(journal, current.nobody_to_ask, current.leave_unanswered)
    sandbox = SessionSandbox(
        journal,
        services.sandboxes,
        services.bounds,
        None if services.tools is None else services.tools.socket_folders,
        HostQuestions(journal, permissions).ask,
        played=playback is not None,
    )
    env = agent_environment(os.environ, agent_spec.env)
    terminals = SessionTerminals(journal.note, cwd, env, limits, sandbox.confine)
    client = SessionClient(
        AgentFiles(cwd, journal, services.documents, services.running_turns, limits),
        permissions,
        HostPermissions(journal, permissions),
        elicitations,
        terminals,
    )
    modes = SessionModes(journal, services.bounds, played=playback is not None)
    agent = SessionAgent(
        agent_spec,
        journal,
        cwd,
        services.pool,
        client,
        modes,
        sandbox,
        limits,
        startable=startable,
        mcp_servers=services.mcp_servers,
        own_servers=own_servers,
        trust=trust,
        playback=playback,
        served=served if runs_in_kernel(agent_spec.id) else None,
    )

    turns = TurnRunner(
        journal,
        agent,
        turn_files,
        limits,
        current,
        permissions,
        elicitations,
        modes,
        WallsMet(journal, sandbox, services.bounds),
        OutsideRuns(
            journal,
            permissions,
            terminals,
            sandbox,
            services.bounds,
            startable=startable and playback is None,
        ),
        None if playback is None else playback.rewrite_prompt,
        None if copy is None else partial(_leave_copy, copy, agent, turn_files, journal),
    )
    session = Session(
        agent_spec,
        journal,
        redactor,
        label,
        kernel_id,
        agent,
        modes,
        turns,
        current,
        turn_files,
        terminals,
        services.tools,
        recording,
        limits,
        services.bounds,
        copy,
    )
    if spec is not None:
        _keep_to_bounds(services.bounds, journal)
    return session


def _keep_to_bounds(bounds: Bounds, journal: Journal) -> None:
    """Change a saved policy that the administrator no longer allows."""
    state = journal.transcript.session
    allowed = bounds.within_policy(state.policy)
    if allowed != state.policy and not state.read_only:
        journal.note(PolicyChanged(policy=allowed))


def _copied(state: SessionState) -> Path | None:
    """Return the folder that a session's folder was copied from."""
    return Path(state.copied) if state.copied else None


def _secrets_reader(folders: Iterable[Path], redactor: Redactor) -> Callable[[], str]:
    env_files = [EnvFiles(folder, redactor) for folder in dict.fromkeys(folders)]

    def read() -> str:
        return " ".join(filter(None, [each.read() for each in env_files]))

    return read


def _located(state: SessionState, stores: PermissionStores) -> SessionFolder:
    """Return the folder that resolves paths; the data folder around a copy doesn't protect it.

    Jupyter's folders inside the copied folder are protected in the copy, too.
    """
    cwd, own, copied = Path(state.cwd), stores.own_folders, _copied(state)
    if copied is not None:
        places = OwnFolders(own).below(copied)
        own = tuple(each for each in own if not cwd.is_relative_to(each.resolve()))
        own += tuple(cwd / place for place in sorted(places))
    return SessionFolder(cwd, own, Path.home())


async def _leave_copy(
    copy: FolderCopy, agent: SessionAgent, turn_files: TurnFiles, journal: Journal
) -> None:
    """End a variant with its turn; remove its copy if all changes in it are stored."""
    await agent.retire()
    await copy.end_kernel()
    if turn_files.is_stored():
        await copy.remove()
        return
    named = f": {turn_files.unstored}" if turn_files.unstored else ""
    words = f"Not all that this variant has changed could be stored{named}. It is in {copy.path}"
    until = "until this session or the server ends."
    journal.note(HostNotice(severity="warning", text=f"{words} {until}"))
