"""Runs all deeds in one sandbox, or in none, and prints as JSON what came of them.

``python -m tests.sandbox.trial full|partial|none folder|copy|read-only``
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox.levels import Level, find_level
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.protocol.host_events.session import Sandbox
from tests.sandbox import hostile_agent
from tests.sandbox.deeds import DEEDS, Deed
from tests.sandbox.world import World, world

__all__ = ["tried"]

_SECONDS = 300
_OUTSIDE = (".bashrc", "mine.py", "note.txt", ".netrc", ".codex/auth.json", "new", "new2", "gone")
_COPIED = ("a.py", "b.py", "new.py", ".git/hooks/pre-commit")
_PROTECTED = (".git/config", ".git/hooks/pre-commit", "setup.py", "CLAUDE.md", "pkg/conftest.py")


def _can_be_tried(deed: Deed, level: str) -> bool:
    if deed.needs and not os.path.exists(deed.needs):
        return False
    if deed.root and os.getuid() != 0:
        return False
    return deed.free or level != "none"


def _unlink(file: Path) -> None:
    """Make a file of its own of one with two names, as a copy has none of these."""
    text = file.read_bytes()
    file.unlink()
    file.write_bytes(text)


def _run(place: World, level: str, sandbox: Sandbox) -> dict[str, str | None]:
    command: tuple[str, ...] = (
        sys.executable,
        "-I",
        "-S",
        "-c",
        Path(hostile_agent.__file__).read_text("utf-8"),
    )
    env = agent_environment(os.environ, {"HOME": str(place.home)})
    deeds = [(deed.name, deed.code) for deed in DEEDS if _can_be_tried(deed, level)]
    given = json.dumps({"names": place.names, "deeds": deeds})
    confined = None
    if level != "none":
        spec = AgentSpec("claude", "Claude", command[0], command[1:])
        hidden = (place.home / "data", place.home / "runtime")
        kept = find_level() if level == "full" else Level("partial")
        assert kept.level == level, kept.why_not_more
        sandboxes = Sandboxes(hidden, place.home, kept)
        copied = place.home / "copied" if sandbox == "copy" else None
        if copied is not None:
            _unlink(place.folder / "linked.txt")
        walls = sandboxes.walls(sandbox, spec, place.folder, env, copied=copied)
        confined = sandboxes.begin(walls)
        command = confined.command(command, str(place.folder))
        env = confined.environment(env)
    try:
        done = subprocess.run(
            command,
            cwd=place.folder,
            env=env,
            input=given,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    finally:
        if confined is not None:
            confined.end()
    assert done.returncode == 0, done.stderr
    results: dict[str, str | None] = json.loads(done.stdout)
    return results


def tried(level: str, sandbox: Sandbox) -> dict[str, Any]:
    """Return ``done``: for each deed that could be tried why not, null where it was done.

    ``changed`` names the files of the home folder that are not as they were.
    """
    with world() as place:
        files = (*_OUTSIDE, *(f"copied/{each}" for each in _COPIED))
        if sandbox != "copy":
            files += tuple(f"work/{each}" for each in _PROTECTED)
        before = place.bytes_of(*files)
        done = _run(place, level, sandbox)
        after = place.bytes_of(*files)
        if (place.home / "signalled").exists():
            after["signalled"] = b""
    return {"done": done, "changed": [path for path in after if after[path] != before.get(path, 0)]}


if __name__ == "__main__":
    named: tuple[Sandbox, ...] = ("folder", "copy", "read-only")
    print(json.dumps(tried(sys.argv[1], next(each for each in named if each == sys.argv[2]))))
