"""The sandbox in which tests of published agents run, and how well it is kept.

``TEST_SANDBOX=folder TEST_SANDBOX_LEVEL=partial pytest tests/real_agents`` runs them all in it, by
what people set: the agents' entries name the sandbox, and bubblewrap is not on the server's PATH.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["LEVEL", "SANDBOX", "path_at"]

SANDBOX = os.environ.get("TEST_SANDBOX", "off")
LEVEL = os.environ.get("TEST_SANDBOX_LEVEL", "full")


def path_at(level: str, folder: Path) -> str:
    """Return a PATH by which a server reaches that level.

    Parameters
    ----------
    folder
        Where it may make a folder of links to programs.
    """
    search = os.environ["PATH"]
    if level == "full":
        return search
    kept = []
    for number, path in enumerate(search.split(os.pathsep)):
        if not os.path.lexists(os.path.join(path, "bwrap")):
            kept.append(path)
            continue
        links = folder / f"programs-{number}"
        links.mkdir(parents=True, exist_ok=True)
        for program in os.scandir(path):
            link = links / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program.path)
        kept.append(str(links))
    found = os.pathsep.join(kept)
    assert shutil.which("bwrap", path=found) is None
    return found
