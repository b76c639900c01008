"""One process of the Claude CLI."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from acp_jupyter.agents.rpc import encode
from acp_jupyter.dialects.claude_stream.reader import CliOutput

__all__ = ["CliChild"]

_READ_BYTES = 65_536
_STDERR_LINES = 20
_STDERR_LINE_LENGTH = 500
_TERM_SECONDS = 1.0
_LAST_OUTPUT_SECONDS = 1.0


class CliChild:
    """A running CLI; in a process group of its own, which ends with it.

    Parameters
    ----------
    on_value
        Gets each value that the CLI writes, in order.
    on_end
        Called once, when the process is gone and all that it wrote was read.
    """

    def __init__(
        self,
        process: Process,
        on_value: Callable[[object], None],
        on_end: Callable[[int], None],
    ) -> None:
        self._process = process
        self._on_value = on_value
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._stopping = False
        self._watching = asyncio.create_task(self._watch(on_end))

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        on_value: Callable[[object], None],
        on_end: Callable[[int], None],
    ) -> Self:
        """Start ``command``.

        Raises
        ------
        OSError
            It can't be started.
        """
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            process_group=0,
        )
        return cls(process, on_value, on_end)

    @property
    def last_words(self) -> str:
        """The end of what it wrote on stderr."""
        return "\n".join(self._stderr)

    def send(self, message: Mapping[str, object]) -> None:
        """Write one line; to a process that is gone it is lost."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(encode(message).encode() + b"\n")

    async def stop(self) -> None:
        """End it and its group: stdin, then TERM, then KILL; return when it is gone."""
        if not self._stopping:
            self._stopping = True
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._signal(signal.SIGTERM)
        await asyncio.wait({self._watching}, timeout=_TERM_SECONDS)
        self._signal(signal.SIGKILL)
        await asyncio.wait({self._watching})

    def _signal(self, number: signal.Signals) -> None:
        # The group outlives the CLI itself where a command of its own goes on.
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, number)

    async def _watch(self, on_end: Callable[[int], None]) -> None:
        reading = [asyncio.create_task(self._read()), asyncio.create_task(self._read_stderr())]
        code = await self._process.wait()
        # Whoever inherited the pipes may keep them open; what the CLI wrote is there by then.
        await asyncio.wait(reading, timeout=_LAST_OUTPUT_SECONDS)
        self._signal(signal.SIGKILL)
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        on_end(code)

    async def _read(self) -> None:
        assert self._process.stdout is not None
        lines = CliOutput()
        while data := await self._process.stdout.read(_READ_BYTES):
            for value in lines.feed(data):
                self._on_value(value)
        for value in lines.finish():
            self._on_value(value)

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        rest = b""
        while data := await self._process.stderr.read(_READ_BYTES):
            *lines, rest = (rest[-_READ_BYTES:] + data).split(b"\n")
            self._keep_stderr(lines)
        self._keep_stderr([rest])

    def _keep_stderr(self, lines: Sequence[bytes]) -> None:
        words = (line.decode(errors="replace").strip() for line in lines)
        self._stderr.extend(line[:_STDERR_LINE_LENGTH] for line in words if line)
