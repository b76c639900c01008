"""Agents of the public registry, which need no configuration, and the allowed downloads.

The bundled list, ``public_registry.json``, is dated; ``scripts/registry_snapshot.py`` writes it. A
package is downloaded and run only after the user has allowed it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import Field, ValidationError

from acp_jupyter.errors import AgentStartError, BadRequest, UnknownAgent
from acp_jupyter.host.registry_entries import AgentReport, AgentSpec, Finder
from acp_jupyter.protocol.objects import Model

_INSTALL = {"npx": "npm install -g {}", "uvx": "uv tool install {}"}


class PublicAgent(Model):
    """One agent of the public registry."""

    id: str
    name: str
    command: str
    """The program that its package installs."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    runner: Literal["", "npx", "uvx"] = ""
    package: str = ""
    """The package with its version."""
    install: str = ""
    website: str = ""
    tried: str = ""
    """Date on which this project tested the package."""


class Snapshot(Model):
    """The public registry on one day."""

    source: str
    date: str
    agents: tuple[PublicAgent, ...]


@cache
def bundled_snapshot() -> Snapshot:
    """Return the snapshot that is bundled with this package."""
    text = files("acp_jupyter.host").joinpath("public_registry.json").read_text("utf-8")
    return Snapshot.model_validate(json.loads(text), strict=False)


class PublicAgents:
    """The snapshot's agents and their state on this machine.

    Parameters
    ----------
    data_dir
        Folder of the file with allowed downloads; downloads run in it.
    snapshot
        The bundled one by default.
    """

    def __init__(self, data_dir: Path, snapshot: Snapshot | None = None) -> None:
        self._snapshot = snapshot or bundled_snapshot()
        self._folder = data_dir / "downloads"
        self._downloads = Downloads(data_dir / "downloads.json")

    def ids(self) -> tuple[str, ...]:
        """Return the agents' ids."""
        return tuple(agent.id for agent in self._snapshot.agents)

    def get(self, agent_id: str, finder: Finder) -> AgentSpec | None:
        """Return an agent by its id or an alias; None if unknown.

        Raises
        ------
        AgentStartError
            The agent is not installed, and its download is not allowed.
        """
        agent = self._find(agent_id)
        if agent is None:
            return None
        spec = self._spec(agent, finder)
        if spec is None:
            raise AgentStartError(f"{agent.name} is not installed. {self._advice(agent, finder)}")
        return replace(spec, id=agent_id)

    def reports(self, finder: Finder) -> list[AgentReport]:
        """Return all agents with their state; those that can start come first."""
        found = [self._report(agent, finder) for agent in self._snapshot.agents]
        return sorted(found, key=lambda report: report.status != "ready")

    def allow(self, agent_id: str, package: str, finder: Finder) -> None:
        """Allow a package to be downloaded and run.

        Raises
        ------
        UnknownAgent
            The agent is not in the snapshot.
        BadRequest
            Another package would be run.
        """
        agent = self._find(agent_id)
        if agent is None:
            raise UnknownAgent(f"There is no downloadable agent called {agent_id!r}.")
        if not agent.package or package != agent.package:
            raise BadRequest(
                f"The package of {agent.name} is now {agent.package or 'none'}. "
                "Check it, then allow the download again."
            )
        if finder.which(agent.runner) is None:
            raise BadRequest(f"{agent.runner} was not found. {self._advice(agent, finder)}")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._downloads.allow(agent.id, package)

    def _find(self, agent_id: str) -> PublicAgent | None:
        agents = self._snapshot.agents
        return next((a for a in agents if agent_id == a.id or agent_id in a.aliases), None)

    def _spec(self, agent: PublicAgent, finder: Finder) -> AgentSpec | None:
        """Return the agent's command, if it can start and is allowed to."""
        program = finder.which(agent.command)
        env: Mapping[str, str] = MappingProxyType(dict(agent.env))
        if program is not None:
            return AgentSpec(agent.id, agent.name, program, agent.args, env)
        command = self._runner(agent, finder)
        if not command or not self._downloads.allowed(agent.id, agent.package):
            return None
        return AgentSpec(agent.id, agent.name, command[0], command[1:], env, downloads=True)

    def _runner(self, agent: PublicAgent, finder: Finder) -> tuple[str, ...]:
        """Return the command that downloads and runs an agent.

        It must not take the package or its source from the agent's working folder: npx would run
        a planted node_modules and read its .npmrc, uvx its uv.toml.
        """
        runner = finder.which(agent.runner) if agent.package else None
        match agent.runner, runner:
            case "npx", str(program):
                return (program, "--prefix", str(self._folder), "-y", agent.package, *agent.args)
            case "uvx", str(program):
                return (program, "--no-config", agent.package, *agent.args)
            case _:
                return ()

    def _report(self, agent: PublicAgent, finder: Finder) -> AgentReport:
        spec = self._spec(agent, finder)
        if spec is not None:
            detail = f"Runs {agent.package} by {agent.runner}." if spec.downloads else ""
            return AgentReport(agent.id, agent.name, "ready", detail, website=agent.website)
        command = self._runner(agent, finder)
        return AgentReport(
            agent.id,
            agent.name,
            "not_installed",
            self._advice(agent, finder),
            install=self._install(agent),
            website=agent.website,
            package=agent.package if command else "",
            run=shlex.join((agent.runner, *command[1:])) if command else "",
            listed=True,
        )

    def _install(self, agent: PublicAgent) -> str:
        name = agent.package.rpartition("@")[0] or agent.package
        return agent.install or (_INSTALL[agent.runner].format(name) if agent.runner else "")

    def _advice(self, agent: PublicAgent, finder: Finder) -> str:
        install = self._install(agent)
        words = f"To install it, see {agent.website or 'its documentation'}"
        if install:
            words = f"Install it with: {install}"
        if self._runner(agent, finder):
            words += "; or let Jupyter download and run it: Add an agent… in the panel"
        return f"{words}."


_FILE_BYTES = 1024 * 1024


class _Allowed(Model):
    """The file of allowed downloads: agent ids, and packages with their versions."""

    allowed: dict[str, str] = Field(default_factory=dict)


class Downloads:
    """The allowed downloads, in a file that only its user may read or write.

    Parameters
    ----------
    path
        The file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def allowed(self, agent_id: str, package: str) -> bool:
        """Return whether this version of the package was allowed for this agent."""
        return bool(package) and self._read().allowed.get(agent_id) == package

    def allow(self, agent_id: str, package: str) -> None:
        """Allow a package for an agent.

        Raises
        ------
        OSError
            The file could not be written; the package is not allowed.
        """
        allowed = _Allowed(allowed={**self._read().allowed, agent_id: package})
        temporary = ""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._path.parent)  # with mode 0600
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(allowed.model_dump_json(indent=2))
            Path(temporary).replace(self._path)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            raise

    def _read(self) -> _Allowed:
        """Return the file's content; an unreadable file allows nothing."""
        try:
            with self._path.open("rb") as file:
                return _Allowed.model_validate_json(file.read(_FILE_BYTES))
        except (OSError, ValidationError):
            return _Allowed()
