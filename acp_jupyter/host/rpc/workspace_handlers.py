"""Handlers of the agent's ``fs/`` and ``terminal/`` requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import acp
from acp.schema import (
    CreateTerminalResponse,
    EnvVariable,
    KillTerminalResponse,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    TerminalExitStatus,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)

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
from acp_jupyter.host.workspace.agent_files import AgentFiles
from acp_jupyter.host.workspace.terminal_process import (
    Allowed,
    TerminalCommand,
    TerminalExit,
    TerminalState,
)

_RESOURCE_NOT_FOUND = -32002
_INVALID_PARAMS = -32602
_CANCELLED = -32800


class FileHandlers:
    """Handlers of ``fs/`` requests, a part of the SDK's ``Client``."""

    files: AgentFiles

    def host_permissions_of(self, kwargs: dict[str, Any]) -> HostPermissions:
        """Return the `HostPermissions` of the request's session."""
        raise NotImplementedError

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **kwargs: Any,
    ) -> ReadTextFileResponse:
        """ACP: fs/read_text_file; unsaved text of open documents counts before the disk."""
        consent = self.host_permissions_of(kwargs)
        try:
            await consent.to_read(kwargs["request_seq"], path)
            content = await self.files.read(path, line, limit)
        except (FileMissing, FileOutside) as error:
            # Some agents look for a file in each parent folder.
            raise acp.RequestError(_RESOURCE_NOT_FOUND, error.message, {"path": path}) from None
        except (FileRefused, NotAllowed) as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message, {"path": path}) from None
        except PermissionWithdrawn:
            raise acp.RequestError(_CANCELLED, "Request cancelled") from None
        return ReadTextFileResponse(content=content)

    async def write_text_file(
        self,
        session_id: str,
        path: str,
        content: str,
        **kwargs: Any,
    ) -> WriteTextFileResponse:
        """ACP: fs/write_text_file."""
        consent = self.host_permissions_of(kwargs)

        async def allowed(old: str | None) -> None:
            await consent.to_write(kwargs["request_seq"], path, old, content)

        try:
            await self.files.write(path, content, allowed)
        except (FileRefused, FileMissing, NotAllowed) as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message, {"path": path}) from None
        except PermissionWithdrawn:
            raise acp.RequestError(_CANCELLED, "Request cancelled") from None
        return WriteTextFileResponse()


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


class TerminalHandlers:
    """Handlers of ``terminal/`` requests, a part of the SDK's ``Client``."""

    def terminals_of(self, kwargs: dict[str, Any]) -> TerminalService:
        """Return the terminals of the request's session.

        Raises
        ------
        acp.RequestError
            The session has no terminals.
        """
        raise NotImplementedError

    def host_permissions_of(self, kwargs: dict[str, Any]) -> HostPermissions:
        """Return the `HostPermissions` of the request's session."""
        raise NotImplementedError

    async def create_terminal(
        self,
        session_id: str,
        command: str,
        args: list[str] | None = None,
        env: list[EnvVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        **kwargs: Any,
    ) -> CreateTerminalResponse:
        """ACP: terminal/create."""
        terminals = self.terminals_of(kwargs)
        consent = self.host_permissions_of(kwargs)
        variables = [(variable.name, variable.value) for variable in env or ()]

        async def allowed(prepared: TerminalCommand) -> None:
            await consent.to_run(
                kwargs["request_seq"], prepared.shown, prepared.cwd, dict(variables)
            )

        try:
            terminal_id = await terminals.create(
                command, args or (), cwd, variables, output_byte_limit, allowed
            )
        except (TerminalRefused, NotAllowed) as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message) from None
        except PermissionWithdrawn:
            raise acp.RequestError(_CANCELLED, "Request cancelled") from None
        return CreateTerminalResponse(terminal_id=terminal_id)

    async def terminal_output(
        self, session_id: str, terminal_id: str, **kwargs: Any
    ) -> TerminalOutputResponse:
        """ACP: terminal/output."""
        try:
            state = self.terminals_of(kwargs).output(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        response = TerminalOutputResponse(output=state.output, truncated=state.truncated)
        if state.exit is not None:
            response.exit_status = TerminalExitStatus(
                exit_code=state.exit.exit_code, signal=state.exit.signal
            )
        return response

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **kwargs: Any
    ) -> WaitForTerminalExitResponse:
        """ACP: terminal/wait_for_exit."""
        try:
            ended = await self.terminals_of(kwargs).wait(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        return WaitForTerminalExitResponse(exit_code=ended.exit_code, signal=ended.signal)

    async def kill_terminal(
        self, session_id: str, terminal_id: str, **kwargs: Any
    ) -> KillTerminalResponse:
        """ACP: terminal/kill."""
        try:
            await self.terminals_of(kwargs).kill(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        return KillTerminalResponse()

    async def release_terminal(
        self, session_id: str, terminal_id: str, **kwargs: Any
    ) -> ReleaseTerminalResponse:
        """ACP: terminal/release."""
        try:
            await self.terminals_of(kwargs).release(terminal_id)
        except UnknownTerminal as error:
            raise _unknown(error, terminal_id) from None
        return ReleaseTerminalResponse()


def _unknown(error: UnknownTerminal, terminal_id: str) -> acp.RequestError:
    return acp.RequestError(_RESOURCE_NOT_FOUND, error.message, {"terminalId": terminal_id})
