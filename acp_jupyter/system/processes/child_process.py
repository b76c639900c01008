"""A child process under its supervisor: start, exit and stop, as the host sees them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from acp_jupyter.system.open_folder import OpenFolder
from acp_jupyter.system.processes.links import Link, open_link

_STOP_MARGIN_SECONDS = 6.0
_NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)


@dataclass(frozen=True, slots=True)
class ExitReason:
    """Exit code or signal of a process; both None if unknown."""

    exit_code: int | None
    signal: int | None

    def words(self) -> str:
        """Return the end of a sentence that starts with the agent's name."""
        if self.signal is not None:
            return f"was killed by signal {self.signal}"
        if self.exit_code is not None:
            return f"exited with code {self.exit_code}"
        return "ended"


@dataclass(frozen=True, slots=True)
class Grace:
    """Time that a process gets to end by itself before each signal."""

    eof_seconds: float
    """Seconds until SIGTERM."""
    term_seconds: float
    """Seconds from SIGTERM to SIGKILL."""
    poll_seconds: float = 0.1
    """How often to poll the process table if the system doesn't report ended processes."""


class ChildProcess:
    """Starts and ends one process, and ends all processes that it starts.

    This starts a supervisor, which starts the command with the given standard streams.
    Everything here belongs to the loop in which `spawn` ran.
    """

    def __init__(
        self,
        supervisor: subprocess.Popen[bytes],
        link: Link,
        grace: Grace,
        on_exit: Callable[[], None],
    ) -> None:
        self.supervisor = supervisor
        self.pid = 0
        """The command's process id; 0 if it did not start."""
        self.start_error: dict[str, Any] = {}
        self.reason: ExitReason | None = None
        self.started = asyncio.Event()
        """Set when the command runs, or is known not to."""
        self.exited = asyncio.Event()
        """Set when the command itself has ended."""
        self._link = link
        self._grace = grace
        self._on_exit = on_exit
        self._status_task = asyncio.create_task(self._follow_status(), name="acp-supervised")
        self._status_task.add_done_callback(lambda _: self._unwatched())

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        *,
        cwd: str | Path | None,
        env: Mapping[str, str],
        grace: Grace,
        stdio: tuple[int, int, int],
        on_exit: Callable[[], None],
        terminal_in: OpenFolder | None = None,
    ) -> Self:
        """Start ``command``; ``started`` and ``pid`` say whether it runs.

        Parameters
        ----------
        cwd
            The folder that it runs in; None with ``terminal_in``.
        terminal_in
            The folder that it runs in, if standard output becomes its controlling terminal where
            the system has such; None without a terminal.
        """
        link = await open_link(None if terminal_in is None else terminal_in.fd)
        terminal = terminal_in is not None
        by_path = terminal_in.path if terminal_in is not None and terminal_in.fd is None else None
        grace_seconds = (grace.eof_seconds, grace.term_seconds)
        stdin, stdout, stderr = stdio
        supervisor: subprocess.Popen[bytes] | None = None
        spawning = asyncio.ensure_future(
            asyncio.to_thread(
                subprocess.Popen,
                [*link.command(*grace_seconds, terminal=terminal), "--", *command],
                cwd=by_path or cwd,
                env={**env, **link.variables},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                bufsize=0,
                pass_fds=link.descriptors,
                start_new_session=True,
                creationflags=_NO_WINDOW,
            )
        )
        try:
            supervisor = await asyncio.shield(spawning)
        except asyncio.CancelledError:
            # The thread that starts the process can't be cancelled: end the process afterwards.
            link.release()
            link.close()
            await finish_cleanup(_end_unwanted(spawning))
            raise
        except BaseException:
            link.release()
            link.close()
            raise
        finally:
            link.started(supervisor)
        return cls(supervisor, link, grace, on_exit)

    def release(self) -> None:
        """Make the supervisor end everything, without waiting. May be called again."""
        self._link.release()

    async def stop(self) -> None:
        """End all processes, and wait until none is left. May be called at any time, and again."""
        self.release()
        bound = self._grace.eof_seconds + self._grace.term_seconds + _STOP_MARGIN_SECONDS
        await asyncio.wait([self._status_task], timeout=bound)
        if not self._status_task.done():
            self.supervisor.kill()
            await asyncio.wait([self._status_task], timeout=_STOP_MARGIN_SECONDS)
        self._status_task.cancel()
        await asyncio.gather(self._status_task, return_exceptions=True)
        self._link.close()

    async def _follow_status(self) -> None:
        """Read the supervisor's reports until it ends."""
        unread = b""
        while chunk := await self._link.read():
            *lines, unread = (unread + chunk).split(b"\n")
            for line in lines:
                self._on_status(json.loads(line))
        self.started.set()
        while self.supervisor.poll() is None:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(self._grace.poll_seconds)
        if self.supervisor.returncode and self.pid:
            # The supervisor was killed, and the command with it: end what the command started.
            await asyncio.to_thread(self._link.end_orphans, self.pid)
        if self.reason is None:
            number = -self.supervisor.returncode
            self._set_exit(ExitReason(None, number if number > 0 else None))

    def _unwatched(self) -> None:
        """Reap a supervisor that ends late: on a slow machine, or after the loop has ended."""
        self.release()
        self._link.close()
        if self.supervisor.poll() is None:
            wait = self.supervisor.wait
            threading.Thread(target=wait, name="acp-reaping", daemon=True).start()

    def _on_status(self, report: dict[str, Any]) -> None:
        if "pid" in report:
            self.pid = report["pid"]
            self.started.set()
        elif "exit_code" in report:
            self._set_exit(ExitReason(report["exit_code"], report["signal"]))
        else:
            self.start_error = report

    def _set_exit(self, reason: ExitReason) -> None:
        self.reason = reason
        self.exited.set()
        self._on_exit()


async def finish_cleanup(clearing_up: Coroutine[Any, Any, None]) -> None:
    """Wait for a cleanup to finish, even if the waiting task is cancelled repeatedly."""
    task = asyncio.create_task(clearing_up, name="acp-clearing-up")
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    task.result()


async def _end_unwanted(spawning: Awaitable[subprocess.Popen[bytes]]) -> None:
    with contextlib.suppress(OSError, ValueError):  # it had not started yet
        unwanted = await spawning
        unwanted.kill()
        await asyncio.to_thread(unwanted.communicate)
