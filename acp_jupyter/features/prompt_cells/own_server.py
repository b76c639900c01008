"""A Jupyter server in this process for one piece of work, such as running a notebook.

So kernels, their magics, agents and notebook tools are as in any server. It listens on the
loopback interface, to a token that nobody is given.
"""

from __future__ import annotations

import asyncio
import getpass
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from jupyter_server.serverapp import ServerApp

from acp_jupyter.api.access import UserCaller
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.errors import HostClosed
from acp_jupyter.server.extension import AcpJupyter

_EXTENSION = "acp_jupyter"


class OwnServer(ServerApp):
    """The server; it ends with its work.

    Attributes
    ----------
    work
        Called once the server runs.
    trusted
        A folder that agents may run in as long as this server runs.
    """

    work: Callable[[OwnServer], Awaitable[None]]
    trusted: Path | None = None
    _working: asyncio.Task[None] | None = None

    def run_command(self, command: Command) -> Awaitable[Result]:
        """Carry out a command of the user who started this."""
        (extension,) = self.extension_manager.extension_apps[_EXTENSION]
        assert isinstance(extension, AcpJupyter)
        return extension.run_command(command, UserCaller(_user(), anonymous=True))

    def init_signal(self) -> None:
        """Leave Ctrl-C as it is: it ends the work."""

    def init_server_extensions(self) -> None:
        """Let the extension trust the folder."""
        if self.trusted is not None:
            listed = self.config.AcpJupyter.get("trusted_folders", [])
            self.config.AcpJupyter.trusted_folders = [*listed, str(self.trusted)]
        super().init_server_extensions()

    async def _post_start(self) -> None:
        await super()._post_start()  # type: ignore[no-untyped-call]
        self._working = asyncio.create_task(self._work(), name="acp-own-server")

    async def _work(self) -> None:
        try:
            await type(self).work(self)
        finally:
            self.stop()

    def result(self) -> None:
        """Raise what the work has raised, or `KeyboardInterrupt` if it was interrupted."""
        if self._working is None:
            raise HostClosed("The Jupyter server for this did not start.")
        if not self._working.done():
            raise KeyboardInterrupt
        self._working.result()


def run_in_server(
    root: Path, work: Callable[[OwnServer], Awaitable[None]], *, trust: Path | None = None
) -> None:
    """Run some work in a server with this root, and end the server.

    Raises
    ------
    KeyboardInterrupt
        The user interrupted it.
    """
    given = {"work": staticmethod(work), "trusted": trust}
    server: Any = type("OwnServer", (OwnServer,), given)
    app = server.instance(jpserver_extensions={_EXTENSION: True})
    try:
        app.initialize(
            [
                f"--ServerApp.root_dir={root}",
                "--ServerApp.ip=127.0.0.1",
                "--ServerApp.port=0",
                "--ServerApp.open_browser=False",
                "--ServerApp.allow_root=True",
                "--ServerApp.log_level=CRITICAL",
                f"--IdentityProvider.token={secrets.token_hex(32)}",
            ],
            find_extensions=False,
        )
        app.start()
        app.result()
    finally:
        server.clear_instance()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"
