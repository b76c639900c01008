"""A connection to an agent of this process without a host: what is written is what it gets."""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from pydantic import JsonValue

from acp_jupyter.errors import plain_reason
from acp_jupyter.kernel.serving.agent_thread import AgentThread
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.objects import Obj, items, obj, text

_NAME = "tried"
_READ_BYTES = 1024 * 1024


class Wire:
    """A connection, as a context manager.

    The agent's permission requests are allowed, and it can read and write files of the folder.
    """

    def __init__(self, agent: Any, folder: Path, seconds: float) -> None:
        self.updates: list[Obj] = []
        """The parameters of ``session/update``, as they came."""
        self._thread = AgentThread(agent, _NAME)
        self._folder = folder
        self._seconds = seconds
        self._socket = self._thread.connection
        self._unread = b""
        self._answers: dict[object, Obj] = {}
        self._asked = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._socket.fileno() != -1:
            self.close()

    def close(self) -> bool:
        """End the agent's input; return whether it ends, too."""
        logger = logging.getLogger()
        logger.addFilter(_is_of_others)  # the SDK logs that its client is gone
        try:
            with contextlib.suppress(OSError):  # it has ended already
                self._socket.shutdown(socket.SHUT_WR)
            return self._thread.ends_within(self._seconds)
        finally:
            logger.removeFilter(_is_of_others)
            self._socket.close()

    def begin(self) -> Obj:
        """Send ``initialize``; return what the agent can."""
        can: Obj = {"fs": {"readTextFile": True, "writeTextFile": True}}
        reply = self.call("initialize", {"protocolVersion": 1, "clientCapabilities": can})
        return obj(obj(reply.get("result")).get("agentCapabilities"))

    def session(self) -> str:
        """Open a session and return its id."""
        reply = self.call("session/new", {"cwd": str(self._folder), "mcpServers": []})
        return str(obj(reply.get("result")).get("sessionId"))

    def prompt(self, session_id: str, words: str) -> int:
        """Send a prompt and return the request's id."""
        blocks: list[JsonValue] = [{"type": "text", "text": words}]
        return self.send("session/prompt", {"sessionId": session_id, "prompt": blocks})

    def call(self, method: str, params: Obj) -> Obj:
        """Send a request and return the answer."""
        result = self._thread.default_result(method)
        if result is not None:
            return {"result": result}
        reply = self.answer(self.send(method, params))
        if "error" in reply:
            raise AssertionError(f"{method} was answered by an error: {error_text(reply)}")
        return reply

    def send(self, method: str, params: Obj) -> int:
        """Send a request and return its id."""
        self._asked += 1
        self._write({"id": self._asked, "method": method, "params": params})
        return self._asked

    def answer(self, request_id: int) -> Obj:
        """Wait for the answer to a request."""
        self._read_until(lambda: request_id in self._answers)
        return self._answers.pop(request_id)

    def first_message(self) -> None:
        """Wait until the agent has sent anything."""
        self._read_until(lambda: True)

    def _read_until(self, holds: Callable[[], bool]) -> None:
        until = time.monotonic() + self._seconds
        while True:
            line = self._line(until)
            self._take(obj(read_json(line.decode("utf-8", "replace"))))
            if holds():
                return

    def _line(self, until: float) -> bytes:
        while b"\n" not in self._unread:
            self._socket.settimeout(max(until - time.monotonic(), 0.001))
            try:
                read = self._socket.recv(_READ_BYTES)
            except OSError:
                raise AssertionError(f"Nothing came within {self._seconds:g} s.") from None
            if not read:
                raise AssertionError("The agent closed the connection.")
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _take(self, message: Obj) -> None:
        method, params = message.get("method"), obj(message.get("params"))
        if method is None:
            self._answers[message.get("id")] = message
        elif method == "session/update":
            self.updates.append(params)
        elif "id" in message:
            self._write({"id": message["id"], **self._reply(text(method), params)})

    def _reply(self, method: str, params: Obj) -> Obj:
        """Return the result of an agent's request, or an error."""
        path = Path(text(params.get("path")))
        try:
            if method == "session/request_permission":
                return {"result": {"outcome": _allowed(items(params.get("options")))}}
            if method == "fs/write_text_file" and path.is_relative_to(self._folder):
                path.write_text(text(params.get("content")), "utf-8")
                return {"result": {}}
            if method == "fs/read_text_file" and path.is_relative_to(self._folder):
                return {"result": {"content": path.read_text("utf-8")}}
        except OSError as error:
            return {"error": {"code": -32603, "message": plain_reason(error)}}
        return {"error": {"code": -32601, "message": f"Method not found: {method}"}}

    def _write(self, message: Obj) -> None:
        self._socket.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def _is_of_others(record: logging.LogRecord) -> bool:
    return record.threadName != f"acp-agent-{_NAME}"


def _allowed(options: list[JsonValue]) -> Obj:
    kinds = {text(obj(each).get("kind")): obj(each).get("optionId") for each in options}
    chosen = next((kinds[kind] for kind in kinds if kind.startswith("allow")), None)
    if chosen is None:
        return {"outcome": "cancelled"}
    return {"outcome": "selected", "optionId": chosen}


def error_text(reply: Obj) -> str:
    """Return the message of an error, with its details."""
    error = obj(reply.get("error"))
    details = obj(error.get("data")).get("details")
    words = str(error.get("message"))
    return f"{words} ({details})" if details else words
