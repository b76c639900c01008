"""The pool of agent processes; one process may serve many sessions of one folder.

The last session that leaves ends the process. After several crashes each start waits longer.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_jupyter.errors import AcpError, AgentStartError, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.handlers import ClientRouter, SessionClient
from acp_jupyter.host.rpc.log_router import LogRouter, SessionLog
from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.proxy import Ask
from acp_jupyter.host.sandbox.sandboxes import Confined, Sandboxes
from acp_jupyter.host.sandbox.walls import Walls
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.redactor import Redactor

_PAUSE_SECONDS = 0.2
_STABLE_SECONDS = 60.0
"""Time that an agent must run until its earlier crashes no longer count."""
_Key = tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...], str, str]


async def _refuse_host(wanted: Destination) -> str:
    return f"{wanted.words} is not named, and there is nobody to ask."


@dataclass(eq=False)
class Member:
    """A session that uses a process."""

    spec: AgentSpec
    cwd: Path
    log: SessionLog
    client: SessionClient | None
    """Handlers of the session; None if the agent sends it no requests."""
    alone: bool = False
    """Whether the session has a process of its own."""
    walls: Walls | None = None
    """Of the process; None for no sandbox."""
    ask_host: Ask = _refuse_host
    """Asks about hosts that the walls do not name."""


@dataclass(eq=False)
class _Running:
    """A starting or running process and its members."""

    task: asyncio.Task[AgentConnection]
    log_router: LogRouter
    router: ClientRouter
    users: set[Member] = field(default_factory=set)
    alone: bool = False

    @property
    def connection(self) -> AgentConnection | None:
        """The connection; None while the process starts, or if it failed to."""
        done = self.task.done() and not self.task.cancelled() and self.task.exception() is None
        return self.task.result() if done else None

    @property
    def usable(self) -> bool:
        connection = self.connection
        alive = connection is not None and not connection.closed.is_set()
        return alive or not self.task.done()


class _NoLog:
    """A log that writes nothing."""

    session_id = ""

    def __init__(self) -> None:
        self.sequence: Iterator[int] = itertools.count(1)

    def enter(self, entry: TrafficEntry) -> None:
        """Drop the entry."""

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the message."""
        return message


class AgentPool:
    """Starts agent processes on demand and ends them when no session uses them.

    Used on the host's loop only. Processes of one configuration are shared by the sessions of one
    folder: agents read a folder's own settings when they start.

    Parameters
    ----------
    redactor
        Returns the redactor for an agent's errors; by default one that knows the secrets of its
        environment.
    """

    def __init__(
        self,
        limits: Limits,
        sandboxes: Sandboxes,
        redactor: Callable[[AgentSpec | None], Redactor] | None = None,
    ) -> None:
        self._limits = limits
        self._sandboxes = sandboxes
        self._redactor = redactor
        self._running: dict[_Key, list[_Running]] = {}
        self._crashes = Crashes(limits)
        self._closing: set[asyncio.Task[None]] = set()
        self._ended: set[AgentConnection] = set()
        """Connections that were closed on purpose."""

    async def join(
        self, member: Member, waiting: Callable[[float], None] | None = None
    ) -> AgentConnection:
        """Return the connection for a session; start the agent if needed.

        Parameters
        ----------
        waiting
            Called with the delay of the start in seconds after too many crashes, and with 0 when
            it is over.
        """
        key = _key(member)
        running = self._found(key, member)
        if running is None and (delay := self._crashes.delay(key)) > 0:
            await self._pause(key, delay, waiting)
            running = self._found(key, member)  # another session may have started it meanwhile
        if running is None:
            running = self._start(member, key)
        running.users.add(member)
        if member.client is not None:
            running.router.add(member.log.session_id, member.client)
            running.log_router.join(member.log)
        try:
            return await asyncio.shield(running.task)
        except BaseException:
            await self.leave(member)
            raise

    async def _pause(
        self, key: _Key, delay: float, waiting: Callable[[float], None] | None
    ) -> None:
        if waiting is not None:
            waiting(delay)
        try:
            # The user may restart the agent meanwhile: then there is no more delay.
            while (left := self._crashes.delay(key)) > 0:  # noqa: ASYNC110 - time ends it too
                await asyncio.sleep(min(left, _PAUSE_SECONDS))
        finally:
            if waiting is not None:
                waiting(0.0)

    @asynccontextmanager
    async def borrowed(self, spec: AgentSpec, cwd: Path) -> AsyncIterator[AgentConnection]:
        """Use a process for a request that belongs to no session."""
        member = Member(spec, cwd, _NoLog(), None)
        try:
            yield await self.join(member)
        finally:
            await self.leave(member)

    def shared(self, member: Member) -> bool:
        """Return whether other sessions use the member's process, too."""
        return any(len(r.users) > 1 and r.usable for _, r in self._joined(member))

    def restricts_another(self, member: Member) -> bool:
        """Return whether another session of the member's process forbids things now."""
        used = self._joined(member)
        return any(r.router.restricts_another(member.log.session_id) for _, r in used)

    def reserve_process(self, member: Member) -> bool:
        """Keep other sessions out of the member's process; return False if it is shared."""
        member.alone = True
        for _, running in self._joined(member):
            if running.users == {member}:
                running.alone = True
        return not self.shared(member)

    async def leave(self, member: Member, connection: AgentConnection | None = None) -> None:
        """Leave a process; the last member ends it and waits for its exit.

        Parameters
        ----------
        connection
            The connection to leave; by default all of the session.
        """
        # If the session joins another process meanwhile, it keeps that.
        left = [each for each in self._joined(member) if _serves(each[1], connection)]
        for _, running in left:
            running.users.discard(member)
            running.router.remove(member.log.session_id)
        for key, running in left:
            if not (running.users and running.usable):
                await self._end(key, running)
            running.log_router.leave(member.log)

    async def restart(self, agent_id: str) -> int:
        """End all processes of an agent, so that sessions start new ones; return their number."""
        groups = tuple((k, group) for k, group in self._running.items() if k[0] == agent_id)
        found = [(key, running) for key, group in groups for running in group]
        self._crashes.forget_all(lambda key: key[0] == agent_id)
        for key, running in found:
            await self._end(key, running)
        return len(found)

    async def close(self) -> None:
        """End all processes."""
        ends = [self._end(key, r) for key, group in tuple(self._running.items()) for r in group]
        await asyncio.gather(*ends, return_exceptions=True)
        await asyncio.gather(*self._closing, return_exceptions=True)

    def _joined(self, member: Member) -> list[tuple[_Key, _Running]]:
        """Return the processes that a session uses; its walls may be others by now."""
        running = ((key, each) for key, group in self._running.items() for each in group)
        return [(key, each) for key, each in running if member in each.users]

    def _found(self, key: _Key, member: Member) -> _Running | None:
        return next((r for r in self._running.get(key, ()) if _shared(r, member)), None)

    def _start(self, member: Member, key: _Key) -> _Running:
        lines, router = LogRouter(), ClientRouter()
        if member.client is not None:
            lines.join(member.log)
        task = asyncio.create_task(
            self._open(member, key, lines, router), name=f"acp-agent-{member.spec.id}"
        )
        running = _Running(task, lines, router, alone=member.alone)
        self._running.setdefault(key, []).append(running)
        return running

    async def _open(
        self, member: Member, key: _Key, log_router: LogRouter, router: ClientRouter
    ) -> AgentConnection:
        try:
            confined = await self._confined(member)
            connection = await AgentConnection.open(
                member.spec,
                cwd=member.cwd,
                client_of=router.client_of,
                log_router=log_router,
                limits=self._limits,
                redactor=None if self._redactor is None else self._redactor(member.spec),
                confined=confined,
            )
        except AcpError:
            self._crashes.add(key)
            raise
        connection.on_withdrawn(router.withdraw)
        watch = asyncio.create_task(self._watch(key, connection, time.monotonic()))
        self._closing.add(watch)
        watch.add_done_callback(self._closing.discard)
        return connection

    async def _confined(self, member: Member) -> Confined | None:
        if member.walls is None:
            return None
        try:
            return await self._sandboxes.open(member.walls, member.ask_host)
        except OSError as error:
            raise AgentStartError(
                f"{member.spec.name} did not start: its sandbox can't be made: "
                f"{plain_reason(error)}."
            ) from None

    async def _watch(self, key: _Key, connection: AgentConnection, since: float) -> None:
        """Count the process's end if it is a crash; a long life resets the count."""
        await connection.wait_closed()
        if time.monotonic() - since > _STABLE_SECONDS:
            self._crashes.forget(key)
        if connection in self._ended:
            self._ended.discard(connection)
        else:
            self._crashes.add(key)

    async def _end(self, key: _Key, running: _Running) -> None:
        group = self._running.get(key, [])
        if running in group:
            group.remove(running)
        if not group:
            self._running.pop(key, None)
        if not running.task.done():
            running.task.cancel()
        try:
            connection = await running.task
        except (asyncio.CancelledError, AcpError):
            return
        if connection.talks:
            self._ended.add(connection)
        await asyncio.shield(connection.close())


def _key(member: Member) -> _Key:
    spec = member.spec
    # What is in the folder changes; whoever comes later shares the walls that the first one found.
    walls = ""
    if member.walls is not None:
        walls = f"{member.walls.sandbox} {member.walls.network.reach}"
    env = tuple(sorted(spec.env.items()))
    return spec.id, spec.command, spec.args, env, str(member.cwd), walls


def _shared(running: _Running, member: Member) -> bool:
    return running.usable and not running.alone and not member.alone


def _serves(running: _Running, connection: AgentConnection | None) -> bool:
    return connection is None or running.connection is connection


_MAX_STEPS = 10


@dataclass
class _Count:
    count: int = 0
    at: float = 0.0


class Crashes:
    """Counts crashes of each agent configuration, and delays its next start."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._counts: dict[Hashable, _Count] = {}

    def add(self, key: Hashable) -> None:
        """Count a crash."""
        crashes = self._counts.setdefault(key, _Count())
        crashes.count += 1
        crashes.at = time.monotonic()

    def forget(self, key: Hashable) -> None:
        """Reset the count."""
        self._counts.pop(key, None)

    def forget_all(self, where: Callable[[Any], bool]) -> None:
        """Reset the counts of all keys for which ``where`` is true."""
        for key in [key for key in self._counts if where(key)]:
            self.forget(key)

    def delay(self, key: Hashable) -> float:
        """Return the delay before the next start in seconds; it grows with each crash."""
        crashes = self._counts.get(key)
        if crashes is None or crashes.count < self._limits.free_restarts:
            return 0.0
        steps = min(crashes.count - self._limits.free_restarts, _MAX_STEPS)
        pause = min(self._limits.restart_seconds * 2.0**steps, self._limits.longest_restart_seconds)
        return max(0.0, crashes.at + pause - time.monotonic())
