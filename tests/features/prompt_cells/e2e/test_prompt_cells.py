"""Prompts in a notebook whose kernel is not Python, and never sees them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser import pictures
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.kernel.words_kernel import NAME, install
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

STATUS = "notebook => notebook.sessionContext.session.kernel.status"
FIRST = "%%acp own_tools\nwrite a.txt one"


def open_words(lab: LabPage, workspace: Workspace, *sources: str) -> OpenNotebook:
    install(lab.server.root.parent / "data")
    notebook = new_notebook(*sources, kernel=NAME)
    notebook.metadata.kernelspec["language"] = NAME
    write_notebook(workspace.folder / "nb.ipynb", notebook)
    nb = lab.open(f"{workspace.name}/nb.ipynb")
    nb.wait_for_kernel()
    eventually(lambda: nb.evaluate(STATUS) == "idle", "the kernel has answered")
    return nb


def prompts(server: JupyterServer, agent: str) -> list[Any]:
    """Return the content of each prompt that an agent was sent."""
    with server.user() as user:
        (session,) = [each for each in user.get("sessions").json() if each["agent"] == agent]
        log = user.get(f"sessions/{session['session_id']}/traffic").text
    lines = (json.loads(line) for line in log.splitlines())
    sent = (line["m"] for line in lines if line["d"] == ">")
    return [each["params"]["prompt"] for each in sent if each.get("method") == "session/prompt"]


def test_a_prompt_in_a_notebook_of_another_kernel(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    nb = open_words(lab, workspace, "set price 3", FIRST, "seen", "seen")
    file = workspace.folder / "a.txt"

    # All cells in order: the later one waits for the turn, and the kernel sees no prompt.
    lab.command("notebook:run-all-cells", wait=False)
    expect(nb.output(3)).to_contain_text("['set price 3', 'seen', 'seen']")
    assert file.read_text() == "one"
    pictures.take_both("how-to/prompt-cells", nb.cell(1), lab)

    # It is in the file as a turn of Python, and programs that run notebooks pass it over.
    assert nb.final_output(1)
    cell = nb.read().cells[1]
    assert cell.metadata.tags == ["skip-execution"]

    # Variables as the kernel describes them; other options as for the magic.
    nb.run(1, "%%acp hello --var price\nIs @price right?")
    expect(nb.turn(1).root).to_contain_text("Hello")
    (sent,) = prompts(lab.server, "hello")
    assert sent[1]["text"] == "Variables of the notebook's kernel:\n\nprice is 3"
    assert "variable/price" in sent[2]["text"]
    assert "price is 3" in sent[2]["text"]

    # Again from before its first run.
    nb.run(1, "%%acp own_tools --rewind\nwrite b.txt three")
    expect(nb.output(1)).to_contain_text("Went back")
    eventually(lambda: (workspace.folder / "b.txt").exists(), "the prompt was sent")
    assert not file.exists()

    # What can't be read is said below the cell, and help is help.
    nb.run(1, "%%acp own_tools --polcy ask\nHello")
    expect(nb.output(1)).to_contain_text("There is no option --polcy. Type --policy.")
    nb.run(1, "%%acp own_tools --out turn\nHello")
    expect(nb.output(1)).to_contain_text("--out needs a Python kernel")
    nb.run(1, "%%acp --help")
    expect(nb.output(1)).to_contain_text("%%acp [AGENT] [options]")
    expect(nb.prompt_mark(1)).not_to_contain_text("*")


def test_a_prompt_does_not_need_the_kernel(lab: LabPage, workspace: Workspace) -> None:
    nb = open_words(lab, workspace, f"wait {workspace.folder}/go", FIRST, "fail", FIRST, "seen")
    nb.run(0)
    eventually(lambda: nb.evaluate(STATUS) == "busy", "the kernel is busy")
    turn = nb.run(1)
    expect(turn.root).to_contain_text("a.txt")
    expect(nb.output(1)).to_contain_text("The kernel is busy")
    (workspace.folder / "go").touch()
    nb.wait_for_end(0)

    # After a cell that fails, nothing more is run.
    lab.command("notebook:run-all-cells", wait=False)
    expect(nb.output(2)).to_contain_text("as asked")
    expect(nb.prompt_mark(4)).not_to_contain_text("*")
    expect(nb.output(3)).to_have_text("")

    # Interrupting the kernel stops the prompt.
    slow = nb.run(3, "%%acp own_tools\nwait")
    expect(slow.stop).to_be_visible()
    nb.interrupt()
    expect(slow.root).to_contain_text("Stopped")
    expect(nb.prompt_mark(3)).not_to_contain_text("*")

    # A kernel with a magic of that name gets the cell.
    nb.run_to_end(4, "magic")
    nb.run(3, "%%acp\nhello")
    expect(nb.output(3)).to_contain_text("ran %%acp")


@pytest.mark.long("the executor is JupyterLab's, of which Notebook has the same")
def test_a_prompt_in_notebook_7(lab: LabPage, visitor: Visitor, workspace: Workspace) -> None:
    lab = LabPage(visitor, lab.server, "notebook")
    nb = open_words(lab, workspace, "set price 3", FIRST, "seen")
    lab.command("notebook:run-all-cells", wait=False)
    expect(nb.output(2)).to_contain_text("['set price 3', 'seen']")
    expect(nb.turn(1).root).to_contain_text("a.txt")
    assert (workspace.folder / "a.txt").read_text() == "one"
    assert nb.final_output(1)
