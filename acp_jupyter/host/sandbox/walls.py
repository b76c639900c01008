"""The walls of a sandbox: one description, which every backend translates.

Of the places the deepest one counts: a folder may be written, a file in it hidden, and so on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.protocol.objects import Model

Access = Literal["write", "read", "hidden", "own"]
"""``own`` is the folder for temporary files: a new one in its place, or another where that can't
be; what others have there is hidden."""


class Place(Model):
    """A file or folder with all below it, and what can be done there."""

    path: str
    """Absolute, without links."""
    access: Access


class WallsNetwork(Model):
    """What of the network can be reached."""

    reach: Network = "all"
    hosts: tuple[str, ...] = ()
    """Those that are named: ``example.org``, ``*.example.org``, ``localhost:8080``."""


ALL_NETWORK = WallsNetwork()


class Walls(Model):
    """What the processes of an agent can reach."""

    sandbox: Sandbox
    folder: str
    """The session's folder; absolute, without links."""
    places: tuple[Place, ...]
    """One for each path, those of higher folders first."""
    network: WallsNetwork = ALL_NETWORK

    def access_to(self, path: str) -> Access:
        """Return what can be done at an absolute path without links."""
        found: Access = "read"
        for place in self.places:
            if _is_below(path, place.path):
                found = place.access
        return found


class FolderPlaces(Model):
    """What is in a session's folder that its agent may not change or read."""

    protected: tuple[str, ...] = ()
    """Absolute paths of files and folders."""
    credentials: tuple[str, ...] = ()


class AgentPlaces(Model):
    """What an agent needs outside the session's folder."""

    state: tuple[str, ...] = ()
    """What it keeps for itself, its own login too."""
    writable: tuple[str, ...] = ()
    """What its entry of the configuration adds."""
    readable: tuple[str, ...] = ()
    """Its programs, wherever they are."""


def walls_of(
    sandbox: Sandbox,
    folder: str,
    in_folder: FolderPlaces,
    agent: AgentPlaces,
    hidden: Iterable[str],
    temporary: Iterable[str],
    network: WallsNetwork = ALL_NETWORK,
) -> Walls:
    """Describe a sandbox. Reads nothing.

    Parameters
    ----------
    sandbox
        Any but ``off``.
    folder
        The session's folder; absolute, without links.
    in_folder, agent
        What is there, and what the agent needs; absolute paths without links.
    hidden
        What no agent may read: credentials, the state of Jupyter, of other agents and sessions,
        sockets of other programs.
    temporary
        Folders that all programs use for temporary files.
    network
        What of the network can be reached.
    """
    places: dict[str, Access] = {"/": "read"}
    places.update(dict.fromkeys(temporary, "own"))
    for path in hidden:
        if not any(_is_below(path, own) for own in agent.state):
            places[path] = "hidden"
    for path in agent.readable:
        places.setdefault(path, "read")
    for path in (*agent.writable, *agent.state):
        places[path] = "write"
    writes = sandbox in {"folder", "copy"}
    places[folder] = "write" if writes else "read"
    if writes:
        places.update(dict.fromkeys(in_folder.protected, "read"))
    places.update(dict.fromkeys(in_folder.credentials, "hidden"))
    ordered = sorted(places.items(), key=lambda each: Path(each[0]).parts)
    return Walls(
        sandbox=sandbox,
        folder=folder,
        places=tuple(_needed(Place(path=path, access=access) for path, access in ordered)),
        network=network,
    )


def _needed(places: Iterable[Place]) -> Iterable[Place]:
    """Leave out what says the same as the place above it."""
    above: list[Place] = []
    for place in places:
        while above and not _is_below(place.path, above[-1].path):
            above.pop()
        if not above or not _says_the_same(place.access, above[-1].access):
            yield place
            above.append(place)


def _says_the_same(access: Access, above: Access) -> bool:
    return access == above or (access == "hidden" and above == "own")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
