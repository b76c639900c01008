"""The partial level: Landlock, which allows a process some places of the file system it sees.

It needs no privileges and no package. It allows what is named and all below, and takes nothing out
of that: a protected file in a folder that may be written can't be kept. A folder with something
hidden in it is therefore allowed entry by entry.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from acp_jupyter.host.sandbox.bubblewrap import graphics_cards
from acp_jupyter.host.sandbox.walls import Access, Walls

if sys.platform == "linux":
    from acp_jupyter.host.sandbox.confine import NET_SINCE, PROXY_PORT, landlock_version
else:
    NET_SINCE = PROXY_PORT = 0

    def landlock_version() -> int:
        """Return 0: there is no Landlock."""
        return 0


__all__ = ["CONFINE", "NET_SINCE", "PROXY_PORT", "landlock_arguments", "landlock_version"]

CONFINE = Path(__file__).with_name("confine.py")
"""The program that confines a command on Linux."""
_DEVICES = (
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"),
    *("/dev/ptmx", "/dev/pts", "/dev/shm"),  # noqa: S108
)
"""All that is allowed below ``/dev``: root may read and write disks without any capability."""
_MAX_RULES = 10_000


def landlock_arguments(walls: Walls, private: Path) -> list[str]:
    """Return the arguments of `confine` that stand for walls. Reads the file system."""
    within: dict[str, Access] = {place.path: place.access for place in walls.places}
    within.setdefault("/dev", "hidden")
    # Files that are made later could not be read in a folder that is allowed entry by entry.
    whole = "" if walls.wide else walls.folder
    rules = list(_rules("/", "read", within, whole))
    devices = (*_DEVICES, *graphics_cards())
    rules += [("--write", path) for path in (*devices, str(private / "tmp"))]
    if len(rules) > _MAX_RULES:
        raise OSError(0, "too many files lie beside those that it hides")
    return [word for rule in rules for word in rule]


def _rules(
    path: str, access: Access, within: dict[str, Access], whole: str
) -> Iterator[tuple[str, str]]:
    """Yield what is allowed at a path and below."""
    access = within.get(path, access)
    below = _below(path, within)
    hides = access == "read" and path != whole
    hides = hides and any(within[each] in {"hidden", "own"} for each in below)
    if access in {"read", "write"} and not hides:
        yield (f"--{access}", path)
        yield from (("--write", each) for each in below if within[each] == "write")
    elif hides:
        yield ("--list", path)
        for entry in _entries(path):
            yield from _rules(entry, access, within, whole)
    else:
        topmost = (e for e in below if not any(e in _below(other, within) for other in below))
        for each in topmost:
            yield from _rules(each, access, within, whole)


def _entries(folder: str) -> Iterator[str]:
    """Yield what is in a folder, without links: what they lead to is allowed where it is."""
    try:
        with os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if not entry.is_symlink())
    except OSError:
        return


def _below(path: str, within: dict[str, Access]) -> list[str]:
    start = path.rstrip(os.sep) + os.sep
    return [each for each in within if each != path and each.startswith(start)]
