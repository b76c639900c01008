"""Logins in terminals of the Jupyter server, which JupyterLab shows."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from acp_jupyter.host.sessions.login import Launch

T = TypeVar("T")

_logger = logging.getLogger(__name__)


class _Ended:
    """A terminal's client that waits for the end of its program."""

    size = (None, None)

    def __init__(self, terminal: Any) -> None:
        self.code: concurrent.futures.Future[int | None] = concurrent.futures.Future()
        self._terminal = terminal

    def on_pty_read(self, text: str) -> None:
        """Ignore the text: the user may type a password."""

    def on_pty_died(self) -> None:
        """Store the exit code; the program has been reaped by now."""
        if not self.code.done():
            self.code.set_result(getattr(self._terminal.ptyproc, "exitstatus", None))


class _LoginTerminal:
    """A terminal with a login, for the host's loop."""

    def __init__(
        self,
        name: str,
        ended: _Ended,
        close: Callable[[], Coroutine[Any, Any, None]],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.name = name
        self._ended = ended
        self._close = close
        self._loop = loop

    async def wait(self) -> int | None:
        """Wait for the program's end."""
        return await asyncio.shield(asyncio.wrap_future(self._ended.code))

    async def close(self) -> None:
        """End the program and the terminal."""
        await _on_loop(self._close(), self._loop)


class LoginTerminals:
    """Opens terminals through the extension ``jupyter_server_terminals``.

    Parameters
    ----------
    manager
        Returns that extension's terminal manager, or None if terminals are off. It is called
        late, as extensions load in any order.
    """

    def __init__(self, manager: Callable[[], Any]) -> None:
        self._manager = manager
        self.loop: asyncio.AbstractEventLoop | None = None
        """The server's loop, once it runs."""

    async def open(self, launch: Launch) -> _LoginTerminal | None:
        """Run a program in a new terminal; called on the host's loop."""
        if self.loop is None:
            return None
        return await _on_loop(self._open(launch, self.loop), self.loop)

    async def _open(self, launch: Launch, loop: asyncio.AbstractEventLoop) -> _LoginTerminal | None:
        manager = self._manager()
        if manager is None:
            return None
        # The manager starts with the server's environment; None removes a variable.
        env: dict[str, str | None] = {name: None for name in os.environ if name not in launch.env}
        env.update(launch.env)
        env.pop("TERM", None)
        settings = {"shell_command": list(launch.argv), "extra_env": env, "cwd": str(launch.cwd)}
        try:
            name = str(manager.create(**settings)["name"])
        except Exception as error:  # noqa: BLE001 - the terminals' extension may raise anything
            _logger.warning("No terminal could be opened for a login: %s", type(error).__name__)
            return None
        terminal = manager.terminals.get(name)
        ended = _Ended(terminal)
        if terminal is None:
            ended.code.set_result(None)
        else:
            terminal.clients.append(ended)

        async def close() -> None:
            if name in manager.terminals:
                await manager.terminate(name, force=True)

        return _LoginTerminal(name, ended, close, loop)


async def _on_loop(work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Await a coroutine on another loop."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))
