"""A session: one conversation with one agent, in one folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.recording.recording_file import RecordWish
from acp_jupyter.host.recording.session_recording import Playback, Recorder, SessionRecording
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.requests.answers import SOMEBODY, Answerer
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.policy import CHANGES_NOTHING
from acp_jupyter.host.requests.rules.rules import SessionRules
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.rpc.handlers import SessionClient
from acp_jupyter.host.rpc.pool import AgentPool
from acp_jupyter.host.session.agent import SessionAgent
from acp_jupyter.host.session.turns import SilentTurnTimer, TurnRunner
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.permission_stores import PermissionStores
from acp_jupyter.host.workspace.agent_files import AgentFiles, Documents
from acp_jupyter.host.workspace.folders import EnvFiles
from acp_jupyter.host.workspace.terminals import SessionTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.host_events.notes import Origin, PolicyChanged, TitleChanged
from acp_jupyter.protocol.host_events.session import Policy, Rule
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redaction.redactor import Redactor

_ALLOWING: frozenset[Policy] = frozenset({"accept-edits", "allow-all"})


class Session:
    """Owns an agent process, the journal and the turns. Lives on the host's loop.

    Parameters
    ----------
    spec
        The agent.
    journal
        All that is known of it; owned from now on.
    pool
        The running agents.
    documents
        Open documents, read before the disk.
    limits
        See `Limits`.
    guards
        Trusted folders and rules; None only where no agent is ever started.
    """

    def __init__(
        self,
        spec: AgentSpec,
        journal: Journal,
        pool: AgentPool,
        documents: Documents,
        limits: Limits,
        guards: PermissionStores | None,
    ) -> None:
        self.spec = spec
        self.redactor = Redactor()
        """Knows the secrets of the agent's surroundings."""
        self.kernel_id = ""
        self.kernel_policies: dict[str, Policy] = {}
        """Of prompts that name none, by the kernel that sends them and has chosen it."""
        self.label = ""
        self.tools_on = True
        """Whether its agent is offered tools of the host, where there are any."""
        self.tools_refused = False
        """Whether its user wants none; then no kernel turns them on."""
        self.tools: McpServerProvider | None = None
        self.recording: SessionRecording | None = None
        """Where it is recorded, or what it is played from."""
        self.journal = journal
        self._limits = limits
        cwd = Path(self.state.cwd)
        self.turn_files = TurnFiles(journal, cwd, limits)
        self.turn_files.save = partial(documents.save, cwd)
        self._client = SessionClient(AgentFiles(cwd, journal, documents, limits))
        self.agent = SessionAgent(spec, journal, cwd, pool, self._client, limits)
        self.agent.before_start = self._prepare
        self.agent.more_servers = self._own_servers
        self._turns = TurnRunner(journal, self.agent, self.turn_files, limits)
        asking = self._client.permissions = self._turns.permissions
        asking.doubtful = self.agent.restricts_another
        self._client.host_permissions = HostPermissions(journal, asking)
        if guards is not None:
            asking.rules = SessionRules(journal, cwd, guards.rules, guards.own_folders)
            asking.trust = TrustRequests(journal, spec, cwd, guards.trust, asking.nobody_to_ask)
        self._client.elicitations = self._turns.elicitations
        self._turns.ended = self.agent.start_idle_timer
        self.terminals = SessionTerminals(
            journal.note, cwd, agent_environment(os.environ, spec.env), limits
        )
        self._client.terminals = self.terminals
        self.agent.exited = self._agent_exited
        self._silent_turn_timer = SilentTurnTimer(journal, limits)

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.journal.session_id

    @property
    def transcript(self) -> Transcript:
        """Everything known of the session."""
        return self.journal.transcript

    @property
    def turns(self) -> TurnRunner:
        """Its prompts, and what the agent asks of its user."""
        return self._turns

    @property
    def state(self) -> SessionState:
        """What is true of the session as a whole."""
        return self.journal.transcript.session

    @property
    def dormant(self) -> bool:
        """Whether nothing runs, waits or looks: then it may be put away."""
        idle = self.state.active_turn_id is None and not self.state.queue
        idle = idle and not self.terminals.busy
        return idle and not self.agent.running and not self.journal.read_by_anyone

    def know_secrets(self, redactor: Redactor) -> None:
        """Take what knows the secrets of the surroundings; it learns those of the folder."""
        self.redactor = redactor
        self.turn_files.read_secrets = EnvFiles(Path(self.state.cwd), redactor).read

    # -- what its users do -----------------------------------------------

    async def start(self) -> None:
        """Start the agent and open its session, unless it runs.

        Where the folder is not trusted yet, the first prompt asks and starts it.

        Raises
        ------
        AgentStartError
            It did not start.
        """
        if self.may_start():
            await self.agent.open()

    def start_in_background(self) -> None:
        """Start the agent, as `start` does; a failure is told in the transcript."""
        if self.may_start():
            self.agent.start_in_background()

    async def check_recording(self) -> None:
        """Find out who made the record that it is played from, if it is.

        Raises
        ------
        AcpError
            The record can't be read.
        """
        if isinstance(self.recording, Playback):
            await asyncio.to_thread(self.recording.read)

    def may_start(self) -> bool:
        """Tell whether the agent may be started without asking about the folder."""
        gate = self._turns.permissions.trust
        return gate is None or gate.is_open()

    def matches(self, options: RecordWish | None) -> bool:
        """Tell whether it can be used for a wish: what is played is never taken for an agent."""
        return options is None if self.recording is None else self.recording.matches(options)

    def prompt(
        self,
        prompt: str | tuple[dict[str, JsonValue], ...],
        *,
        policy: Policy | None = None,
        origin: Origin | None = None,
        can_ask: bool = True,
        rules: tuple[Rule, ...] = (),
        user: str = "",
        kernel_id: str = "",
    ) -> str:
        """Queue a prompt; return its turn's id.

        What a kernel has chosen counts only for what the same kernel sends.
        """
        return self._turns.put(
            prompt,
            policy=policy or self.kernel_policies.get(kernel_id) or self.policy_for(user),
            origin=origin,
            can_ask=can_ask,
            rules=rules,
            user=user,
            kernel_id=kernel_id,
        )

    def policy_for(self, user: str) -> Policy:
        """Return the policy of prompts that name none: what another has allowed is asked."""
        state = self.state
        others = bool(user) and state.policy_user not in {"", user}
        return "ask" if others and state.policy in _ALLOWING else state.policy

    def cancel(self, turn_id: str | None = None) -> None:
        """Stop the running turn, or take a queued prompt back."""
        if turn_id is not None and turn_id not in self.transcript.turns:
            raise BadRequest(f"There is no turn {turn_id!r} in this session.")
        self._turns.stop(turn_id)

    def answer(
        self,
        request_id: str,
        option_id: str | None,
        reason: str = "",
        who: Answerer = SOMEBODY,
    ) -> str:
        """Answer a permission request; return what was chosen, in words."""
        return self._turns.permissions.answer(request_id, option_id, reason, who)

    def attach(self) -> None:
        """Remember that somebody can see the session: its questions wait for them."""
        self._turns.someone_attached = True

    def rename(self, title: str) -> None:
        """Give the session a title."""
        self.journal.note(TitleChanged(title=title.strip()[:200]))

    def set_policy(self, policy: Policy, user: str = "") -> None:
        """Change the policy of turns to come; ``ask`` also ends an ``allow-all`` in force."""
        self.journal.note(PolicyChanged(policy=policy, user=user))

    async def set_mode(self, mode_id: str) -> None:
        """ACP: session/set_mode."""
        link = await self.agent.open()
        await link.set_mode(mode_id)

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """ACP: session/set_config_option."""
        link = await self.agent.open()
        await link.set_config(config_id, value)

    async def close(self, *, delete: bool = False, with_server: bool = False) -> None:
        """End the turns, the agent's side and the log.

        Parameters
        ----------
        delete
            Whether the agent shall delete its record too.
        with_server
            Whether nobody has asked for it: the server ends. The log is left as a crash would
            leave it, so that a turn that runs and messages that wait are told the same way.
        """
        await self._turns.close(with_server=with_server)
        await self.terminals.close()
        if self.tools is not None:
            await self.tools.end(self.session_id)
        self._silent_turn_timer.close()
        await self.agent.close(delete=delete)
        try:
            await asyncio.to_thread(self.journal.close)
        except RuntimeError:
            # The interpreter is ending: there are no more threads, and nobody is held up.
            self.journal.close()
        if isinstance(self.recording, Recorder):
            await self.recording.close()

    async def _own_servers(self) -> Sequence[Mapping[str, Any]]:
        return () if self.tools is None else await self.tools.servers(self)

    def _agent_exited(self) -> None:
        """Settle what only the ended process could have gone on with."""
        self._turns.expire_requests()
        self.terminals.end_soon()

    async def _prepare(self) -> None:
        """Make sure that the agent may be started, and with what."""
        if self.state.policy in CHANGES_NOTHING:
            self.agent.reserve_process()
        if self._turns.permissions.trust is not None:
            await self._turns.permissions.trust.require()
        if isinstance(self.recording, Playback):
            terminals = self.recording.terminals(self.journal.note, self._limits)
            player = await asyncio.to_thread(self.recording.load, terminals)
            self._client.terminals = terminals
            self._turns.permissions.recorded_answers = self.recording.answers
            self._turns.rewrite_prompt = self.recording.rewrite_prompt
            self.agent.start_with(player)
            self.agent.reserve_process()


class McpServerProvider(Protocol):
    """Gives sessions MCP servers that end with them. Used on the host's loop."""

    async def servers(self, session: Session) -> Sequence[Mapping[str, Any]]:
        """Return ACP's ``mcpServers`` for a session alone; none where there is nothing to offer."""

    async def end(self, session_id: str) -> None:
        """End what a session was given."""

    async def close(self) -> None:
        """End everything."""
