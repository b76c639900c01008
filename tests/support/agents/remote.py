"""An agent behind the protocol's own server, and a connection that breaks."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.agents.fake_agent import command_line
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["CuttingProxy", "remote", "serving"]

_SERVER = Path(__file__).parents[2] / "published_agents/remote/server.mjs"
_SENT = b"session/update"


@contextlib.contextmanager
def serving(mode: str, *args: str, token: str = "") -> Iterator[int]:
    """Serve a fake agent by WebSocket and HTTP; yields the port."""
    options = ["--token", token] if token else []
    server = subprocess.Popen(
        ["node", str(_SERVER), *options, "--", *command_line(mode, *args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        yield int(server.stdout.readline())
    finally:
        server.stdin.close()
        server.wait(PATIENCE_SECONDS)
        server.stdout.close()


def remote(scheme: str, port: int, **more: Any) -> dict[str, Any]:
    """Return an agent behind the server, as it is configured."""
    return {"url": f"{scheme}://127.0.0.1:{port}/acp", **more}


class CuttingProxy:
    """Passes bytes on to a port, and cuts the connection when it is told to."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._cuts: list[int] = []
        self._count = 0
        self._reopened = False
        self._open: set[asyncio.WriteTransport] = set()
        self.made = 0
        """How often it has cut."""
        self._loop = asyncio.new_event_loop()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> CuttingProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def cut_after(self, *updates: int) -> None:
        """Cut when so many more of the agent's updates have come."""
        self._cuts = [self._count + number for number in updates]

    def opened_after_cut(self, number: int) -> bool:
        """Return whether so many cuts were made, and a stream was opened after the last."""
        return self.made == number and self._reopened

    def cut(self) -> None:
        """Cut all connections now."""
        for transport in self._open.copy():
            self._loop.call_soon_threadsafe(transport.abort)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        listening = asyncio.start_server(self._pass, sock=self._listener)
        server = self._loop.run_until_complete(listening)
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.wait(tasks) if tasks else asyncio.sleep(0))
        self._loop.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._to)
        self._open.update((writer.transport, to_server.transport))
        up = asyncio.create_task(self._copy(reader, to_server, cutting=False))
        down = asyncio.create_task(self._copy(from_server, writer, cutting=True))
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (up, down):
                task.cancel()
            for end in (writer, to_server):
                end.transport.abort()
                self._open.discard(end.transport)

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, cutting: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(2048):
                self._count += data.count(_SENT) if cutting else 0
                self._reopened = self._reopened or b"text/event-stream" in data
                if cutting and self._cuts and self._count >= self._cuts[0]:
                    self._cuts.pop(0)
                    self.made += 1
                    self._reopened = False
                    return  # what was just read is lost
                writer.write(data)
                await writer.drain()
