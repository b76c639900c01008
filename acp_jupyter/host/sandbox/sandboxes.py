"""Confines the processes of agents: makes the walls of each, and keeps its private folder.

A private folder is made when an agent starts and removed when its last process has ended; what a
server left that was killed is removed by the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from pathlib import Path

from acp_jupyter.host.registry_entries import AgentSpec, runs_in_kernel
from acp_jupyter.host.sandbox.bubblewrap import bubblewrap_arguments, places_within
from acp_jupyter.host.sandbox.hosts import Destination, agent_hosts
from acp_jupyter.host.sandbox.landlock import (
    CONFINE,
    NET_SINCE,
    PROXY_PORT,
    landlock_arguments,
    landlock_version,
)
from acp_jupyter.host.sandbox.levels import Level, find_level
from acp_jupyter.host.sandbox.places import (
    agent_places,
    hidden_everywhere,
    other_agents_state,
    places_in,
    sockets_of_others,
    temporary_folders,
    trusted_certificates,
)
from acp_jupyter.host.sandbox.proxy import Ask, Proxy, Resolve, keyed, proxy_variables
from acp_jupyter.host.sandbox.seatbelt import seatbelt_arguments
from acp_jupyter.host.sandbox.walls import (
    FolderPlaces,
    Place,
    Walls,
    WallsNetwork,
    walls_of,
)
from acp_jupyter.own_programs import script_command
from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.system.locks import lock
from acp_jupyter.system.processes.child_process import finish_cleanup

TEMPORARY_VARIABLES = ("TMPDIR", "TMP", "TEMP")
"""Of the environment: where programs make temporary files."""
CACHE_VARIABLES = {
    "npm_config_cache": "npm",
    "UV_CACHE_DIR": "uv",
    "UV_TOOL_DIR": "uv-tools",
    "PIP_CACHE_DIR": "pip",
}
"""Of the environment: where package managers keep downloads, and the folder for it."""
_PREFIX = "acp-sandbox-"
_KEPT_WITHIN = {"read": "--fix", "hidden": "--hide"}
_MAX_PLACES = 2000
"""Of one kind in a session's folder; each costs a tenth of a millisecond."""
_MAX_BY_BUBBLEWRAP = 200
"""The same where bubblewrap keeps them, which takes a second then."""
_TOO_WIDE = ("/", "/home", "/root", "/usr", "/etc", "/var", "/opt", "/srv", "/mnt", "/media")


class NoWalls(Exception):
    """There is no sandbox for an agent here; the message is a sentence that says why."""


class NetworkOpen(Exception):
    """A network that was chosen can't be kept here; the message is a sentence that says why."""


class Confined:
    """The walls of one agent process and of all that it starts, with its private folder.

    Parameters
    ----------
    lock
        The descriptor that locks it, owned too; None where there are no locks.
    resolve
        Looks up the names of hosts; by default as this machine does.
    """

    def __init__(
        self,
        walls: Walls,
        level: Level,
        private: Path,
        lock: int | None,
        resolve: Resolve | None = None,
    ) -> None:
        self.walls = walls
        self.level = level
        self._private = private
        self._lock = lock
        self._resolve = resolve
        self._proxy: Proxy | None = None
        self._at = ""
        """Where programs find the proxy."""
        self._port = 0

    async def open_network(self, ask: Ask) -> None:
        """Open the one way out, where hosts are named; call it before anything starts."""
        network = self.walls.network
        if network.reach != "hosts":
            return
        if self.level.level == "full":
            self._proxy = Proxy(network.hosts, ask, resolve=self._resolve)
            await self._proxy.listen_at(self.proxy_socket)
            self._at = f"127.0.0.1:{PROXY_PORT}"
        else:
            key = secrets.token_urlsafe(24)
            self._proxy = Proxy(network.hosts, ask, key, resolve=self._resolve)
            self._port = await self._proxy.listen_on_port()
            self._at = keyed(key, self._port)

    @property
    def refused_hosts(self) -> tuple[Destination, ...]:
        """Hosts that were asked for last and that nobody allowed."""
        return () if self._proxy is None else tuple(self._proxy.refused)

    @property
    def proxy_socket(self) -> Path:
        """Where the proxy listens at the full level."""
        return self._private / "net" / "proxy"

    def command(self, command: Sequence[str], cwd: str) -> tuple[str, ...]:
        """Return the command that runs another in these walls. Reads the file system."""
        if os.path.realpath(self.walls.folder) != self.walls.folder:
            raise OSError(0, f"{self.walls.folder} leads elsewhere by now")
        if self.level.program.endswith("sandbox-exec"):
            own = seatbelt_arguments(self.level.program, self.walls, self._private, self._port)
            return (*own, *command)
        reach = self.walls.network.reach
        if self.level.level == "full":
            within = places_within(self.walls) if self.level.mounts else []
            paths = {place.path for place in within}
            view = bubblewrap_arguments(self.walls, self._private, cwd, paths)
            kept = [w for p in within for w in (_KEPT_WITHIN[p.access], p.path)]
            kept += ["--network", "own"] if reach != "all" else []
            kept += ["--forward", str(self.proxy_socket)] if reach == "hosts" else []
            program = script_command(CONFINE, *kept, "--")
            return (self.level.program, *view, *program, *command)
        places = landlock_arguments(self.walls, self._private)
        if reach != "all":
            places += ["--network", "none" if reach == "none" else "port"]
        if self._port:
            places += ["--port", str(self._port)]
        return (*script_command(CONFINE, *places, "--"), *command)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment with the agent's own folders for temporary files, and its proxy."""
        seen = [place.path for place in self.walls.places if place.access == "own"]
        is_in_place = self.level.level == "full" and seen
        own = seen[0] if is_in_place else str(self._private / "tmp")
        caches = self.walls.caches
        kept = {name: f"{caches}/{folder}" for name, folder in CACHE_VARIABLES.items() if caches}
        proxy = proxy_variables(self._at) if self._at else {}
        return {**env, **kept, **dict.fromkeys(TEMPORARY_VARIABLES, own), **proxy}

    async def close(self) -> None:
        """End the proxy, and remove the private folder: no process uses it. May be called again."""
        await self.close_network()
        await asyncio.to_thread(self.end)

    async def close_network(self) -> None:
        """End the proxy: where the network is limited, nothing is reached any more."""
        if self._proxy is not None:
            await self._proxy.close()

    def end(self) -> None:
        """Remove the private folder alone; blocks. May be called again."""
        shutil.rmtree(self._private, ignore_errors=True)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


class Sandboxes:
    """Makes sandboxes for the agents of a host. All methods but `open` block.

    Parameters
    ----------
    level
        What keeps the walls; by default what works here, which is tried once.
    resolve
        Looks up the names of hosts; by default as this machine does.
    """

    def __init__(
        self,
        hidden: Iterable[Path],
        home: Path,
        level: Level | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._hidden = tuple(hidden)
        self._home = home
        self._level = level
        self._lock = threading.Lock()
        self._resolve = resolve

    @property
    def level(self) -> Level:
        """What keeps the walls here."""
        with self._lock:
            if self._level is None:
                self._level = find_level()
            return self._level

    def why_none(self, spec: AgentSpec) -> str:
        """Return why no sandbox can confine an agent here; empty if one can."""
        if runs_in_kernel(spec.id):
            return f"{spec.name} runs in the notebook's kernel, so nothing here confines it."
        if spec.host:
            return f"{spec.name} runs on {spec.host}, so nothing here confines it."
        return self.level.why_not_more if self.level.level == "none" else ""

    def walls(
        self,
        sandbox: Sandbox,
        spec: AgentSpec,
        folder: Path,
        env: Mapping[str, str],
        shown: Sequence[str] = (),
        network: Network = "all",
        copied: Path | None = None,
    ) -> Walls:
        """Describe the walls of an agent.

        Parameters
        ----------
        copied
            The folder that the session's is a copy of: credentials in it are hidden, too.
        """
        if why := self.why_none(spec):
            raise NoWalls(why)
        if network == "hosts" and (why := self._open_network()):
            raise NetworkOpen(why)
        real = os.path.realpath(folder)
        writes = sandbox != "read-only"
        wide = self._is_too_wide(real, self._homes(env))
        if writes and wide:
            raise NoWalls(
                f"The session's folder, {real}, has nearly everything in it, so a sandbox of it "
                "would keep nothing. Work in a folder of its own."
            )
        agent = agent_places(spec, env)
        agent = agent.model_copy(update={"readable": (*agent.readable, *shown)})
        hidden = [os.path.realpath(path) for path in self._hidden]
        for home in self._homes(env):
            hidden += hidden_everywhere(home)
        hidden += other_agents_state(spec, env)
        trusted = trusted_certificates(spec, env)
        hidden = [path for path in hidden if path not in trusted]
        named = [os.path.realpath(path) for path in (*shown, *spec.sandbox.readable)]
        if self.level.level == "full":  # Landlock lets sockets be
            hidden += sockets_of_others((real, *named, *agent.writable, *agent.state))
        not_kept = ""
        most = _MAX_PLACES if self.level.mounts else _MAX_BY_BUBBLEWRAP
        try:
            found = places_in(Path(real), most)
        except OSError as error:
            why = error.strerror or "it can't be read"
            if writes and self.level.program:
                raise NoWalls(
                    f"The protected files of the folder can't be kept: {why}. "
                    "Choose the sandbox read-only, or a smaller folder."
                ) from None
            found = FolderPlaces()
            not_kept = f"Credentials in the folder can be read: {why}."
        if copied is not None:
            try:
                hidden += places_in(Path(os.path.realpath(copied)), most).credentials
            except OSError as error:
                why = error.strerror or "it can't be read"
                not_kept = f"Credentials in the folder that was copied can be read: {why}."
        hosts = agent_hosts(spec, env) if network == "hosts" else ()
        reached = WallsNetwork(reach=network, hosts=hosts)
        own = temporary_folders(self._home)
        walls = walls_of(sandbox, real, found, agent, hidden, own, reached)
        return walls.model_copy(update={"not_kept": not_kept, "wide": wide})

    def _open_network(self) -> str:
        """Return why the network can't be limited to hosts here; empty where it can."""
        if self.level.level == "full" or self.level.program:
            return ""
        version = landlock_version()
        if version >= NET_SINCE:
            return ""
        return (
            f"Landlock of this kernel (version {version}) can't limit the network to hosts; "
            "version 4 can, of Linux 6.7. Choose the network none or all, or install bubblewrap."
        )

    def begin(self, walls: Walls) -> Confined:
        """Make what a sandbox needs on disk."""
        level = self.level
        private, lock = _private_folder()
        confined = Confined(walls, level, private, lock, self._resolve)
        try:
            (private / "tmp").mkdir()
            (private / "net").mkdir()
            hidden = private / "hidden"
            hidden.touch(mode=0)
            hidden.chmod(0)
        except BaseException:
            confined.end()
            raise
        for place in walls.places:
            if place.makes and not os.path.lexists(place.path):
                # An agent that starts for the first time makes it; in its walls it could not.
                with contextlib.suppress(OSError):
                    _make(place)
        return confined

    async def open(self, walls: Walls, ask: Ask) -> Confined:
        """Make a sandbox with its network, on the running loop; whoever gets it closes it."""
        making = asyncio.create_task(asyncio.to_thread(self.begin, walls))
        try:
            confined = await asyncio.shield(making)
        except asyncio.CancelledError:
            await finish_cleanup(_end_unwanted(making))  # the thread goes on
            raise
        try:
            await confined.open_network(ask)
        except BaseException:
            await confined.close()
            raise
        return confined

    def remove_orphans(self) -> None:
        """Remove the private folders of servers that do not run any more."""
        with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
            for entry in entries:
                if not entry.name.startswith(_PREFIX) or not _is_own_folder(entry):
                    continue
                # Locked by a server that runs, or removed by another one meanwhile.
                with contextlib.suppress(OSError):
                    lock = _lock(Path(entry.path))
                    if lock is not None:
                        shutil.rmtree(entry.path, ignore_errors=True)
                        os.close(lock)

    def _homes(self, env: Mapping[str, str]) -> list[Path]:
        """Return the home folders that there may be secrets in: the agent's may be another."""
        named = [self._home, Path(env.get("HOME") or self._home)]
        if sys.platform != "win32":
            with contextlib.suppress(ImportError, KeyError):  # a user without a name
                import pwd

                named.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
        return list(dict.fromkeys(named))

    def _is_too_wide(self, folder: str, homes: Iterable[Path]) -> bool:
        inside = os.path.join(folder, "")
        above_home = any(os.path.join(os.path.realpath(h), "").startswith(inside) for h in homes)
        return folder in {*_TOO_WIDE, *temporary_folders(self._home)} or above_home


async def _end_unwanted(making: Awaitable[Confined]) -> None:
    with contextlib.suppress(OSError):
        await asyncio.to_thread((await making).end)


def _make(place: Place) -> None:
    """Make a folder, or a file of settings, that an agent has for itself."""
    is_file = place.makes == "file"
    os.makedirs(os.path.dirname(place.path) if is_file else place.path, 0o700, exist_ok=True)
    if is_file:
        made = os.open(place.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(made, "w", encoding="utf-8") as file:
            file.write("{}\n" if place.path.endswith((".json", ".jsonc")) else "")


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
        is_own = sys.platform == "win32" or status.st_uid == os.getuid()
        return is_own and entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _private_folder() -> tuple[Path, int | None]:
    """Make a private folder; return it with the descriptor that locks it."""
    while True:
        private = Path(tempfile.mkdtemp(prefix=_PREFIX))
        # A server that starts may take it for an orphan before it is locked.
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            lock = _lock(private)
            if private.is_dir():
                return private, lock
            if lock is not None:
                os.close(lock)


def _lock(folder: Path) -> int | None:
    """Return a descriptor that locks a folder for this process's life; None without locks.

    Process ids would not tell: another container may share the folder.
    """
    if sys.platform == "win32":
        return None  # a folder can't be opened there
    else:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            lock(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            raise
        except OSError:
            os.close(descriptor)
            return None
        return descriptor
