"""One agent process under its supervisor, as the host holds it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from acp_jupyter.errors import AgentStartError
from acp_jupyter.host import supervise
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.pipes import PipeReader, PipeWriter
from acp_jupyter.host.registry import AgentSpec
from acp_jupyter.host.stderr_tail import StderrTail

__all__ = ["AgentProcess", "ExitReason"]

_LAST_STDERR_SECONDS = 0.2
_STOP_MARGIN_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class ExitReason:
    """How a process ended; both are None where nobody knows."""

    exit_code: int | None
    signal: int | None

    def words(self) -> str:
        """Return the end of a sentence that starts with the agent's name."""
        if self.signal is not None:
            return f"was killed by signal {self.signal}"
        if self.exit_code is not None:
            return f"exited with code {self.exit_code}"
        return "ended"


class AgentProcess:
    """Pipes, life and death of one agent.

    What this starts is ``supervise.py``; that starts the agent, which gets the three pipes
    directly. Everything here belongs to the loop that `start` ran in.
    """

    def __init__(
        self,
        supervisor: subprocess.Popen[bytes],
        stdin: PipeWriter,
        life_fd: int,
        status_fd: int,
        limits: Limits,
    ) -> None:
        assert supervisor.stdout is not None
        assert supervisor.stderr is not None
        self.stdin = stdin
        self.stdout = PipeReader(_take_over(supervisor.stdout))
        self.pid = 0
        self._supervisor = supervisor
        self._life_fd = life_fd
        self._limits = limits
        self._stderr = PipeReader(_take_over(supervisor.stderr))
        self._status = PipeReader(status_fd)
        self._tail = StderrTail(limits)
        self._start_error: dict[str, Any] = {}
        self._reason: ExitReason | None = None
        self._started = asyncio.Event()
        self._exited = asyncio.Event()
        self._stderr_task = asyncio.create_task(
            self._tail.drain(self._stderr), name="acp-agent-stderr"
        )
        self._status_task = asyncio.create_task(self._follow_status(), name="acp-agent-status")

    @classmethod
    async def start(
        cls, spec: AgentSpec, *, cwd: str | Path, env: Mapping[str, str], limits: Limits
    ) -> Self:
        """Start ``spec`` in the folder ``cwd``.

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
        process = await cls._spawn([spec.command, *spec.args], cwd, env, limits)
        try:
            async with asyncio.timeout(limits.spawn_seconds):
                await process._started.wait()
        except TimeoutError:
            await process.stop()
            raise AgentStartError(
                f"{spec.name} did not start within {limits.spawn_seconds:g} s. "
                "The machine may be overloaded; try again."
            ) from None
        except BaseException:
            await process.stop()
            raise
        if process.pid == 0:
            await process.stop()
            raise _start_error(spec, process._start_error)
        return process

    @classmethod
    async def _spawn(
        cls, command: Sequence[str], cwd: str | Path, env: Mapping[str, str], limits: Limits
    ) -> Self:
        life_read, life_write = os.pipe()
        status_read, status_write = os.pipe()
        arguments = [
            # Isolated and by path: neither the folder nor PYTHONPATH may put code in our place.
            *(sys.executable, "-I", "-S", supervise.__file__, str(life_read), str(status_write)),
            *(str(limits.stdin_eof_seconds), str(limits.term_seconds), "--", *command),
        ]
        spawning = asyncio.ensure_future(
            asyncio.to_thread(
                subprocess.Popen,
                arguments,
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(life_read, status_write),
                start_new_session=True,
            )
        )
        try:
            supervisor = await asyncio.shield(spawning)
        except asyncio.CancelledError:
            # A thread that starts a process can't be stopped: take the process back.
            os.close(life_write)
            os.close(status_read)
            unwanted = await spawning
            unwanted.kill()
            await asyncio.to_thread(unwanted.communicate)
            raise
        except BaseException as error:
            os.close(life_write)
            os.close(status_read)
            if isinstance(error, OSError | ValueError):
                raise AgentStartError(f"The agent's supervisor did not start: {error}.") from error
            raise
        finally:
            os.close(life_read)
            os.close(status_write)
        assert supervisor.stdin is not None
        try:
            stdin = await PipeWriter.open(supervisor.stdin, limits.unsent_bytes)
        except BaseException:
            os.close(life_write)
            os.close(status_read)
            raise
        return cls(supervisor, stdin, life_write, status_read, limits)

    def stderr_tail(self) -> list[str]:
        """Return the last lines of stderr, bounded and free of control characters."""
        return self._tail.lines()

    @property
    def exit_reason(self) -> ExitReason | None:
        """How the agent ended, or None while it runs."""
        return self._reason

    async def wait_exit(self) -> ExitReason:
        """Wait for the agent itself to end, whoever still holds its pipes.

        What it last wrote to stderr is in `stderr_tail` then.
        """
        await self._exited.wait()
        await asyncio.wait([self._stderr_task], timeout=_LAST_STDERR_SECONDS)
        assert self._reason is not None
        return self._reason

    async def stop(self) -> None:
        """End stdin, then SIGTERM, then SIGKILL, for the agent and all that it started.

        Returns when nothing is left. May be called at any time, and again.
        """
        self.stdin.close()
        if self._life_fd >= 0:
            os.close(self._life_fd)
            self._life_fd = -1
        bound = self._limits.stdin_eof_seconds + self._limits.term_seconds + _STOP_MARGIN_SECONDS
        await asyncio.wait([self._status_task], timeout=bound)
        if not self._status_task.done():
            self._supervisor.kill()
            await asyncio.wait([self._status_task], timeout=_STOP_MARGIN_SECONDS)
        for task in (self._status_task, self._stderr_task):
            task.cancel()
        await asyncio.gather(self._status_task, self._stderr_task, return_exceptions=True)
        for pipe in (self._status, self.stdout, self._stderr):
            pipe.close()

    async def _follow_status(self) -> None:
        """Take the supervisor's reports, to its own end."""
        unread = b""
        while chunk := await self._status.read():
            *lines, unread = (unread + chunk).split(b"\n")
            for line in lines:
                self._on_status(json.loads(line))
        self._started.set()
        while self._supervisor.poll() is None:  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(self._limits.death_poll_seconds)
        if self._supervisor.returncode < 0 and self.pid:
            # The supervisor was killed. The agent died with it; this is for what it started.
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        if self._reason is None:
            number = -self._supervisor.returncode
            self._set_exit(ExitReason(None, number if number > 0 else None))

    def _on_status(self, report: dict[str, Any]) -> None:
        if "pid" in report:
            self.pid = report["pid"]
            self._started.set()
        elif "exit_code" in report:
            self._set_exit(ExitReason(report["exit_code"], report["signal"]))
        else:
            self._start_error = report

    def _set_exit(self, reason: ExitReason) -> None:
        self._reason = reason
        self._exited.set()
        self.stdout.process_exited()
        self._stderr.process_exited()


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
