"""The walls of a sandbox: one description, which every backend translates.

Of the places the deepest one counts: a folder may be written, a file in it hidden, and so on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import SkipValidation

from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.protocol.objects import Model

Access = Literal["write", "read", "hidden", "own"]
"""``own`` is the folder for temporary files: a new one in its place, or another where that can't
be; what others have there is hidden."""


FilePath = SkipValidation[str]
"""As Python has it from the file system: bytes that are no text are in it, too."""


class Place(Model):
    """A file or folder with all below it, and what can be done there."""

    path: FilePath
    """Absolute, without links."""
    access: Access
    makes: Literal["", "folder", "file"] = ""
    """What is made of it, where an agent in the walls could not or must not and it is missing."""


class WallsNetwork(Model):
    """What of the network can be reached."""

    reach: Network = "all"
    hosts: tuple[str, ...] = ()
    """Those that are named: ``example.org``, ``*.example.org``, ``localhost:8080``."""


ALL_NETWORK = WallsNetwork()


class Walls(Model):
    """What the processes of an agent can reach."""

    sandbox: Sandbox
    folder: FilePath
    """The session's folder; absolute, without links."""
    places: tuple[Place, ...]
    """One for each path, those of higher folders first."""
    caches: str = ""
    """The folder in which its package managers keep what they have downloaded."""
    network: WallsNetwork = ALL_NETWORK
    wide: bool = False
    """Whether the folder has nearly everything in it, and so also what is always hidden."""
    not_kept: str = ""
    """What of this can't be kept in this folder, in a sentence; empty for nothing."""

    def access_to(self, path: str) -> Access:
        """Return what can be done at an absolute path without links."""
        return _access({place.path: place.access for place in self.places}, path)

    def with_writable(self, folder: str, hosts: Sequence[str] = ()) -> Walls:
        """These walls with another folder that may be written; what is hidden stays hidden."""
        kept = [
            place
            for place in self.places
            if not _is_below(place.path, folder) or place.access in {"hidden", "own"}
        ]
        places = [*kept, Place(path=folder, access="write")]
        places.sort(key=lambda each: Path(each.path).parts)
        network = self.network
        if network.reach == "hosts":
            network = WallsNetwork(reach="hosts", hosts=(*network.hosts, *hosts))
        return self.model_copy(update={"places": tuple(places), "network": network})


class FolderPlaces(Model):
    """What is in a session's folder that its agent may not change or read."""

    protected: tuple[FilePath, ...] = ()
    """Absolute paths of files and folders."""
    credentials: tuple[FilePath, ...] = ()


class AgentPlaces(Model):
    """What an agent needs outside the session's folder."""

    state: tuple[FilePath, ...] = ()
    """What it keeps for itself, its own login too."""
    settings: Mapping[str, Literal["folder", "file"]] = {}
    """Of its own what names programs that it runs, or are such: read, and never changed in walls,
    since it runs them where there are none too."""
    writable: tuple[FilePath, ...] = ()
    """What its entry of the configuration adds."""
    readable: tuple[FilePath, ...] = ()
    """Its programs, wherever they are."""
    caches: str = ""
    """That of `Walls`; part of its state."""


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
    folder
        The session's folder; absolute, without links.
    in_folder, agent
        What is there, and what the agent needs; absolute paths without links.
    hidden
        What no agent may read: credentials, the state of Jupyter, of other agents and sessions,
        sockets of other programs.
    """
    places: dict[str, Access] = {"/": "read"}
    places.update(dict.fromkeys(temporary, "own"))
    for path in hidden:
        if not any(_is_below(path, own) for own in (*agent.state, *agent.settings)):
            places[path] = "hidden"
    makes: dict[str, Literal["folder", "file"]] = {}
    for path in (*agent.writable, *agent.state):
        places[path] = "write"
        makes[path] = "folder"
    for path, kind in agent.settings.items():
        places[path] = "read"
        if kind == "folder" or any(_is_below(path, own) for own in agent.state):
            makes[path] = kind
    places[folder] = "read" if sandbox == "read-only" else "write"
    if sandbox == "folder":  # a protected file of a copy is none that anything runs yet
        places.update(dict.fromkeys(in_folder.protected, "read"))
    places.update(dict.fromkeys(in_folder.credentials, "hidden"))
    # Programs are shown where they would be hidden; what may be written stays so.
    shown = [path for path in agent.readable if _access(places, path) in {"hidden", "own"}]
    for path in shown:
        places.setdefault(path, "read")
    ordered = sorted(places.items(), key=lambda each: Path(each[0]).parts)
    return Walls(
        sandbox=sandbox,
        folder=folder,
        caches=agent.caches,
        places=tuple(
            _needed(
                Place(path=path, access=access, makes=makes.get(path, ""))
                for path, access in ordered
            )
        ),
        network=network,
    )


def _access(places: Mapping[str, Access], path: str) -> Access:
    """Return what the deepest of the places that a path is in says of it."""
    while path not in places and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return places.get(path, "read")


def _needed(places: Iterable[Place]) -> Iterable[Place]:
    """Leave out what says the same as the place above it."""
    above: list[Place] = []
    for place in places:
        while above and not _is_below(place.path, above[-1].path):
            above.pop()
        if place.makes or not above or not _says_the_same(place.access, above[-1].access):
            yield place
            above.append(place)


def _says_the_same(access: Access, above: Access) -> bool:
    return access == above or (access == "hidden" and above == "own")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
