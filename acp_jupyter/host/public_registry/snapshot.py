"""The list of agents of the public registry, as it was on one day.

``snapshot.json`` is bundled; ``scripts/registry_snapshot.py`` writes it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field

from acp_jupyter.protocol.objects import Model

Runner = Literal["", "npx", "uvx"]


class Pinned(Model):
    """The entry of a package in a lock of ``acp_jupyter.agents.locked``."""

    packages: int
    """How many packages it pins, with their hashes."""
    scripts: tuple[str, ...] = ()
    """Packages with install scripts, which are not run."""
    node: str = ""
    """The oldest Node that it runs on."""


class PublicAgent(Model):
    """One agent of the public registry."""

    id: str
    name: str
    command: str = ""
    """The program that its package installs; empty if that is not known."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    runner: Runner = ""
    package: str = ""
    """The package with its version."""
    package_args: tuple[str, ...] | None = None
    """Arguments for the package, where a newer list has others than the installed program."""
    package_env: dict[str, str] | None = None
    install: str = ""
    website: str = ""
    pinned: Pinned | None = None
    """The lock of exactly this package; without one its dependencies are not pinned."""
    tried: str = ""
    """Date on which this project tested the package."""


class Snapshot(Model):
    """The public registry on one day."""

    source: str
    date: str
    """A date such as ``2026-02-07``."""
    agents: tuple[PublicAgent, ...]
    node: str = ""
    """The package of PyPI that brings Node where there is none; it has a lock too."""


@cache
def bundled_snapshot() -> Snapshot:
    """Return the snapshot that is bundled with this package."""
    text = files(__package__).joinpath("snapshot.json").read_text("utf-8")
    return Snapshot.model_validate(json.loads(text), strict=False)
