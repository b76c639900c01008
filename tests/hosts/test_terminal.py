"""IPython in a terminal: a readable stream, and questions on the keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.terminal import IPythonTerminal
from tests.support.locales import locale_variables


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[IPythonTerminal]:
    trust_in_data_dir(tmp_path / "data", tmp_path)
    terminal = IPythonTerminal(tmp_path)
    yield terminal
    terminal.end()


def test_a_turn_is_printed_and_asks(terminal: IPythonTerminal) -> None:
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

    terminal.cell("%%acp demo --background", "slow rate=5", "", "")
    # Nothing is said at the end, also of the turn that runs, and the next program finds the
    # session as it was left.
    assert terminal.leave() == ""


@pytest.mark.long
def test_an_awaited_turn_asks_and_an_interrupt_stops_it(terminal: IPythonTerminal) -> None:
    terminal.cell("import acp_jupyter; s = acp_jupyter.connect('demo')")
    terminal.cell("await s.prompt('create hello.txt rate=0')", ends=False)
    assert "[1] Allow once" in terminal.until("Your answer (1 to 3): ")
    terminal.type("1")
    assert "Created `hello.txt`." in terminal.ended()
    assert (terminal.folder / "hello.txt").exists()

    terminal.cell("t = s.prompt('slow rate=5')")
    terminal.cell("async for piece in t.stream(): print(piece)", "", "", ends=False)
    terminal.until("## Part")
    terminal.interrupt()
    assert "The turn was stopped." in terminal.ended()
    terminal.cell("t2 = s.prompt('create other.txt rate=0'); await t2", ends=False)
    terminal.until("Your answer (1 to 3): ")
    terminal.interrupt()
    assert "The turn was stopped." in terminal.ended()
    stops = terminal.cell("t.wait(9).stop_reason, t2.wait(9).stop_reason")
    assert "('cancelled', 'cancelled')" in stops
    assert not (terminal.folder / "other.txt").exists()
    assert terminal.leave("exit()") == ""


@pytest.mark.long
def test_a_thread_in_ipython_is_refused_at_once(terminal: IPythonTerminal) -> None:
    terminal.cell("import acp_jupyter, threading; s = acp_jupyter.connect('demo')")
    terminal.cell("t = s.prompt('create hello.txt rate=0')")
    words = terminal.cell("w = threading.Thread(target=t.wait); w.start(); w.join()")
    assert "NobodyToAsk: Nobody could be asked, so this was rejected." in words
    assert not (terminal.folder / "hello.txt").exists()
    assert "'error'" in terminal.cell("t.stop_reason")


@pytest.mark.long
def test_a_terminal_records_and_replays(terminal: IPythonTerminal) -> None:
    terminal.cell("%load_ext acp_jupyter")
    assert "recorded in made.acp" in terminal.cell("%acp record on made.acp")
    prompt = ("%%acp demo --policy accept-edits", "create made.txt rate=0", "", "")
    assert "Created `made.txt`." in terminal.cell(*prompt)
    (terminal.folder / "made.txt").unlink()
    assert "played from made.acp" in terminal.cell("%acp replay on made.acp")
    assert "Created `made.txt`." in terminal.cell(*prompt)
    assert (terminal.folder / "made.txt").exists()


@pytest.mark.parametrize("locale", ["ascii", "latin-1"])
def test_a_turn_is_printed_in_a_locale_that_lacks_its_characters(
    tmp_path: Path, locale: str
) -> None:
    trust_in_data_dir(tmp_path / "data", tmp_path)
    terminal = IPythonTerminal(tmp_path, {"LANG": "", **locale_variables(locale, tmp_path)})
    try:
        terminal.cell("%load_ext acp_jupyter")
        terminal.cell("%%acp demo", "run python --version rate=0", "", "", ends=False)
        assert "[1] Allow once" in terminal.until("Your answer (1 to 2): ")
        terminal.type("1")
        printed = terminal.ended()
    finally:
        terminal.end()
    assert "Error" not in printed
    assert "\\u2022 " in printed
