"""MCP servers that agents are to use beside their own, as their user configures them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from acp_jupyter.errors import BadRequest

__all__ = ["acp_servers", "environments"]


class _Stdio(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    command: str = Field(min_length=1)
    args: list[str] = []
    env: dict[str, str] = {}

    def acp(self, name: str) -> dict[str, Any]:
        command = os.path.expanduser(self.command)
        return {"name": name, "command": command, "args": self.args, "env": _pairs(self.env)}


class _Remote(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    type: Literal["http", "sse"]
    url: Annotated[str, Field(pattern=r"^https?://")]
    headers: dict[str, str] = {}

    def acp(self, name: str) -> dict[str, Any]:
        return {"type": self.type, "name": name, "url": self.url, "headers": _pairs(self.headers)}


_SERVER: TypeAdapter[_Remote | _Stdio] = TypeAdapter(_Remote | _Stdio)


def acp_servers(configured: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return ACP's ``mcpServers`` for the block that other programs use too.

    Parameters
    ----------
    configured
        By name, ``{"command", "args", "env"}`` or ``{"type": "http"|"sse", "url", "headers"}``.

    Raises
    ------
    BadRequest
        An entry makes no sense.
    """
    servers = []
    for name, entry in configured.items():
        try:
            servers.append(_SERVER.validate_python(entry).acp(str(name)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise BadRequest(f"The MCP server {name!r} is not valid: {first['msg']}.") from None
    return servers


def environments(servers: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return variables and headers of servers by name: what is named like a secret is one."""
    given = (server.get("env") or server.get("headers") or () for server in servers)
    return [{pair["name"]: pair["value"] for pair in pairs} for pairs in given]


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]
