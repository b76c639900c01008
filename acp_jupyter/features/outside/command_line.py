"""``jupyter acp mcp --url URL``: the notebook tools over MCP on stdio, for an agent outside.

It only passes messages to the Jupyter server. The key is in the environment, as other users of
the machine can see arguments.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

from acp_jupyter.features.outside.keys import KEY_VARIABLE

KEY_HEADER = "X-Acp-Key"
PATH = "acp-jupyter/api/outside"

REVOKED = (
    "Closed: the key was revoked, its time is over, or too many are connected with it. "
    "Look in the panel."
)
"""At most as long as a close frame allows: 123 bytes."""

_PIECE_BYTES = 65536
_LINE_BYTES = 8 * 1024 * 1024
_ANSWER_BYTES = 64 * 1024 * 1024
_WAITING_LINES = 64
_OPEN_SECONDS = 20.0
_FIRST_SECONDS = 10.0
"""How long a client that can't be served has to send its first request, to get an error."""
_QUESTION = "server/discover"
"""The method with which clients ask for versions, since MCP's version of 2026-07-28."""
_ERROR = -32000
_OWN_HOSTS = {"localhost", "127.0.0.1", "::1"}


class CommandError(Exception):
    """The tools can't be reached; the message says why, and what to do."""


def socket_url(url: str) -> str:
    """Return the address of the tools at a Jupyter server."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise CommandError(
            f"{url} is not the address of a Jupyter server, e.g. http://localhost:8888/"
        )
    if parts.scheme == "http" and parts.hostname not in _OWN_HOSTS:
        raise CommandError(
            f"{parts.hostname} is another machine, and http:// would send the key unencrypted. "
            "Use https://, or a tunnel to localhost."
        )
    scheme = "wss" if parts.scheme == "https" else "ws"
    path = f"{parts.path.rstrip('/')}/{PATH}"
    return urlunsplit((scheme, parts.netloc, path, "", ""))


def main(words: Sequence[str]) -> NoReturn:
    """Serve until the client closes stdin; then exit, even if the reading thread still waits."""
    parser = argparse.ArgumentParser(
        "jupyter acp mcp",
        description=(
            "Serves the tools of an open notebook over MCP on stdio. Make a key in the panel of "
            f"the notebook, and put it into the environment as {KEY_VARIABLE}."
        ),
    )
    parser.add_argument(
        "--url", required=True, help="address of the Jupyter server, without a token"
    )
    options = parser.parse_args(words)
    try:
        code = asyncio.run(_Relay(options.url, os.environ).serve())
    except KeyboardInterrupt:
        code = 130
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class _Relay:
    def __init__(self, url: str, environment: Mapping[str, str]) -> None:
        self._url = url
        self._key = environment.get(KEY_VARIABLE, "").strip()
        self._open: dict[str, tuple[str, Any]] = {}
        """Requests without an answer so far: methods and ids, by the JSON of the id."""

    async def serve(self) -> int:
        lines: asyncio.Queue[bytes] = asyncio.Queue(_WAITING_LINES)
        _read_stdin(lines)
        try:
            await self._relay(lines)
        except CommandError as error:
            await self._refuse(lines, str(error))
            sys.stderr.write(f"{error}\n")
            return 1
        return 0

    async def _relay(self, lines: asyncio.Queue[bytes]) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

        if not self._key:
            raise CommandError(
                f"Put the key of the notebook into the environment as {KEY_VARIABLE}."
            )

        class Connect(connect):
            def process_redirect(self, exc: Exception) -> Exception | str:
                return exc  # the key must not go to another address

        try:
            socket = await Connect(
                socket_url(self._url),
                additional_headers={KEY_HEADER: self._key},
                open_timeout=_OPEN_SECONDS,
                max_size=_ANSWER_BYTES,
            )
        except InvalidStatus as error:
            raise CommandError(_refusal(error.response)) from None
        except (OSError, TimeoutError, WebSocketException) as error:
            raise CommandError(f"No Jupyter server answers at {self._url}: {error}") from None

        async def send() -> None:
            while line := await lines.get():
                self._note_request(line)
                await socket.send(line, text=True)

        sending = asyncio.ensure_future(send())
        receiving = asyncio.ensure_future(self._receive(socket))
        try:
            await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and sending.exception() is None:
                return  # the client has closed stdin
            await receiving
        except ConnectionClosed as error:
            why = "" if error.rcvd is None else error.rcvd.reason
            raise CommandError(why or f"The Jupyter server at {self._url} has gone.") from None
        finally:
            for task in (sending, receiving):
                task.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)
            await socket.close()

    async def _receive(self, socket: Any) -> None:
        while True:
            line = await socket.recv()
            message = _read(line)
            if "method" not in message:
                self._open.pop(json.dumps(message.get("id")), None)
            _write(line)

    async def _refuse(self, lines: asyncio.Queue[bytes], words: str) -> None:
        """Answer the client's requests with an error, until it has shown the error."""
        reported = self._report(words)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_SECONDS):
                while not reported and (line := await lines.get()):
                    self._note_request(line)
                    reported = self._report(words)

    def _report(self, words: str) -> bool:
        """Answer open requests with an error; return whether the client shows it.

        A client may take an error to its question for versions as the sign of an older server,
        and only show the error to `initialize`, which it sends next.
        """
        reported = False
        for method, request_id in self._open.values():
            error = {"code": _ERROR, "message": words}
            _write({"jsonrpc": "2.0", "id": request_id, "error": error})
            reported = reported or method != _QUESTION
        self._open.clear()
        return reported

    def _note_request(self, line: bytes) -> None:
        message = _read(line)
        if "method" in message and "id" in message:
            self._open[json.dumps(message["id"])] = (message["method"], message["id"])


def _refusal(response: Any) -> str:
    words = bytes(response.body or b"").decode("utf-8", "replace").strip()
    if response.status_code in {403, 404} and words and "<" not in words:
        return words
    return f"The Jupyter server answered {response.status_code}. Is acp-jupyter installed there?"


def _read(line: bytes | str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _write(message: str | bytes | dict[str, Any]) -> None:
    text = json.dumps(message) if isinstance(message, dict) else message
    line = text.encode() if isinstance(text, str) else text
    left = memoryview(line + b"\n")
    while left:
        left = left[os.write(1, left) :]


def _read_stdin(lines: asyncio.Queue[bytes]) -> None:
    """Put the lines of stdin into a queue, from a thread; an empty line marks the end."""
    loop = asyncio.get_running_loop()

    def put(line: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

    threading.Thread(target=_read_lines, args=(put,), daemon=True).start()


def _read_lines(put: Callable[[bytes], None]) -> None:
    rest = b""
    while (piece := os.read(0, _PIECE_BYTES)) and len(rest) <= _LINE_BYTES:
        *whole, rest = (rest + piece).split(b"\n")
        for line in filter(bytes.strip, whole):
            put(line)
    put(b"")
