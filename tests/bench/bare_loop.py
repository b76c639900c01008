"""The control: chunks over a WebSocket into one ``<pre>``, with nothing around them.

It is the least that any streaming page costs on this machine at this moment. Runs in a process
of its own; its first line of output is its port.
"""

from __future__ import annotations

import asyncio
import json
import time

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler

from acp_jupyter.agents.demo import talk_tasks

_PAGE = """<!doctype html><title>bare loop</title><link rel="icon" href="data:,">
<pre id="text"></pre><script>
const pre = document.getElementById('text');
const socket = new WebSocket(`ws://${location.host}/stream`);
socket.onmessage = (event) => pre.append(JSON.parse(event.data).text);
window.run = (wanted) => { pre.textContent = ''; socket.send(JSON.stringify(wanted)); };
</script>"""
_YIELD_EVERY = 64


class _Page(RequestHandler):
    def get(self) -> None:
        self.finish(_PAGE)


class _Stream(WebSocketHandler):
    first_write = 0.0
    last_write = 0.0

    def on_message(self, message: str | bytes) -> None:
        wanted = json.loads(message)
        self._task = asyncio.ensure_future(self._stream(**wanted))

    async def _stream(self, count: int, size: int, rate: float, coalesce: float) -> None:
        text = talk_tasks.exactly(count * size)
        start = _Stream.first_write = time.time()
        pending: list[str] = []
        flushed = 0.0
        for number in range(count):
            pending.append(text[number * size : (number + 1) * size])
            if time.time() - flushed >= coalesce:
                await self._send(pending)
                flushed = time.time()
            if rate:
                await asyncio.sleep(max(0.0, start + (number + 1) / rate - time.time()))
            elif number % _YIELD_EVERY == 0:
                await asyncio.sleep(0)
        _Stream.last_write = time.time()
        await self._send(pending)

    async def _send(self, pending: list[str]) -> None:
        if pending:
            await self.write_message(json.dumps({"text": "".join(pending)}))
            pending.clear()


class _LastWrite(RequestHandler):
    def get(self) -> None:
        self.finish({"firstWrite": _Stream.first_write, "lastWrite": _Stream.last_write})


async def main() -> None:
    """Serve until the process is ended."""
    routes = [("/", _Page), ("/stream", _Stream), ("/last", _LastWrite)]
    sockets = bind_sockets(0, "127.0.0.1")
    HTTPServer(Application(routes)).add_sockets(sockets)
    print(sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
