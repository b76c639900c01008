"""Confines the processes of agents: makes the walls of each, and keeps its private folder.

A private folder is made when an agent starts and removed when its last process has ended; what a
server left that was killed is removed by the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import psutil

from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox import confine
from acp_jupyter.host.sandbox.bubblewrap import bubblewrap_arguments
from acp_jupyter.host.sandbox.hosts import agent_hosts
from acp_jupyter.host.sandbox.landlock import landlock_arguments
from acp_jupyter.host.sandbox.levels import Level, find_level
from acp_jupyter.host.sandbox.places import (
    agent_places,
    hidden_everywhere,
    other_agents_state,
    places_in,
    temporary_folders,
)
from acp_jupyter.host.sandbox.proxy import Ask, Proxy, Resolve, keyed, proxy_variables
from acp_jupyter.host.sandbox.seatbelt import seatbelt_arguments
from acp_jupyter.host.sandbox.walls import FolderPlaces, Walls, WallsNetwork, walls_of
from acp_jupyter.own_programs import script_command
from acp_jupyter.protocol.host_events.session import Network, Sandbox

TEMPORARY_VARIABLES = ("TMPDIR", "TMP", "TEMP")
"""Of the environment: where programs make temporary files."""
_PREFIX = "acp-sandbox-"
_OURS = re.compile(rf"{_PREFIX}(\d+)-")
_TOO_WIDE = ("/", "/home", "/root", "/usr", "/etc", "/var", "/opt", "/srv", "/mnt", "/media")


class NoWalls(Exception):
    """There is no sandbox for an agent here; the message is a sentence that says why."""


class NetworkOpen(Exception):
    """A network that was chosen can't be kept here; the message is a sentence that says why."""


class Confined:
    """The walls of one agent process and of all that it starts, with its private folder.

    Parameters
    ----------
    walls
        What is to be kept.
    level
        What keeps it.
    private
        The folder, owned from now on.
    """

    def __init__(self, walls: Walls, level: Level, private: Path) -> None:
        self.walls = walls
        self.level = level
        self._private = private
        self._proxy: Proxy | None = None
        self._at = ""
        """Where programs find the proxy."""
        self._port = 0

    async def open_network(self, ask: Ask, resolve: Resolve | None) -> None:
        """Open the one way out, where hosts are named; call it before anything starts.

        Parameters
        ----------
        ask
            Asks about hosts that are not named.
        resolve
            Looks up a name; by default as this machine does.

        Raises
        ------
        OSError
            The proxy can't listen.
        """
        network = self.walls.network
        if network.reach != "hosts":
            return
        if self.level.level == "full":
            self._proxy = Proxy(network.hosts, ask, resolve=resolve)
            await self._proxy.listen_at(self.proxy_socket)
            self._at = f"127.0.0.1:{confine.PROXY_PORT}"
        else:
            key = secrets.token_urlsafe(24)
            self._proxy = Proxy(network.hosts, ask, key, resolve=resolve)
            self._port = await self._proxy.listen_on_port()
            self._at = keyed(key, self._port)

    @property
    def proxy_socket(self) -> Path:
        """Where the proxy listens at the full level."""
        return self._private / "net" / "proxy"

    def command(self, command: Sequence[str], cwd: str) -> tuple[str, ...]:
        """Return the command that runs another in these walls. Reads the file system.

        Raises
        ------
        OSError
            They can't be described to what keeps them.
        """
        if self.level.program.endswith("sandbox-exec"):
            own = seatbelt_arguments(self.level.program, self.walls, self._private, self._port)
            return (*own, *command)
        reach = self.walls.network.reach
        if self.level.level == "full":
            view = bubblewrap_arguments(self.walls, self._private, cwd)
            net = ["--network", "own"] if reach != "all" else []
            net += ["--forward", str(self.proxy_socket)] if reach == "hosts" else []
            within = script_command(confine.__file__, *net, "--")
            return (self.level.program, *view, *within, *command)
        places = landlock_arguments(self.walls, self._private)
        if reach != "all":
            places += ["--network", "none" if reach == "none" else "port"]
        if self._port:
            places += ["--port", str(self._port)]
        return (*script_command(confine.__file__, *places, "--"), *command)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment that names the agent's own temporary folder, and its proxy."""
        seen = self.level.level == "full"
        own = "/tmp" if seen else str(self._private / "tmp")  # noqa: S108 - of its own view
        proxy = proxy_variables(self._at) if self._at else {}
        return {**env, **dict.fromkeys(TEMPORARY_VARIABLES, own), **proxy}

    async def end(self) -> None:
        """End the proxy, and remove the private folder: no process uses it. May be called again."""
        await self.close_network()
        await asyncio.to_thread(self.remove)

    async def close_network(self) -> None:
        """End the proxy: where the network is limited, nothing is reached any more."""
        if self._proxy is not None:
            await self._proxy.close()

    def remove(self) -> None:
        """Remove the private folder alone. Blocks."""
        shutil.rmtree(self._private, ignore_errors=True)


class Sandboxes:
    """Makes sandboxes for the agents of a host. All methods block.

    Parameters
    ----------
    hidden
        Folders of Jupyter and of this program that no agent may read.
    home
        The user's home folder.
    level
        What keeps the walls; by default what works here, which is tried once.
    """

    def __init__(self, hidden: Iterable[Path], home: Path, level: Level | None = None) -> None:
        self._hidden = tuple(hidden)
        self._home = home
        self._level = level
        self._lock = threading.Lock()
        self.resolve: Resolve | None = None
        """Looks up the names of hosts; None for as this machine does."""

    @property
    def level(self) -> Level:
        """What keeps the walls here."""
        with self._lock:
            if self._level is None:
                self._level = find_level()
            return self._level

    def walls(
        self,
        sandbox: Sandbox,
        spec: AgentSpec,
        folder: Path,
        env: Mapping[str, str],
        shown: Sequence[str] = (),
        network: Network = "all",
    ) -> Walls:
        """Describe the walls of an agent.

        Parameters
        ----------
        sandbox
            Any but ``off``.
        folder
            The session's.
        env
            The agent's environment.
        shown
            Files and folders of ours that it needs all the same.
        network
            What it is to reach.

        Raises
        ------
        NoWalls
            It can't have any here.
        NetworkOpen
            The network would be open, though another one was chosen.
        """
        if spec.host:
            raise NoWalls(f"{spec.name} runs on {spec.host}, so nothing here confines it.")
        if self.level.level == "none":
            raise NoWalls(self.level.why_not_more)
        if network == "hosts" and (why := self._open_network()):
            raise NetworkOpen(why)
        real = os.path.realpath(folder)
        writes = sandbox != "read-only"
        if writes and self._is_too_wide(real):
            raise NoWalls(
                f"The session's folder, {real}, has nearly everything in it, so a sandbox of it "
                "would keep nothing. Work in a folder of its own."
            )
        agent = agent_places(spec, env)
        agent = agent.model_copy(update={"readable": (*agent.readable, *shown)})
        hidden = [os.path.realpath(path) for path in self._hidden]
        hidden += hidden_everywhere(self._home)
        hidden += other_agents_state(spec, env)
        try:
            found = places_in(Path(real))
        except OSError as error:
            if writes:
                why = error.strerror or "it can't be read"
                raise NoWalls(
                    f"The protected files of the folder can't be kept: {why}. "
                    "Choose the sandbox read-only, or a smaller folder."
                ) from None
            found = FolderPlaces()
        hosts = agent_hosts(spec, env) if network == "hosts" else ()
        reached = WallsNetwork(reach=network, hosts=hosts)
        return walls_of(sandbox, real, found, agent, hidden, temporary_folders(), reached)

    def _open_network(self) -> str:
        """Return why the network can't be limited to hosts here; empty where it can."""
        if self.level.level == "full" or self.level.program:
            return ""
        version = confine.landlock_version()
        if version >= confine.NET_SINCE:
            return ""
        return (
            f"Landlock of this kernel (version {version}) can't limit the network to hosts; "
            "version 4 can, of Linux 6.7. Choose the network none or all, or install bubblewrap."
        )

    def begin(self, walls: Walls) -> Confined:
        """Make what a sandbox needs on disk.

        Raises
        ------
        OSError
            It can't be written.
        """
        private = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        (private / "tmp").mkdir()
        (private / "net").mkdir()
        hidden = private / "hidden"
        hidden.touch(mode=0)
        hidden.chmod(0)
        for place in walls.places:
            if place.access == "write" and not os.path.lexists(place.path):
                # An agent that starts for the first time makes it; in its walls it could not.
                with contextlib.suppress(OSError):
                    os.makedirs(place.path, mode=0o700)
        return Confined(walls, self.level, private)

    def remove_orphans(self) -> None:
        """Remove the private folders of servers that do not run any more."""
        with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
            for entry in entries:
                found = _OURS.match(entry.name)
                if found is None or psutil.pid_exists(int(found[1])):
                    continue
                if entry.is_dir(follow_symlinks=False) and entry.stat().st_uid == os.getuid():
                    shutil.rmtree(entry.path, ignore_errors=True)

    def _is_too_wide(self, folder: str) -> bool:
        home = os.path.realpath(self._home)
        above_home = home == folder or home.startswith(folder.rstrip(os.sep) + os.sep)
        return folder in {*_TOO_WIDE, *temporary_folders()} or above_home
