"""One agent process under its supervisor, as the host holds it."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from acp_jupyter.errors import AgentStartError
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.pipes import PipeReader, PipeWriter
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.stderr_tail import StderrTail
from acp_jupyter.host.supervised import ExitReason, Grace, Supervised, to_its_end
from acp_jupyter.transcript.redaction.redactor import Redactor

__all__ = ["AgentProcess", "ExitReason"]

_LAST_STDERR_SECONDS = 0.2


class AgentProcess:
    """Pipes, life and death of one agent.

    What this starts is ``supervise.py``; that starts the agent, which gets the three pipes
    directly. Everything here belongs to the loop that `start` ran in.
    """

    def __init__(
        self, supervised: Supervised, stdin: PipeWriter, redactor: Redactor, limits: Limits
    ) -> None:
        supervisor = supervised.supervisor
        assert supervisor.stdout is not None
        assert supervisor.stderr is not None
        self.stdin = stdin
        self.stdout = PipeReader(_take_over(supervisor.stdout))
        self._supervised = supervised
        self._stderr = PipeReader(_take_over(supervisor.stderr))
        self._tail = StderrTail(limits, redactor)
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
    ) -> Self:
        """Start ``spec`` in the folder ``cwd``.

        Parameters
        ----------
        redactor
            Takes the secrets out of its stderr; by default it knows those of ``env``.

        Raises
        ------
        AgentStartError
            The folder or the command is missing, or may not be run.
        """
        if not await asyncio.to_thread(os.path.isdir, cwd):
            raise AgentStartError(
                f"{spec.name} did not start: the folder {cwd} does not exist. "
                "Choose a folder that exists."
            )
        process = await cls._spawn([spec.command, *spec.args], cwd, env, limits, redactor)
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
            await to_its_end(process.stop())
            raise
        if process.pid == 0:
            await process.stop()
            raise _start_error(spec, process._supervised.start_error)
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

        grace = Grace(limits.stdin_eof_seconds, limits.term_seconds, limits.death_poll_seconds)
        try:
            supervised = await Supervised.spawn(
                command,
                cwd=cwd,
                env=env,
                grace=grace,
                stdio=(subprocess.PIPE, subprocess.PIPE, subprocess.PIPE),
                on_exit=ended,
            )
        except (OSError, ValueError) as error:
            raise AgentStartError(f"The agent's supervisor did not start: {error}.") from error
        supervisor = supervised.supervisor
        assert supervisor.stdin is not None
        try:
            stdin = await PipeWriter.open(supervisor.stdin, limits.unsent_bytes)
        except BaseException:
            for pipe in (supervisor.stdin, supervisor.stdout, supervisor.stderr):
                assert pipe is not None
                pipe.close()
            await to_its_end(supervised.stop())
            raise
        process = cls(supervised, stdin, redactor or Redactor.of_environments(env), limits)
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

    @property
    def exit_reason(self) -> ExitReason | None:
        """How the agent ended, or None while it runs."""
        return self._supervised.reason

    async def wait_exit(self) -> ExitReason:
        """Wait for the agent itself to end, whoever still holds its pipes.

        What it last wrote to stderr is in `stderr_tail` then.
        """
        await self._supervised.exited.wait()
        await asyncio.wait([self._stderr_task], timeout=_LAST_STDERR_SECONDS)
        assert self._supervised.reason is not None
        return self._supervised.reason

    async def stop(self) -> None:
        """End stdin, then SIGTERM, then SIGKILL, for the agent and all that it started.

        Returns when nothing is left. May be called at any time, and again.
        """
        self.stdin.close()
        await self._supervised.stop()
        self._stderr_task.cancel()
        await asyncio.gather(self._stderr_task, return_exceptions=True)
        for pipe in (self.stdout, self._stderr):
            pipe.close()


def _take_over(file: Any) -> int:
    """Return a descriptor of our own for ``file``, and close that."""
    fd = os.dup(file.fileno())
    file.close()
    return fd


def _start_error(spec: AgentSpec, report: Mapping[str, Any]) -> AgentStartError:
    error = report.get("errno")
    match error:
        case errno.ENOENT:
            why = f"the command {spec.command} was not found"
            what = "Install it, or correct the command in the configuration of this agent."
        case errno.EACCES:
            why = f"the command {spec.command} may not be run"
            what = "Make it executable, or correct the command in the configuration of this agent."
        case errno.ENOEXEC:
            why = f"the command {spec.command} is not a program for this machine"
            what = "Correct the command in the configuration of this agent."
        case _:
            why = str(report.get("error", "its supervisor ended"))
            what = "Check the configuration of this agent."
    return AgentStartError(f"{spec.name} did not start: {why}. {what}")
