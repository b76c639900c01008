"""The socket on which a kernel serves its agents; each agent has a key."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hmac
import os
import secrets
import shutil

from acp_jupyter.host.host_thread import HostThread
from acp_jupyter.host.served_agents import WATCH, proof
from acp_jupyter.kernel.serving.agent_thread import LINE_BYTES
from acp_jupyter.kernel.serving.sharing import SharedAgent
from acp_jupyter.system.private_socket import PrivateSocket, listen

_GREETING_SECONDS = 10.0
_CALL_SECONDS = 10.0


class Door(HostThread):
    """A listening socket with a thread of its own; it ends with the kernel."""

    def __init__(self) -> None:
        super().__init__()
        self._agents: dict[str, SharedAgent] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._socket: PrivateSocket | None = None

    def open_for(self, agent: SharedAgent) -> tuple[str, str]:
        """Start an agent; return the socket's address, and its key."""
        return self.call(self._open_for(agent), _CALL_SECONDS)

    def shut_for(self, key: str, successor: str = "") -> None:
        """Accept no new connection to an agent, and end it once the present ones have ended."""
        self.call(self._shut_for(key, successor), _CALL_SECONDS)

    async def _open_for(self, agent: SharedAgent) -> tuple[str, str]:
        if self._socket is None:
            self._socket = await listen(self._connected, "agents", LINE_BYTES)
            atexit.register(_remove, self._socket.folder, os.getpid())
        await agent.begin()
        key = secrets.token_hex(32)
        self._agents[key] = agent
        return self._socket.address, key

    async def _shut_for(self, key: str, successor: str) -> None:
        agent = self._agents.pop(key)
        if successor:
            former = [k for k, other in self._agents.items() if other is agent]
            self._agents.update(dict.fromkeys([key, *former], self._agents[successor]))
        agent.retire()

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
    if folder and os.getpid() == pid:  # not in a forked process
        shutil.rmtree(folder, ignore_errors=True)
