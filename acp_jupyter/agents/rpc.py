"""JSON-RPC 2.0 on stdin and stdout, one message per line, with responses matched to requests.

Reading and writing have their own threads, so that a slow reader can't stall the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import TypeAlias

Json: TypeAlias = dict[str, object]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class RpcError(Exception):
    """A JSON-RPC error, to be sent or received."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def encode(message: object) -> str:
    """Return JSON in ASCII: a lone surrogate from a prompt must not break the encoding."""
    return json.dumps(message, separators=(",", ":"))


class Peer:
    """The client at the other end of stdio.

    Parameters
    ----------
    on_request
        Called with id, method and parameters of each request; answers with `answer` or raises
        `RpcError`.
    """

    def __init__(
        self,
        on_request: Callable[[object, str, Json], None],
        on_notification: Callable[[str, Json], None],
        on_end: Callable[[], None],
    ) -> None:
        self._on_request = on_request
        self._on_notification = on_notification
        self._pending: dict[int, asyncio.Future[Json]] = {}
        self._last_id = 0
        self.stdio = Stdio(self._receive, on_end)

    def send(self, message: Json) -> None:
        """Queue a message; messages keep their order."""
        self.stdio.put((encode({"jsonrpc": "2.0", **message}) + "\n").encode())

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def answer(self, request_id: object, result: Json) -> None:
        """Answer a request with its result."""
        self.send({"id": request_id, "result": result})

    def fail(self, request_id: object, error: RpcError) -> None:
        """Answer a request with an error."""
        body: Json = {"code": error.code, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
        self.send({"id": request_id, "error": body})

    async def request(self, method: str, params: Json) -> Json:
        """Send a request and wait for its result; a result that is not an object becomes ``{}``."""
        request_id = self.post(method, params)
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._pending[request_id] = future
        try:
            return await future
        finally:
            del self._pending[request_id]

    def post(self, method: str, params: Json) -> int:
        """Send a request without waiting for the response (a cancelled turn cleans up)."""
        self._last_id += 1
        self.send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def _receive(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self.fail(None, RpcError(PARSE_ERROR, "Parse error: the line is not JSON."))
            return
        if not isinstance(message, dict):
            self.fail(None, RpcError(INVALID_REQUEST, "Invalid request: not a JSON object."))
        elif "method" not in message:
            self._settle(message)
        else:
            self._dispatch(message)

    def _dispatch(self, message: Json) -> None:
        method, params = message["method"], message.get("params")
        if not isinstance(params, dict):
            params = {}
        if not isinstance(method, str):
            self.fail(message.get("id"), RpcError(INVALID_REQUEST, "The method is not a string."))
        elif "id" not in message:
            self._on_notification(method, params)
        else:
            try:
                self._on_request(message["id"], method, params)
            except RpcError as error:
                self.fail(message["id"], error)

    def _settle(self, message: Json) -> None:
        request_id = message.get("id")
        future = self._pending.get(request_id) if isinstance(request_id, int) else None
        if future is None or future.done():
            return
        error, result = message.get("error"), message.get("result")
        if error is None:
            future.set_result(result if isinstance(result, dict) else {})
            return
        code, text = INTERNAL_ERROR, str(error)
        if isinstance(error, dict):
            text = str(error.get("message", "Error"))
            if isinstance(error.get("code"), int):
                code = error["code"]
        future.set_exception(RpcError(code, text))


_READ_BYTES = 65_536
_MAX_LINE_BYTES = 64 * 1024 * 1024
_MAX_BACKLOG_BYTES = 128 * 1024
_STDIN, _STDOUT = 0, 1


class Stdio:
    """Passes lines from stdin to a callback, and writes bytes to stdout in order."""

    def __init__(self, on_line: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_line = on_line
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes] = SimpleQueue()
        self._backlog = 0
        self._moved = asyncio.Event()
        self._reading = threading.Event()
        self._reading.set()

    def start(self) -> None:
        """Start both threads, as daemons, so that they never delay the end of the process."""
        for target in (self._read, self._write):
            threading.Thread(target=target, name=f"stdio-{target.__name__}", daemon=True).start()

    def pause(self) -> None:
        """Stop reading until `resume`; lines that were already read still arrive."""
        self._reading.clear()

    def resume(self) -> None:
        """Continue reading."""
        self._reading.set()

    def put(self, data: bytes) -> None:
        """Queue bytes for the writer; a caller that sends many awaits `drain` in between."""
        self._backlog += len(data)
        self._queue.put(data)

    async def drain(self, limit: int = _MAX_BACKLOG_BYTES) -> None:
        """Wait until at most `limit` bytes are unwritten."""
        while self._backlog > limit:
            self._moved.clear()
            await self._moved.wait()

    def _read(self) -> None:
        parts: list[bytes] = []  # of the line that is not complete yet
        size = 0
        while (data := _read_some()) and size < _MAX_LINE_BYTES:
            *lines, rest = data.split(b"\n")
            for line in lines:
                self._call(partial(self._on_line, b"".join([*parts, line])))
                parts.clear()
                size = 0
            parts.append(rest)
            size += len(rest)
            self._reading.wait()
        self._call(self._on_end)

    def _write(self) -> None:
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            data = b"".join(batch)
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(_STDOUT, view) :]
            except OSError:
                self._call(self._on_end)
                return
            self._call(partial(self._written, len(data)))

    def _written(self, count: int) -> None:
        self._backlog -= count
        self._moved.set()

    def _call(self, function: Callable[[], None]) -> None:
        # A closed loop means that the process is about to end: nobody is listening.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)


def _read_some() -> bytes:
    try:
        return os.read(_STDIN, _READ_BYTES)
    except OSError:
        return b""
