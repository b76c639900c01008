"""Which agents there are, and whether each can start."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from acp_jupyter.errors import AgentStartError, UnknownAgent

__all__ = ["CONFIG_FILE", "AgentReport", "AgentSpec", "AgentStatus", "Registry"]

AgentStatus = Literal["ready", "needs_login", "not_installed", "broken"]

CONFIG_FILE = "acp_agents.json"
_CONFIG_BYTES = 1024 * 1024
_DEMO_ID = "demo"


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """How to start one agent."""

    id: str
    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One line of the agent picker."""

    id: str
    name: str
    status: AgentStatus
    detail: str = ""


class _Entry(BaseModel):
    """An agent as people configure it; other editors keep more keys in the same block."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    command: str = Field(min_length=1)
    args: list[str] = []
    env: dict[str, str] = {}
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Broken:
    id: str
    name: str
    detail: str


_DEMO = AgentSpec(_DEMO_ID, "Demo", sys.executable, ("-P", "-m", "acp_jupyter.agents.demo"))
_CLAUDE_CLI = AgentSpec(
    "claude-cli", "Claude CLI", sys.executable, ("-P", "-m", "acp_jupyter.agents.claude_cli")
)
_CLAUDE_VARIABLE = "CLAUDE_CLI_PATH"


class Registry:
    """The configured agents and the bundled ones.

    Parameters
    ----------
    configured
        The traitlets setting ``c.AcpJupyter.agents``.
    config_dirs
        Folders of the Jupyter config path, the most important first. Each may hold an
        ``acp_agents.json`` with the ``agent_servers`` block that other editors use. A workspace
        is never among them: a folder must not name commands.
    """

    def __init__(
        self, configured: Mapping[str, Mapping[str, Any]], config_dirs: Sequence[Path]
    ) -> None:
        self._configured = configured
        self._config_dirs = tuple(config_dirs)

    def specs(self) -> tuple[AgentSpec, ...]:
        """Return the agents whose configuration makes sense."""
        return tuple(entry for entry in self._entries() if isinstance(entry, AgentSpec))

    def get(self, agent_id: str) -> AgentSpec:
        """Return the agent called ``agent_id``.

        Raises
        ------
        UnknownAgent
            There is none.
        AgentStartError
            Its configuration is broken.
        """
        entries = self._entries()
        for entry in entries:
            if entry.id == agent_id:
                if isinstance(entry, AgentSpec):
                    return entry
                raise AgentStartError(f"{entry.name} can't start. {entry.detail}")
        known = ", ".join(entry.id for entry in entries)
        raise UnknownAgent(
            f"There is no agent called {agent_id!r}. Configured agents: {known}. "
            f"Add others to c.AcpJupyter.agents or to {CONFIG_FILE} in the Jupyter config path."
        )

    def statuses(self) -> tuple[AgentReport, ...]:
        """Return every entry, with what to do where it can't start."""
        return tuple(
            _report(entry)
            if isinstance(entry, AgentSpec)
            else AgentReport(entry.id, entry.name, "broken", entry.detail)
            for entry in self._entries()
        )

    def _entries(self) -> list[AgentSpec | _Broken]:
        """Return one entry per id: the demo, the settings, the files, then the other bundled."""
        found: dict[str, AgentSpec | _Broken] = {_DEMO_ID: _DEMO}
        for source, block in self._blocks():
            for key, value in block.items():
                entry = _parse(str(key), value, source)
                found.setdefault(entry.id, entry)
        found.setdefault(_CLAUDE_CLI.id, _CLAUDE_CLI)
        return list(found.values())

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
                yield str(path), {path.stem: f"the file can't be read: {error}"}
                continue
            block = content.get("agent_servers") if isinstance(content, dict) else None
            if isinstance(block, dict):
                yield str(path), block
            else:
                yield str(path), {path.stem: "the file has no object called agent_servers"}


def _parse(key: str, value: object, source: str) -> AgentSpec | _Broken:
    agent_id = re.sub(r"[^a-z0-9._-]+", "-", key.lower()).strip("-.") or "agent"
    if agent_id == _DEMO_ID:
        return _Broken(
            f"{_DEMO_ID}-configured",
            key,
            f"{source}: the id demo belongs to the bundled agent. Choose another id.",
        )
    try:
        entry = _Entry.model_validate(value)
    except ValidationError as error:
        if isinstance(value, str):
            return _Broken(agent_id, key, f"{source}: {value}. Correct the file.")
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = f"{where}: {first['msg']}" if where else first["msg"]
        detail = f"{source}: the entry {key!r} is not valid ({what}). Correct it."
        return _Broken(agent_id, key, detail)
    return AgentSpec(
        agent_id,
        entry.name or key,
        os.path.expanduser(entry.command),
        tuple(entry.args),
        MappingProxyType(dict(entry.env)),
    )


def _report(spec: AgentSpec) -> AgentReport:
    if spec is _CLAUDE_CLI:
        return _report_claude_cli(spec)
    if shutil.which(spec.command, path=spec.env.get("PATH")) is None:
        return AgentReport(
            spec.id,
            spec.name,
            "not_installed",
            f"The command {spec.command} was not found. Install it, or correct the command.",
        )
    return AgentReport(spec.id, spec.name, "ready")


def _report_claude_cli(spec: AgentSpec) -> AgentReport:
    """Tell whether the program is there that the bundled adapter runs."""
    program = os.environ.get(_CLAUDE_VARIABLE) or "claude"
    if shutil.which(os.path.expanduser(program)) is not None:
        return AgentReport(spec.id, spec.name, "ready")
    return AgentReport(
        spec.id,
        spec.name,
        "not_installed",
        f"The program {program} was not found. Install it with: "
        f"npm install -g @anthropic-ai/claude-code; or set {_CLAUDE_VARIABLE} to where it is.",
    )
