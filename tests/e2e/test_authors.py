"""A person works on in a second tab while an agent waits: their work is theirs, and stays."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser import pictures
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_file import OpenFile
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

AGENTS = CLEAN_PY.replace("kept = []", "kept = list()")
TURN = f"%%acp own_tools\nwrite clean.py {AGENTS}\nwrite made.py 1\\n\nask\nsay Done".replace(
    AGENTS, AGENTS.replace("\n", "\\n")
)


@pytest.mark.long
def test_what_a_person_saves_while_an_agent_waits_is_theirs(
    lab: LabPage, visitor: Visitor, server: JupyterServer, workspace: Workspace
) -> None:
    lab.page.set_viewport_size({"width": 1100, "height": 1000})
    (workspace.folder / "table.csv").write_text("a,b\n")
    mine = workspace.notebook("x = 1", "y = 2", name="mine.ipynb")
    nb = lab.open(workspace.notebook("%load_ext acp_jupyter", TURN))
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    assert workspace.clean_py == AGENTS

    other = LabPage(visitor, server)
    theirs, new, both = _work(other, workspace, mine)
    saved = {path: path.read_bytes() for path in (theirs.file, new.file)}
    # And a program that nobody here knows.
    (workspace.folder / "table.csv").write_text("a,b\n1,2\n")

    turn.answer("Allow")
    nb.wait_for_end(1)
    card = turn.root.get_by_role("group", name="Changes")
    expect(card).to_contain_text("2 files changed")
    yours = card.get_by_role("group", name="Changed by you")
    expect(yours).to_contain_text("You changed 2 files. Revert leaves them.")
    unknown = card.get_by_role("group", name="Author unknown")
    expect(unknown).to_contain_text("1 more file changed meanwhile. Who changed it is unknown.")
    pictures.take_both("how-to/authors", card, lab)

    card.get_by_role("button", name="Revert all").click()
    eventually(lambda: not (workspace.folder / "made.py").exists(), "the agent's file is gone")
    eventually(lambda: workspace.clean_py == f"{CLEAN_PY}# mine\n", "the lines of both")
    assert both.text.endswith("# mine\n")
    assert {path: path.read_bytes() for path in saved} == saved
    sources = "widget => widget.content.model.sharedModel.cells.map(cell => cell.getSource())"
    assert theirs.evaluate(sources) == ["x = 'mine'", "y = 'not saved'"]
    assert new.evaluate(sources) == ["new = 'mine'"]
    assert (workspace.folder / "table.csv").read_text() == "a,b\n1,2\n"
    expect(other.notices).to_have_count(0)

    unknown.get_by_role("button", name="Revert this too").click()
    eventually(lambda: (workspace.folder / "table.csv").read_text() == "a,b\n", "all is back")
    assert {path: path.read_bytes() for path in saved} == saved


def _work(
    lab: LabPage, workspace: Workspace, path: str
) -> tuple[OpenNotebook, OpenNotebook, OpenFile]:
    """Edit and save a notebook, a new one, and a file of which the agent has changed a line."""
    theirs = lab.open(path)
    theirs.set_source(0, "x = 'mine'")
    theirs.save()
    new = lab.create_notebook(workspace.name)
    new.set_source(0, "new = 'mine'")
    new.save()
    both = OpenFile(lab, f"{workspace.name}/clean.py")
    assert both.text == AGENTS
    both.append("# mine\n")
    both.save()
    theirs.set_source(1, "y = 'not saved'")
    return theirs, new, both
