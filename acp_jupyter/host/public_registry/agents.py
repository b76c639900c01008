"""The agents of the public registry and their state on this machine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from acp_jupyter.errors import AgentStartError, BadRequest, NotAllowed, UnknownAgent
from acp_jupyter.host.public_registry.consents import Downloads
from acp_jupyter.host.public_registry.newer import DownloadedRegistry, UpdateFailed
from acp_jupyter.host.public_registry.packages import Download, Packages
from acp_jupyter.host.public_registry.snapshot import PublicAgent, Snapshot, bundled_snapshot
from acp_jupyter.host.registry_entries import AgentReport, AgentSpec, ProgramFinder

_INSTALL = {"npx": "npm install -g {}", "uvx": "uv tool install {}"}


@dataclass(frozen=True, slots=True)
class RegistryState:
    """The list of the public registry that is in use."""

    date: str = ""
    """A date such as ``2026-02-07``; empty without one."""
    downloaded: bool = False
    """Whether it was downloaded since; otherwise it is the bundled one."""
    may_update: bool = False
    """Whether a newer one may be downloaded."""
    failure: str = ""
    """Why the last download failed."""


class PublicAgents:
    """The snapshot's agents and their state on this machine.

    Parameters
    ----------
    data_dir
        Folder of the file with allowed downloads; downloads run in it.
    newer
        Downloads a newer snapshot; None if the user does not allow that.
    """

    def __init__(
        self,
        data_dir: Path,
        snapshot: Snapshot | None = None,
        newer: DownloadedRegistry | None = None,
    ) -> None:
        self._bundled = snapshot or bundled_snapshot()
        self._newer = newer
        self._snapshot = (newer.kept(self._bundled) if newer else None) or self._bundled
        self._failure = ""
        self._updating = asyncio.Lock()
        self._folder = data_dir / "downloads"
        self._packages = Packages(self._folder)
        self._downloads = Downloads(data_dir / "downloads.json")

    @property
    def state(self) -> RegistryState:
        """The list in use, and the outcome of the last download."""
        return RegistryState(
            date=self._snapshot.date,
            downloaded=self._snapshot is not self._bundled,
            may_update=self._newer is not None,
            failure=self._failure,
        )

    async def update(self) -> RegistryState:
        """Download a newer list, if one is published; on failure the present one stays in use."""
        if self._newer is None:
            raise NotAllowed(
                "This server may not download a newer list of agents. "
                "Set c.AcpJupyter.newer_registry = True to allow it."
            )
        async with self._updating:
            try:
                newer = await self._newer.download(self._snapshot, self._bundled)
            except UpdateFailed as error:
                self._failure = str(error)
            else:
                self._failure = ""
                self._snapshot = newer or self._snapshot
        return self.state

    def ids(self) -> tuple[str, ...]:
        """Return the agents' ids."""
        return tuple(agent.id for agent in self._snapshot.agents)

    def get(self, agent_id: str, finder: ProgramFinder) -> AgentSpec | None:
        """Return an agent by its id or an alias; None if unknown."""
        agent = self._find(agent_id)
        if agent is None:
            return None
        spec = self._spec(agent, finder)
        if spec is None:
            raise AgentStartError(f"{agent.name} is not installed. {self._advice(agent, finder)}")
        return replace(spec, id=agent_id)

    def reports(self, finder: ProgramFinder) -> list[AgentReport]:
        """Return all agents with their state; those that can start come first."""
        found = [self._report(agent, finder) for agent in self._snapshot.agents]
        return sorted(found, key=lambda report: report.status != "ready")

    def allow(
        self, agent_id: str, package: str, command: str | None, finder: ProgramFinder
    ) -> None:
        """Allow a package to be downloaded and run."""
        agent = self._find(agent_id)
        if agent is None:
            raise UnknownAgent(f"There is no downloadable agent called {agent_id!r}.")
        found = self._download(agent, finder)
        if agent.package and found is None:
            raise BadRequest(f"{agent.runner} was not found. {self._advice(agent, finder)}")
        if found is None or package != found.package:
            raise BadRequest(
                f"The package of {agent.name} is now {found.package if found else 'none'}. "
                "Check it, then allow the download again."
            )
        if command is not None and command != found.shown:
            raise BadRequest(
                f"The command of {agent.name} is now {found.shown}. "
                "Check it, then allow the download again."
            )
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._downloads.allow(agent.id, found.offered)

    def _find(self, agent_id: str) -> PublicAgent | None:
        agents = self._snapshot.agents
        return next((a for a in agents if agent_id == a.id or agent_id in a.aliases), None)

    def _spec(self, agent: PublicAgent, finder: ProgramFinder) -> AgentSpec | None:
        """Return the agent's command, if it can start and is allowed to."""
        program = finder.which(agent.command) if agent.command else None
        if program is not None:
            env = MappingProxyType(dict(agent.env))
            return AgentSpec(agent.id, agent.name, program, agent.args, env)
        found = self._download(agent, finder)
        if found is None or not self._downloads.allowed(agent.id, *found.accepted):
            return None
        env = MappingProxyType(dict(found.env))
        program, *args = found.command
        return AgentSpec(agent.id, agent.name, program, tuple(args), env, downloads=True)

    def _download(self, agent: PublicAgent, finder: ProgramFinder) -> Download | None:
        return self._packages.download(agent, self._snapshot.node, finder)

    def _report(self, agent: PublicAgent, finder: ProgramFinder) -> AgentReport:
        spec = self._spec(agent, finder)
        if spec is not None:
            detail = f"Runs {agent.package} by {agent.runner}." if spec.downloads else ""
            return AgentReport(agent.id, agent.name, "ready", detail, website=agent.website)
        found = self._download(agent, finder)
        return AgentReport(
            agent.id,
            agent.name,
            "not_installed",
            self._advice(agent, finder),
            install=self._install(agent),
            website=agent.website,
            package=found.package if found else "",
            run=found.shown if found else "",
            notes=found.notes if found else (),
            listed=True,
        )

    def _install(self, agent: PublicAgent) -> str:
        name = agent.package.rpartition("@")[0] or agent.package
        return agent.install or (_INSTALL[agent.runner].format(name) if agent.runner else "")

    def _advice(self, agent: PublicAgent, finder: ProgramFinder) -> str:
        install = self._install(agent)
        words = f"To install it, see {agent.website or 'its documentation'}"
        if install:
            words = f"Install it with: {install}"
        if self._download(agent, finder):
            words += "; or let Jupyter download and run it: Add an agent… in the panel"
        return f"{words}."
