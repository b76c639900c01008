"""Configuration of a host: its agents, folders, limits, default policy and MCP servers.

MCP servers are checked here, and written as ``session/new`` takes them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sandbox.proxy import Resolve
from acp_jupyter.host.sessions.session import McpServerProvider
from acp_jupyter.host.store.journal import Reader
from acp_jupyter.host.store.permission_stores import TrustStore
from acp_jupyter.host.workspace.agent_files import Documents, NoDocuments
from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.protocol.objects import Model, misfits


@dataclass(frozen=True)
class HostConfig:
    """The configuration of a host."""

    registry: Registry
    root: Path
    """The host's root folder; sessions work in folders below it."""
    data_dir: Path
    """Folder in which sessions are saved."""
    documents: Documents = field(default_factory=NoDocuments)
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    """What the administrator allows."""
    mcp_servers: Sequence[Mapping[str, Any]] = ()
    """MCP servers for every session, as ACP's ``mcpServers``."""
    tools: McpServerProvider | None = None
    """Provider of MCP servers that belong to one session each."""
    goes_on: bool = True
    """Whether a notebook continues sessions of an earlier run; else each run starts new ones."""
    own_folders: tuple[Path, ...] = ()
    """Folders of Jupyter and similar programs: their files are protected and never count as
    changed by a turn. ``data_dir`` is one of them."""
    runtime_folder: Path | None = None
    """Jupyter's, with the keys of servers and kernels: hidden from an agent in a sandbox."""
    sandbox: Sandbox = "off"
    """Sandbox of new sessions, if neither the caller nor the agent's entry names one."""
    network: Network = "all"
    """Network of new sessions in a sandbox, if neither the caller nor the entry names one."""
    resolve: Resolve | None = None
    """Looks up host names for agents in a sandbox; by default as this machine does."""
    caches: Path | None = None
    """Cache folder of all programs; nothing in it counts as changed by a turn."""
    observers: Sequence[Reader] = ()
    """Are given the events of all sessions."""
    parts: Mapping[str, Any] = field(default_factory=dict)
    """What features have on the server, by their names."""
    trust: TrustStore | None = None
    """The trusted folders; by default those saved in ``data_dir``."""


class _Stdio(Model):
    model_config = ConfigDict(extra="ignore", strict=True)

    command: str = Field(min_length=1)
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)

    def acp(self, name: str) -> dict[str, Any]:
        command = os.path.expanduser(self.command)
        return {"name": name, "command": command, "args": self.args, "env": _pairs(self.env)}


class _Remote(Model):
    model_config = ConfigDict(extra="ignore", strict=True)

    type: Literal["http", "sse"]
    url: Annotated[str, Field(pattern=r"^https?://")]
    headers: dict[str, str] = Field(default_factory=dict)

    def acp(self, name: str) -> dict[str, Any]:
        return {"type": self.type, "name": name, "url": self.url, "headers": _pairs(self.headers)}


@cache
def _server() -> TypeAdapter[_Remote | _Stdio]:
    return TypeAdapter(_Remote | _Stdio)


def acp_servers(configured: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Convert an ``mcpServers`` block of the usual form to ACP's ``mcpServers``.

    Parameters
    ----------
    configured
        Servers by name: ``{"command", "args", "env"}`` or
        ``{"type": "http"|"sse", "url", "headers"}``.
    """
    servers = []
    for name, entry in configured.items():
        try:
            servers.append(_server().validate_python(entry).acp(str(name)))
        except ValidationError as error:
            what = misfits(error)[0]
            raise BadRequest(f"The MCP server {name!r} is not valid ({what}).") from None
    return servers


def environments(servers: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the variables and headers of MCP servers, for the redactor to find secrets in."""
    given = (server.get("env") or server.get("headers") or () for server in servers)
    return [{pair["name"]: pair["value"] for pair in pairs} for pairs in given]


def _pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]
