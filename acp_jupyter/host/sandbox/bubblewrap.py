"""The full level: bubblewrap, which gives a process its own view of the file system."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from acp_jupyter.host.sandbox.walls import Place, Walls

_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "asound", "driver", "mtrr")
"""Below ``/proc``, what root may write without any capability: what runs when a program crashes."""
_DEVICES = ("/dev/nvidia*", "/dev/dri", "/dev/kfd", "/dev/dxg")
"""Of graphics cards, which computations need."""


def bubblewrap_arguments(
    walls: Walls, private: Path, cwd: str, within: Collection[str] = ()
) -> list[str]:
    """Return bubblewrap's arguments, to which a command is added. Reads the file system.

    Parameters
    ----------
    private
        Folder of this sandbox alone, with ``tmp``, the agent's folder for temporary files, and
        ``hidden``, a file that nobody may read, and ``net``, with the socket of its proxy.
    """
    net = private / "net"
    return [
        # Its users, so that it needs no privileges; without capabilities, also as root.
        *("--unshare-user", "--cap-drop", "ALL", *for_namespaces_within()),
        # Its own processes, so that it sees no other's environment and signals none.
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        "--die-with-parent",
        *([] if walls.network.reach == "all" else ["--unshare-net"]),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *_settings(),
        *(word for path in graphics_cards() for word in ("--dev-bind-try", path, path)),
        *_places(walls, private, within),
        *(("--ro-bind", str(net), str(net)) if walls.network.reach == "hosts" else ()),
        *("--chdir", cwd, "--"),
    ]


def for_namespaces_within() -> tuple[str, ...]:
    """Return what root needs to make a namespace within: `confine`, and agents' own sandboxes."""
    return ("--cap-add", "CAP_SETFCAP") if _is_root() else ()


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _settings() -> Iterator[str]:
    # Only where it counts: with this, no sandbox within this one can have a /proc of its own.
    if _is_root():
        for path in (f"/proc/{name}" for name in _SETTINGS):
            yield from ("--ro-bind-try", path, path)


def graphics_cards() -> list[str]:
    """Return the devices of graphics cards that are here. Reads the file system."""
    found = (sorted(Path("/").glob(pattern[1:])) for pattern in _DEVICES)
    return [str(path) for paths in found for path in paths]


def places_within(walls: Walls) -> list[Place]:
    """Return the places that `confine` can keep, once bubblewrap has made the view.

    Bubblewrap takes seconds for hundreds of places; this takes a tenth of a millisecond for each.
    What is left to bubblewrap may be written, or lies below what is hidden, or holds such a place.
    """
    left: set[str] = {"/"}
    above: list[Place] = []
    for place in walls.places:
        while above and not place.path.startswith(os.path.join(above[-1].path, "")):
            above.pop()
        covered = bool(above) and above[-1].access in {"hidden", "own"}
        if covered or place.access in {"write", "own"}:
            left |= {place.path, *(each.path for each in above)}
        above.append(place)
    return [place for place in walls.places if place.path not in left]


def _places(walls: Walls, private: Path, within: Collection[str]) -> Iterator[str]:
    empty: list[str] = []
    for place in walls.places:
        path = place.path
        if path == "/" or path in within:
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
