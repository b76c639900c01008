"""A child process under its supervisor: start, exit and stop, as the host sees them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from acp_jupyter.host.process.pipes import PipeReader
from acp_jupyter.own_programs import script_command

_STOP_MARGIN_SECONDS = 6.0
_SUPERVISE = Path(__file__).with_name("supervise.py")


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
    poll_seconds: float
    """How often to poll the process table if the system doesn't report ended processes."""


class ChildProcess:
    """Starts and ends one process, and ends all processes that it starts.

    This starts ``supervise.py``, which starts the command with the given standard streams.
    Everything here belongs to the loop in which `spawn` ran.
    """

    def __init__(
        self,
        supervisor: subprocess.Popen[bytes],
        life_fd: int,
        status_fd: int,
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
        self._life_fd = life_fd
        self._grace = grace
        self._on_exit = on_exit
        self._status = PipeReader(status_fd)
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
        terminal_folder: int | None = None,
    ) -> Self:
        """Start ``command``; ``started`` and ``pid`` say whether it runs.

        Parameters
        ----------
        cwd
            The folder that it runs in; None with ``terminal_folder``.
        terminal_folder
            Descriptor of the folder, if standard output becomes the command's controlling
            terminal; None without one.
        """
        if sys.platform == "win32":
            raise OSError("programs can't be started on Windows yet; use Linux in WSL 2")
        life_read, life_write = os.pipe()
        status_read, status_write = os.pipe()
        arguments = [
            # Isolated and by path: the folder and PYTHONPATH must not replace our code.
            *script_command(str(_SUPERVISE), str(life_read), str(status_write)),
            *(str(grace.eof_seconds), str(grace.term_seconds)),
            *([] if terminal_folder is None else ["terminal", str(terminal_folder)]),
            *("--", *command),
        ]
        stdin, stdout, stderr = stdio
        passed = () if terminal_folder is None else (terminal_folder,)
        spawning = asyncio.ensure_future(
            asyncio.to_thread(
                subprocess.Popen,
                arguments,
                cwd=cwd,
                env=dict(env),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                bufsize=0,
                pass_fds=(life_read, status_write, *passed),
                start_new_session=True,
            )
        )
        try:
            supervisor = await asyncio.shield(spawning)
        except asyncio.CancelledError:
            # The thread that starts the process can't be cancelled: end the process afterwards.
            os.close(life_write)
            os.close(status_read)
            await finish_cleanup(_end_unwanted(spawning))
            raise
        except BaseException:
            os.close(life_write)
            os.close(status_read)
            raise
        finally:
            os.close(life_read)
            os.close(status_write)
        return cls(supervisor, life_write, status_read, grace, on_exit)

    def release(self) -> None:
        """Make the supervisor end everything, without waiting. May be called again."""
        if self._life_fd >= 0:
            os.close(self._life_fd)
            self._life_fd = -1

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
        self._status.close()

    async def _follow_status(self) -> None:
        """Read the supervisor's reports until it ends."""
        unread = b""
        while chunk := await self._status.read():
            *lines, unread = (unread + chunk).split(b"\n")
            for line in lines:
                self._on_status(json.loads(line))
        self.started.set()
        while self.supervisor.poll() is None:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(self._grace.poll_seconds)
        if sys.platform != "win32" and self.supervisor.returncode < 0 and self.pid:
            # The supervisor was killed, and the command with it: end what the command started.
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        if self.reason is None:
            number = -self.supervisor.returncode
            self._set_exit(ExitReason(None, number if number > 0 else None))

    def _unwatched(self) -> None:
        """Reap a supervisor that ends late: on a slow machine, or after the loop has ended."""
        self.release()
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
