"""Users of the system, made for a test and removed after it. It takes root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["common_python", "run_as", "system_users", "why_no_users"]

_PROGRAMS = ("groupadd", "groupdel", "runuser", "useradd", "userdel")
_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


def why_no_users() -> str:
    """Return why no users can be made here; empty if they can."""
    if os.geteuid() != 0:
        return "only root can make users of the system"
    missing = [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]
    if missing:
        return f"{', '.join(missing)} is missing"
    return "" if common_python() else "there is no Python that all users can run"


def common_python() -> str:
    """Return an interpreter that all users can run; empty if there is none."""
    for name in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        real = Path(name).resolve()
        if not real.exists() or not all(each.stat().st_mode & 0o001 for each in real.parents):
            continue
        code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
        done = subprocess.run([name, "-c", code], capture_output=True, check=False)
        if done.returncode == 0:
            return name
    return ""


@contextmanager
def system_users(homes: Path, group: str, names: Sequence[str]) -> Iterator[None]:
    """Make users of one group, whose homes others can read; remove them at the end."""
    _run("groupadd", group)
    try:
        for name in names:
            home = ("--create-home", "--home-dir", str(homes / name), "--key", "HOME_MODE=0755")
            _run("useradd", *home, "--groups", group, "--shell", "/bin/sh", name)
        yield
    finally:
        for name in names:
            _run("userdel", "--force", name, check=False)
        _run("groupdel", group, check=False)


def run_as(name: str, *command: str) -> str:
    """Run a command as a user; return what it printed."""
    return _run("runuser", "--user", name, "--", *command, check=False)


def _run(*command: str, check: bool = True) -> str:
    done = subprocess.run(
        command,
        cwd="/",
        env={"PATH": _PATH},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0 or not check, done.stdout
    return done.stdout
