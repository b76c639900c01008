"""Somebody at a terminal: in IPython, or before a program."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pexpect

from tests.support.kernel.cells import jupyter_environment
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["IPythonTerminal", "ProgramAtTerminal"]


class _Terminal:
    variables: Mapping[str, str] = {}
    """More of its environment."""

    def __init__(self, tmp_path: Path, *command: str) -> None:
        self.folder = tmp_path / "work"
        self.folder.mkdir(exist_ok=True)
        self._child = pexpect.spawn(
            sys.executable,
            list(command),
            cwd=str(self.folder),
            env=jupyter_environment(tmp_path) | {"TERM": "dumb"} | dict(self.variables),
            encoding="utf-8",
            codec_errors="replace",
            timeout=PATIENCE_SECONDS,
            echo=False,
            # Whoever runs the tests in the background may have had it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def until(self, words: str) -> str:
        self._child.expect_exact(words)
        return self._before()

    def type(self, line: str) -> None:
        self._child.sendline(line)

    def interrupt(self) -> None:
        self._child.sendintr()

    def end(self) -> None:
        self._child.close(force=True)

    def _before(self) -> str:
        """Return what was printed, without the marks of a cell's further lines."""
        return re.sub(r"( +\.\.\.: )+", "", str(self._child.before).replace("\r\n", "\n"))

    def _left(self) -> tuple[str, int | None]:
        """Return the last words and the exit code."""
        self._child.expect(pexpect.EOF)
        self._child.close()
        return self._before().strip(), self._child.exitstatus


class ProgramAtTerminal(_Terminal):
    """A Python program that somebody started at a terminal."""

    def left(self) -> tuple[str, int | None]:
        """Return its last words and its exit code, once it has ended."""
        return self._left()


class IPythonTerminal(_Terminal):
    """IPython, with a prompt that is easily read."""

    def __init__(self, tmp_path: Path, variables: Mapping[str, str] = {}) -> None:
        self.variables = variables
        options = ("--simple-prompt", "--colors=NoColor", "--no-banner")
        super().__init__(tmp_path, "-m", "IPython", *options)
        self._number = 1
        self._child.expect_exact("In [1]: ")

    def cell(self, *lines: str, ends: bool = True) -> str:
        """Type a cell; return what was printed until the next prompt."""
        self._child.sendline("\n".join(lines))
        return self.ended() if ends else ""

    def ended(self) -> str:
        self._number += 1
        self._child.expect_exact(f"In [{self._number}]: ")
        return self._before()

    def leave(self, words: str = "exit") -> str:
        """Leave IPython; return its last words."""
        self._child.sendline(words)
        said, code = self._left()
        assert code == 0, said
        return said
