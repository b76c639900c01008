"""The process of a terminal, in a pseudo-terminal under a supervisor.

The pseudo-terminal, or a pipe where there is none, is opened here and passed to the supervisor.
ptyprocess and terminado are not used: their ``forkpty`` forks the host, which has threads (Python
warns of it, and the child can deadlock), and nothing would end the command if the host is killed.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from acp_jupyter.errors import TerminalRefused, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.system.open_folder import OpenFolder
from acp_jupyter.system.processes.child_process import (
    ChildProcess,
    ExitReason,
    Grace,
    finish_cleanup,
)
from acp_jupyter.system.processes.pipes import PipeReader, open_reader
from acp_jupyter.system.terminals import open_terminal
from acp_jupyter.system.windows.commands import shell_command, shell_line

_BATCH_BYTES = 256 * 1024
_BATCH_SECONDS = 0.05
"""Interval of batches; slows down a command that floods its output."""
_LAST_OUTPUT_SECONDS = 0.2


class TerminalProcess:
    """Runs a command in a pseudo-terminal and reports its output.

    Standard input is empty, as nobody can type: a command that reads it goes on or fails and does
    not wait. Standard output and error are the terminal.
    """

    def __init__(self, supervised: ChildProcess, output: PipeReader) -> None:
        self._supervised = supervised
        self._output = output
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: TerminalCommand, limits: Limits) -> Self:
        """Start a command; its output waits in the terminal until `follow` is called."""
        await asyncio.to_thread(command.folder.check)
        # Its stdin can't be closed: SIGTERM comes at once.
        grace = Grace(0.0, limits.term_seconds)
        try:
            own, its = open_terminal()
        except OSError as error:
            raise TerminalRefused(f"No terminal could be opened: {plain_reason(error)}.") from error
        try:
            supervised = await ChildProcess.spawn(
                command.argv,
                cwd=None,
                env=command.env,
                grace=grace,
                stdio=(subprocess.DEVNULL, its, its),
                on_exit=lambda: None,
                terminal_in=command.folder.opened(),
            )
        except BaseException as error:
            os.close(own)
            if isinstance(error, OSError | ValueError):
                raise TerminalRefused(
                    f"The command did not start: {plain_reason(error, path=True)}."
                ) from error
            raise
        finally:
            os.close(its)
        process = cls(supervised, open_reader(own))
        await process._started(limits.spawn_seconds)
        try:
            await asyncio.to_thread(command.folder.check_used)
        except BaseException:
            await finish_cleanup(process.stop())
            raise
        return process

    async def _started(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._supervised.started.wait()
        except TimeoutError:
            await self.stop()
            raise TerminalRefused(f"The command did not start within {seconds:g} s.") from None
        except BaseException:
            await finish_cleanup(self.stop())
            raise
        if self._supervised.pid == 0:
            await self.stop()
            why = self._supervised.start_error.get("error", "its supervisor ended")
            raise TerminalRefused(f"The command did not start: {why}.")

    @property
    def pid(self) -> int:
        """Process id of the command."""
        return self._supervised.pid

    def follow(self, on_output: Callable[[bytes], None]) -> None:
        """Call ``on_output`` with the command's output from now on."""
        self._reading = asyncio.create_task(self._read(on_output), name="acp-terminal-output")

    async def wait_exit(self) -> ExitReason:
        """Wait for the command's end and for the report of its output."""
        await self._supervised.exited.wait()
        await self._last_output()
        assert self._supervised.reason is not None
        return self._supervised.reason

    def end(self) -> None:
        """Start to end the command and all that it started; returns at once."""
        self._supervised.release()

    async def stop(self) -> None:
        """End the command and wait until no process is left. May be called repeatedly."""
        await self._supervised.stop()
        await self._last_output()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._output.close()

    async def _last_output(self) -> None:
        """Wait for the output's end, but not for background processes with the terminal open."""
        if self._reading is not None:
            await asyncio.wait([self._reading], timeout=_LAST_OUTPUT_SECONDS)

    async def _read(self, on_output: Callable[[bytes], None]) -> None:
        room = _BATCH_BYTES
        while chunk := await self._output.read():
            on_output(chunk)
            room -= len(chunk)
            if room <= 0:
                room = _BATCH_BYTES
                await asyncio.sleep(_BATCH_SECONDS)


_DEFAULT_ENVIRONMENT = {
    "TERM": "xterm-256color",
    # No pager: nobody can press a key.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
}


@dataclass(frozen=True, slots=True)
class TerminalCommand:
    """A command that is ready to start."""

    argv: tuple[str, ...]
    shown: str
    """The command line that is shown to the user."""
    folder: HeldFolder
    env: Mapping[str, str]

    @property
    def cwd(self) -> str:
        """The folder's absolute path, without links."""
        return self.folder.path


class FolderRefused(TerminalRefused):
    """The folder of a command is outside the session's, or not there."""


class HeldFolder:
    """The folder that a command will run in; opened before the user is asked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._folder: OpenFolder | None = None
        self._folder = OpenFolder(path)

    def check(self) -> None:
        """Check that the path still leads to this folder, without links. Blocks."""
        if not self.opened().is_at_its_path():
            raise FolderRefused(
                f"The folder {self.path} was replaced after you were asked. Nothing was run."
            )

    def check_used(self) -> None:
        """Check where a command was started, if that was by the path. Blocks."""
        if self.opened().fd is None:
            self.check()

    def opened(self) -> OpenFolder:
        """Return the folder."""
        assert self._folder is not None
        return self._folder

    def close(self) -> None:
        """Close the folder."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def __del__(self) -> None:
        """Close the folder if the command was not started."""
        self.close()


def prepare_command(
    command: str,
    args: Sequence[str],
    cwd: str | None,
    env: Iterable[tuple[str, str]],
    *,
    root: Path,
    inherited: Mapping[str, str],
) -> TerminalCommand:
    """Return the command to start. Reads the file system.

    An existing program is run without a shell. Anything else is a command line, which most agents
    send: a shell runs it (bash if there is one, as agents expect).

    Parameters
    ----------
    root
        The session's folder; the command starts there or below.
    """
    if not command.strip():
        raise TerminalRefused("The command is empty.")
    added = dict(env)
    if any("\0" in text for text in (command, *args, *added, *added.values())):
        raise TerminalRefused(
            "The command, its arguments or its variables contain a NUL character."
        )
    if any(not name or "=" in name for name in added):
        raise TerminalRefused("The name of an environment variable is empty or contains a “=”.")
    environment = {**inherited, **_DEFAULT_ENVIRONMENT, **added}
    folder = _folder(root, cwd)
    path = environment.get("PATH", os.defpath)
    if _is_program(command, folder.path, path):
        argv = (command, *args)
        shown = subprocess.list2cmdline(argv) if sys.platform == "win32" else shlex.join(argv)
        return TerminalCommand(argv, shown, folder, environment)
    if sys.platform == "win32":
        try:
            line = shell_line(command, args)
        except ValueError as error:
            raise TerminalRefused(f"The command can't be run: {error}.") from None
        return TerminalCommand(shell_command(line), line, folder, environment)
    else:
        line = " ".join([command, *map(shlex.quote, args)])
        shell = shutil.which("bash", path=path) or "/bin/sh"
        return TerminalCommand((shell, "-c", line), line, folder, environment)


def _is_program(command: str, folder: str, path: str) -> bool:
    if os.path.dirname(command):
        file = os.path.join(folder, command)
        return os.path.isfile(file) and os.access(file, os.X_OK)
    return shutil.which(command, path=path) is not None


def _folder(root: Path, cwd: str | None) -> HeldFolder:
    whole = os.path.realpath(root)
    cwd = cwd or whole
    if "\0" in cwd:
        raise TerminalRefused("The name of the folder contains a NUL character.")
    folder = os.path.realpath(os.path.join(whole, cwd))
    if folder != whole and not folder.startswith(os.path.join(whole, "")):
        raise FolderRefused(f"The folder {cwd} is outside the working directory of the session.")
    try:
        held = HeldFolder(folder)
        held.check()
    except OSError:
        raise FolderRefused(f"The folder {cwd} does not exist.") from None
    return held


@dataclass(frozen=True, slots=True)
class TerminalExit:
    """How a command ended."""

    exit_code: int | None
    signal: str | None


@dataclass(frozen=True, slots=True)
class TerminalState:
    """The output so far, and the exit of an ended command."""

    output: str
    truncated: bool
    exit: TerminalExit | None


Allowed = Callable[[TerminalCommand], Awaitable[None]]
"""Called with a command before it starts; returns once it may run, or raises."""
