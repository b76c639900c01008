"""Keeps the list of the public registry up to date, if the user allows that."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.public_registry.agents import PublicAgents
from acp_jupyter.host.public_registry.newer import DownloadedRegistry

_SECONDS = 24 * 3600.0
"""Time between two downloads."""


def public_agents(data_dir: Path, url: str, *, newer: bool) -> PublicAgents:
    """Return the agents of the public registry; ``newer`` allows to download a newer list."""
    if not newer:
        return PublicAgents(data_dir)
    return PublicAgents(data_dir, newer=DownloadedRegistry(data_dir / "registry.json", url))


async def keep_current(host: AgentHost, log: logging.Logger) -> None:
    """Download the list now and once a day, if that is allowed."""
    registry = host.config.registry
    while registry.public_state.may_update:
        try:
            state = await host.run(registry.update_public())
        except Exception:
            log.exception("acp-jupyter: the list of agents could not be updated")
        else:
            if state.failure:
                log.warning(
                    "acp-jupyter: no newer list of agents was taken; that of %s stays in use: %s",
                    state.date,
                    state.failure,
                )
        await asyncio.sleep(_SECONDS)
