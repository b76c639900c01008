"""The terminals of a session: commands that the host runs for its agent (``terminal/create``).

The terminal in which a user logs in is in `acp_jupyter.host.sessions.login`.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from acp_jupyter.errors import TerminalRefused, UnknownTerminal, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.terminal_output import KEPT_BYTES, OutputNotes, Tail, Utf8
from acp_jupyter.host.workspace.terminal_process import (
    Allowed,
    TerminalCommand,
    TerminalExit,
    TerminalProcess,
    TerminalState,
    prepare_command,
)
from acp_jupyter.protocol.host_events.notes import Note
from acp_jupyter.protocol.host_events.session import (
    EndedBy,
    TerminalExited,
    TerminalReleased,
    TerminalStarted,
)


def new_terminal_id() -> str:
    """Return an id that no terminal has."""
    return f"terminal-{uuid.uuid4().hex[:12]}"


@dataclass(slots=True)
class _Terminal:
    id: str
    process: TerminalProcess
    notes: OutputNotes
    tail: Tail
    utf8: Utf8 = field(default_factory=Utf8)
    exit: TerminalExit | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    by: EndedBy = ""
    by_user: bool = False
    watch: asyncio.Task[None] | None = None

    def take(self, data: bytes) -> None:
        self._add(self.utf8.read(data))

    def finish(self) -> None:
        self._add(self.utf8.read(b"", final=True))
        self.notes.finish()

    def _add(self, text: str) -> None:
        if text:
            self.tail.add(text)
            self.notes.add(text)


class SessionTerminals:
    """Starts commands, keeps their output and ends them. Used on the host's loop only.

    Parameters
    ----------
    confine
        Returns a command as it is run: in the walls of the session's agent, where that has some.
        Blocks.
    """

    def __init__(
        self,
        note: Callable[[Note], None],
        root: Path,
        env: Mapping[str, str],
        limits: Limits,
        confine: Callable[[TerminalCommand], TerminalCommand] = lambda command: command,
    ) -> None:
        self._confine = confine
        self._note = note
        self._root = root
        self._env = env
        self._limits = limits
        self._terminals: dict[str, _Terminal] = {}
        self._end_tasks: set[asyncio.Task[None]] = set()
        self._starting = 0
        self._closed = False

    async def create(
        self,
        command: str,
        args: Sequence[str] = (),
        cwd: str | None = None,
        env: Iterable[tuple[str, str]] = (),
        output_bytes: int | None = None,
        allowed: Allowed | None = None,
    ) -> str:
        """Start a command and return its terminal's id. ACP: terminal/create.

        Parameters
        ----------
        allowed
            Called with the command before it runs; returns once it may run, or raises.
        """
        prepared = await asyncio.to_thread(
            prepare_command, command, args, cwd, env, root=self._root, inherited=self._env
        )
        try:
            if allowed is not None:
                await allowed(prepared)
            await self._make_room()
            process = await self._start(prepared, self._confine)
        finally:
            prepared.folder.close()
        most = KEPT_BYTES
        tail = Tail(most if output_bytes is None else max(0, min(most, output_bytes)))
        return self._follow(new_terminal_id(), prepared, process, tail)

    async def run_for_user(
        self,
        terminal_id: str,
        line: str,
        cwd: str,
        confine: Callable[[TerminalCommand], TerminalCommand],
        allowed: Allowed,
    ) -> None:
        """Start a command for a user; it keeps running if the agent exits.

        Parameters
        ----------
        allowed
            Called with the command before it runs; returns once it may run, or raises.
        """
        prepared = await asyncio.to_thread(
            prepare_command, line, (), cwd, (), root=self._root, inherited=self._env
        )
        try:
            await allowed(prepared)
            await self._make_room()
            process = await self._start(prepared, confine)
        finally:
            prepared.folder.close()
        self._follow(terminal_id, prepared, process, Tail(KEPT_BYTES), by_user=True)

    def _follow(
        self,
        terminal_id: str,
        prepared: TerminalCommand,
        process: TerminalProcess,
        tail: Tail,
        *,
        by_user: bool = False,
    ) -> str:
        notes = OutputNotes(terminal_id, self._note, self._limits)
        terminal = _Terminal(terminal_id, process, notes, tail, by_user=by_user)
        self._terminals[terminal_id] = terminal
        self._note(
            TerminalStarted(
                terminal_id=terminal_id,
                command=prepared.shown,
                cwd=prepared.cwd,
                by_user=by_user,
            )
        )
        process.follow(terminal.take)
        terminal.watch = asyncio.create_task(self._watch(terminal), name=f"acp-{terminal_id}")
        return terminal_id

    async def _start(
        self, command: TerminalCommand, confine: Callable[[TerminalCommand], TerminalCommand]
    ) -> TerminalProcess:
        self._starting += 1
        try:
            confined = await asyncio.to_thread(confine, command)
            process = await TerminalProcess.start(confined, self._limits)
        except OSError as error:
            raise TerminalRefused(
                f"The command did not start: its sandbox can't be made: {plain_reason(error)}."
            ) from error
        try:
            if self._closed:
                await process.stop()
                raise TerminalRefused("The session is closed.")
        finally:
            self._starting -= 1
        return process

    def output(self, terminal_id: str) -> TerminalState:
        """Return a command's output so far. ACP: terminal/output."""
        terminal = self._find(terminal_id)
        text = terminal.tail.text()
        return TerminalState(text, terminal.tail.truncated, terminal.exit)

    async def wait(self, terminal_id: str) -> TerminalExit:
        """Wait for a command's end. ACP: terminal/wait_for_exit."""
        terminal = self._find(terminal_id)
        await terminal.ended.wait()
        assert terminal.exit is not None
        return terminal.exit

    async def kill(self, terminal_id: str, by: EndedBy = "agent") -> None:
        """End a command; its output can still be read. ACP: terminal/kill."""
        terminal = self._find(terminal_id)
        await self._end(terminal, by)

    async def release(self, terminal_id: str) -> None:
        """End a command if it runs, and free its id. ACP: terminal/release."""
        terminal = self._find(terminal_id)
        del self._terminals[terminal_id]
        await self._end(terminal, "agent")
        self._note(TerminalReleased(terminal_id=terminal_id))

    @property
    def busy(self) -> bool:
        """Whether a command runs."""
        return bool(self._starting) or any(
            not terminal.ended.is_set() for terminal in self._terminals.values()
        )

    def end_soon(self) -> None:
        """Start to end all commands of the agent, which has exited. New ones may start."""
        self._end_all(tuple(t for t in self._terminals.values() if not t.by_user))

    def _end_all(self, terminals: Iterable[_Terminal]) -> None:
        for terminal in terminals:
            del self._terminals[terminal.id]
            self._end_task(terminal, "session")

    async def close(self) -> None:
        """End all commands and wait until no process is left."""
        self._closed = True
        self._end_all(tuple(self._terminals.values()))
        await asyncio.gather(*self._end_tasks, return_exceptions=True)

    def _find(self, terminal_id: str) -> _Terminal:
        terminal = self._terminals.get(terminal_id)
        if terminal is None:
            raise UnknownTerminal(
                f"There is no terminal {terminal_id!r} in this session. It may have been released."
            )
        return terminal

    async def _make_room(self) -> None:
        """Release the oldest ended terminal, for agents that release none."""
        if self._closed:
            raise TerminalRefused("The session is closed.")
        if len(self._terminals) + self._starting < self._limits.terminals:
            return
        oldest = next((t.id for t in self._terminals.values() if t.ended.is_set()), None)
        if oldest is None:
            raise TerminalRefused(
                f"{self._limits.terminals} commands are already running in this session. "
                "Wait for some to end, or stop some."
            )
        await self.release(oldest)

    async def _watch(self, terminal: _Terminal) -> None:
        """Report a command's end; end it when its time is up."""
        process = terminal.process
        try:
            async with asyncio.timeout(self._limits.terminal_seconds):
                reason = await process.wait_exit()
        except TimeoutError:
            terminal.by = "time_limit"
            process.end()
            reason = await process.wait_exit()
        terminal.finish()
        name = None if reason.signal is None else _signal_name(reason.signal)
        terminal.exit = TerminalExit(reason.exit_code, name)
        self._note(
            TerminalExited(
                terminal_id=terminal.id,
                exit_code=reason.exit_code,
                signal=name or "",
                by=terminal.by,
            )
        )
        terminal.ended.set()

    async def _end(self, terminal: _Terminal, by: EndedBy) -> None:
        """End a command and all that it started, even if the waiting task is cancelled."""
        await asyncio.shield(self._end_task(terminal, by))

    def _end_task(self, terminal: _Terminal, by: EndedBy) -> asyncio.Task[None]:
        if not terminal.ended.is_set() and not terminal.by:
            terminal.by = by
        task = asyncio.create_task(_stop(terminal), name=f"acp-end-{terminal.id}")
        self._end_tasks.add(task)
        task.add_done_callback(self._end_tasks.discard)
        return task


async def _stop(terminal: _Terminal) -> None:
    assert terminal.watch is not None
    await terminal.process.stop()
    await terminal.watch


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
