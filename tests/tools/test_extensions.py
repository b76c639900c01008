"""Extensions of JupyterLab beside us: all of them at once, and Tab in a prompt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

BESIDE = {
    "jupyterlab-git": "@jupyterlab/git",
    "jupyterlab-lsp": "@jupyter-lsp/jupyterlab-lsp",
    "jupyterlab-vim": "@axlair/jupyterlab_vim",
    "jupyterlab-spellchecker": "@jupyterlab-contrib/spellchecker",
    "jupyterlab-execute-time": "jupyterlab-execute-time",
    "jupyter-resource-usage": "@jupyter-server/resource-usage",
}


@pytest.mark.parametrize("package", BESIDE.values(), ids=BESIDE)
def test_it_is_there(python: Path, package: str) -> None:
    found = python.parents[1] / "share/jupyter/labextensions" / package / "package.json"
    assert found.exists()


def test_a_turn_is_drawn_and_saved_beside_all_of_them(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook("%load_ext acp_jupyter", "%%acp demo\nedit clean.py rate=0"))
    nb.load_extension()
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("by a list comprehension")
    # What jupyterlab-lsp writes into its own folder is not the turn's.
    expect(turn.root).not_to_contain_text(".virtual_documents")
    nb.saved_output(1)
    bad = re.compile(r"^error.*acp", re.IGNORECASE)
    assert [line for line in lab.log.console if bad.search(line)] == []


def test_tab_in_a_prompt_offers_our_words_beside_jupyterlab_lsp(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook("%load_ext acp_jupyter", "%%acp demo --pol"))
    nb.load_extension()
    nb.cell(1).locator(".cm-content").click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.press("Tab")
    words = lab.page.locator(".jp-Completer-item, .cm-line:has-text('--policy')")
    expect(words.first).to_contain_text("--policy")
