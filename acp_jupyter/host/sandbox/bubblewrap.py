"""The full level: bubblewrap, which gives a process its own view of the file system."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from acp_jupyter.host.sandbox.walls import Walls

_DEVICES = ("/dev/nvidia*", "/dev/dri", "/dev/kfd", "/dev/dxg")
"""Of graphics cards, which computations need."""


def bubblewrap_arguments(walls: Walls, private: Path, cwd: str) -> list[str]:
    """Return bubblewrap's arguments, to which a command is added. Reads the file system.

    Parameters
    ----------
    private
        Folder of this sandbox alone, with ``tmp``, the agent's folder for temporary files, and
        ``hidden``, a file that nobody may read, and ``net``, with the socket of its proxy.
    cwd
        Where the command starts.
    """
    net = private / "net"
    return [
        # Its users, so that it needs no privileges; without capabilities, also as root.
        *("--unshare-user", "--cap-drop", "ALL"),
        # Its own processes, so that it sees no other's environment and signals none.
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        "--die-with-parent",
        *([] if walls.network.reach == "all" else ["--unshare-net"]),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *_devices(),
        *_places(walls, private),
        *(("--ro-bind", str(net), str(net)) if walls.network.reach == "hosts" else ()),
        *("--chdir", cwd, "--"),
    ]


def _devices() -> Iterator[str]:
    for pattern in _DEVICES:
        for path in sorted(Path("/").glob(pattern[1:])):
            yield from ("--dev-bind-try", str(path), str(path))


def _places(walls: Walls, private: Path) -> Iterator[str]:
    empty: list[str] = []
    for place in walls.places:
        path = place.path
        if path == "/":
            continue
        if place.access == "own":
            yield from ("--bind", str(private / "tmp"), path)
        elif place.access == "write":
            yield from ("--bind-try", path, path)
        elif place.access == "read":
            yield from ("--ro-bind-try", path, path)
        elif os.path.isdir(path):
            # What is shown below can be reached, and nothing is listed.
            yield from ("--perms", "0111", "--tmpfs", path)
            empty.append(path)
        elif os.path.lexists(path):
            yield from ("--ro-bind", str(private / "hidden"), path)
    for path in empty:  # last, as what is shown below is mounted there
        yield from ("--remount-ro", path)
