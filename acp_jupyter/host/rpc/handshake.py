"""The handshake: ``initialize`` and ``session/new``, the client's capabilities, and its errors.

Errors distinguish an agent that needs a login from a broken one, and say what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeAlias

from acp_jupyter._version import __version__
from acp_jupyter.errors import AgentDied, AgentRequestError, AgentStartError, LoginNeeded
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import AgentProcess
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.transport import LineTransport
from acp_jupyter.protocol.parse.login import AuthMethod, auth_methods, is_login_error

_VERSIONS = frozenset({"1", "2"})
_SHOWN_STDERR_LINES = 10
_EXIT_SECONDS = 1.0
_DOWNLOAD_SECONDS = 600.0
"""Timeout for ``initialize`` if the agent's package must be downloaded first."""

Answer: TypeAlias = Coroutine[Any, Any, Any]
"""A coroutine that returns the result of a request."""


class Handshake:
    """Sends ``initialize`` and keeps the agent's answer.

    Attributes
    ----------
    result
        The answer to ``initialize``; empty before it.
    """

    def __init__(
        self, spec: AgentSpec, process: AgentProcess, transport: LineTransport, limits: Limits
    ) -> None:
        self.result: Mapping[str, Any] = {}
        self._spec = spec
        self._process = process
        self._transport = transport
        self._limits = limits

    @property
    def agent_name(self) -> str:
        """The agent's own name, or its name in the configuration."""
        info = self._info
        return str(info.get("title") or info.get("name") or self._spec.name)

    @property
    def agent_version(self) -> str:
        """The agent's version, or an empty string."""
        return str(self._info.get("version") or "")

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The agent's capabilities, as sent."""
        return mapping(self.result.get("agentCapabilities"))

    async def shake(self, send_request: Callable[[str, Mapping[str, Any], float], Answer]) -> None:
        """Send ``initialize``."""
        seconds = self._limits.initialize_seconds
        if self._spec.downloads:
            seconds = max(seconds, _DOWNLOAD_SECONDS)

        async def ask(version: int) -> Any:
            return await send_request("initialize", initialize_params(version), seconds)

        async def negotiate() -> Any:
            offered = self._spec.protocol_version
            try:
                return await ask(offered)
            except AgentRequestError as error:
                if offered == 1 or is_login_error(error.code, error.message, error.detail):
                    raise
            return await ask(1)  # there are agents that refuse what they do not know

        result = await self.explained("initialize", negotiate(), seconds)
        spoken = result.get("protocolVersion")
        if str(spoken).removesuffix(".0") not in _VERSIONS:
            raise self.error(
                f"speaks version {spoken!r} of the Agent Client Protocol, and this is a client of "
                "versions 1 and 2. Install a version of the agent that speaks one of them."
            )
        self.result = result

    async def explained(self, method: str, answer: Answer, seconds: float) -> dict[str, Any]:
        """Wait for the answer to a request; an error explains the failure and what to do."""
        try:
            return dict(mapping(await answer))
        except TimeoutError:
            if may_wait_for_login(self.result):
                words = f"did not answer {method} within {seconds:g} s"
                raise login_needed(self.agent_name, words, self.result) from None
            raise self.error(
                f"did not answer {method} within {seconds:g} s. Its command may not be an ACP "
                "agent, or it waits for a login: run it once in a terminal."
            ) from None
        except AgentDied:
            words = await self._how_it_ended()
            below = " Its last output is below." if self._process.stderr_tail() else ""
            raise self.error(f"{words} before it answered {method}.{below}") from None
        except AgentRequestError as error:
            if is_login_error(error.code, error.message, error.detail):
                raise login_needed(self.agent_name, error.message, self.result) from error
            words = error.message.rstrip(".")
            raise self.error(f"answered {method} with an error: {words}.") from error

    async def _how_it_ended(self) -> str:
        reason, fault = await self._process.exit_within(_EXIT_SECONDS), self._transport.fault
        if reason is None or (fault and reason.signal):  # the signal is ours
            return fault or "was stopped"
        return reason.words()

    def error(self, text: str) -> AgentStartError:
        """Return an error with the last lines of the agent's stderr."""
        tail = self._process.stderr_tail()[-_SHOWN_STDERR_LINES:]
        return AgentStartError(f"{self._spec.name} {text}", "\n".join(tail))

    @property
    def _info(self) -> Mapping[str, Any]:
        return mapping(self.result.get("agentInfo"))


def mapping(value: object) -> Mapping[str, Any]:
    """Return an object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def initialize_params(version: int) -> dict[str, Any]:
    """Return the parameters of ``initialize``.

    Where version 2 is offered, they are in the words of both versions: which one the agent reads
    is known when it has answered.
    """
    info = {"name": "acp-jupyter", "title": "Jupyter", "version": __version__}
    can = client_capabilities()
    params = {"protocolVersion": version, "clientCapabilities": can, "clientInfo": info}
    if version == 1:
        return params
    # Files and terminals of the client are not in version 2, and the rest is always so.
    shared = {name: can[name] for name in ("elicitation", "_meta")}
    return {**params, "info": info, "capabilities": {"auth": {"terminal": {}}, **shared}}


def client_capabilities() -> dict[str, Any]:
    """Return the ``clientCapabilities`` of ``initialize``.

    Only working features are announced: agents adapt to them.
    """
    return {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "auth": {"terminal": True},
        "session": {"configOptions": {"boolean": {}}, "compaction": {}, "notices": {}},
        "plan": {},
        "subagents": {},
        "_meta": {"terminal_output": True, "terminal_output_delta": True, "terminal-auth": True},
        "elicitation": {"form": {}, "url": {}},
    }


_MESSAGE_CHARS = 300


def may_wait_for_login(initialize_result: Mapping[str, Any]) -> bool:
    """Return whether an agent that does not answer may wait for a login: it has login methods."""
    return bool(auth_methods(dict(initialize_result)))


def login_needed(name: str, message: str, initialize_result: Mapping[str, Any]) -> LoginNeeded:
    """Return the error for an agent that needs a login before it opens a session."""
    message = " ".join(message.split()).rstrip(".")[:_MESSAGE_CHARS]
    methods = auth_methods(dict(initialize_result))
    if methods:
        names = ", ".join(method.name for method in methods)
        what = f"Log in to it in the panel ({names}), then send the message again."
    else:
        what = (
            "It offers no way to log in from here. Log in to it in a terminal as its "
            "documentation says, then send the message again."
        )
    return LoginNeeded(
        f"{name} needs a login{f': {message}' if message else ''}. {what}",
        initialize_result=initialize_result,
    )


def variable_advice(name: str, agent_id: str, method: AuthMethod) -> str:
    """Return where to set the variables of a login; their values never pass through a page."""
    names = ", ".join(f"{v.name} (optional)" if v.optional else v.name for v in method.variables)
    where = f"{method.link} has the key. " if method.link else ""
    return (
        f"{name} reads {names or 'a variable that it does not name'}. {where}"
        "Set it before you start Jupyter; or under env of the agent, in c.AcpJupyter.agents"
        f"[{agent_id!r}] or in acp_agents.json in the Jupyter config path. Then restart the agent."
    )
