"""IPython in a terminal: a readable stream, and questions on the keyboard."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.support.notebook import jupyter_environment
from tests.support.trusting import trust_in_data_dir

pytestmark = pytest.mark.timeout(240)


class Terminal:
    """Somebody at a terminal."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "work"
        self.folder.mkdir()
        self._child = pexpect.spawn(
            sys.executable,
            ["-m", "IPython", "--simple-prompt", "--colors=NoColor", "--no-banner"],
            cwd=str(self.folder),
            env=jupyter_environment(tmp_path) | {"TERM": "dumb"},
            encoding="utf-8",
            timeout=60,
            echo=False,
            # Whoever runs the tests in the background may have had it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
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

    def until(self, words: str) -> str:
        self._child.expect_exact(words)
        return self._before()

    def _before(self) -> str:
        """Return what was printed, without the marks of a cell's further lines."""
        return re.sub(r"( +\.\.\.: )+", "", str(self._child.before).replace("\r\n", "\n"))

    def type(self, line: str) -> None:
        self._child.sendline(line)

    def interrupt(self) -> None:
        self._child.sendintr()

    def leave(self) -> str:
        """Leave IPython; return its last words."""
        self._child.sendline("exit")
        self._child.expect(pexpect.EOF)
        self._child.close()
        assert self._child.exitstatus == 0
        return str(self._child.before).strip()

    def end(self) -> None:
        self._child.close(force=True)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    trust_in_data_dir(tmp_path / "data", tmp_path)
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.end()


def test_a_turn_is_printed_and_asks(terminal: Terminal) -> None:
    terminal.cell("%load_ext acp_jupyter")
    made = terminal.folder / "hello.txt"

    terminal.cell("%%acp demo", "create hello.txt rate=0", "", "", ends=False)
    asked = terminal.until("Your answer (1 to 3): ")
    assert "Demo wants to create a file" in asked
    assert "+Written by the demo agent." in asked
    assert "[1] Allow once" in asked
    assert not made.exists()
    terminal.type("")
    assert "Type a number" in terminal.until("Your answer (1 to 3): ")
    assert not made.exists()
    terminal.type("1")
    printed = terminal.ended()
    assert "• Write hello.txt · Allowed once\n" in printed
    assert "Created `hello.txt`." in printed
    assert made.read_text() == "Written by the demo agent.\n"
    assert "<" not in printed
    assert "\x1b" not in printed

    terminal.cell("%%acp demo", "slow rate=5", "", "", ends=False)
    terminal.until("## Part")
    terminal.interrupt()
    assert terminal.ended().endswith("Stopped by you.\nKeyboardInterrupt: Stopped by you.\n\n")

    words = terminal.cell("%%acp demo --background", "list rate=0", "", "")
    assert "runs in the background: _acp.wait() waits for it." in words
    assert terminal.cell("_acp.wait().stop_reason") == "Out[5]: 'end_turn'\n\n"
    assert "Demo   ready" in terminal.cell("%acp sessions")

    # Nothing is said at the end, and the next program finds the session as it was left.
    assert terminal.leave() == ""
