"""The program that runs in a terminal for a login: always the agent's own."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.protocol.parse.login import TerminalLogin, assignments, terminal_login

_RUNS_OTHERS = re.compile(
    r"(python|pypy|node|nodejs|ruby|perl|php|lua)[0-9.]*|(ba|z|da|k|tc|c|fi|nu|pw)?sh|busybox|cmd"
    r"|powershell|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|tsx|uv|uvx|pipx|pixi|conda|mamba|micromamba"
    r"|poetry|hatch|nix|java|dotnet|go|cargo|env|sudo|doas|nice|nohup|timeout|xargs|setsid|ssh|wsl"
    r"|docker|podman|bwrap|firejail|flatpak|snap",
    re.IGNORECASE,
)
"""Interpreters and launchers: programs that run what their arguments name."""
_OBEYED = re.compile(
    r"LD_|DYLD_|PYTHON|NODE_|NPM_|BUN_|DENO_|PERL|RUBY|JAVA_|JDK_|_JAVA|DOTNET_|BASH|ENV$|IFS$|PS4$"
    r"|PROMPT_COMMAND|ZDOTDIR|PATH|HOME$|USERPROFILE|APPDATA|SHELL$|COMSPEC|BROWSER|EDITOR|VISUAL"
    r"|PAGER|GIT_|SSH_|SSL_|CURL_|UV_|PIP_|XDG_|TMPDIR$|TEMP$|TMP$|JUPYTER|ACP_JUPYTER|JPY_|KERNEL_"
    r"|(HTTPS?|ALL|NO|FTP)_PROXY|REQUESTS_CA",
    re.IGNORECASE,
)
"""Environment variables by which programs find code, settings or the network."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A program with its arguments, environment and folder."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    """The whole environment; nothing else is inherited."""
    added: Mapping[str, str]
    """Variables that the login method adds to the agent's environment."""
    configured: tuple[str, ...]
    """Names of the agent's configured variables; their values may be secrets and are not shown."""
    cwd: Path

    def words(self) -> str:
        """Return instructions for the same login by hand."""
        names = f" with {', '.join(self.configured)} as configured" if self.configured else ""
        return f"Run this in a terminal{names}. When it has ended, send the message again."

    def command(self) -> str:
        """Return the command line to type in a terminal."""
        return " ".join((*assignments(self.added), shlex.join(self.argv)))


class Terminal(Protocol):
    """A terminal in the page, with a program running in it."""

    @property
    def name(self) -> str:
        """The name by which the page opens the terminal."""

    async def wait(self) -> int | None:
        """Wait for the program's end; return its exit code, None if unknown."""

    async def close(self) -> None:
        """End the program."""


class Terminals(Protocol):
    """Opens terminals in the page."""

    async def open(self, launch: Launch) -> Terminal | None:
        """Run a program in a terminal; return None where there are no terminals."""


def launch_of(
    spec: AgentSpec,
    initialize_result: Mapping[str, Any],
    method_id: str,
    base: Mapping[str, str],
    cwd: Path,
) -> Launch:
    """Return the program to run for a terminal login.

    Parameters
    ----------
    spec
        The agent.
    initialize_result
        The agent's answer to ``initialize``.
    method_id
        Id of the login method.
    base
        The environment that the agent inherits.
    cwd
        The session's folder.

    Raises
    ------
    BadRequest
        The method is not well-formed, names another program than the agent's, or sets a
        variable that programs obey: an agent must not choose which program runs.
    """
    login = terminal_login(dict(initialize_result), method_id)
    if login is None:
        raise BadRequest(
            "The agent's description of what to run is not valid. Log in to it in a terminal."
        )
    odd = [name for name in login.env if name in base or _OBEYED.match(name)]
    if odd:
        raise BadRequest(
            f"{spec.name} wants {', '.join(odd)} to be set for its login, which changes more than "
            f"the login. {_by_hand(spec, login)}"
        )
    argv = (spec.command, *_args(spec, login))
    env = agent_environment(base, {**spec.env, **login.env})
    return Launch(argv, env, login.env, tuple(spec.env), cwd)


def _args(spec: AgentSpec, login: TerminalLogin) -> tuple[str, ...]:
    if not login.command:
        return (*spec.args, *login.args)
    own = _program(spec.command)
    if own is not None and _program(login.command) == own:
        # An interpreter's arguments decide what it runs: they must be the configured ones.
        runs_others = any(_RUNS_OTHERS.fullmatch(Path(p).name) for p in (spec.command, own))
        if not runs_others or login.args[: len(spec.args)] == spec.args != ():
            return login.args
    # An interpreter with the agent's own script.
    elif own is not None and login.args and _program(login.args[0]) == own:
        return login.args[1:]
    raise BadRequest(
        f"{spec.name} asks to run a program other than its own, which Jupyter doesn't do. "
        f"{_by_hand(spec, login)}"
    )


def _by_hand(spec: AgentSpec, login: TerminalLogin) -> str:
    argv = (login.command, *login.args) if login.command else (spec.command, *login.args)
    command = " ".join((*assignments(login.env), shlex.join(argv)))
    return f"If you trust it, run this in a terminal and then restart the agent: {command}"


def _program(command: str) -> Path | None:
    found = shutil.which(command)
    return None if found is None else Path(found).resolve()
