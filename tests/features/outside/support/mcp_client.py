"""An agent outside: a client of MCP that starts ``jupyter acp mcp``, and knows nothing of us."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["COMMAND", "Outside"]

COMMAND = (sys.executable, "-m", "acp_jupyter.command_line", "mcp")
"""As ``jupyter acp mcp`` starts it."""


class Outside(AbstractContextManager["Outside"]):
    """One running program, spoken to in lines of JSON.

    Parameters
    ----------
    url, key
        Of the server, and for its notebook.
    name
        As the client calls itself; empty sends no ``initialize``.
    command
        The program.
    """

    def __init__(
        self, url: str, key: str, name: str = "claude-code", command: Sequence[str] = COMMAND
    ) -> None:
        self.process = subprocess.Popen(
            [*command, "--url", url],
            env={**os.environ, "ACP_JUPYTER_KEY": key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._ids = itertools.count(1)
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self.told = ""
        """What it wrote to stderr, once it is closed."""
        self.notifications: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.hello = self.introduce(name) if name else {}

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def introduce(self, name: str) -> dict[str, Any]:
        client = {"name": name, "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        hello = self.ask("initialize", params)
        self.send({"method": "notifications/initialized"})
        return hello

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the whole answer: its ``result`` or its ``error``."""
        return self.answer(self.begin(method, params))

    def call(self, tool: str, **arguments: Any) -> str:
        """Return a tool's answer as text; a failure begins with ``failed: ``."""
        return self.text(self.begin_call(tool, **arguments))

    def begin(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request; return its id."""
        number = next(self._ids)
        self._answers[number] = queue.Queue()
        self.send({"id": number, "method": method, "params": params or {}})
        return number

    def begin_call(self, tool: str, **arguments: Any) -> int:
        return self.begin("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, number: int) -> dict[str, Any]:
        return self._answers[number].get(timeout=PATIENCE_SECONDS)

    def text(self, number: int) -> str:
        answer = self.answer(number)
        if "error" in answer:
            return f"error: {answer['error']['message']}"
        result = answer["result"]
        words = "\n".join(part.get("text", part["type"]) for part in result["content"])
        return f"failed: {words}" if result.get("isError") else words

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> tuple[int, str]:
        """End it as clients do; return its exit code and what it wrote to stderr."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait()
        self._reader.join()
        if not self.process.stderr.closed:
            self.told = self.process.stderr.read().decode()
            self.process.stderr.close()
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code, self.told

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]].put(message)
