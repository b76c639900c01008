"""A tiny ACP client that speaks raw JSON lines to an agent process: no SDK, no sleeps."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any, Self

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["Json", "Peer", "Turn", "select"]

Json = dict[str, Any]
Handler = Callable[[Json], Json | None]


class Turn:
    """What came between a prompt and its answer."""

    def __init__(self, messages: Sequence[Json]) -> None:
        self.answer = messages[-1]
        self.messages = messages
        self.updates: list[Json] = [
            message["params"]["update"]
            for message in messages
            if message.get("method") == "session/update"
        ]

    @property
    def stop_reason(self) -> str:
        reason = self.answer["result"]["stopReason"]
        assert isinstance(reason, str)
        return reason

    @property
    def text(self) -> str:
        return "".join(self.chunks())

    def chunks(self, kind: str = "agent_message_chunk") -> list[str]:
        return [update["content"]["text"] for update in self.of(kind)]

    def of(self, kind: str) -> list[Json]:
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def asked(self, method: str) -> list[Json]:
        return [message["params"] for message in self.messages if message.get("method") == method]

    def tool_calls(self) -> list[Json]:
        """Each tool call as the sum of its updates, in order of appearance."""
        calls: dict[str, Json] = {}
        for update in self.of("tool_call") + self.of("tool_call_update"):
            calls.setdefault(update["toolCallId"], {}).update(update)
        return list(calls.values())


class Peer:
    """An agent process and the client's side of its pipes.

    Parameters
    ----------
    handlers
        Answers to the agent's own requests, by method: a result, or ``{"error": …}``, or None,
        which leaves the request open for `reply`. A missing one is answered -32601.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        handlers: Mapping[str, Handler] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.handlers = dict(handlers or {})
        self.log: list[Json] = []
        self._queue: Queue[bytes | None] = Queue()
        self._last_id = 0
        self.process = subprocess.Popen(
            command,
            env=os.environ | (env or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def open(self, cwd: Path, capabilities: Json | None = None) -> str:
        """Initialize, and return the id of a new session in `cwd`."""
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities or {}})
        return self.new_session(cwd)

    def new_session(self, cwd: Path) -> str:
        result = self.call("session/new", {"cwd": str(cwd), "mcpServers": []})["result"]
        session_id = result["sessionId"]
        assert isinstance(session_id, str)
        return session_id

    def prompt(self, session_id: str, text: str) -> Turn:
        """Send a prompt and wait for the end of its turn."""
        return self.finish(self.start_prompt(session_id, text))

    def start_prompt(self, session_id: str, text: str) -> int:
        blocks = [{"type": "text", "text": text}]
        return self.send_request("session/prompt", {"sessionId": session_id, "prompt": blocks})

    def finish(self, request_id: int) -> Turn:
        return Turn(self.until(lambda message: is_answer(message, request_id)))

    def call(self, method: str, params: Json) -> Json:
        """Send a request and return the whole answer."""
        request_id = self.send_request(method, params)
        return self.until(lambda message: is_answer(message, request_id))[-1]

    def send_request(self, method: str, params: Json) -> int:
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def cancel(self, session_id: str) -> None:
        params = {"sessionId": session_id}
        self.send({"jsonrpc": "2.0", "method": "session/cancel", "params": params})

    def send(self, message: object) -> None:
        self.send_raw(json.dumps(message).encode() + b"\n")

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def until(self, wanted: Callable[[Json], bool]) -> list[Json]:
        """Return the messages up to the first wanted one, requests answered on the way."""
        messages: list[Json] = []
        while True:
            message = self.next()
            messages.append(message)
            if wanted(message):
                return messages

    def next(self) -> Json:
        """Return the next message; a request is answered first, if a handler takes it."""
        try:
            line = self._queue.get(timeout=PATIENCE_SECONDS)
        except Empty:
            raise AssertionError(f"the agent said nothing for {PATIENCE_SECONDS:g} s") from None
        if line is None:
            raise EOFError("the agent's stdout has ended")
        message: Json = json.loads(line)
        self.log.append(message)
        if "method" in message and "id" in message:
            self._serve(message)
        return message

    def end(self) -> int:
        """Close stdin and return the exit code; what was on the way is in the log."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code."""
        try:
            while True:
                self.next()
        except EOFError:
            return self.process.wait()

    def reply(self, request: Json, result: Json) -> None:
        """Answer a request that its handler left open."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def _serve(self, request: Json) -> None:
        handler = self.handlers.get(request["method"])
        if handler is None:
            error = {"code": -32601, "message": "Method not found"}
            self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})
            return
        answer = handler(request["params"])
        if answer is not None and "error" in answer:
            self.send({"jsonrpc": "2.0", "id": request["id"], **answer})
        elif answer is not None:
            self.reply(request, answer)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queue.put(line)
        self._queue.put(None)


def is_answer(message: Json, request_id: int) -> bool:
    return "method" not in message and message.get("id") == request_id


def select(kind: str) -> Handler:
    """Answer a permission request with its option of that kind."""

    def handler(params: Json) -> Json:
        option = next(option for option in params["options"] if option["kind"] == kind)
        return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}

    return handler
