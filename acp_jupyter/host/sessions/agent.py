"""The agent of a session: starts it when needed, restarts it after it ended, stops it when idle."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_jupyter.errors import AcpError, AgentRequestError, AgentStartError, SessionImported
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.disk_writes import DiskWrites
from acp_jupyter.host.recording import Playback
from acp_jupyter.host.registry_entries import OUTSIDE, AgentSpec
from acp_jupyter.host.requests.policy import CHANGES_NOTHING
from acp_jupyter.host.requests.trust import TrustRequests
from acp_jupyter.host.rpc.agent_answers import RESOURCE_NOT_FOUND
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.handlers import SessionClient
from acp_jupyter.host.rpc.pool import AgentPool, Member
from acp_jupyter.host.sessions.agent_notes import SERVE_AGAIN, STARTS_AGAIN, AgentNotes
from acp_jupyter.host.sessions.branching import (
    goes_on_from_branch,
    open_branch,
    set_options_again,
)
from acp_jupyter.host.sessions.login import SessionLogin
from acp_jupyter.host.sessions.modes import SessionModes
from acp_jupyter.host.sessions.opening import AgentSessionOpener, SessionConnection
from acp_jupyter.host.sessions.sandboxing import SessionSandbox
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.formatting import quantity
from acp_jupyter.protocol.host_events.notes import AgentStarting, SessionArchived
from acp_jupyter.protocol.host_events.session import Policy, Sandbox
from acp_jupyter.socket_relay import OTHER_SIDE_ENDED
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState

_FAREWELL_SECONDS = 2.0
_MAX_WORK_SECONDS = 24 * 3600.0
"""How long an agent that reports background work may run without a prompt."""


class SessionAgent:
    """Connects a session to a process of its agent, and notes when the process exits.

    Parameters
    ----------
    startable
        Whether the agent can be started: false if the session was imported or is read-only.
    """

    def __init__(
        self,
        spec: AgentSpec,
        journal: Journal,
        cwd: Path,
        pool: AgentPool,
        client: SessionClient,
        modes: SessionModes,
        sandbox: SessionSandbox,
        limits: Limits,
        *,
        startable: bool,
        mcp_servers: Sequence[Mapping[str, Any]],
        own_servers: Callable[[AgentConnection], Awaitable[Sequence[Mapping[str, Any]]]],
        trust: TrustRequests | None,
        playback: Playback | None,
        served: Callable[[], AgentSpec] | None = None,
    ) -> None:
        self.spec = spec
        self.startable = startable
        self.mcp_servers = mcp_servers
        self.first_open: (
            Callable[[AgentSessionOpener], Awaitable[SessionConnection | None]] | None
        ) = None
        """Opens the session for the first time, in place of ``session/new``."""
        self.login = SessionLogin(spec, self, journal, limits, sandbox)
        self._journal = journal
        self._limits = limits
        self._pool = pool
        self._client = client
        self._modes = modes
        self._sandbox = sandbox
        self._own_servers = own_servers
        self._trust = trust
        self._playback = playback
        self._served = served
        self._member = Member(spec, cwd, journal, client, ask_host=sandbox.ask_host)
        self._start: asyncio.Task[SessionConnection] | None = None
        self._prepared: asyncio.Task[SessionConnection] | None = None
        """The start that has completed `_prepare`."""
        self._chosen_options: tuple[ConfigOption, ...] = ()
        """Options to set again when the agent restarts in other walls before its first turn."""
        self._watch: asyncio.Task[None] | None = None
        self._end_task: asyncio.Task[None] | None = None
        self._closing = False
        self._moving = False
        """Whether the agent is stopped only to restart in other walls, which fails no turn."""
        self._notes = AgentNotes(journal, spec.name)
        self._idle_timer = IdleTimer(
            limits.idle_seconds, self._idle, self._leave, self._works_in_background
        )

    @property
    def running(self) -> bool:
        """Whether a process for the session runs or is starting."""
        return self._start is not None and not _failed(self._start)

    @property
    def connection(self) -> SessionConnection | None:
        """The session at its running agent; None also while the agent starts."""
        start = self._start
        if start is None or not start.done() or _failed(start):
            return None
        return start.result()

    def disk_writes(self) -> DiskWrites | None:
        """Return how much the agent's processes have written; None if none runs."""
        connection = self.connection
        return None if connection is None else connection.agent_connection.disk_writes

    def reserve_process(self) -> None:
        """Reserve the process for this session."""
        self._pool.reserve_process(self._member)

    def restricts_another(self) -> bool:
        """Return whether another session of the same process now restricts what it may do."""
        return self._pool.restricts_another(self._member)

    async def move_to_own_process(self) -> None:
        """Move to a process of the session's own, if the agent can resume the conversation."""
        if self._pool.reserve_process(self._member):
            return
        if self._can_move():
            await self.drop()

    async def apply_sandbox(self, sandbox: Sandbox, policy: Policy) -> None:
        """Set the walls for the next prompt; restart an agent that runs in others.

        An agent that could not resume the conversation keeps running; a notice says so.
        """
        if not self._sandbox.want(sandbox, policy) or not self.running:
            return
        if self._can_move():
            self._chosen_options = self._journal.transcript.session.config_options
            self._moving = True
            try:
                await self.drop()
            finally:
                self._moving = False
        else:
            self._sandbox.warn_not_moved()

    async def leave_replaced(self) -> None:
        """Leave an agent in a kernel that another one is served in place of."""
        if self._served is None or not self.running or self._served() == self.spec:
            return
        self._moving = True
        try:
            await self.drop()
        finally:
            self._moving = False

    def _can_move(self) -> bool:
        """Return whether another process could continue the conversation."""
        state = self._journal.transcript
        begun = any(state.turns[turn_id].status == "done" for turn_id in state.turn_order)
        connection = self.connection
        return not begun or (
            connection is not None and (connection.can("resume") or connection.can("load"))
        )

    async def open(self) -> SessionConnection:
        """Return the session at its running agent."""
        start = self._starting()
        try:
            return await asyncio.shield(start)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            if not start.cancelled() or task.cancelling():
                raise
            raise AgentStartError(f"{self.spec.name} was stopped while it was starting.") from None

    async def connected(self) -> AgentConnection:
        """Return an initialized connection to the agent; the session need not be open there."""
        await self._prepare()
        if not self.running:
            self._member.walls = await self._sandbox.walls(self.spec, self._member.cwd)
        return await self._pool.join(self._member, self._notes.paused)

    async def disconnected(self) -> None:
        """Release the connection, unless the session is open there."""
        if not self.running:
            await self._pool.leave(self._member)

    async def restart(self) -> int:
        """End all processes of the agent; return how many there were."""
        return await self._pool.restart(self.spec.id)

    def start_in_background(self) -> None:
        """Start the agent without waiting; a failure is reported in the transcript."""
        self._starting().add_done_callback(self._notes.start_failed)

    def stop_preparing(self) -> None:
        """Cancel a start that still waits for trust; the next start asks again."""
        start = self._start
        if start is not None and start is not self._prepared and not start.done():
            self._start = None
            start.cancel()

    async def drop(self) -> None:
        """Leave the process, if any; the last session to leave waits for its exit."""
        self._idle_timer.stop()
        start, self._start = self._start, None
        if start is not None:
            self._end_task = asyncio.create_task(
                self._end(start), name=f"acp-end-{self._journal.session_id}"
            )
        if self._end_task is not None:
            # Shielded: the caller may be cancelled, and the next one waits for the same task.
            await asyncio.shield(self._end_task)

    async def close(self, *, delete: bool = False) -> None:
        """Close or delete the session at the agent, then leave the process."""
        self._closing = True
        await self.login.cancel()
        connection = self.connection
        if connection is not None:
            bye = connection.delete() if delete else connection.close()
            with contextlib.suppress(AcpError, TimeoutError):
                await asyncio.wait_for(bye, _FAREWELL_SECONDS)
        await self.drop()

    async def retire(self) -> None:
        """Leave the agent for good: it can't be started again."""
        self.startable = False
        await self.drop()

    async def archive(self, *, archived: bool) -> str:
        """Archive or unarchive the agent's copy of the session, if the agent has an archive.

        Starts the agent if need be. ACP: session/archive, session/unarchive.
        """
        session = self._journal.transcript.session
        previous = session.agent_session_id
        if "archive" not in session.can or not previous or not self.startable:
            return ""
        method = "session/archive" if archived else "session/unarchive"
        try:
            connection = await self.connected()
            try:
                await connection.request(method, {"sessionId": previous}, self._journal)
            finally:
                await self.disconnected()
        except AcpError as error:
            name = session.agent_info.name
            forgotten = isinstance(error, AgentRequestError) and error.code == RESOURCE_NOT_FOUND
            why = "it does not know this session any more" if forgotten else error.message
            return f"{name} has not changed its own copy: {why.rstrip('.')}."
        return ""

    def start_idle_timer(self) -> None:
        """Leave the agent after a long idle time, if it can resume or load the session."""
        self._idle_timer.stop()
        connection = self.connection
        if connection is not None and (connection.can("resume") or connection.can("load")):
            self._idle_timer.start()

    def _idle(self) -> bool:
        return self._journal.transcript.session.active_turn_id is None and self.running

    def _works_in_background(self) -> bool:
        return self._journal.transcript.session.background > 0

    def _starting(self) -> asyncio.Task[SessionConnection]:
        self._idle_timer.stop()
        if self._start is None or _failed(self._start):
            name = f"acp-start-{self._journal.session_id}"
            self._start = asyncio.create_task(self.login.watch(self._open()), name=name)
        return self._start

    async def _prepare(self) -> None:
        """Check that the agent may be started; load the recording that replaces it, if any."""
        session = self._journal.transcript.session
        if not self.startable:
            raise no_agent(session)
        if session.policy in CHANGES_NOTHING or self._sandbox.asks_about_hosts:
            self.reserve_process()
        if self._trust is not None:
            await self._trust.require()
        if self._served is not None:
            self.spec = self._member.spec = self._served()
        if self._playback is not None:
            terminals = self._playback.terminals(self._journal.note, self._limits)
            player = await asyncio.to_thread(self._playback.load, terminals)
            self._client.play_terminals(terminals)
            self.spec = self._member.spec = player
            self.reserve_process()

    async def _open(self) -> SessionConnection:
        await self._prepare()
        self._prepared = self._start
        self._member.walls = await self._sandbox.walls(self.spec, self._member.cwd)
        self._journal.note(AgentStarting())
        agent_connection = await self._pool.join(self._member, self._notes.paused)
        self._sandbox.confined = agent_connection.confined
        try:
            attaching = AgentSessionOpener(
                agent_connection,
                self._journal,
                self._member.cwd,
                (*self.mcp_servers, *await self._own_servers(agent_connection)),
                self._limits,
            )
            connection = await self._attach(attaching)
        except BaseException:
            await self._pool.leave(self._member)
            raise
        name = f"acp-watch-{self._journal.session_id}"
        self._watch = asyncio.create_task(self._watch_exit(connection), name=name)
        self.login.ask_status(agent_connection)
        with contextlib.suppress(AcpError):  # the first prompt will report the error
            await self._modes.apply(connection, self._journal.transcript.session.policy)
        return connection

    async def _attach(self, attaching: AgentSessionOpener) -> SessionConnection:
        wanted, self._chosen_options = self._chosen_options, ()
        state = self._journal.transcript
        previous = state.session.agent_session_id
        done = (state.turns[turn_id].status == "done" for turn_id in state.turn_order)
        if state.session.archived:
            if previous:
                await attaching.unarchive(previous)
            self._journal.note(SessionArchived(archived=False))
        if goes_on_from_branch(state):
            return await open_branch(attaching, self._journal)
        if previous and any(done):
            return await attaching.reopen(previous)
        if self.first_open is not None and not previous:
            connection = await self.first_open(attaching)
            if connection is not None:
                return connection
        connection = await attaching.new()
        await set_options_again(connection, self._journal, wanted)
        return connection

    async def _watch_exit(self, connection: SessionConnection) -> None:
        """Note the end of the process as soon as it exits, for whatever reason."""
        reason = await connection.agent_connection.wait_closed()
        # No await before the notes are written: the next turn may then run on another process.
        if self.connection is connection:
            self._start = None
        if self._start is None:
            self._client.agent_exited()
            words, what_next = connection.agent_connection.fault or reason.words(), STARTS_AGAIN
            if self._served is not None and reason.exit_code == OTHER_SIDE_ENDED:
                words, what_next = "ended with its kernel", SERVE_AGAIN
            expected = self._closing or self._moving
            self._notes.exited(connection.agent_connection, words, what_next, expected=expected)
        await self._pool.leave(self._member, connection.agent_connection)

    async def _end(self, start: asyncio.Task[SessionConnection]) -> None:
        """Leave an agent that runs or is starting."""
        if not start.done():
            start.cancel()
        with contextlib.suppress(asyncio.CancelledError, AcpError):
            connection = await start
            watch = self._watch  # another start may come before this one has ended
            shared = self._pool.shared(self._member)
            await self._pool.leave(self._member)
            if shared and watch is not None:
                # The process stays for other sessions; note that this one has left it.
                watch.cancel()
                await asyncio.wait([watch])
                self._left("was left")
            elif not connection.agent_connection.closed.is_set():
                await connection.agent_connection.close()
            if watch is not None:
                await asyncio.wait([watch])

    async def _leave(self, words: str) -> None:
        await self.drop()
        self._left(words)

    def _left(self, words: str) -> None:
        if self._start is None:
            self._notes.left(words)


_NO_AGENT = (
    "This session was imported from a log: it has no agent. "
    "Start a session with an agent to continue from here."
)

_OUTSIDE = "{0} was not started here, so it gets no messages from here. Write to it where it runs."


_VARIANT = (
    "This session was one of several variants of a prompt. Keep the changes that you like, and "
    "continue in a session of the notebook."
)


def no_agent(session: SessionState) -> SessionImported:
    """Return the error for a session without an agent that can be started."""
    words = _OUTSIDE.format(session.agent_name) if session.agent == OUTSIDE else _NO_AGENT
    if session.variant is not None:
        words = _VARIANT
    return SessionImported(session.read_only or words)


def _failed(task: asyncio.Task[SessionConnection]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


class IdleTimer:
    """Waits until a session was idle for ``seconds``, then leaves its process.

    Parameters
    ----------
    works
        Returns whether the agent works in the background: then the timer starts again.
    """

    def __init__(
        self,
        seconds: float,
        idle: Callable[[], bool],
        leave: Callable[[str], Awaitable[None]],
        works: Callable[[], bool],
    ) -> None:
        self._works = works
        self._seconds = seconds
        self._idle = idle
        self._leave = leave
        self._timer: asyncio.TimerHandle | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._worked = 0.0

    def start(self, worked: float = 0.0) -> None:
        """Start the timer; ``worked`` is how long the agent has been in the background already."""
        self.stop()
        self._worked = worked
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._over)

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        if not self._idle():
            return
        if self._works() and self._worked < _MAX_WORK_SECONDS:
            self.start(self._worked + self._seconds)
        else:
            self._leaving = asyncio.create_task(self._go())

    async def _go(self) -> None:
        minutes = max(1, round(self._seconds / 60))
        await self._leave(f"was stopped after {quantity(minutes, 'minute')} without a prompt")
