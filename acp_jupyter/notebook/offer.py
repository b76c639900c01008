"""The notebook tools as an MCP server that a session's agent starts."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_jupyter.host.recording.session import Replaying
from acp_jupyter.host.session import Session
from acp_jupyter.notebook.kernel_runner import KernelRunner
from acp_jupyter.notebook.listener import ToolsListener
from acp_jupyter.notebook.open_notebook import OpenNotebook
from acp_jupyter.notebook.place import Whereabouts
from acp_jupyter.notebook.running_code import RunningCode
from acp_jupyter.notebook.session_tools import SessionTools
from acp_jupyter.notebook.tools.table import SERVER_NAME

__all__ = ["NotebookTools"]

_RELAY = Path(__file__).with_name("relay.py")


class NotebookTools:
    """A `ToolsOffer`: the tools, for every session that belongs to a notebook.

    Parameters
    ----------
    root
        Paths of notebooks are relative to it.
    where
        Which kernel runs for which notebook.
    notebooks, runner
        What the tools work with.
    """

    def __init__(
        self, root: Path, where: Whereabouts, notebooks: OpenNotebook, runner: KernelRunner
    ) -> None:
        self._root = root
        self._where = where
        self._notebooks = notebooks
        self._runner = runner
        self.code = RunningCode(runner)
        """Knows in which kernels agents' code runs."""
        self._listener = ToolsListener()

    async def servers(self, session: Session) -> Sequence[Mapping[str, Any]]:
        """Return the relay's command, with a key for this session alone."""
        if (
            not session.state.notebook_path
            or not session.tools_on
            or isinstance(session.recording, Replaying)
        ):
            return ()
        tools = SessionTools(
            session, self._root, self._where, self._notebooks, self._runner, self.code
        )

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # Takes a second: not in the loop, and not before an agent wants it.
            module = await asyncio.to_thread(
                importlib.import_module, "acp_jupyter.notebook.mcp_server"
            )
            await module.serve_mcp(tools, reader, writer)

        address, greeting = await self._listener.open(session.session_id, serve)
        session.redactor.learn("notebook tools", greeting, greeting.rpartition(" ")[2])
        environment = {"ACP_NOTEBOOK_TOOLS": address, "ACP_NOTEBOOK_TOOLS_KEY": greeting}
        return (
            {
                "name": SERVER_NAME,
                "command": sys.executable,
                "args": ["-I", "-S", str(_RELAY)],
                "env": [{"name": name, "value": value} for name, value in environment.items()],
            },
        )

    async def end(self, session_id: str) -> None:
        """Let the session's agent in no more."""
        await self._listener.shut(session_id)

    async def close(self) -> None:
        """End all connections and the socket."""
        await self._listener.close()
