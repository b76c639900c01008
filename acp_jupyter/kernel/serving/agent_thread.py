"""The thread of an agent, with an event loop on which the protocol's SDK runs it.

Nothing else is on that loop, so an agent that blocks it blocks only itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import re
import socket
import threading
import traceback
import uuid
from concurrent.futures import Future
from importlib.metadata import version
from typing import Any

from acp_jupyter.errors import BadRequest

LINE_BYTES = 64 * 1024 * 1024
"""Longest message, which may hold images and files."""


class AgentThread:
    """Runs an agent until its end of the connection is closed.

    Attributes
    ----------
    connection
        The other end of the socket that the agent reads from and writes to.
    """

    def __init__(self, agent: Any, name: str) -> None:
        check_agent(agent)
        self._agent = agent
        self._name = name
        self.connection, self._own_end = socket.socketpair()
        self._loop = asyncio.new_event_loop()
        self._connected: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name=f"acp-agent-{name}", daemon=True)

    def start(self) -> Future[None]:
        """Start the thread."""
        self._thread.start()
        return self._connected

    def default_result(self, method: str) -> dict[str, Any] | None:
        """Return what is answered to a request in place of a method that the agent lacks."""
        if method == "initialize" and not _defines(self._agent, "initialize"):
            can = {"loadSession": _defines(self._agent, "load_session")}
            info = {"name": self._name, "version": ""}
            return {"protocolVersion": 1, "agentCapabilities": can, "agentInfo": info}
        if method == "session/new" and not _defines(self._agent, "new_session"):
            return {"sessionId": uuid.uuid4().hex}
        return None

    def ends_within(self, seconds: float) -> bool:
        """Wait for the thread's end; return whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    async def answers_within(self, seconds: float) -> bool:
        """Return whether the agent's loop responds; called from another loop."""
        here, awake = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            here.call_soon_threadsafe(awake.set)

        try:
            self._loop.call_soon_threadsafe(tell)
            async with asyncio.timeout(seconds):
                await awake.wait()
        except (TimeoutError, RuntimeError):  # it is blocked, or closed
            return False
        return True

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except SystemExit:  # of the agent: it ends the loop at once, and a thread in silence
            traceback.print_exc()
        finally:
            self._own_end.close()

    async def _serve(self) -> None:
        import acp

        reader, writer = await asyncio.open_connection(sock=self._own_end, limit=LINE_BYTES)
        running = asyncio.ensure_future(
            acp.run_agent(self._agent, writer, reader, use_unstable_protocol=True)
        )
        try:
            await asyncio.wait([running], timeout=0)  # by then it has called on_connect
            if running.done() and (error := running.exception()) is not None:
                words = f"on_connect of {self._name} raised {type(error).__name__}: {error}."
                self._connected.set_exception(_because(BadRequest(words), error))
                return
            self._connected.set_result(None)
            # It may still have written when nobody read any more.
            with contextlib.suppress(ConnectionError):
                await running
        finally:
            writer.close()


def _because(error: BadRequest, cause: BaseException) -> BadRequest:
    error.__cause__ = cause
    return error


def check_agent(agent: object) -> None:
    """Check an agent's class before anything connects to it."""
    _require_sdk()
    if inspect.isclass(agent):
        name = agent.__name__
        raise BadRequest(f"{name} is a class. Serve an agent made of it: serve({name}(), ...).")
    kind = type(agent).__name__
    if not _defines(agent, "prompt"):
        raise BadRequest(
            f"{kind} has no method prompt, which an agent can't do without: "
            "async def prompt(self, prompt, session_id, **kwargs)."
        )
    for method in _METHODS:
        if _defines(agent, method) and not inspect.iscoroutinefunction(getattr(agent, method)):
            raise BadRequest(f"{kind}.{method} must begin with async def.")


def _require_sdk() -> None:
    found = version(_SDK)
    numbers = re.match(r"(\d+)\.(\d+)", found)
    if numbers is None or not _OLDEST <= tuple(map(int, numbers.groups())) < _TOO_NEW:
        raise BadRequest(
            f"An agent can't be served with {_SDK} {found}. "
            f'Install another: pip install "{_SDK}>=0.11,<2".'
        )


_SDK = "agent-client-protocol"
_OLDEST, _TOO_NEW = (0, 11), (2, 0)
_METHODS = ("initialize", "new_session", "load_session", "prompt", "cancel")


def _defines(agent: object, method: str) -> bool:
    """Return whether the agent's class has a method of its own, not the SDK's empty one."""
    import acp

    own = getattr(type(agent), method, None)
    return callable(own) and own is not getattr(acp.Agent, method, None)
