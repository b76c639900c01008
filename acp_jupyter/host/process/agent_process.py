"""The process of an agent: environment, pipes, exit, and the last lines of its stderr.

It gets the user's environment without Jupyter's own variables, with which it could act as
Jupyter. The last lines of stderr, without escape sequences and secrets, are shown with the
error of an agent that failed.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from acp_jupyter.errors import AgentStartError, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.disk_writes import DiskWrites
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.system.portable import PORTABLE_VARIABLE
from acp_jupyter.system.processes.child_process import (
    ChildProcess,
    ExitReason,
    Grace,
    finish_cleanup,
)
from acp_jupyter.system.processes.pipes import (
    PipeReader,
    PipeWriter,
    open_reader,
    open_writer,
)
from acp_jupyter.transcript.escaping import without_ansi
from acp_jupyter.transcript.redactor import Redactor

_LAST_STDERR_SECONDS = 0.2


class AgentProcess:
    """The running process of one agent, with its pipes.

    This starts a supervisor, which starts the agent with the three pipes as its standard
    streams. Everything here belongs to the loop in which `start` ran.
    """

    def __init__(self, supervised: ChildProcess, stdin: PipeWriter, redactor: Redactor) -> None:
        supervisor = supervised.supervisor
        assert supervisor.stdout is not None
        assert supervisor.stderr is not None
        self.stdin = stdin
        self.stdout = open_reader(_take_over(supervisor.stdout))
        self._supervised = supervised
        # All of the agent's processes are below the supervisor.
        self.disk_writes = DiskWrites(supervisor.pid)
        self._stderr = open_reader(_take_over(supervisor.stderr))
        self._tail = StderrTail(redactor)
        self._stderr_task = asyncio.create_task(
            self._tail.drain(self._stderr), name="acp-agent-stderr"
        )

    @classmethod
    async def start(
        cls,
        spec: AgentSpec,
        *,
        cwd: str | Path,
        env: Mapping[str, str],
        limits: Limits,
        redactor: Redactor | None = None,
        command: Sequence[str] = (),
    ) -> Self:
        """Start ``spec`` in the folder ``cwd``.

        Parameters
        ----------
        redactor
            Removes secrets from stderr; by default those of ``env``.
        """
        if not await asyncio.to_thread(os.path.isdir, cwd):
            raise AgentStartError(
                f"{spec.name} did not start: the folder {cwd} does not exist. "
                "Choose a folder that exists."
            )
        command = command or (spec.command, *spec.args)
        process = await cls._spawn(command, cwd, env, limits, redactor)
        try:
            async with asyncio.timeout(limits.spawn_seconds):
                await process._supervised.started.wait()
        except TimeoutError:
            await process.stop()
            raise AgentStartError(
                f"{spec.name} did not start within {limits.spawn_seconds:g} s. "
                "The machine may be overloaded; try again."
            ) from None
        except BaseException:
            await finish_cleanup(process.stop())
            raise
        if process.pid == 0:
            await process.stop()
            raise start_error(spec, process._supervised.start_error)
        return process

    @classmethod
    async def _spawn(
        cls,
        command: Sequence[str],
        cwd: str | Path,
        env: Mapping[str, str],
        limits: Limits,
        redactor: Redactor | None,
    ) -> Self:
        process: Self | None = None

        def ended() -> None:
            if process is not None:
                process.stdout.process_exited()
                process._stderr.process_exited()

        grace = Grace(limits.stdin_eof_seconds, limits.term_seconds)
        try:
            supervised = await ChildProcess.spawn(
                command,
                cwd=cwd,
                env=env,
                grace=grace,
                stdio=(subprocess.PIPE, subprocess.PIPE, subprocess.PIPE),
                on_exit=ended,
            )
        except (OSError, ValueError) as error:
            raise AgentStartError(
                f"The agent's supervisor did not start: {plain_reason(error, path=True)}."
            ) from error
        supervisor = supervised.supervisor
        assert supervisor.stdin is not None
        try:
            stdin = await open_writer(supervisor.stdin, limits.unsent_bytes)
        except BaseException:
            for pipe in (supervisor.stdin, supervisor.stdout, supervisor.stderr):
                assert pipe is not None
                pipe.close()
            await finish_cleanup(supervised.stop())
            raise
        process = cls(supervised, stdin, redactor or Redactor.of_environments(env))
        if supervised.exited.is_set():
            ended()
        return process

    def stderr_tail(self) -> list[str]:
        """Return the last lines of stderr, bounded and free of control characters."""
        return self._tail.lines()

    @property
    def pid(self) -> int:
        """Process id of the agent."""
        return self._supervised.pid

    async def wait_exit(self) -> ExitReason:
        """Wait for the agent itself to exit, even if other processes still hold its pipes.

        `stderr_tail` is complete then.
        """
        await self._supervised.exited.wait()
        await asyncio.wait([self._stderr_task], timeout=_LAST_STDERR_SECONDS)
        assert self._supervised.reason is not None
        return self._supervised.reason

    async def exit_within(self, seconds: float) -> ExitReason | None:
        """Wait up to ``seconds`` for the agent to exit; return None if it still runs."""
        try:
            return await asyncio.wait_for(self.wait_exit(), seconds)
        except TimeoutError:
            return self._supervised.reason

    async def stop(self) -> None:
        """Close stdin, then send SIGTERM, then SIGKILL, to the agent and all that it started.

        Returns when no process is left. May be called at any time, and repeatedly.
        """
        self.stdin.close()
        await self._supervised.stop()
        self._stderr_task.cancel()
        await asyncio.gather(self._stderr_task, return_exceptions=True)
        for pipe in (self.stdout, self._stderr):
            pipe.close()


def _take_over(file: Any) -> int:
    """Duplicate the descriptor of ``file``, and close ``file``."""
    fd = os.dup(file.fileno())
    file.close()
    return fd


def start_error(spec: AgentSpec, report: Mapping[str, Any]) -> AgentStartError:
    """Return the error for an agent that can't be run.

    Parameters
    ----------
    report
        The supervisor's report: ``errno``, and ``error`` in words.
    """
    error = report.get("errno")
    match error:
        case errno.ENOENT:
            why = f"the command {spec.command} was not found"
            what = "Install it, or correct the command in the configuration of this agent."
        case errno.EACCES:
            why = f"the command {spec.command} is not executable"
            what = "Make it executable, or correct the command in the configuration of this agent."
        case errno.ENOEXEC:
            why = f"the command {spec.command} is not a program for this machine"
            what = "Correct the command in the configuration of this agent."
        case _:
            why = str(report.get("error", "its supervisor ended"))
            what = "Check the configuration of this agent."
    return AgentStartError(f"{spec.name} did not start: {why}. {what}")


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


_STDERR_LINES = 200
"""Newest lines of stderr that are kept to be shown."""
_STDERR_LINE_CHARS = 2000


class StderrTail:
    """The last lines of an agent's stderr, bounded in number and length."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or Redactor()
        self._lines: deque[str] = deque(maxlen=_STDERR_LINES)
        self._open = bytearray()

    async def drain(self, reader: PipeReader) -> None:
        """Read to end of file: an agent blocks on a full stderr pipe."""
        while chunk := await reader.read():
            self.feed(chunk)

    def feed(self, chunk: bytes) -> None:
        """Add the next bytes."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._extend(piece)
            self._lines.append(self._clean(bytes(self._open)))
            self._open.clear()
        self._extend(rest)

    def lines(self) -> list[str]:
        """Return the last lines, without secrets, escape sequences and control characters."""
        last = [self._clean(bytes(self._open))] if self._open else []
        return [self._redactor.redact_text(line) for line in (*self._lines, *last) if line]

    def _extend(self, piece: bytes) -> None:
        # A UTF-8 character has at most four bytes; `_clean` cuts the line to its limit.
        room = 4 * _STDERR_LINE_CHARS - len(self._open)
        self._open += piece[: max(0, room)]

    def _clean(self, line: bytes) -> str:
        text = without_ansi(line.decode("utf-8", "replace"))
        return _CONTROLS.sub("", text).rstrip()[:_STDERR_LINE_CHARS]


_SECRET_PREFIXES = (
    "ACP_JUPYTER_",
    "JPY_",
    "JUPYTERHUB_",
    "JUPYTER_TOKEN",
    "JUPYTER_PASSWORD",
    "JUPYTER_SERVER_",
    "JUPYTER_GATEWAY_",
    "KERNEL_",
)


def agent_environment(base: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """Build the full environment of an agent.

    Parameters
    ----------
    base
        The environment of the process that starts the agent. All of it is passed on (API keys,
        proxies, certificates), except Jupyter's and our own variables: an agent with the
        server's token could answer its own permission requests.
    """
    inherited = {
        name: value
        for name, value in base.items()
        if name == PORTABLE_VARIABLE or not name.upper().startswith(_SECRET_PREFIXES)
    }
    return {**inherited, **extra}
