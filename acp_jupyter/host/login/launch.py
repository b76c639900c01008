"""What is run in a terminal for a login: always the agent's own program."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.environment import agent_environment
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.packets.parse.login import TerminalLogin, terminal_login

__all__ = ["Launch", "Terminal", "Terminals", "launch_of"]


@dataclass(frozen=True, slots=True)
class Launch:
    """A program with all that it is started with."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Whole: what is not here is not passed on."""
    added: Mapping[str, str]
    """What the method adds to that of the agent."""
    configured: tuple[str, ...]
    """Names of the agent's own variables. Their values may be secrets, and are not shown."""
    cwd: Path

    def words(self) -> str:
        """Say how to do the same by hand."""
        names = f" with {', '.join(self.configured)} as configured" if self.configured else ""
        return f"Run this in a terminal{names}. When it has ended, send the message again."

    def command(self) -> str:
        """Return what to type in a terminal for the same."""
        names = [f"{name}={shlex.quote(value)}" for name, value in self.added.items()]
        return " ".join((*names, shlex.join(self.argv)))


class Terminal(Protocol):
    """A terminal that the user sees, with a program in it."""

    @property
    def name(self) -> str:
        """By which the page opens it."""

    async def wait(self) -> int | None:
        """Wait for the program's end and return its exit code, None where that is not known."""

    async def close(self) -> None:
        """End the program."""


class Terminals(Protocol):
    """Where terminals can be shown."""

    async def open(self, launch: Launch) -> Terminal | None:
        """Run a program in a terminal; None where there are no terminals."""


def launch_of(
    spec: AgentSpec, offer: Mapping[str, Any], method_id: str, base: Mapping[str, str], cwd: Path
) -> Launch:
    """Return what is run for a terminal method.

    Parameters
    ----------
    spec
        The agent.
    offer
        Its answer to ``initialize``.
    method_id
        The method.
    base
        The environment that the agent inherits.
    cwd
        The session's folder.

    Raises
    ------
    BadRequest
        The method is not well-formed, or wants another program than the agent's: which program
        runs is never an agent's to choose.
    """
    login = terminal_login(dict(offer), method_id)
    if login is None:
        raise BadRequest("The agent does not say rightly what to run. Log in to it in a terminal.")
    argv = (spec.command, *_args(spec, login))
    env = agent_environment(base, {**spec.env, **login.env})
    return Launch(argv, env, login.env, tuple(spec.env), cwd)


def _args(spec: AgentSpec, login: TerminalLogin) -> tuple[str, ...]:
    if not login.command:
        return (*spec.args, *login.args)
    own = _program(spec.command)
    if own is not None and _program(login.command) == own:
        return login.args
    # An interpreter with the agent's own script.
    if own is not None and login.args and _program(login.args[0]) == own:
        return login.args[1:]
    command = shlex.join((login.command, *login.args))
    raise BadRequest(
        f"{spec.name} wants another program than its own to be run. Jupyter does not run that. "
        f"If you trust it, run this in a terminal and then restart the agent: {command}"
    )


def _program(command: str) -> Path | None:
    found = shutil.which(command)
    return None if found is None else Path(found).resolve()
