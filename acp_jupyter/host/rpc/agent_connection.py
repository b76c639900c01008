"""The connection to an agent: one process, and the requests to it."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from acp_jupyter.errors import AgentRequestError, AgentStartError, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import AgentProcess, agent_environment, start_error
from acp_jupyter.host.process.disk_writes import DiskWrites
from acp_jupyter.host.public_registry.packages import LOCKED
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.agent_answers import ClientOf, Models, RequestHandling
from acp_jupyter.host.rpc.handshake import Handshake, mapping
from acp_jupyter.host.rpc.inbound import OnWithdrawn
from acp_jupyter.host.rpc.log_router import LogRouter, SessionLog
from acp_jupyter.host.rpc.transport import LineTransport
from acp_jupyter.host.sandbox.sandboxes import CACHE_VARIABLES, TEMPORARY_VARIABLES, Confined
from acp_jupyter.system.processes.child_process import ExitReason
from acp_jupyter.transcript.redactor import Redactor

if TYPE_CHECKING:
    from acp_jupyter.host.rpc.sdk_connection import SdkConnection

_LAST_LINES_SECONDS = 1.0


class AgentConnection:
    """A connection to an initialized agent. Owns the process; may serve many sessions.

    The results of our own requests are returned as they came. The agent's requests are checked
    and go to the handlers of their session's client; see `RequestHandling`.
    """

    def __init__(
        self,
        spec: AgentSpec,
        process: AgentProcess,
        transport: LineTransport,
        log_router: LogRouter,
        messages: SdkConnection,
        limits: Limits,
        confined: Confined | None,
    ) -> None:
        self.spec = spec
        self.confined = confined
        """The walls of the process; None where it has none."""
        self.closed = asyncio.Event()
        self._process = process
        self._handshake = Handshake(spec, process, transport, limits)
        self._transport = transport
        self._log_router = log_router
        self._limits = limits
        self.messages = messages
        """Sends what `request` does not: without a limit of time, or a notification."""
        self._watch_task = asyncio.create_task(self._watch(), name=f"acp-agent-watch-{spec.id}")

    @classmethod
    async def open(
        cls,
        spec: AgentSpec,
        *,
        cwd: str | Path,
        client_of: ClientOf,
        log_router: LogRouter,
        limits: Limits,
        environment: Mapping[str, str] | None = None,
        redactor: Redactor | None = None,
        confined: Confined | None = None,
    ) -> Self:
        """Start ``spec`` in ``cwd`` and shake hands.

        Parameters
        ----------
        client_of
            Returns what answers the agent's requests in a session, by our id of it; see
            `RequestHandling`.
        environment
            Environment that the agent inherits; by default that of this process. Jupyter's own
            variables are always removed.
        redactor
            Removes secrets from errors; by default those of the environment.
        confined
            The walls that it is started in; they end with its process.
        """
        inherited = os.environ if environment is None else environment
        env = agent_environment(inherited, spec.env)
        redactor = redactor or Redactor.of_environments(os.environ, spec.env)
        loading = asyncio.create_task(_load_sdk())  # while the agent starts
        try:
            command: Sequence[str] = ()
            if confined is not None:
                command = await asyncio.to_thread(_command_in, confined, spec, str(cwd), env)
                env = confined.environment(env) | _own_folders(spec)
            process = await AgentProcess.start(
                spec, cwd=cwd, env=env, limits=limits, redactor=redactor, command=command
            )
        except BaseException:
            await asyncio.wait((loading,))
            await _end(confined)
            raise
        try:
            models, connect = await loading
        except BaseException:
            await process.stop()
            await _end(confined)
            raise
        transport = LineTransport(process, log_router, limits, name=spec.name)
        handling = RequestHandling(client_of, models)
        messages = connect(spec, handling, models, transport, redactor)
        connection = cls(spec, process, transport, log_router, messages, limits, confined)
        try:
            await connection._handshake.shake(messages.request)
        except BaseException:
            await connection.close()
            raise
        return connection

    @property
    def pid(self) -> int:
        """Process id of the agent."""
        return self._process.pid

    @property
    def disk_writes(self) -> DiskWrites:
        """How much all processes of the agent have written."""
        return self._process.disk_writes

    @property
    def talks(self) -> bool:
        """Whether the connection is open on both sides."""
        return not self._transport.ended.is_set()

    @property
    def initialize_result(self) -> Mapping[str, Any]:
        """The agent's answer to ``initialize``."""
        return self._handshake.result

    @property
    def agent_name(self) -> str:
        """The agent's own name, or its name in the configuration."""
        return self._handshake.agent_name

    @property
    def agent_version(self) -> str:
        """The agent's version, or an empty string."""
        return self._handshake.agent_version

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The agent's capabilities, as sent."""
        return self._handshake.capabilities

    def stderr_tail(self) -> list[str]:
        """Return the last lines of the agent's stderr."""
        return self._process.stderr_tail()

    def bind(self, session_id: str, log: SessionLog) -> None:
        """Send the lines of the agent's session to a log."""
        self._log_router.bind(session_id, log)

    def on_withdrawn(self, call: OnWithdrawn) -> None:
        """Call ``call`` when the agent withdraws a request."""
        self._transport.on_withdrawn(call)

    async def new_session(self, params: Mapping[str, Any], log: SessionLog) -> dict[str, Any]:
        """Open a session and return the raw result, which has a ``sessionId``.

        From its answer on the session's lines go to ``log``.
        """
        seconds = self._limits.session_new_seconds
        answer = self.messages.request("session/new", params, seconds, log=log, opens=True)
        result = await self._handshake.explained("session/new", answer, seconds)
        session_id = result.get("sessionId", result.get("session_id"))
        if not isinstance(session_id, str) or not session_id:
            raise self._handshake.error("answered session/new without a session id.")
        return {**result, "sessionId": session_id}

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        log: SessionLog | None = None,
        *,
        opens: bool = False,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Send any other request and return the raw result.

        Parameters
        ----------
        seconds
            Timeout of the answer; by default ``request_seconds`` of the limits.
        """
        seconds = self._limits.request_seconds if seconds is None else seconds
        try:
            result = await self.messages.request(method, params, seconds, log=log, opens=opens)
            return dict(mapping(result))
        except TimeoutError:
            raise AgentRequestError(
                f"{self.spec.name} did not answer {method} within {seconds:g} s. "
                "Try again, or start a new session."
            ) from None

    @property
    def fault(self) -> str:
        """Why we ended a running agent; empty if it ended by itself or was stopped."""
        return self._transport.fault

    async def wait_closed(self) -> ExitReason:
        """Wait until the process has ended for any reason."""
        await self.closed.wait()
        return await self._process.wait_exit()

    async def close(self) -> None:
        """End the process and everything that it started. May be called repeatedly."""
        await self._transport.close()
        await asyncio.shield(self._watch_task)

    async def _watch(self) -> None:
        """Clean up once either side has closed the connection."""
        exited = asyncio.ensure_future(self._process.wait_exit())
        ended = asyncio.ensure_future(self._transport.ended.wait())
        deaf = asyncio.ensure_future(self._process.stdin.lost.wait())
        try:
            await asyncio.wait((exited, ended, deaf), return_when=asyncio.FIRST_COMPLETED)
            if not exited.done() and not ended.done():
                # It may have closed its stdin because it exits; otherwise it can't be reached.
                await asyncio.wait((exited, ended), timeout=_LAST_LINES_SECONDS)
                if not exited.done():
                    self._transport.fail_deaf("has closed its stdin")
            # The agent's last output before it died is still unread.
            await asyncio.wait((ended,), timeout=_LAST_LINES_SECONDS)
            await self._transport.close()
            if exited.done():
                self.closed.set()  # at once: cleaning up may take seconds
            await self._process.stop()
            await _end(self.confined)
            await self.messages.close()
        finally:
            for waiting in (exited, ended, deaf):
                waiting.cancel()
            self.closed.set()


def _import_sdk() -> tuple[Models, type[SdkConnection]]:
    from acp_jupyter.host.rpc import sdk
    from acp_jupyter.host.rpc.sdk_connection import SdkConnection

    return sdk, SdkConnection


async def _load_sdk() -> tuple[Models, type[SdkConnection]]:
    """Return what is made of the protocol's SDK, which is imported by now."""
    try:
        return await asyncio.to_thread(_import_sdk)
    except (ImportError, AttributeError) as error:
        raise AgentStartError(
            f"No agent can be started with this version of agent-client-protocol: {error}. "
            'Install another: pip install "agent-client-protocol>=0.11,<2".'
        ) from None


def _command_in(
    confined: Confined, spec: AgentSpec, cwd: str, env: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the command that runs an agent in its walls."""
    # Whoever keeps the walls would say it in words of its own.
    found = shutil.which(
        os.path.join(cwd, spec.command) if os.sep in spec.command else spec.command,
        path=env.get("PATH"),
    )
    if found is None:
        path = os.path.join(cwd, spec.command)
        is_there = os.sep in spec.command and os.path.exists(path)
        raise start_error(spec, {"errno": errno.EACCES if is_there else errno.ENOENT})
    try:
        command = confined.command((spec.command, *spec.args), cwd)
    except OSError as error:
        raise AgentStartError(
            f"{spec.name} did not start: its sandbox can't be made: {plain_reason(error)}."
        ) from None
    if LOCKED not in spec.args:
        return command
    # It is installed before: in the walls its own program can't be written.
    at = spec.args.index("--folder")
    return (spec.command, *spec.args[:at], "--then", *_named(spec.args[at:]), *command)


def _named(options: Sequence[str]) -> Sequence[str]:
    """Return the options of `LOCKED` and the agent's id, without the agent's own arguments."""
    more = options[2] == "--node-wheel"
    return options[: 3 + more]


def _own_folders(spec: AgentSpec) -> dict[str, str]:
    """Return what its entry says of the folders for temporary files and downloads."""
    names = (*TEMPORARY_VARIABLES, *CACHE_VARIABLES)
    return {name: spec.env[name] for name in names if name in spec.env}


async def _end(confined: Confined | None) -> None:
    if confined is not None:
        await confined.close()
