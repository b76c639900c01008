"""How an agent's package is downloaded and run, and what the user is asked first."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.public_registry.snapshot import Pinned, PublicAgent
from acp_jupyter.host.registry_entries import ProgramFinder
from acp_jupyter.own_programs import module_command

LOCKED = "acp_jupyter.agents.locked"
"""Installs an agent as a lock has it, unless that is done, and becomes it."""
_NODE_SECONDS = 3.0
_LATER = "What it downloads itself when it runs is not checked."
_UNPINNED = {
    "npx": "Nothing pins the packages that it depends on: they are those of the day on which it "
    "starts, and their install scripts run.",
    "uvx": "Nothing pins the packages that it depends on: they are those of the day on which it "
    "starts.",
}


@dataclass(frozen=True, slots=True)
class Download:
    """The package and command of an agent, as shown to the user."""

    package: str
    """All that is downloaded by name, with versions."""
    command: tuple[str, ...]
    env: Mapping[str, str]
    shown: str
    """The command as a person reads it."""
    notes: tuple[str, ...]

    more: str = ""
    """`package` together with Node; who has allowed that download has allowed this one too."""

    @property
    def offered(self) -> str:
        """What the user allows: packages, and how they are run."""
        return f"{self.package}: {self.shown}"

    @property
    def accepted(self) -> tuple[str, ...]:
        """Consents that allow this to be run."""
        return (self.offered, *((f"{self.more}: {self.shown}",) if self.more else ()))


class Packages:
    """Finds out how packages can be run here."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._node_versions: dict[tuple[str, int], str] = {}

    def download(
        self, agent: PublicAgent, node_package: str, finder: ProgramFinder
    ) -> Download | None:
        """Return how an agent's package is run; None if it can't be."""
        args = agent.args if agent.package_args is None else agent.package_args
        env = agent.env if agent.package_env is None else agent.package_env
        if agent.pinned is not None:
            return self._pinned(agent, agent.pinned, args, env, node_package, finder)
        runner = finder.which(agent.runner) if agent.package else None
        # The package and its source must not come from the agent's working folder: npx would run
        # a planted node_modules and read its .npmrc, uvx its uv.toml.
        match agent.runner, runner:
            case "npx", str(program):
                command = (program, "--prefix", str(self._folder), "-y", agent.package, *args)
            case "uvx", str(program):
                command = (program, "--no-config", agent.package, *args)
            case _:
                return None
        shown = _shown((agent.runner, *command[1:]), env)
        return Download(agent.package, command, env, shown, (_UNPINNED[agent.runner],))

    def _pinned(
        self,
        agent: PublicAgent,
        pinned: Pinned,
        args: Sequence[str],
        env: Mapping[str, str],
        node_package: str,
        finder: ProgramFinder,
    ) -> Download:
        here = self._node(finder)
        enough = bool(here) and _numbers(here) >= _numbers(pinned.node)
        notes = []
        if pinned.node:
            found = f"Node {here} is here" if here else "no Node was found"
            notes.append(f"It needs Node {pinned.node} or newer; {found}.")
        if not enough:
            notes.append(
                f"So {node_package} is downloaded from PyPI too. "
                "It is used only for agents that need it."
            )
        scripts = "No install script is run"
        if pinned.scripts:
            scripts += f", also not those of {', '.join(pinned.scripts)}"
        notes.append(
            f"Its {pinned.packages} packages are checked against a list that comes with "
            f"acp-jupyter. {scripts}. {_LATER}"
        )
        both = f"{agent.package} and {node_package}"
        package = agent.package if enough else both
        command = (
            *module_command(LOCKED, "--folder", str(self._folder)),
            *(() if enough else ("--node-wheel",)),
            *(agent.id, *args),
        )
        shown = _shown(("npm", "ci", "--ignore-scripts"), {}) + " && "
        shown += _shown((agent.command, *args), env)
        return Download(package, command, env, shown, tuple(notes), more=both)

    def _node(self, finder: ProgramFinder) -> str:
        """Return the version of the Node on the ``PATH``; empty without it or its npm."""
        program = finder.which("node")
        if program is None or finder.which("npm") is None:
            return ""
        try:
            key = (program, Path(program).stat().st_mtime_ns)
            if key not in self._node_versions:
                self._node_versions[key] = ""  # a Node that fails is not tried again
                done = subprocess.run(
                    [program, "--version"],
                    capture_output=True,
                    encoding="utf-8",
                    errors="replace",
                    stdin=subprocess.DEVNULL,
                    timeout=_NODE_SECONDS,
                    check=True,
                )
                self._node_versions[key] = done.stdout.strip().removeprefix("v")[:40]
            return self._node_versions[key]
        except (OSError, subprocess.SubprocessError):
            return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def _shown(command: Sequence[str], env: Mapping[str, str]) -> str:
    """Return a command with its variables, as typed in a shell."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in sorted(env.items())]
    return " ".join((*variables, shlex.join(command)))
