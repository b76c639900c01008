"""The MCP servers of a session, in a file as the CLI reads it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, RpcError

__all__ = ["mcp_servers", "write_mcp_config"]


def mcp_servers(raw: object) -> Json:
    """Return the client's servers in the CLI's spelling.

    Raises
    ------
    RpcError
        One of them can't be read.
    """
    servers: Json = {}
    for server in raw if isinstance(raw, list) else []:
        match server:
            case {"name": str(name), "command": str(command)}:
                servers[name] = {
                    "type": "stdio",
                    "command": command,
                    "args": [arg for arg in server.get("args") or [] if isinstance(arg, str)],
                    "env": _pairs(server.get("env")),
                }
            case {"name": str(name), "type": "http" | "sse" as kind, "url": str(url)}:
                headers = _pairs(server.get("headers"))
                servers[name] = {"type": kind, "url": url, "headers": headers}
            case _:
                raise RpcError(INVALID_PARAMS, "An MCP server can't be read.")
    return servers


def _pairs(raw: object) -> Json:
    found: Iterable[object] = raw if isinstance(raw, list) else []
    return {
        pair["name"]: pair["value"]
        for pair in found
        if isinstance(pair, dict) and isinstance(pair.get("name"), str) and "value" in pair
    }


def write_mcp_config(servers: Json) -> Path | None:
    """Write the servers to a file that nobody else reads: they may have keys."""
    if not servers:
        return None
    handle, name = tempfile.mkstemp(prefix="claude-cli-mcp-", suffix=".json")
    with os.fdopen(handle, "w") as file:
        json.dump({"mcpServers": servers}, file)
    return Path(name)
