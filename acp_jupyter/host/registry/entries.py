"""One agent, as it is configured and as it is shown."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from acp_jupyter.protocol.parse.login import AuthMethod

__all__ = [
    "AgentReport",
    "AgentSpec",
    "AgentStatus",
    "Broken",
    "Finder",
    "agent_id_of",
    "parse_entry",
]

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
