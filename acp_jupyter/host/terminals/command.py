"""What exactly is run when an agent asks for a command."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.errors import TerminalRefused

__all__ = ["TerminalCommand", "prepare"]

_SURROUNDINGS = {
    "TERM": "xterm-256color",
    # Nobody can press a key in a pager.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
}


@dataclass(frozen=True, slots=True)
class TerminalCommand:
    """A command that is ready to be started."""

    argv: tuple[str, ...]
    shown: str
    """As one would type it."""
    cwd: str
    env: Mapping[str, str]


def prepare(
    command: str,
    args: Sequence[str],
    cwd: str | None,
    env: Iterable[tuple[str, str]],
    *,
    root: Path,
    inherited: Mapping[str, str],
) -> TerminalCommand:
    """Work out what to run. Looks at the file system.

    A program that is there is run as it is named, without a shell. Anything else is a command
    line, as most agents send it: a shell runs that (bash where there is one, as agents expect).

    Parameters
    ----------
    root
        The session's folder; the command starts there or below.
    inherited
        The environment that ``env`` adds to.

    Raises
    ------
    TerminalRefused
        There is no command, or the folder is not one of the session's.
    """
    if not command.strip():
        raise TerminalRefused("The command is empty.")
    added = dict(env)
    if any("\0" in text for text in (command, *args, *added, *added.values())):
        raise TerminalRefused("The command, its arguments or its variables hold a NUL character.")
    if any(not name or "=" in name for name in added):
        raise TerminalRefused("The name of an environment variable is empty or holds a “=”.")
    environment = {**inherited, **_SURROUNDINGS, **added}
    folder = _folder(root, cwd)
    path = environment.get("PATH", os.defpath)
    if _is_program(command, folder, path):
        argv = (command, *args)
        return TerminalCommand(argv, shlex.join(argv), folder, environment)
    line = " ".join([command, *map(shlex.quote, args)])
    shell = shutil.which("bash", path=path) or "/bin/sh"
    return TerminalCommand((shell, "-c", line), line, folder, environment)


def _is_program(command: str, folder: str, path: str) -> bool:
    if os.sep in command:
        file = os.path.join(folder, command)
        return os.path.isfile(file) and os.access(file, os.X_OK)
    return shutil.which(command, path=path) is not None


def _folder(root: Path, cwd: str | None) -> str:
    whole = os.path.realpath(root)
    if not cwd:
        return whole
    if "\0" in cwd:
        raise TerminalRefused("The name of the folder holds a NUL character.")
    folder = os.path.realpath(os.path.join(whole, cwd))
    if os.path.commonpath([whole, folder]) != whole:
        raise TerminalRefused(f"The folder {cwd} is outside the working directory of the session.")
    if not os.path.isdir(folder):
        raise TerminalRefused(f"The folder {cwd} does not exist.")
    return folder
