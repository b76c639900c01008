"""A client of the notebook tools, for the fake agents that use them."""

from __future__ import annotations

import json
import os
import subprocess

from _wire import Json, Wire

__all__ = ["NotebookTools", "ToolsWire"]


class ToolsWire(Wire):
    """Remembers the MCP servers of each session, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.servers: list[list[Json]] = []
        self.folders: list[str] = []

    def next(self) -> Json | None:
        message = super().next()
        if message is not None and message.get("method") == "session/new":
            self.servers.append(message["params"]["mcpServers"])
            self.folders.append(message["params"]["cwd"])
        return message


class NotebookTools:
    """An MCP client on stdio."""

    def __init__(self, server: Json) -> None:
        env = {pair["name"]: pair["value"] for pair in server["env"]}
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._ids = 0
        client = {"name": "notebook_user", "version": "1"}
        self.hello = self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: Json) -> Json:
        self._ids += 1
        self._send({"id": self._ids, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._ids:
                return dict(message.get("result") or {"error": message.get("error")})
        return {"error": "closed"}

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        try:
            self._process.stdin.write(data.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
