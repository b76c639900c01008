"""What the fake agents share: JSON-RPC lines on raw stdio, no SDK, no threads.

An agent is a function ``prompt(wire, session_id, text) -> stop reason`` and one call of `serve`.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Prompt = Callable[["Wire", str, str], str]

ALLOW: Json = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
REJECT: Json = {"optionId": "no", "name": "Reject", "kind": "reject_once"}
YES: Json = {**ALLOW, "name": "Yes"}
NO: Json = {**REJECT, "name": "No"}


def keep(line: bytes) -> None:
    """Write down what has come in, in the file that ``ACP_HEARD`` names."""
    if name := os.environ.get("ACP_HEARD"):
        with open(name, "ab") as file:
            file.write(line.rstrip() + b"\n")


class Wire:
    """Standard input and output as lines of JSON."""

    def __init__(self) -> None:
        self._buffer = b""
        self._later: deque[Json] = deque()
        self._next_id = 0
        self.cancelled = False
        self.prompt_id: Any = None
        self.client_capabilities: Json = {}
        self.opened: dict[str, Json] = {}
        """What each session was opened with."""
        self.blocks: list[Json] = []
        """Those of the last prompt."""

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def send(self, message: Json) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def request(self, request_id: Any, method: str, params: Json) -> None:
        self.send({"id": request_id, "method": method, "params": params})

    def result(self, request: Json, result: Any) -> None:
        self.send({"id": request["id"], "result": result})

    def error(self, request: Json, code: int, message: str) -> None:
        self.send({"id": request["id"], "error": {"code": code, "message": message}})

    def update(self, session_id: str, kind: str, /, **fields: Any) -> None:
        update = {"sessionUpdate": kind, **fields}
        params = {"sessionId": session_id, "update": update}
        self.send({"method": "session/update", "params": params})

    def text(self, session_id: str, text: str) -> None:
        self.update(session_id, "agent_message_chunk", content={"type": "text", "text": text})

    def line(self, seconds: float | None = None) -> bytes | None:
        """Return the next line, nothing at the end of stdin, None when time is up."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([0], [], [], left)[0]:
                return None
            chunk = os.read(0, 65536)
            if not chunk:
                return b""
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        keep(line)
        return line

    def next(self) -> Json | None:
        """Return the next message, or None at the end of stdin."""
        if self._later:
            return self._later.popleft()
        line = self.line()
        return json.loads(line) if line else None

    def ask(self, method: str, params: Json, request_id: Any = None) -> Json:
        """Send a request and return the whole response. A cancel meanwhile is remembered."""
        if request_id is None:
            request_id = self._next_id
            self._next_id += 1
        self.request(request_id, method, params)
        return self.response(request_id)

    def permission(self, session_id: str, call: Json, options: list[Json]) -> Json:
        """Ask whether a tool call may be; return the outcome, if there is one."""
        params = {"sessionId": session_id, "toolCall": call, "options": options}
        answer = self.ask("session/request_permission", params)
        outcome: Json = answer.get("result", {}).get("outcome", {})
        return outcome

    def response(self, request_id: Any) -> Json:
        for message in self._later:
            if "method" not in message and message.get("id") == request_id:
                self._later.remove(message)
                return message
        while line := self.line():
            message = json.loads(line)
            if "method" not in message and message.get("id") == request_id:
                return dict(message)
            self._remember(message)
        sys.exit(0)

    def rest(self, seconds: float) -> bool:
        """Wait as a working agent does; tell whether the turn was cancelled meanwhile."""
        deadline = time.monotonic() + seconds
        while not self.cancelled:
            line = self.line(deadline - time.monotonic())
            if line is None:
                break
            if not line:
                sys.exit(0)
            self._remember(json.loads(line))
        return self.cancelled

    def _remember(self, message: Json) -> None:
        if message.get("method") == "session/cancel":
            self.cancelled = True
        else:
            self._later.append(message)


def text_of(params: Json) -> str:
    return "".join(block.get("text", "") for block in params.get("prompt", []))


def own_name() -> str:
    """Return what this agent is called: its mode, or its script."""
    return os.path.splitext(os.path.basename(sys.argv[0]))[0]


def initialize_result(name: str) -> Json:
    return {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": False},
        "agentInfo": {"name": name, "title": name, "version": "1.0"},
        "authMethods": [],
    }


def serve(prompt: Callable[..., str], wire: Wire | None = None, **initialized: Any) -> None:
    """Answer like a well-behaved agent until stdin ends; turns are the business of ``prompt``.

    ``initialized`` are other fields of the answer to ``initialize``.
    """
    wire = wire or Wire()
    name = own_name()
    while (message := wire.next()) is not None:
        method = message.get("method")
        params = message.get("params") or {}
        if method == "initialize":
            wire.client_capabilities = params.get("clientCapabilities", {})
            wire.result(message, {**initialize_result(name), **initialized})
        elif method == "session/new":
            session_id = f"{name}-{os.getpid()}-{len(wire.opened) + 1}"
            wire.opened[session_id] = params
            wire.result(message, {"sessionId": session_id})
        elif method == "session/prompt":
            wire.cancelled = False
            wire.blocks = params["prompt"]
            reason = prompt(wire, params["sessionId"], text_of(params))
            wire.result(message, {"stopReason": "cancelled" if wire.cancelled else reason})
        elif method is not None and "id" in message:
            wire.error(message, -32601, "Method not found")


def in_turns(prompt: Callable[..., str]) -> Callable[..., None]:
    """Make a mode of what an agent does in a turn; the words of the command line come last."""

    def run(*words: str) -> None:
        serve(lambda wire, session_id, text: prompt(wire, session_id, text, *words))

    return run
