"""Questions of agents and files for them, in a kernel without a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.kernel.cells import Kernel


def test_a_form_is_filled_in_on_stdin_and_reviewed(kernel: Kernel) -> None:
    # colour, points (too many), share, grid, columns, mail, note, key, spin; review; points again
    answers = ["1", "1", "200", "", "n", "1,3", "", "", "", "", "1", "7", "1"]
    cell = kernel.run("%%acp elicit\nform", answers=answers).ok()
    assert len(cell.questions) == len(answers)
    assert "Must be at most 100." in cell.printed
    assert "Enter keeps Green" in "".join(cell.questions)
    assert "Points: 7" in cell.printed
    told = json.loads(kernel.run("print(_acp.text)").ok().printed)
    assert told["action"] == "accept"
    assert told["content"] == {"colour": "red", "points": 7, "grid": False, "columns": ["a", "c"]}


@pytest.mark.long
def test_a_default_is_kept_by_enter_and_shown_before_it_is_sent(kernel: Kernel) -> None:
    cell = kernel.run("%%acp elicit\nsimple", answers=["1", "", "1"]).ok()
    assert "Your name: Ada" in cell.printed
    assert '"name": "Ada"' in kernel.run("print(_acp.text)").ok().printed
    assert "Your name: **Ada**" in cell.outputs[0].data["text/markdown"]


@pytest.mark.long
def test_a_question_is_declined_on_stdin(kernel: Kernel) -> None:
    kernel.run("%%acp elicit\nsimple", answers=["2"]).ok()
    assert '{"action": "decline"}' in kernel.run("print(_acp.text)").ok().printed


@pytest.mark.long
def test_a_page_is_shown_in_full(kernel: Kernel) -> None:
    cell = kernel.run("%%acp elicit\nurl https://example.org/a?b", answers=["1"]).ok()
    question = cell.outputs[1].states[0]["text/plain"]
    assert "https://example.org/a?b" in question
    assert "This leads to example.org." in question


def test_where_nobody_can_answer_the_cell_fails_in_words(kernel: Kernel) -> None:
    cell = kernel.run("%%acp elicit --policy allow-all\nsimple")
    assert cell.error == "NobodyToAsk"
    assert "No policy answers questions." in cell.traceback


def test_files_go_along_as_the_agent_can_take_them(kernel: Kernel, folder: Path) -> None:
    (folder / "notes.md").write_text("# Notes")
    (folder / "pixel.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    kernel.run("%%acp takes --attach notes.md --attach pixel.png\nLook").ok()
    blocks = json.loads(kernel.run("print(_acp.text)").ok().printed)
    assert [block["type"] for block in blocks] == ["text", "resource_link", "resource_link"]
    kernel.run("%%acp demo --attach notes.md --attach pixel.png\nhello").ok()
    sent = kernel.run("print([a.type for a in _acp._detail.items[0].attachments])").ok().printed
    assert sent == "['resource', 'image']\n"


def test_a_file_that_cannot_go_along_is_told_of(kernel: Kernel, folder: Path) -> None:
    (folder.parent / "outside.txt").write_text("secret")
    for path, words in (
        ("../outside.txt", "outside the session's folder"),
        ("missing.txt", "does not exist"),
        (".", "is a folder"),
    ):
        cell = kernel.run(f"%%acp takes --attach {path}\nLook")
        assert cell.outputs == []
        assert words in cell.printed + cell.traceback
