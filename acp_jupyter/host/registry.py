"""The registry of agents: all that are configured, installed or bundled, and the state of each."""

from __future__ import annotations

import difflib
import itertools
import json
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from acp_jupyter.errors import (
    AgentStartError,
    BadRequest,
    NotAllowed,
    UnknownAgent,
    plain_reason,
)
from acp_jupyter.host.bounds import DECIDED, Bounds
from acp_jupyter.host.public_registry.agents import PublicAgents, RegistryState
from acp_jupyter.host.registry_entries import (
    AgentReport,
    AgentSpec,
    EntryPointAgents,
    InvalidEntry,
    ProgramFinder,
    agent_id_of,
    parse_entry,
    runs_in_kernel,
)
from acp_jupyter.host.served_agents import ServedAgents
from acp_jupyter.own_programs import module_command

CONFIG_FILE = "acp_agents.json"
_CONFIG_BYTES = 1024 * 1024
_DEMO_ID = "demo"
_NAMES = (attrgetter("id"), attrgetter("key"), attrgetter("name"))
"""The names by which an agent may be called, the most specific first."""
_CLOSE = 0.6
"""How alike two names must be for one to be meant for the other."""


def _bundled(agent_id: str, name: str, module: str) -> AgentSpec:
    command, *args = module_command(f"acp_jupyter.agents.{module}")
    return AgentSpec(agent_id, name, command, tuple(args))


_DEMO = _bundled(_DEMO_ID, "Demo", "demo")
_CLAUDE_CLI = _bundled("claude-cli", "Claude CLI", "claude_cli")
_FORBIDDEN = f"This agent is not allowed here. {DECIDED}"
_CLAUDE_VARIABLE = "CLAUDE_CLI_PATH"


class Registry:
    """All agents: configured, of other packages, bundled and public.

    Methods read files and import other packages, so they are not for an event loop; only `get` of
    a configured agent is.

    Parameters
    ----------
    config_dirs
        Folders of the Jupyter config path, the most important first. Each may hold an
        ``acp_agents.json`` with the ``agent_servers`` block that other editors use. A workspace
        is never among them: a folder must not name commands.
    bounds
        What the administrator allows; by default everything.
    """

    def __init__(
        self,
        configured: Mapping[str, Mapping[str, Any]],
        config_dirs: Sequence[Path],
        *,
        points: EntryPointAgents | None = None,
        public: PublicAgents | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        self._bounds = bounds or Bounds()
        self._configured = configured
        self._config_dirs = tuple(config_dirs)
        self._points = points
        self._public = public
        self._finder = ProgramFinder()
        self.served = ServedAgents()
        """Those that run in kernels; each is found only where its notebook's path is given."""

    def specs(self) -> tuple[AgentSpec, ...]:
        """Return the configured and bundled agents with a valid configuration."""
        return tuple(entry for entry in self._entries() if isinstance(entry, AgentSpec))

    def id_of(self, name: str, place: str = "") -> str:
        """Return the id of the agent that a person means.

        Parameters
        ----------
        name
            Its id, its name in the configuration, or its title; in this order. Case counts only
            where two differ by nothing else.
        """
        entries = self._entries(agent_id_of(name))
        for fold in (str, str.casefold):
            for words in _NAMES:
                ids = {entry.id for entry in entries if fold(words(entry)) == fold(name)}
                if len(ids) == 1:
                    return ids.pop()
        if (served := self.served.id_of(name, place)) is not None:
            return served
        public = self._public.reports(self._finder) if self._public else []
        ids = {report.id for report in public if report.name.casefold() == name.casefold()}
        return ids.pop() if len(ids) == 1 else name

    def require_free(self, name: str) -> None:
        """Refuse a name for an agent in a kernel that another agent has."""
        known = {entry.id for entry in self._entries()}
        known |= set(self._public.ids()) if self._public is not None else set()
        if known & {self.id_of(name), agent_id_of(name)}:
            raise BadRequest(f"There is an agent called {name} already. Choose another name.")

    def get(self, agent_id: str, place: str = "") -> AgentSpec:
        """Return the agent called ``agent_id``; ``place`` as for `id_of`."""
        if runs_in_kernel(agent_id):
            served = self._within_bounds(self.served.get(agent_id, place))
            if isinstance(served, InvalidEntry):
                raise AgentStartError(f"{served.name} can't start. {served.detail}")
            return served
        entries = self._entries(agent_id)
        for entry in entries:
            if entry.id == agent_id:
                if isinstance(entry, AgentSpec):
                    return entry
                raise AgentStartError(f"{entry.name} can't start. {entry.detail}")
        public = self._public.get(agent_id, self._finder) if self._public else None
        if public is not None:
            if self._bounds.forbids_agent(public.id):
                raise AgentStartError(f"{public.name} can't start. {_FORBIDDEN}")
            return self._instructed(public)
        ids = [entry.id for entry in entries]
        known = list(dict.fromkeys((*ids, *(self._public.ids() if self._public else ()))))
        raise UnknownAgent(
            f"There is no agent called {agent_id!r}.{did_you_mean(agent_id, known)} "
            f"Agents: {', '.join(known)}. "
            f"Add others to c.AcpJupyter.agents or to {CONFIG_FILE} in the Jupyter config path."
        )

    def statuses(self, place: str = "") -> tuple[AgentReport, ...]:
        """Return a report of every agent, with advice if it can't start.

        With ``place``, as for `id_of`, also of those that run there.
        """
        found = [
            self._report(entry)
            if isinstance(entry, AgentSpec)
            else AgentReport(entry.id, entry.name, "broken", entry.detail)
            for entry in self._entries()
        ]
        taken = {report.id for report in found}
        listed = self._public.reports(self._finder) if self._public else []
        own = self.served.reports(place)
        reports = (*found, *own, *(report for report in listed if report.id not in taken))
        return tuple(
            AgentReport(report.id, report.name, "broken", _FORBIDDEN)
            if self._bounds.forbids_agent(report.id)
            else report
            for report in reports
        )

    @property
    def public_state(self) -> RegistryState:
        """Which list of the public registry is in use."""
        state = self._public.state if self._public else RegistryState()
        return replace(state, may_update=state.may_update and self._bounds.downloads)

    async def update_public(self) -> RegistryState:
        """Use a newer list of the public registry, if one is published."""
        if not self._bounds.downloads:
            raise NotAllowed(f"A newer list of agents can't be downloaded. {DECIDED}")
        if self._public is None:
            raise NotAllowed("There is no public registry here.")
        return await self._public.update()

    def allow_download(
        self, agent_id: str, package: str, command: str | None = None
    ) -> AgentReport:
        """Allow the download of a package of the public registry, as shown to the user.

        Parameters
        ----------
        command
            What was shown of how it is run; None if nothing was.
        """
        if self._public is None:
            raise BadRequest("Agents can't be downloaded here.")
        if not self._bounds.downloads or self._bounds.forbids_agent(agent_id):
            raise NotAllowed(f"{agent_id} can't be downloaded. {DECIDED}")
        self._public.allow(agent_id, package, command, self._finder)
        return next(report for report in self.statuses() if report.id == agent_id)

    def _entries(self, wanted: str | None = None) -> list[AgentSpec | InvalidEntry]:
        """Return one entry per id: the demo, settings, files, packages, the other bundled.

        With ``wanted`` no other package than that agent's is imported.
        """
        found: dict[str, AgentSpec | InvalidEntry] = {_DEMO_ID: _DEMO}
        keys: set[str] = set()
        for source, block in self._blocks():
            for key, value in block.items():
                if str(key) in keys:  # a more important source has it
                    continue
                keys.add(str(key))
                entry = _for_others(parse_entry(str(key), value, source), str(key), source)
                entry = replace(entry, id=_free_id(entry.id, found))
                found[entry.id] = entry
        for point_id in self._points.ids() if self._points else ():
            if point_id in found or wanted not in {None, point_id}:
                continue
            assert self._points is not None
            point = self._points.get(point_id)
            if point is not None:
                found[point_id] = point
        found.setdefault(_CLAUDE_CLI.id, _CLAUDE_CLI)
        return [self._within_bounds(entry) for entry in found.values()]

    def _within_bounds(self, entry: AgentSpec | InvalidEntry) -> AgentSpec | InvalidEntry:
        host = entry.host if isinstance(entry, AgentSpec) else ""
        if self._bounds.forbids_agent(entry.id, host):
            return InvalidEntry(entry.id, entry.name, _FORBIDDEN, entry.key)
        return self._instructed(entry) if isinstance(entry, AgentSpec) else entry

    def _instructed(self, agent: AgentSpec) -> AgentSpec:
        """Return an agent that gets the administrator's instructions."""
        words = "\n\n".join(self._bounds.instructions)
        return replace(agent, instructions=words) if words else agent

    def _blocks(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield "c.AcpJupyter.agents", self._configured
        for folder in self._config_dirs:
            path = folder / CONFIG_FILE
            try:
                with path.open("rb") as file:
                    content = json.loads(file.read(_CONFIG_BYTES))
            except FileNotFoundError:
                continue
            except (OSError, ValueError, RecursionError) as error:
                yield str(path), {path.stem: f"the file can't be read: {plain_reason(error)}"}
                continue
            block = content.get("agent_servers") if isinstance(content, dict) else None
            if isinstance(block, dict):
                yield str(path), block
            else:
                yield str(path), {path.stem: "the file has no object called agent_servers"}

    def _report(self, spec: AgentSpec) -> AgentReport:
        if spec.args == _CLAUDE_CLI.args:
            return self._report_claude_cli(spec)
        if self._finder.which(spec.command, spec.env) is not None:
            return AgentReport(spec.id, spec.name, "ready")
        detail = f"The command {spec.command} was not found. Install it, or correct the command."
        return AgentReport(spec.id, spec.name, "not_installed", detail)

    def _report_claude_cli(self, spec: AgentSpec) -> AgentReport:
        """Return whether the program is there that the bundled adapter runs."""
        program = {**os.environ, **spec.env}.get(_CLAUDE_VARIABLE) or "claude"
        if self._finder.which(program, spec.env) is not None:
            return AgentReport(spec.id, spec.name, "ready")
        install = "npm install -g @anthropic-ai/claude-code"
        detail = (
            f"The program {program} was not found. Install it with: {install}; "
            f"or set {_CLAUDE_VARIABLE} to where it is."
        )
        return AgentReport(spec.id, spec.name, "not_installed", detail, install=install)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a question about the closest of the known names, with a blank before it."""
    close = difflib.get_close_matches(name.casefold(), known, 1, _CLOSE)
    return f" Did you mean {close[0]}?" if close else ""


def _free_id(agent_id: str, taken: Container[str]) -> str:
    """Return the id, with a number behind it where another agent has it."""
    numbered = (f"{agent_id}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain([agent_id], numbered) if each not in taken)


def _for_others(entry: AgentSpec | InvalidEntry, key: str, source: str) -> AgentSpec | InvalidEntry:
    """Keep the bundled demo's id to it."""
    if entry.id != _DEMO_ID:
        return entry
    return InvalidEntry(
        f"{_DEMO_ID}-configured",
        key,
        f"{source}: the id demo belongs to the bundled agent. Choose another id.",
    )
