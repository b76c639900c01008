"""What a host of agents works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_jupyter.host.documents import Documents, NoDocuments
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry.agents import Registry
from acp_jupyter.host.session_tools import ToolsOffer
from acp_jupyter.host.trust_store import TrustStore
from acp_jupyter.protocol.host_events.permissions import Policy

__all__ = ["HostConfig"]


@dataclass(frozen=True)
class HostConfig:
    """What a host works with."""

    registry: Registry
    root: Path
    """Below it lie the folders that sessions of notebooks work in."""
    data_dir: Path
    """Where session folders are kept."""
    documents: Documents = field(default_factory=NoDocuments)
    limits: Limits = field(default_factory=Limits)
    policy: Policy = "ask"
    mcp_servers: Sequence[Mapping[str, Any]] = ()
    """ACP: ``mcpServers``, for every session."""
    tools: ToolsOffer | None = None
    """MCP servers that each session has for itself."""
    goes_on: bool = True
    """Whether a notebook goes on with a session of an earlier run; else each run starts anew."""
    own_folders: tuple[Path, ...] = ()
    """Of Jupyter and its like: nothing in them is a turn's change, and what is in them is
    protected. ``data_dir`` is one of them."""
    caches: Path | None = None
    """Of all programs: nothing in it is a turn's change."""
    trust: TrustStore | None = None
    """The trusted folders; by default as they are kept in ``data_dir``."""
