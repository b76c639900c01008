"""Command lines of Windows: a program gets one text, not a list of words.

Most programs split it as the C library does, which `subprocess.list2cmdline` writes for. Scripts
(``.cmd``, ``.bat``) are run by ``cmd.exe``, which reads the text in its own way first: it expands
``%NAME%``, and ends the command at ``&``, ``|`` and others unless they are quoted (CVE-2024-24576).
npm installs agents as such scripts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence

__all__ = ["batch_command_line", "command_line", "shell_command", "shell_line"]

_PLAIN = re.compile(r"[A-Za-z0-9#$*+./:?@\\_\x80-\U0010ffff-]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NO_EXPANSION = "%%cd:~,%"
"""Expands to nothing, and keeps cmd.exe from expanding the variable that follows."""
_SHELL = ("cmd.exe", "/d", "/s", "/v:off", "/c")
_UTF_8 = "chcp 65001 >nul & "
"""Makes programs that ask for the console's code page write UTF-8."""


def command_line(command: Sequence[str], path: str) -> str:
    """Return the text that starts a command.

    Parameters
    ----------
    path
        The value of ``PATH`` to look the program up in.
    """
    if tuple(command[:-1]) == _SHELL:
        return f'{" ".join(_SHELL)} "{command[-1]}"'
    program = shutil.which(command[0], path=path) or command[0]
    if _is_script(program):
        return batch_command_line(program, command[1:])
    return subprocess.list2cmdline([program, *command[1:]])


def batch_command_line(script: str, arguments: Sequence[str]) -> str:
    """Return the text that runs a script of cmd.exe with just these arguments.

    It raises `ValueError` for what can't be passed on: a line break would end the command.
    """
    if '"' in script or script.endswith("\\") or _CONTROLS.search(script):
        raise ValueError(f"{script!r} can't be the name of a script")
    words = [f'"{script.replace("%", _NO_EXPANSION + "%")}"', *map(_batch_word, arguments)]
    return f'cmd.exe /e:on /v:off /d /c "{" ".join(words)}"'


def shell_command(line: str) -> tuple[str, ...]:
    """Return the command that runs a line as typed at cmd.exe; its output is UTF-8."""
    return (*_SHELL, _UTF_8 + line)


def shell_line(command: str, arguments: Sequence[str]) -> str:
    """Return a command line for cmd.exe: a line of the agent's, with arguments as plain words."""
    return " ".join([command, *map(_batch_word, arguments)])


def _is_script(program: str) -> bool:
    # Windows opens "x.cmd. " as "x.cmd".
    return program.rstrip(". ").lower().endswith((".cmd", ".bat"))


def _batch_word(word: str) -> str:
    if _CONTROLS.search(word):
        raise ValueError(f"{word[:100]!r} has a control character, which cmd.exe can't pass on")
    # Before a quote each backslash counts for itself only if doubled.
    text = re.sub(r'(\\*)"', r'\1\1""', word).replace("%", _NO_EXPANSION + "%")
    if _PLAIN.fullmatch(word) and not word.endswith("\\"):
        return text
    doubled = "\\" * (len(word) - len(word.rstrip("\\")))
    return f'"{text}{doubled}"'
