"""Entries of the registry: one agent as it is configured and as it is shown.

From ``acp_agents.json``, or from entry points of the group ``acp_jupyter.agents`` that installed
packages bring.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from acp_jupyter.protocol.parse.login import AuthMethod

AgentStatus = Literal["ready", "needs_login", "not_installed", "broken"]

_FOUND_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """How to start one agent."""

    id: str
    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    downloads: bool = False
    """Whether its first start fetches a package, which takes its time."""


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One line of the agent picker."""

    id: str
    name: str
    status: AgentStatus
    detail: str = ""
    install: str = ""
    """The command that installs it, to be typed in a terminal."""
    website: str = ""
    package: str = ""
    """What may be downloaded after a click: a package with its version."""
    run: str = ""
    """The command that will then be run."""
    listed: bool = False
    """Whether it is known from the public registry alone."""
    methods: tuple[AuthMethod, ...] = ()
    """Ways to log in, where it needs that."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An agent whose configuration makes no sense."""

    id: str
    name: str
    detail: str


class _Entry(BaseModel):
    """An agent as people configure it; other editors keep more keys in the same block."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    command: str = Field(min_length=1)
    args: list[str] = []
    env: dict[str, str] = {}
    name: str | None = None


class Finder:
    """Looks for programs, and remembers for a moment what it found.

    Parameters
    ----------
    clock
        Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[tuple[str, str | None], tuple[float, str | None]] = {}

    def which(self, command: str, env: Mapping[str, str] = MappingProxyType({})) -> str | None:
        """Return where a command is, by the ``PATH`` of the agent or of this process."""
        path = env.get("PATH") or os.environ.get("PATH")
        now = self._clock()
        at, found = self._found.get((command, path), (None, None))
        if at is None or now - at > _FOUND_SECONDS:
            found = shutil.which(os.path.expanduser(command), path=path)
            self._found[command, path] = (now, found)
        return found


def agent_id_of(key: str) -> str:
    """Return the id of what somebody called ``key``."""
    return re.sub(r"[^a-z0-9._-]+", "-", key.lower()).strip("-.") or "agent"


def parse_entry(key: str, value: object, source: str) -> AgentSpec | Broken:
    """Read one agent of a configuration; what is wrong with it is told in words."""
    agent_id = agent_id_of(key)
    try:
        entry = _Entry.model_validate(value)
    except ValidationError as error:
        if isinstance(value, str):
            return Broken(agent_id, key, f"{source}: {value}. Correct the file.")
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = f"{where}: {first['msg']}" if where else first["msg"]
        detail = f"{source}: the entry {key!r} is not valid ({what}). Correct it."
        return Broken(agent_id, key, detail)
    return AgentSpec(
        agent_id,
        entry.name or key,
        os.path.expanduser(entry.command),
        tuple(entry.args),
        MappingProxyType(dict(entry.env)),
    )


GROUP = "acp_jupyter.agents"
_FIELDS = ("command", "args", "env", "name")


class Point(Protocol):
    """What is used of an ``importlib.metadata.EntryPoint``."""

    @property
    def name(self) -> str:
        """The agent's id."""

    @property
    def value(self) -> str:
        """Where its description is."""

    def load(self) -> object:
        """Import it."""


def _installed() -> Iterable[Point]:
    return entry_points(group=GROUP)


class EntryPointAgents:
    """Reads each entry point once, when its agent is asked for.

    An entry point is an object, or a callable that returns one, with ``command``, and ``args``,
    ``env`` and ``name`` if need be, as keys or as attributes.

    Parameters
    ----------
    points
        Returns the entry points.
    """

    def __init__(self, points: Callable[[], Iterable[Point]] = _installed) -> None:
        self._points = points
        self._listed: dict[str, Point] | None = None
        self._read: dict[str, AgentSpec | Broken] = {}

    def ids(self) -> tuple[str, ...]:
        """Return the agents' ids; nothing is imported for that."""
        if self._listed is None:
            self._listed = {}
            for point in self._points():
                self._listed.setdefault(agent_id_of(point.name), point)
        return tuple(self._listed)

    def get(self, agent_id: str) -> AgentSpec | Broken | None:
        """Return an agent; what its package does wrong is told in words."""
        if agent_id not in self.ids():
            return None
        assert self._listed is not None
        if agent_id not in self._read:
            self._read[agent_id] = _load(self._listed[agent_id])
        return self._read[agent_id]


def _load(point: Point) -> AgentSpec | Broken:
    source = f"the entry point {point.value}"
    try:
        value = point.load()
        if callable(value):
            value = value()
        found = value if isinstance(value, Mapping) else _attributes(value)
        fields: dict[str, Any] = {
            name: found[name] for name in _FIELDS if found.get(name) is not None
        }
        plain = {
            **fields,
            **({"args": list(fields["args"])} if "args" in fields else {}),
            **({"env": dict(fields["env"])} if "env" in fields else {}),
        }
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of other packages
        words = f"{source} failed: {type(error).__name__}: {error}"
        return Broken(
            agent_id_of(point.name), point.name, f"{words}. Update or remove its package."
        )
    return parse_entry(point.name, plain, source)


def _attributes(value: object) -> Mapping[str, object]:
    return {name: getattr(value, name, None) for name in _FIELDS}
