"""A session: one conversation with one agent, in one folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from acp_jupyter.errors import AgentDied, AgentRequestError, BadRequest
from acp_jupyter.host.bounds import Bounds, require_no_more
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.recording import Playback, Recorder, SessionRecording
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry_entries import OUTSIDE, AgentSpec, runs_in_kernel
from acp_jupyter.host.requests.elicitation import Elicitations
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.rules import SessionRules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.handlers import SessionClient
from acp_jupyter.host.rpc.mcp_messages import McpServer
from acp_jupyter.host.rpc.pool import AgentPool
from acp_jupyter.host.sandbox.host_questions import HostQuestions
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.host.served_agents import ServedAgents
from acp_jupyter.host.sessions.agent import SessionAgent, no_agent
from acp_jupyter.host.sessions.bound import (
    Bound,
    doubts,
    limit_of,
    require_room,
    require_tighter,
    require_unused,
    turn_limit_of,
)
from acp_jupyter.host.sessions.cancelling import WorkCanceller
from acp_jupyter.host.sessions.day_use import DayUse
from acp_jupyter.host.sessions.modes import SessionModes
from acp_jupyter.host.sessions.outside_runs import OutsideRuns
from acp_jupyter.host.sessions.prompts import Prompt, Work
from acp_jupyter.host.sessions.sandboxing import SessionSandbox
from acp_jupyter.host.sessions.turns import CurrentTurn, SilentTurnTimer, TurnRunner
from acp_jupyter.host.sessions.walls_met import WallsMet
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import PermissionStores
from acp_jupyter.host.workspace.agent_files import AgentFiles, Documents
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.host.workspace.folders import EnvFiles, OwnFolders
from acp_jupyter.host.workspace.running_turns import RunningTurns
from acp_jupyter.host.workspace.terminals import SessionTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.host_events.notes import (
    HostNotice,
    LimitChanged,
    NetworkChanged,
    PolicyChanged,
    SandboxChanged,
    StopCause,
    TitleChanged,
)
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.protocol.session_packets import abilities
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redactor import Redactor

_ALLOWING: frozenset[Policy] = frozenset({"accept-edits", "allow-all"})


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
    bounds_of_all: Callable[[], tuple[Bound, ...]]
    """What holds for all sessions of the host together."""


class Session:
    """Owns an agent process, the journal and the turns. Made on the host's loop, and lives there.

    Parameters
    ----------
    spec
        The agent. None if none can be started: the session was imported, replayed by an earlier
        server, or is read-only, so that it can only be viewed. A spec without a command is an
        outside agent, which is never started here.
    """

    def __init__(  # noqa: PLR0915 - one part after the other
        self,
        services: HostServices,
        spec: AgentSpec | None,
        journal: Journal,
        redactor: Redactor,
        *,
        label: str = "",
        kernel_id: str = "",
        start_recording: Callable[[TurnFiles], SessionRecording] | None = None,
        copy: FolderCopy | None = None,
    ) -> None:
        state = journal.transcript.session
        cwd, limits, stores = Path(state.cwd), services.limits, services.permission_stores
        self.spec = agent_spec = spec or AgentSpec(IMPORTED, state.agent_name, "")
        self.journal = journal
        self.redactor = redactor
        self.label = label
        self.kernel_id = kernel_id
        self.kernel_policies: dict[str, Policy] = {}
        self.kernel_sandboxes: dict[str, Sandbox] = {}
        """Each kernel's choice for its own prompts that name none."""
        self.tools_on = True
        """Whether the agent is offered the host's tools, if there are any."""
        self.tools_refused = False
        """Whether the user wants no tools; then a kernel can't turn them on."""
        self.copy = copy
        self.day_use = DayUse(state.use)
        self._tools, self._bounds = services.tools, services.bounds
        self._bounds_of_all = services.bounds_of_all
        self._folder = state.own_folder
        ended = state.variant is not None and copy is None
        startable = bool(agent_spec.command) and not ended
        # A folder's trust, rules and .env files apply to its copies, which lack what git ignores.
        decided = _copied(state) or cwd
        self.turn_files = TurnFiles(
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
        self.recording = None if start_recording is None else start_recording(self.turn_files)
        playback = self.recording if isinstance(self.recording, Playback) else None
        played = playback is not None
        self.turn_files.alone = self.turn_files.alone or played
        self._current = current = CurrentTurn(journal, played=played)
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
            lambda: self.agent.restricts_another(),
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
            played=played,
        )
        env = agent_environment(os.environ, agent_spec.env)
        self.terminals = SessionTerminals(journal.note, cwd, env, limits, sandbox.confine)
        client = SessionClient(
            AgentFiles(cwd, journal, services.documents, services.running_turns, limits),
            permissions,
            HostPermissions(journal, permissions),
            elicitations,
            self.terminals,
        )

        async def own_servers(connection: AgentConnection) -> Sequence[Mapping[str, Any]]:
            if services.tools is None:
                return ()
            if "acp" in abilities(dict(connection.initialize_result)):
                server = services.tools.over_acp(self)
                if server is not None:
                    return (client.mcp.declare(server, connection, journal),)
            return await services.tools.servers(self)

        def served() -> AgentSpec:
            place = journal.transcript.session.notebook_path or kernel_id
            return services.served.running(agent_spec.id, place)

        self.modes = SessionModes(journal, services.bounds, played=played)
        self.agent = SessionAgent(
            agent_spec,
            journal,
            cwd,
            services.pool,
            client,
            self.modes,
            sandbox,
            limits,
            startable=startable,
            mcp_servers=services.mcp_servers,
            own_servers=own_servers,
            trust=trust,
            playback=playback,
            served=served if runs_in_kernel(agent_spec.id) else None,
        )
        self.canceller = WorkCanceller(journal, self.agent)
        """Ends single tool calls and terminals of the agent's."""
        self.turns = TurnRunner(
            journal,
            self.agent,
            self.turn_files,
            limits,
            current,
            permissions,
            elicitations,
            self.modes,
            WallsMet(journal, sandbox, services.bounds),
            OutsideRuns(
                journal,
                permissions,
                self.terminals,
                sandbox,
                services.bounds,
                startable=startable and not played,
            ),
            None if playback is None else playback.rewrite_prompt,
            None if copy is None else partial(self._leave_copy, copy),
            services.bounds_of_all,
        )
        """Its prompts, and the requests of its agent."""
        self._silent_turn_timer = SilentTurnTimer(journal, limits)
        if spec is not None:
            self._keep_to_bounds()

    def _keep_to_bounds(self) -> None:
        """Change a saved policy that the administrator no longer allows."""
        allowed = self._bounds.within_policy(self.state.policy)
        if allowed != self.state.policy and not self.state.read_only:
            self.journal.note(PolicyChanged(policy=allowed))

    async def _leave_copy(self, copy: FolderCopy) -> None:
        """End a variant with its turn; remove its copy if all changes in it are stored."""
        await self.agent.retire()
        await copy.end_kernel()
        if self.turn_files.is_stored():
            await copy.remove()
            return
        named = f": {self.turn_files.unstored}" if self.turn_files.unstored else ""
        words = (
            f"Not all that this variant has changed could be stored{named}. It is in {copy.path}"
        )
        until = "until this session or the server ends."
        self.journal.note(HostNotice(severity="warning", text=f"{words} {until}"))

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.journal.session_id

    @property
    def transcript(self) -> Transcript:
        """Everything known of the session."""
        return self.journal.transcript

    @property
    def state(self) -> SessionState:
        """The state of the session as a whole."""
        return self.journal.transcript.session

    @property
    def dormant(self) -> bool:
        """Whether nothing runs or waits and nobody looks, so that the session may be suspended."""
        idle = self.state.active_turn_id is None and not self.state.queue
        idle = idle and not self.turns.outside_runs.busy
        idle = idle and not self.terminals.busy and not self.turns.queue.going_back
        idle = idle and (self.copy is None or self.copy.is_removed)
        return idle and not self.agent.running and not self.journal.read_by_anyone

    @property
    def folder_has_moved(self) -> bool:
        """Whether the folder was renamed since the session was opened, and nothing runs in it."""
        idle = self.state.active_turn_id is None and not self.state.queue
        idle = idle and not self.turns.queue.going_back
        return idle and self.state.own_folder != self._folder and not self.state.read_only

    def keep_choices_of(self, former: Session) -> None:
        """Copy the choices of kernels and users from the session that this one replaces.

        They are not in the log.
        """
        self.kernel_id = former.kernel_id
        self.kernel_policies.update(former.kernel_policies)
        self.kernel_sandboxes.update(former.kernel_sandboxes)
        self.tools_on, self.tools_refused = former.tools_on, former.tools_refused

    # -- what its users do -----------------------------------------------

    async def start(self) -> None:
        """Start the agent and open its session, unless it runs.

        If the folder is not trusted yet, nothing happens: the first prompt asks and starts it.
        """
        if self.may_start():
            await self.agent.open()

    def start_in_background(self) -> None:
        """Start the agent without waiting; a failure is reported in the transcript."""
        if self.may_start():
            self.agent.start_in_background()

    async def check_recording(self) -> None:
        """Read the recording that the session replays, if any, to learn who made it."""
        if isinstance(self.recording, Playback):
            await asyncio.to_thread(self.recording.read)

    def may_start(self) -> bool:
        """Return whether the agent may be started without asking about the folder."""
        trust = self.turns.permissions.trust
        return trust is None or trust.is_open()

    def matches(self, options: RecordingOptions | None) -> bool:
        """Return whether the session fits the recording options; a replay never serves as agent."""
        return options is None if self.recording is None else self.recording.matches(options)

    def prompt(self, prompt: Prompt) -> str:
        """Queue a prompt; return its turn's id.

        The policy and sandbox that a kernel has chosen apply only to its own prompts.
        """
        if not self.agent.startable or (self.state.variant and self.transcript.turn_order):
            raise no_agent(self.state)
        policy = prompt.policy or self.kernel_policies.get(prompt.kernel_id)
        self._bounds.require_policy(policy)
        sandbox = prompt.sandbox or self.kernel_sandboxes.get(prompt.kernel_id)
        self._require_sandbox(sandbox)
        policy, sandbox = policy or self.policy_for(prompt.user), sandbox or self._sandbox()
        require_room(self.state, self._bounds_of_all())
        limit = prompt.limit.within(turn_limit_of(self.state)).within(self._bounds.turn_limit)
        return self.turns.queue.append(replace(prompt, policy=policy, sandbox=sandbox, limit=limit))

    def _sandbox(self) -> Sandbox:
        """Return that of prompts which name none; what is allowed may be another by now."""
        sandbox = self._bounds.within_sandbox(self.state.sandbox)
        return sandbox if self.state.suits(sandbox) else "read-only"

    def choose_for_kernel(
        self, kernel_id: str, policy: Policy | None, sandbox: Sandbox | None
    ) -> None:
        """Set the policy and sandbox for a kernel's own prompts; None keeps the earlier choice."""
        if policy is not None:
            self.kernel_policies[kernel_id] = policy
        if sandbox is not None:
            self.kernel_sandboxes[kernel_id] = sandbox

    def begin_work(self, work: Work, user: str = "") -> str:
        """Queue a turn in which an outside agent uses the host's tools; return its id."""
        return self.turns.queue.append_work(work, self.policy_for(user), user)

    def policy_for(self, user: str) -> Policy:
        """Return the policy for prompts that name none; ``ask`` if another user allowed more."""
        state = self.state
        others = bool(user) and state.policy_user not in {"", user}
        policy = "ask" if others and state.policy in _ALLOWING else state.policy
        return self._bounds.within_policy(policy)

    def cancel(self, turn_id: str | None = None, cause: StopCause = "user") -> None:
        """Stop the running turn, or remove a queued prompt."""
        if turn_id is not None and turn_id not in self.transcript.turns:
            raise BadRequest(f"There is no turn {turn_id!r} in this session.")
        self.turns.stop(turn_id, cause)

    def attach(self) -> None:
        """Note that somebody can see the session, so that its requests wait for an answer."""
        self._current.someone_attached = True

    def rename(self, title: str) -> None:
        """Give the session a title."""
        self.journal.note(TitleChanged(title=title.strip()[:200]))

    async def publish_title(self) -> None:
        """Send the title to the agent, if it runs and supports titles. ACP: session/set_title.

        The title that the agent stores is used here, too; one that it refuses is only kept here.
        """
        connection, title = self.agent.connection, self.state.title
        if connection is None or not title or not connection.can("title"):
            return
        try:
            stored = (await connection.set_title(title)).strip()
        except (AgentRequestError, AgentDied):
            return  # the error is in the traffic
        if stored and self.state.title == title:
            self.rename(stored)

    def set_policy(self, policy: Policy, user: str = "") -> None:
        """Change the policy of later turns; ``ask`` also ends an ``allow-all`` in force."""
        self._bounds.require_policy(policy)
        self.journal.note(PolicyChanged(policy=policy, user=user))

    def set_sandbox(self, sandbox: Sandbox) -> None:
        """Change the sandbox of later turns."""
        self._require_sandbox(sandbox)
        if self.state.agent == OUTSIDE:
            name = self.state.agent_info.name
            raise BadRequest(f"{name} was not started here, so no sandbox here holds it.")
        self.journal.note(SandboxChanged(sandbox=sandbox))

    def _require_sandbox(self, sandbox: Sandbox | None) -> None:
        """Refuse a sandbox that is not allowed, or would take the session into a copy or out."""
        self._bounds.require_sandbox(sandbox)
        if self.state.suits(sandbox):
            return
        if self.state.copied_folder:
            raise BadRequest(
                "This session works in a copy of its folder, and stays in the sandbox copy. Start "
                f"a new session for the sandbox {sandbox}."
            )
        raise BadRequest(
            "The sandbox copy is chosen when a session begins, and this one works in the folder "
            "itself. Start a new session in the sandbox copy."
        )

    def set_network(self, network: Network, *, by_user: bool) -> None:
        """Change the network of later turns."""
        if network == self.state.network:
            return
        if not by_user:
            require_no_more(network, self.state.network)
        self.journal.note(NetworkChanged(network=network))

    def set_limits(self, limit: str | None, turn_limit: str | None, *, by_user: bool) -> None:
        """Limit what all turns together may use, or each later one; None for what stays."""
        if limit is not None:
            require_unused(limit, self.state.use)
        for words, now in ((limit, self.state.limit), (turn_limit, self.state.turn_limit)):
            if words is not None and not by_user and self.state.limits_by_user:
                require_tighter(words, now)
            elif words is not None:
                limit_of(words)
        self.journal.note(LimitChanged(limit=limit, turn_limit=turn_limit, by_user=by_user))
        for words in dict.fromkeys(
            doubts(each, self.state) for each in (limit, turn_limit) if each
        ):
            if words:
                self.journal.note(HostNotice(text=words))

    async def set_mode(self, mode_id: str) -> None:
        """ACP: session/set_mode."""
        with self.modes.choosing(mode_id):
            connection = await self.agent.open()
            await connection.set_mode(mode_id)

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """ACP: session/set_config_option."""
        with self.modes.choosing(self.modes.mode_of(config_id, value)):
            connection = await self.agent.open()
            await connection.set_config(config_id, value)

    async def close(self, *, delete: bool = False, with_server: bool = False) -> None:
        """End the turns, the agent's side and the log.

        Parameters
        ----------
        with_server
            Whether the server is ending. Then the log is left as after a crash, so that the next
            server treats the running turn and queued prompts in the same way.
        """
        await self.turns.close(with_server=with_server)
        await self.turns.outside_runs.close()
        await self.terminals.close()
        await self.turns.walls_met.close()
        if self._tools is not None:
            await self._tools.end(self.session_id)
        self._silent_turn_timer.close()
        await self.agent.close(delete=delete)
        await self.turn_files.close(look=not delete)
        if self.copy is not None:
            await self.copy.remove()
        try:
            await asyncio.to_thread(self.journal.close)
        except RuntimeError:
            # The interpreter is ending: no thread can start, and blocking harms nobody.
            self.journal.close()
        if isinstance(self.recording, Recorder):
            await self.recording.close()


class McpServerProvider(Protocol):
    """Provides sessions with MCP servers that end with them. Used on the host's loop."""

    async def servers(self, session: Session) -> Sequence[Mapping[str, Any]]:
        """Return ACP's ``mcpServers`` for this session alone; maybe none."""

    async def socket_folders(self) -> Sequence[str]:
        """Return the folders with the sockets that such servers connect to."""

    def over_acp(self, session: Session) -> McpServer | None:
        """Return the session's server for an agent that uses MCP over ACP; None: use `servers`."""

    async def end(self, session_id: str) -> None:
        """End a session's servers."""

    async def close(self) -> None:
        """End the servers of all sessions."""


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
