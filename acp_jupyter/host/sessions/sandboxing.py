"""The sandbox of a session: the walls for its agent, and the notes about them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from acp_jupyter.errors import AgentStartError, plain_reason
from acp_jupyter.host.bounds import DECIDED, LEVELS, Bounds
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.policy import sandbox_under
from acp_jupyter.host.sandbox.hosts import PYTHON_PACKAGES
from acp_jupyter.host.sandbox.places import known_of
from acp_jupyter.host.sandbox.proxy import Ask
from acp_jupyter.host.sandbox.sandboxes import Confined, NetworkOpen, NoWalls, Sandboxes
from acp_jupyter.host.sandbox.walls import Walls
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.terminal_process import TerminalCommand
from acp_jupyter.protocol.host_events.notes import HostNotice, WallsStarted
from acp_jupyter.protocol.host_events.session import (
    Network,
    Policy,
    Sandbox,
    SandboxLevel,
    WallsInForce,
)


class SessionSandbox:
    """Chooses the walls of a session's agent, and notes which ones it has.

    Parameters
    ----------
    played
        Whether a recording is played in the agent's place: it runs none of the agent's commands.
    """

    def __init__(
        self,
        journal: Journal,
        sandboxes: Sandboxes,
        bounds: Bounds,
        socket_folders: Callable[[], Awaitable[Sequence[str]]] | None,
        ask_host: Ask,
        *,
        played: bool,
    ) -> None:
        self._journal = journal
        self._sandboxes = sandboxes
        self._bounds = bounds
        self._socket_folders = socket_folders
        self.ask_host = ask_host
        self._played = played
        state = journal.transcript.session
        self._held: tuple[Sandbox, Network] = ("off", "all")
        """The sandbox that the agent was last started in."""
        self._wanted: Sandbox = "off"
        self.want(bounds.within_sandbox(state.sandbox), state.policy)
        self.confined: Confined | None = None
        """The walls of the running agent; None without a sandbox."""
        self._noticed: set[str] = set()

    def want(self, sandbox: Sandbox, policy: Policy) -> bool:
        """Set the sandbox of the next prompt; return whether a running agent has another."""
        if not self._journal.transcript.session.suits(sandbox):
            sandbox = "read-only"  # what is allowed has changed since
        self._wanted = "off" if self._played else sandbox_under(policy, sandbox)
        return (self._wanted, self._network) != self._held

    @property
    def asks_about_hosts(self) -> bool:
        """Whether the agent's process must belong to this session alone, as it asks about hosts."""
        return self._network == "hosts"

    @property
    def _network(self) -> Network:
        """The network in effect; without a sandbox it is not restricted."""
        return "all" if self._wanted == "off" else self._journal.transcript.session.network

    def confine(self, command: TerminalCommand) -> TerminalCommand:
        """Return a command in the agent's walls. Reads the file system."""
        confined = self.confined
        if confined is None:
            return command
        argv = confined.command(command.argv, command.cwd)
        return replace(command, argv=argv, env=confined.environment(command.env))

    async def open_for_environment(self, folder: str) -> Confined:
        """Return walls like the agent's, with write access to a Python environment."""
        if self.confined is None:
            raise OSError(0, "the agent runs in no sandbox now; send a message first")
        walls = self.confined.walls.with_writable(folder, PYTHON_PACKAGES)
        return await self._sandboxes.open(walls, self.ask_host)

    async def open(self, spec: AgentSpec, cwd: Path) -> Confined | None:
        """Return walls like the agent's, for a program beside it; None without a sandbox."""
        walls = await self.walls(spec, cwd)
        if walls is None:
            return None
        try:
            return await self._sandboxes.open(walls, self.ask_host)
        except OSError as error:
            raise AgentStartError(
                f"The sandbox of {spec.name} can't be made: {plain_reason(error)}."
            ) from None

    def warn_not_moved(self) -> None:
        """Add a notice that the agent stays in its current walls."""
        name = self._journal.transcript.session.agent_info.name
        has, wanted = _words(*self._held), _words(self._wanted, self._network)
        self._notice(
            f"{name} stays in {has}, because it can't resume a conversation in a new process. To "
            f"use {wanted}, start a new session."
        )

    def _notice(self, words: str) -> None:
        if words not in self._noticed:
            self._noticed.add(words)
            self._journal.note(HostNotice(text=words, severity="warning"))

    async def walls(self, spec: AgentSpec, cwd: Path) -> Walls | None:
        """Return the walls for starting the agent, and log which ones these are."""
        network = self._network
        self._held = self._wanted, network
        if self._wanted == "off":
            if self._journal.transcript.session.walls is not None:
                self._note("off", "none", "all")
            if self._journal.transcript.session.network != "all":
                self._notice(f"{spec.name} reaches all of the network: only a sandbox limits it.")
            return None
        env = agent_environment(os.environ, spec.env)
        folder = self._journal.transcript.session.copied
        copied = Path(folder) if folder else None
        try:
            shown = () if self._socket_folders is None else await self._socket_folders()
            walls = await asyncio.to_thread(
                self._sandboxes.walls, self._wanted, spec, cwd, env, shown, network, copied
            )
        except NetworkOpen as error:
            raise AgentStartError(f"The agent was not started: {error}") from None
        except NoWalls as error:
            self._require("none", str(error))
            if self._wanted == "copy":
                raise AgentStartError(
                    f"The agent was not started: nothing would keep it in its copy. {error}"
                ) from None
            if network != "all":
                raise AgentStartError(
                    f"The agent was not started: without a sandbox it would reach all of the "
                    f"network, and the network {network} was chosen. {error}"
                ) from None
            self._note(self._wanted, "none", "all", str(error))
            return None
        level = self._sandboxes.level
        self._require(level.level, level.why_not_more)
        known = known_of(spec) if level.level == "partial" else None
        of_agent = "" if known is None else known.in_partial
        why = " ".join(filter(None, (level.why_not_more, walls.not_kept, of_agent)))
        self._note(self._wanted, level.level, network, why)
        return walls

    def _require(self, level: SandboxLevel, why: str) -> None:
        needed = self._bounds.sandbox_level
        if LEVELS.index(level) < LEVELS.index(needed):
            raise AgentStartError(
                f"The agent was not started: its sandbox must be kept at the level {needed}, and "
                f"here it is {level}. {why} {DECIDED}"
            )

    def _note(self, sandbox: Sandbox, level: SandboxLevel, network: Network, why: str = "") -> None:
        walls = WallsInForce(sandbox=sandbox, level=level, why=why, network=network)
        if self._journal.transcript.session.walls != walls:
            self._journal.note(WallsStarted(walls=walls))


def _words(sandbox: Sandbox, network: Network) -> str:
    if sandbox == "off":
        return "no sandbox"
    return f"the sandbox {sandbox}" + ("" if network == "all" else f" with the network {network}")
