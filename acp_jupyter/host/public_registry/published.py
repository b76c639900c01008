"""Reads the registry as it is published: one ``agent.json`` for each agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints

from acp_jupyter.host.public_registry.known import KnownAgent, known_agent
from acp_jupyter.host.public_registry.snapshot import PublicAgent, Runner, Snapshot
from acp_jupyter.protocol.objects import Model

SOURCE = "https://github.com/agentclientprotocol/registry"
_PLATFORM = "linux-x86_64"

_Word = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Package = Annotated[str, StringConstraints(max_length=300, pattern=r"^@?[A-Za-z0-9][^\s\x00]*$")]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
_Args = Annotated[list[_Word], Field(max_length=50)]
_Env = Annotated[dict[_Variable, _Word], Field(max_length=50)]


class _Part(Model):
    model_config = ConfigDict(extra="ignore", strict=True)


class _PackagePart(_Part):
    package: _Package
    args: _Args = Field(default_factory=list)
    env: _Env = Field(default_factory=dict)


class _Binary(_Part):
    args: _Args = Field(default_factory=list)
    env: _Env = Field(default_factory=dict)


class _Distribution(_Part):
    npx: _PackagePart | None = None
    uvx: _PackagePart | None = None
    binary: Annotated[dict[str, _Binary], Field(max_length=20)] = Field(default_factory=dict)


class _Listed(_Part):
    """An agent in the registry's schema; unused fields are ignored."""

    id: Annotated[str, StringConstraints(max_length=100, pattern=r"^[a-z][a-z0-9-]*$")]
    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    website: _Word = ""
    repository: _Word = ""
    distribution: _Distribution


def read_agents(raw: Iterable[Mapping[str, Any]], date: str) -> Snapshot:
    """Return the registry of a day.

    An unknown agent only gets its package: the registry doesn't name the program that it installs,
    and another program of that name on the ``PATH`` must not run in its place.
    """
    agents: dict[str, PublicAgent] = {}
    for each in raw:
        listed = _Listed.model_validate(each)
        known = known_agent(listed.id)
        agent = _unknown(listed) if known is None else _known(listed, known, date)
        agents.setdefault(agent.id, agent)
    ordered = sorted(agents.values(), key=lambda agent: agent.id)
    return Snapshot(source=SOURCE, date=date, agents=tuple(ordered))


def newer_than_bundled(published: Snapshot, bundled: Snapshot) -> Snapshot:
    """Return a newer registry, completed from the bundled one.

    An installed program gets the arguments of the bundled registry. An agent that is no longer
    listed is no longer downloaded.
    """
    ours = {agent.id: agent for agent in bundled.agents}
    merged = []
    for agent in published.agents:
        mine = ours.pop(agent.id, None)
        if mine is None:
            merged.append(agent)
            continue
        merged.append(
            agent.model_copy(
                update={
                    "args": mine.args,
                    "env": mine.env,
                    "package_args": agent.args,
                    "package_env": agent.env,
                    "pinned": mine.pinned if mine.package == agent.package else None,
                }
            )
        )
    for mine in ours.values():
        merged.append(mine.model_copy(update={"package": "", "runner": ""}))
    ordered = tuple(sorted(merged, key=lambda agent: agent.id))
    return published.model_copy(update={"agents": ordered, "node": bundled.node})


def _unknown(listed: _Listed) -> PublicAgent:
    runner, package = _package(listed)
    return PublicAgent(
        id=listed.id,
        name=listed.name,
        args=tuple(package.args) if package else (),
        env=dict(package.env) if package else {},
        runner=runner,
        package=package.package if package else "",
        website=_website(listed),
    )


def _known(listed: _Listed, known: KnownAgent, date: str) -> PublicAgent:
    runner, package = _package(listed)
    binaries = listed.distribution.binary
    binary = binaries.get(_PLATFORM) or next(iter(binaries.values()), None)
    args = (package.args if package else []) or (binary.args if binary else [])
    tried = bool(known.package) and (known.tried >= date or not package)
    return PublicAgent(
        id=known.id,
        aliases=tuple(dict.fromkeys(i for i in (listed.id, *known.listed) if i != known.id)),
        name=listed.name,
        command=known.command,
        args=known.args if tried and known.args is not None else tuple(args),
        env=dict(package.env) if package else {},
        runner=known.runner if tried else runner,
        package=known.package if tried else package.package if package else "",
        install=known.install,
        website=_website(listed) or known.website,
        tried=known.tried if tried else "",
    )


def _package(listed: _Listed) -> tuple[Runner, _PackagePart | None]:
    found = listed.distribution
    if found.npx is not None:
        return "npx", found.npx
    return ("", None) if found.uvx is None else ("uvx", found.uvx)


def _website(listed: _Listed) -> str:
    sites = (listed.website, listed.repository)
    return next((site for site in sites if re.match(r"https://[^\s@]+$", site)), "")
