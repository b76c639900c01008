"""A session: one conversation with one agent, in one folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from acp_jupyter.errors import AgentDied, AgentRequestError, BadRequest, NotAllowed
from acp_jupyter.host.bounds import NETWORKS, Bounds
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording_file import RecordingOptions
from acp_jupyter.host.registry_entries import OUTSIDE, AgentSpec
from acp_jupyter.host.requests.answers import SOMEBODY, Answerer
from acp_jupyter.host.rpc.mcp_messages import McpServer
from acp_jupyter.host.session.agent import SessionAgent, no_agent
from acp_jupyter.host.session.cancelling import WorkCanceller
from acp_jupyter.host.session.current_turn import CurrentTurn
from acp_jupyter.host.session.modes import SessionModes
from acp_jupyter.host.session.prompts import Work
from acp_jupyter.host.session.turns import SilentTurnTimer, TurnRunner
from acp_jupyter.host.session_recording import Playback, Recorder, SessionRecording
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.host.workspace.own_kernels import NoKernel, OwnKernel
from acp_jupyter.host.workspace.terminals import SessionTerminals
from acp_jupyter.host.workspace.turn_files import TurnFiles
from acp_jupyter.protocol.host_events.notes import (
    NetworkChanged,
    Origin,
    PolicyChanged,
    SandboxChanged,
    StopCause,
    TitleChanged,
)
from acp_jupyter.protocol.host_events.session import (
    Network,
    Policy,
    Restore,
    Rule,
    Sandbox,
    Variant,
)
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redactor import Redactor

_ALLOWING: frozenset[Policy] = frozenset({"accept-edits", "allow-all"})


class Session:
    """Owns an agent process, the journal and the turns. Lives on the host's loop.

    `build_session` makes one.

    Parameters
    ----------
    spec
        The agent.
    journal
        All that is known of it; owned from now on.
    redactor
        Knows the secrets of the agent's environment.
    label
        The name that a notebook gave it.
    kernel_id
        The kernel that made it, if one has.
    agent
        Starts the agent, and opens the session there.
    modes
        Which mode the agent works in.
    turns
        Runs prompts.
    current
        The turn that runs.
    turn_files
        Looks at the session's folder before and after each turn.
    terminals
        Runs commands for the agent.
    tools
        Gives the session MCP servers of its own; they end with it.
    recording
        Where it is recorded, or what it is played from.
    limits
        See `Limits`.
    bounds
        What the administrator allows.
    copy
        The copy of a folder that it works in.
    """

    def __init__(
        self,
        spec: AgentSpec,
        journal: Journal,
        redactor: Redactor,
        label: str,
        kernel_id: str,
        agent: SessionAgent,
        modes: SessionModes,
        turns: TurnRunner,
        current: CurrentTurn,
        turn_files: TurnFiles,
        terminals: SessionTerminals,
        tools: McpServerProvider | None,
        recording: SessionRecording | None,
        limits: Limits,
        bounds: Bounds,
        copy: FolderCopy | None = None,
    ) -> None:
        self.spec = spec
        self.journal = journal
        self.redactor = redactor
        self.label = label
        self.kernel_id = kernel_id
        self.kernel_policies: dict[str, Policy] = {}
        self.kernel_sandboxes: dict[str, Sandbox] = {}
        """Of prompts that name none, by the kernel that sends them and has chosen it."""
        self.tools_on = True
        """Whether its agent is offered tools of the host, where there are any."""
        self.tools_refused = False
        """Whether its user wants none; then no kernel turns them on."""
        self.agent = agent
        self.modes = modes
        self.turn_files = turn_files
        self.terminals = terminals
        self.recording = recording
        self.canceller = WorkCanceller(journal, agent)
        """Ends single tool calls and terminals of the agent's."""
        self._tools = tools
        self._bounds = bounds
        self.copy = copy
        self._turns = turns
        self._current = current
        self._silent_turn_timer = SilentTurnTimer(journal, limits)
        self._cwd = journal.transcript.session.cwd

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
        idle = idle and not self._turns.outside_once.busy
        idle = idle and not self.terminals.busy and not self._turns.going_back
        idle = idle and (self.copy is None or self.copy.is_removed)
        return idle and not self.agent.running and not self.journal.read_by_anyone

    @property
    def folder_has_moved(self) -> bool:
        """Whether its folder was renamed since it was opened, and nothing runs that works there."""
        idle = self.state.active_turn_id is None and not self.state.queue
        idle = idle and not self._turns.going_back
        return idle and self.state.cwd != self._cwd and not self.state.read_only

    def keep_choices_of(self, former: Session) -> None:
        """Take over what kernels and users have chosen in the session whose place this one takes.

        No log has it.
        """
        self.kernel_id = former.kernel_id
        self.kernel_policies.update(former.kernel_policies)
        self.kernel_sandboxes.update(former.kernel_sandboxes)
        self.tools_on, self.tools_refused = former.tools_on, former.tools_refused

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
        """Find out who made the recording that it replays, if it does.

        Raises
        ------
        AcpError
            The recording can't be read.
        """
        if isinstance(self.recording, Playback):
            await asyncio.to_thread(self.recording.read)

    def may_start(self) -> bool:
        """Return whether the agent may be started without asking about the folder."""
        trust = self._turns.permissions.trust
        return trust is None or trust.is_open()

    def matches(self, options: RecordingOptions | None) -> bool:
        """Return whether it suits these recording options; a replay is never taken for an agent."""
        return options is None if self.recording is None else self.recording.matches(options)

    def prompt(
        self,
        prompt: str | tuple[dict[str, JsonValue], ...],
        *,
        policy: Policy | None = None,
        sandbox: Sandbox | None = None,
        origin: Origin | None = None,
        can_ask: bool = True,
        rules: tuple[Rule, ...] = (),
        user: str = "",
        kernel_id: str = "",
    ) -> str:
        """Queue a prompt; return its turn's id.

        What a kernel has chosen counts only for what the same kernel sends.

        Raises
        ------
        SessionImported
            There is no agent to send it to.
        NotAllowed
            The administrator does not allow the policy, or the sandbox.
        BadRequest
            The session is just going back.
        """
        if not self.agent.startable or (self.state.variant and self.transcript.turn_order):
            raise no_agent(self.state)
        chosen = policy or self.kernel_policies.get(kernel_id)
        self._bounds.require_policy(chosen)
        walls = sandbox or self.kernel_sandboxes.get(kernel_id)
        self._bounds.require_sandbox(walls)
        return self._turns.put(
            prompt,
            policy=chosen or self.policy_for(user),
            origin=origin,
            can_ask=can_ask,
            rules=rules,
            user=user,
            kernel_id=kernel_id,
            sandbox=walls or self._bounds.within_sandbox(self.state.sandbox),
        )

    def choose_for_kernel(
        self, kernel_id: str, policy: Policy | None, sandbox: Sandbox | None
    ) -> None:
        """Note what a kernel has chosen for what it sends; None leaves what it chose before."""
        if policy is not None:
            self.kernel_policies[kernel_id] = policy
        if sandbox is not None:
            self.kernel_sandboxes[kernel_id] = sandbox

    def begin_work(self, work: Work, user: str = "") -> str:
        """Queue a turn in which an agent outside uses tools of ours; return its id.

        Raises
        ------
        BadRequest
            Too many turns wait already, or the session is just going back.
        """
        return self._turns.put_work(work, policy=self.policy_for(user), user=user)

    def policy_for(self, user: str) -> Policy:
        """Return the policy of prompts that name none: what another has allowed is asked."""
        state = self.state
        others = bool(user) and state.policy_user not in {"", user}
        policy = "ask" if others and state.policy in _ALLOWING else state.policy
        return self._bounds.within_policy(policy)

    def cancel(self, turn_id: str | None = None, cause: StopCause = "user") -> None:
        """Stop the running turn, or take a queued prompt back."""
        if turn_id is not None and turn_id not in self.transcript.turns:
            raise BadRequest(f"There is no turn {turn_id!r} in this session.")
        self._turns.stop(turn_id, cause)

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
        self._current.someone_attached = True

    def rename(self, title: str) -> None:
        """Give the session a title."""
        self.journal.note(TitleChanged(title=title.strip()[:200]))

    async def tell_title(self) -> None:
        """Give the agent's copy the title, if it runs and takes one. ACP: session/set_title.

        As the agent stores it, it counts here; one that it refuses stays here alone.
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
        """Change the policy of turns to come; ``ask`` also ends an ``allow-all`` in force.

        Raises
        ------
        NotAllowed
            The administrator does not allow it.
        """
        self._bounds.require_policy(policy)
        self.journal.note(PolicyChanged(policy=policy, user=user))

    def set_sandbox(self, sandbox: Sandbox) -> None:
        """Change the sandbox of turns to come.

        Raises
        ------
        NotAllowed
            The administrator does not allow it.
        BadRequest
            It can't be had yet, or the agent was not started here.
        """
        self._bounds.require_sandbox(sandbox)
        if self.state.agent == OUTSIDE:
            name = self.state.agent_info.name
            raise BadRequest(f"{name} was not started here, so no sandbox here holds it.")
        self.journal.note(SandboxChanged(sandbox=sandbox))

    def set_network(self, network: Network, *, by_user: bool) -> None:
        """Change the network of turns to come.

        Raises
        ------
        NotAllowed
            It would reach more, and it is not the user who wants that.
        """
        if network == self.state.network:
            return
        if not by_user and NETWORKS.index(network) > NETWORKS.index(self.state.network):
            raise NotAllowed(
                f"Only the user can open the network of a session from {self.state.network} to "
                f"{network}: do it in the page."
            )
        self.journal.note(NetworkChanged(network=network))

    async def set_mode(self, mode_id: str) -> None:
        """ACP: session/set_mode.

        Raises
        ------
        NotAllowed
            The administrator does not allow it.
        """
        with self.modes.choosing(mode_id):
            connection = await self.agent.open()
            await connection.set_mode(mode_id)

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """ACP: session/set_config_option.

        Raises
        ------
        NotAllowed
            It is a mode that the administrator does not allow.
        """
        with self.modes.choosing(self.modes.mode_of(config_id, value)):
            connection = await self.agent.open()
            await connection.set_config(config_id, value)

    async def close(self, *, delete: bool = False, with_server: bool = False) -> None:
        """End the turns, the agent's side and the log.

        Parameters
        ----------
        delete
            Whether the agent should delete its own copy too.
        with_server
            Whether nobody has asked for it: the server ends. The log is left as a crash would
            leave it, so that a turn that runs and messages that wait are told the same way.
        """
        await self._turns.close(with_server=with_server)
        await self._turns.outside_once.close()
        await self.terminals.close()
        await self._turns.walls_met.close()
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
            # The interpreter is ending: there are no more threads, and nobody is held up.
            self.journal.close()
        if isinstance(self.recording, Recorder):
            await self.recording.close()


@dataclass(frozen=True, slots=True)
class KernelWish:
    """What kernel a variant is to have."""

    variant: Variant
    copy: FolderCopy
    notebook: Path
    """The notebook whose cell asks; absolute, where it is for its user."""
    kernel_id: str
    """The kernel whose cell asks; empty if that is not known."""
    cell_id: str
    """That cell; empty if it is not known."""
    restore: Restore


class McpServerProvider(Protocol):
    """Gives sessions MCP servers that end with them. Used on the host's loop."""

    async def servers(self, session: Session) -> Sequence[Mapping[str, Any]]:
        """Return ACP's ``mcpServers`` for a session alone; none where there is nothing to offer."""

    async def socket_folders(self) -> Sequence[str]:
        """Return the folders of the sockets over which programs of such servers reach us."""

    async def own_kernel(self, wish: KernelWish) -> OwnKernel | NoKernel:
        """Return the kernel that a variant gets, or why it gets none.

        Raises
        ------
        BadRequest
            It can't begin as is wished.
        """

    def over_acp(self, session: Session) -> McpServer | None:
        """Return a session's server for an agent that reaches it over ACP; None: by `servers`."""

    async def end(self, session_id: str) -> None:
        """End what a session was given."""

    async def close(self) -> None:
        """End everything."""
