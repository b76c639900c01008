"""Confines the processes of agents: makes the walls of each, and keeps its private folder.

A private folder is made when an agent starts and removed when its last process has ended; what a
server left that was killed is removed by the next one.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import psutil

from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox import confine
from acp_jupyter.host.sandbox.bubblewrap import bubblewrap_arguments
from acp_jupyter.host.sandbox.landlock import landlock_arguments
from acp_jupyter.host.sandbox.levels import Level, find_level
from acp_jupyter.host.sandbox.places import (
    agent_places,
    hidden_everywhere,
    other_agents_state,
    places_in,
    temporary_folders,
)
from acp_jupyter.host.sandbox.seatbelt import seatbelt_arguments
from acp_jupyter.host.sandbox.walls import FolderPlaces, Place, Walls, walls_of
from acp_jupyter.own_programs import script_command
from acp_jupyter.protocol.host_events.session import Sandbox

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
_OURS = re.compile(rf"{_PREFIX}(\d+)-")
_TOO_WIDE = ("/", "/home", "/root", "/usr", "/etc", "/var", "/opt", "/srv", "/mnt", "/media")


class NoWalls(Exception):
    """There is no sandbox for an agent here; the message is a sentence that says why."""


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

    def command(self, command: Sequence[str], cwd: str) -> tuple[str, ...]:
        """Return the command that runs another in these walls. Reads the file system.

        Raises
        ------
        OSError
            They can't be described to what keeps them.
        """
        if self.level.program.endswith("sandbox-exec"):
            return (*seatbelt_arguments(self.level.program, self.walls, self._private), *command)
        if self.level.level == "full":
            view = bubblewrap_arguments(self.walls, self._private, cwd)
            return (self.level.program, *view, *script_command(confine.__file__, "--"), *command)
        places = landlock_arguments(self.walls, self._private)
        return (*script_command(confine.__file__, *places, "--"), *command)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment whose temporary files and downloads are the agent's own."""
        seen = self.level.level == "full"
        own = "/tmp" if seen else str(self._private / "tmp")  # noqa: S108 - of its own view
        caches = self.walls.caches
        kept = {name: f"{caches}/{folder}" for name, folder in CACHE_VARIABLES.items() if caches}
        return {**env, **kept, **dict.fromkeys(TEMPORARY_VARIABLES, own)}

    def end(self) -> None:
        """Remove the private folder: no process uses it any more. May be called again."""
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

        Raises
        ------
        NoWalls
            It can't have any here.
        """
        if spec.host:
            raise NoWalls(f"{spec.name} runs on {spec.host}, so nothing here confines it.")
        if self.level.level == "none":
            raise NoWalls(self.level.why_not_more)
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
        return walls_of(sandbox, real, found, agent, hidden, temporary_folders())

    def begin(self, walls: Walls) -> Confined:
        """Make what a sandbox needs on disk.

        Raises
        ------
        OSError
            It can't be written.
        """
        private = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        (private / "tmp").mkdir()
        hidden = private / "hidden"
        hidden.touch(mode=0)
        hidden.chmod(0)
        for place in walls.places:
            if place.makes and not os.path.lexists(place.path):
                # An agent that starts for the first time makes it; in its walls it could not.
                with contextlib.suppress(OSError):
                    _make(place)
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


def _make(place: Place) -> None:
    """Make a folder, or a file of settings, that an agent has for itself.

    Raises
    ------
    OSError
        It can't be made.
    """
    is_file = place.makes == "file"
    os.makedirs(os.path.dirname(place.path) if is_file else place.path, 0o700, exist_ok=True)
    if is_file:
        made = os.open(place.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(made, "w", encoding="utf-8") as file:
            file.write("{}\n" if place.path.endswith((".json", ".jsonc")) else "")
