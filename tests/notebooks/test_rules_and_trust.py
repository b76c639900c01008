"""Rules of a cell, and the question about its folder, where the host is in the kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kernel.cells import Kernel


@pytest.fixture
def untrusted(folder: Path) -> Iterator[Kernel]:
    """A kernel whose folder nobody has trusted yet."""
    (folder.parent / "data" / "acp-jupyter" / "trust.json").unlink()
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


def kept(folder: Path) -> list[str]:
    file = folder.parent / "data" / "acp-jupyter" / "trust.json"
    return [entry["path"] for entry in json.loads(file.read_text())["folders"]]


def test_a_rule_of_the_cell_allows_and_another_denies(kernel: Kernel, folder: Path) -> None:
    kernel.run("%%acp permission --deny edit:*.txt --allow edit\nwords").ok()
    assert not (folder / "edited.txt").exists()
    kernel.run("%%acp permission --allow edit:*.txt\nwords").ok()
    assert (folder / "edited.txt").read_text() == "words\n"
    (folder / "edited.txt").unlink()
    # It counted for that turn only.
    cell = kernel.run("%%acp permission\nwords")
    assert "Nobody could be asked" in cell.traceback
    assert not (folder / "edited.txt").exists()


def test_a_rule_that_is_none_says_what_to_type(kernel: Kernel) -> None:
    cell = kernel.run("%%acp permission --allow 'edits:*.txt'\nwords")
    assert "Type edit" in cell.printed
    cell = kernel.run("%%acp permission --allow 'execute:ls | sh'\nwords")
    assert "not a plain command" in cell.printed


def test_without_anybody_to_ask_it_fails_and_names_the_option(
    untrusted: Kernel, folder: Path
) -> None:
    cell = untrusted.run("%%acp hello\nHi")
    assert "--trust" in cell.traceback
    untrusted.run("%%acp hello --trust\nHi").ok()
    assert kept(folder) == [str(folder.resolve())]


def test_who_sits_there_is_asked_once(untrusted: Kernel, folder: Path) -> None:
    cell = untrusted.run("%%acp hello\nHi", answers=["2"])
    assert "has been allowed to run" in cell.traceback
    cell = untrusted.run("%%acp hello\nHi", answers=["3", "1"]).ok()
    assert len(cell.questions) == 2
    assert kept(folder) == [str(folder.resolve())]
    assert not untrusted.run("%%acp hello --new\nHi", watched=True).ok().questions


def test_the_demo_asks_nothing(untrusted: Kernel) -> None:
    assert not untrusted.run("%%acp demo --policy read-only\nWhat is here?", watched=True).questions
