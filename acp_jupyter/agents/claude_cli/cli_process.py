"""A running CLI: its process, its output, and requests that control it."""

from __future__ import annotations

import asyncio
import os
import uuid
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from acp_jupyter.agents.claude_cli.command import (
    CliLaunch,
    cli_arguments,
    cli_environment,
    find_cli,
    write_mcp_config,
)
from acp_jupyter.agents.rpc import INTERNAL_ERROR, Json, RpcError, encode
from acp_jupyter.dialects.claude_reader import ClaudeCli, CliOutput
from acp_jupyter.dialects.claude_results import (
    CliResult,
    ControlAnswered,
    ControlRequested,
    StateChanged,
)
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.system.processes.tree import ProcessTree

_CONTROL_SECONDS = 10.0
_HELLO = "acp-initialize"


class LiveCli:
    """One process of the CLI, from its start to its end; a restart makes a new object.

    Parameters
    ----------
    on_hello
        Gets the CLI's answer to ``initialize``: its commands and models.
    """

    def __init__(
        self,
        on_result: Callable[[CliResult], None],
        on_end: Callable[[], None],
        on_hello: Callable[[Obj], None],
    ) -> None:
        self.is_busy = False
        """Whether it announced that it works, and will announce that it is idle; older ones do
        not."""
        self.end_reason = ""
        """How the process ended, as text."""
        self._on_result = on_result
        self._on_end = on_end
        self._on_hello = on_hello
        self._cli = ClaudeCli()
        self._child: CliChild | None = None
        self._mcp_config: Path | None = None
        self._controls: dict[str, asyncio.Future[ControlAnswered]] = {}

    @classmethod
    async def start(
        cls,
        launch: CliLaunch,
        cwd: Path,
        *,
        on_result: Callable[[CliResult], None],
        on_end: Callable[[], None],
        on_hello: Callable[[Obj], None],
    ) -> Self:
        """Start the CLI."""
        live = cls(on_result, on_end, on_hello)
        program = find_cli(os.environ)
        live._mcp_config = write_mcp_config(launch.servers)
        try:
            live._child = await CliChild.start(
                [program, *cli_arguments(launch, live._mcp_config)],
                cwd,
                cli_environment(os.environ),
                live._read,
                live._ended,
            )
        except OSError:
            live._forget_servers()
            raise
        live._request(_HELLO, {"subtype": "initialize"})
        return live

    @property
    def session_id(self) -> str:
        """The CLI's own id of the conversation; empty until it has one."""
        return self._cli.session_id

    @property
    def last_words(self) -> str:
        """The last lines of its stderr."""
        return "" if self._child is None else self._child.last_words

    def send(self, message: Json) -> None:
        """Send it a line."""
        if self._child is not None:
            self._child.send(message)

    def interrupt(self) -> None:
        """Ask it to stop its turn."""
        self._request(f"acp-{uuid.uuid4()}", {"subtype": "interrupt"})

    async def control(self, request: Json) -> None:
        """Send a control request, and wait for the response."""
        request_id = f"acp-{uuid.uuid4()}"
        answered: asyncio.Future[ControlAnswered] = asyncio.get_running_loop().create_future()
        self._controls[request_id] = answered
        self._request(request_id, request)
        try:
            answer = await asyncio.wait_for(answered, _CONTROL_SECONDS)
        except TimeoutError:
            raise RpcError(INTERNAL_ERROR, "The Claude CLI did not answer in time.") from None
        finally:
            del self._controls[request_id]
        if answer.error:
            raise RpcError(INTERNAL_ERROR, f"The Claude CLI refused: {answer.error}")

    def close_open_calls(self) -> None:
        """Close the tool calls that will have no result."""
        for result in self._cli.finish():
            self._on_result(result)

    async def stop(self) -> None:
        """End the process and its process group."""
        if self._child is not None:
            await self._child.stop()

    def _request(self, request_id: str, request: Json) -> None:
        self.send({"type": "control_request", "request_id": request_id, "request": request})

    def _read(self, value: object) -> None:
        for result in self._cli.read(value):
            match result:
                case ControlAnswered():
                    self._answered(result)
                case ControlRequested(request_id, subtype):
                    error = f"{subtype} is not known here."
                    body = {"subtype": "error", "request_id": request_id, "error": error}
                    self.send({"type": "control_response", "response": body})
                case StateChanged(state):
                    self.is_busy = state != "idle"
                    self._on_result(result)
                case _:
                    self._on_result(result)

    def _answered(self, answer: ControlAnswered) -> None:
        waiting = self._controls.get(answer.request_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)
        elif answer.request_id == _HELLO:
            self._on_hello(answer.response)

    def _ended(self, code: int) -> None:
        self.end_reason = (
            f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        )
        self._forget_servers()
        for waiting in self._controls.values():
            if not waiting.done():
                waiting.set_result(ControlAnswered("", {}, f"it {self.end_reason}."))
        self.close_open_calls()
        self._on_end()

    def _forget_servers(self) -> None:
        if self._mcp_config is not None:
            self._mcp_config.unlink(missing_ok=True)


_READ_BYTES = 65_536
_STDERR_LINES = 20
_STDERR_LINE_LENGTH = 500
_TERM_SECONDS = 1.0
_LAST_OUTPUT_SECONDS = 1.0


class CliChild:
    """A running CLI in a process group of its own, which ends with it."""

    def __init__(
        self,
        process: Process,
        tree: ProcessTree,
        on_value: Callable[[object], None],
        on_end: Callable[[int], None],
    ) -> None:
        self._process = process
        self._tree = tree
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
        """Start ``command``."""
        tree = ProcessTree()
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env={**environment, **tree.variables},
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            process_group=0,
        )
        return cls(process, tree, on_value, on_end)

    @property
    def last_words(self) -> str:
        """The last lines of its stderr."""
        return "\n".join(self._stderr)

    def send(self, message: Mapping[str, object]) -> None:
        """Write one line; if the process has ended, the line is lost."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(encode(message).encode() + b"\n")

    async def stop(self) -> None:
        """End it and its group with EOF, SIGTERM, then SIGKILL; return when it has ended."""
        if not self._stopping:
            self._stopping = True
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._tree.end(self._process.pid, kill=False)
        await asyncio.wait({self._watching}, timeout=_TERM_SECONDS)
        self._tree.end(self._process.pid)
        await asyncio.wait({self._watching})

    async def _watch(self, on_end: Callable[[int], None]) -> None:
        reading = [asyncio.create_task(self._read()), asyncio.create_task(self._read_stderr())]
        code = await self._process.wait()
        # A process that inherited the pipes may keep them open; all output has been read by then.
        await asyncio.wait(reading, timeout=_LAST_OUTPUT_SECONDS)
        self._tree.end(self._process.pid)  # it outlives the CLI if one of its commands still runs
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
