"""Handlers of the agent's ``fs/`` and ``terminal/`` requests."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from acp_jupyter.errors import (
    FileMissing,
    FileOutside,
    FileRefused,
    NotAllowed,
    TerminalRefused,
    UnknownTerminal,
)
from acp_jupyter.host.requests.answers import PermissionWithdrawn
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.session_folder import FileId
from acp_jupyter.host.rpc.agent_answers import (
    CANCELLED,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    ErrorAnswer,
)
from acp_jupyter.host.workspace.agent_files import AgentFiles
from acp_jupyter.host.workspace.confined_files import RealPath
from acp_jupyter.host.workspace.terminal_process import (
    Allowed,
    FolderRefused,
    TerminalCommand,
    TerminalExit,
    TerminalState,
)
from acp_jupyter.protocol.objects import Obj


class FileHandlers:
    """Handlers of ``fs/`` requests."""

    files: AgentFiles
    host_permissions: HostPermissions

    async def read_text_file(
        self,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        *,
        request_seq: int,
    ) -> Obj:
        """ACP: fs/read_text_file; unsaved text of open documents counts before the disk."""
        consent = self.host_permissions

        async def allowed(file: RealPath) -> FileId | None:
            return await consent.to_read(request_seq, file.path)

        try:
            content = await self.files.read(path, line, limit, allowed)
        except (FileMissing, FileOutside) as error:
            if isinstance(error, FileOutside) and not await asyncio.to_thread(
                consent.is_looked_for, path
            ):
                consent.tell_refused(request_seq, "read", path, error.message)
            consent.tell_done(request_seq, failed=error.message)
            raise ErrorAnswer(RESOURCE_NOT_FOUND, error.message, {"path": path}) from None
        except (FileRefused, NotAllowed) as error:
            consent.tell_done(request_seq, failed=error.message)
            raise ErrorAnswer(INVALID_PARAMS, error.message, {"path": path}) from None
        except PermissionWithdrawn:
            raise ErrorAnswer(CANCELLED, "Request cancelled") from None
        consent.tell_done(request_seq)
        return {"content": content}

    async def write_text_file(
        self,
        path: str,
        content: str,
        *,
        request_seq: int,
    ) -> Obj:
        """ACP: fs/write_text_file."""
        consent = self.host_permissions

        async def allowed(file: RealPath, old: str | None, new: str) -> None:
            await consent.to_write(request_seq, file.path, old, new)

        try:
            await self.files.write(path, content, allowed)
        except (FileRefused, FileMissing, NotAllowed) as error:
            if isinstance(error, FileOutside):
                consent.tell_refused(request_seq, "edit", path, error.message)
            consent.tell_done(request_seq, failed=error.message)
            raise ErrorAnswer(INVALID_PARAMS, error.message, {"path": path}) from None
        except PermissionWithdrawn:
            raise ErrorAnswer(CANCELLED, "Request cancelled") from None
        consent.tell_done(request_seq)
        return {}


class TerminalService(Protocol):
    """Terminals for an agent: real ones, or those of a recording."""

    async def create(
        self,
        command: str,
        args: Sequence[str] = (),
        cwd: str | None = None,
        env: Iterable[tuple[str, str]] = (),
        output_bytes: int | None = None,
        allowed: Allowed | None = None,
    ) -> str:
        """ACP: terminal/create."""

    def output(self, terminal_id: str) -> TerminalState:
        """ACP: terminal/output."""

    async def wait(self, terminal_id: str) -> TerminalExit:
        """ACP: terminal/wait_for_exit."""

    async def kill(self, terminal_id: str) -> None:
        """ACP: terminal/kill."""

    async def release(self, terminal_id: str) -> None:
        """ACP: terminal/release."""


class EnvironmentVariable(Protocol):
    """ACP: a variable of a terminal's environment."""

    name: str
    value: str


class TerminalHandlers:
    """Handlers of ``terminal/`` requests."""

    host_permissions: HostPermissions

    @property
    def terminals(self) -> TerminalService:
        """The session's terminals."""
        raise NotImplementedError

    async def create_terminal(
        self,
        command: str,
        args: list[str] | None = None,
        env: Sequence[EnvironmentVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        *,
        request_seq: int,
    ) -> Obj:
        """ACP: terminal/create."""
        terminals = self.terminals
        consent = self.host_permissions
        variables = [(variable.name, variable.value) for variable in env or ()]

        async def allowed(prepared: TerminalCommand) -> None:
            await consent.to_run(request_seq, prepared.shown, prepared.cwd, dict(variables))

        try:
            terminal_id = await terminals.create(
                command, args or (), cwd, variables, output_byte_limit, allowed
            )
        except NotAllowed as error:
            consent.tell_done(request_seq, failed=error.message)
            raise ErrorAnswer(INVALID_PARAMS, error.message) from None
        except TerminalRefused as error:
            if isinstance(error, FolderRefused):
                line = " ".join([command, *map(shlex.quote, args or ())])
                consent.tell_refused(request_seq, "execute", line, error.message)
            consent.tell_done(request_seq, failed=error.message)
            raise ErrorAnswer(INVALID_PARAMS, error.message) from None
        except PermissionWithdrawn:
            raise ErrorAnswer(CANCELLED, "Request cancelled") from None
        consent.tell_done(request_seq)
        return {"terminalId": terminal_id}

    async def terminal_output(self, terminal_id: str, **_: Any) -> Obj:
        """ACP: terminal/output."""
        try:
            state = self.terminals.output(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        ended: Obj = {} if state.exit is None else {"exitStatus": _exit_status(state.exit)}
        return {"output": state.output, "truncated": state.truncated, **ended}

    async def wait_for_terminal_exit(self, terminal_id: str, **_: Any) -> Obj:
        """ACP: terminal/wait_for_exit."""
        try:
            ended = await self.terminals.wait(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        return _exit_status(ended)

    async def kill_terminal(self, terminal_id: str, **_: Any) -> Obj:
        """ACP: terminal/kill."""
        try:
            await self.terminals.kill(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        return {}

    async def release_terminal(self, terminal_id: str, **_: Any) -> Obj:
        """ACP: terminal/release."""
        try:
            await self.terminals.release(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        return {}


def _exit_status(ended: TerminalExit) -> Obj:
    status = {"exitCode": ended.exit_code, "signal": ended.signal}
    return {name: value for name, value in status.items() if value is not None}


def _unknown(error: UnknownTerminal, terminal_id: str) -> ErrorAnswer:
    return ErrorAnswer(RESOURCE_NOT_FOUND, error.message, {"terminalId": terminal_id})
