"""Open documents that are renamed, closed, fought over or frozen while an agent works on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import switch_saving_off
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.long

_LOAD = "%load_ext acp_jupyter"
_WIDGET = "[...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)"


def _edit(nb: OpenNotebook, index: int, source: str, *, ask: bool) -> str:
    """The prompt that makes the agent change a cell as it stands now."""
    cell = nb.read().cells[index]
    arguments = {
        "cell_id": cell.id,
        "fingerprint": fingerprint(cell.source),
        "source": source,
    }
    return json.dumps([{"tool": "edit_cell", "args": arguments, "ask": ask}])


def _on_page(nb: OpenNotebook, deed: str, argument: Any = None) -> Any:
    return nb.lab.page.evaluate(
        f"([path, value]) => {{ const notebook = {_WIDGET}; {deed} }}", [nb.path, argument]
    )


def _sources(nb: OpenNotebook) -> list[str]:
    cells = "notebook.content.model.sharedModel.cells"
    found: list[str] = _on_page(nb, f"return {cells}.map(cell => cell.getSource());")
    return found


def test_a_notebook_is_renamed_in_the_middle_of_a_turn(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(_LOAD, "pass", "x = 1", "y = 1"))
    nb.load_extension()
    turn = nb.run(1, f"%%acp notebook_user --trust\n{_edit(nb, 2, 'x = 2', ask=True)}")
    expect(turn.permission).to_be_visible()
    nb.set_source(3, "y = 'typed'")
    old = nb.file
    _on_page(nb, "return notebook.context.rename(value);", "renamed.ipynb")
    renamed = OpenNotebook(lab, f"{workspace.name}/renamed.ipynb")
    renamed.turn(1).answer("Yes")
    renamed.wait_for_end(1)
    assert _sources(renamed)[2:] == ["x = 2", "y = 'typed'"]
    renamed.saved_output(1)
    renamed.wait_until_clean()
    assert [cell.source for cell in renamed.read().cells[2:]] == ["x = 2", "y = 'typed'"]
    assert not old.exists()
    expect(lab.notices).to_have_count(0)


def test_a_notebook_is_closed_in_the_middle_of_a_turn(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(_LOAD, "pass", "x = 1"))
    nb.load_extension()
    turn = nb.run(1, f"%%acp notebook_user --trust\n{_edit(nb, 2, 'x = 2', ask=True)}")
    expect(turn.permission).to_be_visible()
    _on_page(nb, "return notebook.context.save().then(() => notebook.dispose());")
    panel = lab.panel
    expect(panel.permission).to_be_visible()
    panel.answer("Yes")
    eventually(lambda: nb.read().cells[2].source == "x = 2", what="the file is changed")
    with AsUser(lab.server) as user:
        user.ended(user.newest_turn(user.session_of(nb.path)))
    lab.command("docmanager:open", {"path": nb.path}, wait=False)
    again = lab.notebook(nb.path)
    assert _sources(again)[2] == "x = 2"
    again.saved_output(1)
    expect(again.turn(1).root).to_contain_text("edit_cell")
    expect(lab.notices).to_have_count(0)


def test_two_turns_edit_one_cell(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(_LOAD, "pass", "pass", "x = 1"))
    nb.load_extension()
    slow = f"%%acp notebook_user --trust --background\n{_edit(nb, 3, 'x = 2', ask=True)}"
    first = nb.run(1, slow)
    expect(first.permission).to_be_visible()
    quick = _edit(nb, 3, "x = 3", ask=False)
    nb.run_to_end(2, f"%%acp another_user --trust --policy allow-all\n{quick}")
    assert _sources(nb)[3] == "x = 3"
    first.answer("Yes")
    expect(first.root).to_contain_text("was changed since you read it")
    assert _sources(nb)[3] == "x = 3"
    nb.wait_until_clean()
    assert nb.read().cells[3].source == "x = 3"


def test_a_page_that_never_answers(
    lab: LabPage, workspace: Workspace, visitor: Visitor, server: JupyterServer
) -> None:
    """What it shows and has not saved is not written over; the agent is told."""
    switch_saving_off(server)
    lab.open_empty(workspace.name)
    path = f"{workspace.name}/clean.py"
    lab.command("docmanager:open", {"path": path, "factory": "Editor"})
    lab.page.wait_for_function(f"path => {_WIDGET}?.context.isReady", arg=path)
    append = "shared.updateSource(shared.source.length, shared.source.length, '# typed\\n');"
    lab.page.evaluate(
        f"path => {{ const shared = {_WIDGET}.context.model.sharedModel; {append} }}", path
    )
    with AsUser(server) as user:
        session_id = user.new_session("edits_files", workspace.name, policy="allow-all")

        def told(prompt: str) -> str:
            items = user.ended(user.prompt(session_id, prompt))["items"]
            return "\n".join(item["text"] for item in items[1:] if "text" in item)

        eventually(lambda: "# typed" in told("fs read clean.py"), what="the page is asked")
        with _frozen(visitor, lab):
            said = told('fs write clean.py "# the agent\'s\\n"')
        assert "Could not be saved before this prompt: clean.py." in said
        assert "its page does not answer. Nothing was written." in said
        # It wakes up: nothing is done late, and what was typed is there.
        text = f"path => {_WIDGET}.context.model.toString()"
        assert lab.page.evaluate(text, path) == f"{CLEAN_PY}# typed\n"
        assert workspace.clean_py == CLEAN_PY
        replaced = told('fs replace clean.py "typed" "typed, and more"')
        assert "error" not in replaced
        assert workspace.clean_py == f"{CLEAN_PY}# typed, and more\n"
        assert lab.page.evaluate(text, path) == workspace.clean_py


@contextmanager
def _frozen(visitor: Visitor, lab: LabPage) -> Iterator[None]:
    """Stop all scripts of the page; it stays connected."""
    debugger = visitor.context.new_cdp_session(lab.page)
    debugger.send("Debugger.enable")
    debugger.send("Debugger.pause")
    try:
        yield
    finally:
        debugger.send("Debugger.disable")
