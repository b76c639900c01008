"""The private socket on which a kernel serves its agents, each behind a key of its own."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hmac
import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

from acp_jupyter.host.host_thread import HostThread
from acp_jupyter.host.served_agents import WATCH, proof
from acp_jupyter.kernel.serving.agent_thread import LINE_BYTES
from acp_jupyter.kernel.serving.sharing import SharedAgent

_GREETING_SECONDS = 10.0
_CALL_SECONDS = 10.0
_PATH_BYTES = 100
"""Longest path of a socket; the limit of Unix is about 104 bytes."""


class Door(HostThread):
    """A listening socket with a thread of its own; it ends with the kernel."""

    def __init__(self) -> None:
        super().__init__()
        self._agents: dict[str, SharedAgent] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._address = ""

    def open_for(self, agent: SharedAgent) -> tuple[str, str]:
        """Start an agent; return the socket's address, and its key."""
        return self.call(self._open_for(agent), _CALL_SECONDS)

    def shut_for(self, key: str, successor: str = "") -> None:
        """Let nobody new to an agent, and end it when those who talk to it have gone.

        Parameters
        ----------
        key
            Its key.
        successor
            The key of the agent that whoever comes later is let to, as one whose start had begun.
        """
        self.call(self._shut_for(key, successor), _CALL_SECONDS)

    async def _open_for(self, agent: SharedAgent) -> tuple[str, str]:
        if self._server is None:
            await self._listen()
        await agent.begin()
        key = secrets.token_hex(32)
        self._agents[key] = agent
        return self._address, key

    async def _shut_for(self, key: str, successor: str) -> None:
        agent = self._agents.pop(key)
        if successor:
            former = [k for k, other in self._agents.items() if other is agent]
            self._agents.update(dict.fromkeys([key, *former], self._agents[successor]))
        agent.retire()

    async def _listen(self) -> None:
        if sys.platform == "win32":
            self._server = await asyncio.start_server(
                self._connected, "127.0.0.1", 0, limit=LINE_BYTES
            )
            self._address = f"tcp:127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
            return
        folder = tempfile.mkdtemp(prefix="acp-")
        if len(os.fsencode(folder)) > _PATH_BYTES - len("/agents"):
            os.rmdir(folder)
            folder = tempfile.mkdtemp(prefix="acp-", dir="/tmp")
        atexit.register(_remove, folder, os.getpid())
        path = str(Path(folder, "agents"))
        self._server = await asyncio.start_unix_server(self._connected, path, limit=LINE_BYTES)
        os.chmod(path, 0o600)
        self._address = f"unix:{path}"

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._admit(reader, writer), name="acp-served")
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_GREETING_SECONDS):
                greeting = (await reader.readuntil()).strip().decode("ascii", "replace")
            key = greeting.removeprefix(WATCH)
            agent = next((a for k, a in self._agents.items() if _same(k, key)), None)
            if agent is None:
                return
            if key == greeting:
                await agent.serve(reader, writer)
                return
            writer.write(proof(key))
            await agent.ended.wait()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


def _same(key: str, given: str) -> bool:
    return hmac.compare_digest(key.encode(), given.encode())


def _remove(folder: str, pid: int) -> None:
    if os.getpid() == pid:  # not in a forked process
        shutil.rmtree(folder, ignore_errors=True)
