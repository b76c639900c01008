"""Entries of the registry: an agent's configuration, and its line in the agent picker.

They come from ``acp_agents.json``, or from entry points of the group ``acp_jupyter.agents`` in
installed packages.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Annotated, Any, Literal, Protocol, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from acp_jupyter.own_programs import module_command
from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.protocol.objects import Model, misfits
from acp_jupyter.protocol.parse.login import AuthMethod

AgentStatus = Literal["ready", "needs_login", "not_installed", "broken"]

_FOUND_SECONDS = 2.0
_REMOTE = "acp_jupyter.agents.remote"

OUTSIDE = "outside"
"""In place of an agent's id: somebody started it elsewhere, and it uses the notebook tools."""
IN_KERNEL = "cell:"
"""Before the name in the id of an agent that a kernel serves; no other id has a colon."""


class SandboxEntry(Model):
    """What an agent's entry says of its sandbox."""

    model_config = ConfigDict(strict=True)

    use: Sandbox | None = None
    """The sandbox of its new sessions; None for the user's setting."""
    writable: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Files and folders that it needs to write outside the session's folder; absolute, or with
    ``~`` and ``${NAME:-default}``."""
    readable: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Programs of its own that lie where sandboxes hide everything, such as below ``/tmp``."""
    network: Network | None = None
    """The network of its new sessions in a sandbox; None for the user's setting."""
    hosts: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """What it reaches without a question where the network is ``hosts``: ``example.org``,
    ``*.example.org``, ``localhost:8080``. Hosts of this machine and its network need a port."""


_NO_SANDBOX_ENTRY = SandboxEntry()


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """The configuration of an agent: command, arguments and environment.

    The command of one that runs elsewhere is the program that reaches it.
    """

    id: str
    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    downloads: bool = False
    """Whether its first start downloads a package, which may take long."""
    key: str = ""
    """Its name in the configuration."""
    host: str = ""
    """The host that it runs on, where that is not this machine."""
    additional_directories: tuple[str, ...] = ()
    """Absolute folders that its sessions also work in, where it takes them."""
    system_prompt: str = ""
    """Added to its own instructions, where it takes that."""
    instructions: str = ""
    """The administrator's, for all agents: as a system prompt, else before the first prompt."""
    protocol_version: int = 1
    """The newest version of the protocol that it is offered: 2 is a draft."""
    sandbox: SandboxEntry = _NO_SANDBOX_ENTRY


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
    """Package with version that can be downloaded after a click."""
    run: str = ""
    """The command that runs after the download."""
    notes: tuple[str, ...] = ()
    """Notes for the user before the download: requirements, and what is checked."""
    listed: bool = False
    """Whether the agent is known from the public registry only."""
    methods: tuple[AuthMethod, ...] = ()
    """Login methods, if the agent needs a login."""


@dataclass(frozen=True, slots=True)
class InvalidEntry:
    """An agent whose configuration is not valid."""

    id: str
    name: str
    detail: str
    key: str = ""
    """Its name in the configuration."""


class _Variable(Model):
    """The environment variable that holds a header's value: no secret stands in a file."""

    model_config = ConfigDict(strict=True)

    env: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")


def _absolute(path: str) -> str:
    path = os.path.expanduser(path)
    if not os.path.isabs(path):
        raise ValueError("it must be an absolute path")
    return path


class _Entry(Model):
    """An agent in the configuration; other editors' keys in the same block are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    command: str = Field("", min_length=1)
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    name: str | None = None
    url: str = Field("", pattern=r"^(wss?|https?)://[^\s@]+$")
    headers: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")], _Variable] = Field(
        default_factory=dict
    )
    folders: dict[Annotated[str, Field(pattern="^[^=]+$")], str] = Field(default_factory=dict)
    additional_directories: list[Annotated[str, AfterValidator(_absolute)]] = Field(
        default_factory=list
    )
    system_prompt: str = ""
    protocol_version: Literal[1, 2] = 1
    sandbox: Annotated[SandboxEntry, Field(strict=False)] = SandboxEntry()

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give it either a command or a url")
        return self

    def remote(self) -> tuple[str, ...]:
        """Return the arguments of the program that reaches the url."""
        headers = [f"{name}={variable.env}" for name, variable in self.headers.items()]
        folders = [f"{os.path.expanduser(here)}={there}" for here, there in self.folders.items()]
        options = [("--header", each) for each in headers] + [("--folder", f) for f in folders]
        return (*itertools.chain(*options), self.url)


class ProgramFinder:
    """Finds programs on ``PATH``, with a short-lived cache."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[tuple[str, str | None], tuple[float, str | None]] = {}

    def which(self, command: str, env: Mapping[str, str] = MappingProxyType({})) -> str | None:
        """Return the path of a command, by the ``PATH`` of the agent or of this process."""
        path = env.get("PATH") or os.environ.get("PATH")
        now = self._clock()
        at, found = self._found.get((command, path), (None, None))
        if at is None or now - at > _FOUND_SECONDS:
            found = shutil.which(os.path.expanduser(command), path=path)
            self._found[command, path] = (now, found)
        return found


def runs_in_kernel(agent_id: str) -> bool:
    """Return whether an agent of this id is served by a kernel."""
    return agent_id.startswith(IN_KERNEL)


def agent_id_of(key: str) -> str:
    """Return the agent id for a key of the configuration."""
    return re.sub(r"[^a-z0-9._-]+", "-", key.lower()).strip("-.") or "agent"


def parse_entry(key: str, value: object, source: str) -> AgentSpec | InvalidEntry:
    """Parse one agent of a configuration; an invalid one gives `InvalidEntry` with a message."""
    agent_id = agent_id_of(key)
    try:
        entry = _Entry.model_validate(value)
    except ValidationError as error:
        if isinstance(value, str):
            return InvalidEntry(agent_id, key, f"{source}: {value}. Correct the file.", key)
        what = misfits(error)[0]
        detail = f"{source}: the entry {key!r} is not valid ({what}). Correct it."
        return InvalidEntry(agent_id, key, detail, key)
    command, args, host = os.path.expanduser(entry.command), tuple(entry.args), ""
    if entry.url:
        command, *remote = module_command(_REMOTE, *entry.remote())
        args = tuple(remote)
        host = urlsplit(entry.url).hostname or ""
    return AgentSpec(
        agent_id,
        entry.name or key,
        command,
        args,
        MappingProxyType(dict(entry.env)),
        key=key,
        host=host,
        additional_directories=tuple(entry.additional_directories),
        system_prompt=entry.system_prompt,
        # What is missed while a connection is cut is sent again in version 1.
        protocol_version=1 if host else entry.protocol_version,
        sandbox=entry.sandbox,
    )


GROUP = "acp_jupyter.agents"
_FIELDS = (
    *("command", "args", "env", "name", "url", "headers", "folders"),
    *("additional_directories", "system_prompt", "protocol_version", "sandbox"),
)
_LISTS = ("args", "additional_directories")


class EntryPoint(Protocol):
    """The part of ``importlib.metadata.EntryPoint`` that is used."""

    @property
    def name(self) -> str:
        """The agent's id."""

    @property
    def value(self) -> str:
        """The object reference, ``module:attribute``."""

    def load(self) -> object:
        """Import the object."""


def _installed() -> Iterable[EntryPoint]:
    return entry_points(group=GROUP)


class EntryPointAgents:
    """Agents of entry points; each is loaded once, on first use.

    An entry point is an object, or a callable that returns one, with what an entry of the
    configuration has (``command`` or ``url``, and more), as keys or as attributes.
    """

    def __init__(self, points: Callable[[], Iterable[EntryPoint]] = _installed) -> None:
        self._points = points
        self._listed: dict[str, EntryPoint] | None = None
        self._read: dict[str, AgentSpec | InvalidEntry] = {}

    def ids(self) -> tuple[str, ...]:
        """Return the agents' ids, without importing anything."""
        if self._listed is None:
            self._listed = {}
            for point in self._points():
                self._listed.setdefault(agent_id_of(point.name), point)
        return tuple(self._listed)

    def get(self, agent_id: str) -> AgentSpec | InvalidEntry | None:
        """Return an agent; an error of its package gives `InvalidEntry` with a message."""
        if agent_id not in self.ids():
            return None
        assert self._listed is not None
        if agent_id not in self._read:
            self._read[agent_id] = _load(self._listed[agent_id])
        return self._read[agent_id]


def _load(point: EntryPoint) -> AgentSpec | InvalidEntry:
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
            **{name: list(fields[name]) for name in _LISTS if name in fields},
            **({"env": dict(fields["env"])} if "env" in fields else {}),
        }
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of other packages
        why = "it exits" if isinstance(error, SystemExit) else str(error)
        words = f"{source} failed: {why or 'it gave no reason'}"
        return InvalidEntry(
            agent_id_of(point.name), point.name, f"{words}. Update or remove its package."
        )
    return parse_entry(point.name, plain, source)


def _attributes(value: object) -> Mapping[str, object]:
    return {name: getattr(value, name, None) for name in _FIELDS}
