"""An agent that a person writes in a notebook, from its first answer to the kernel's restart."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.browser.accessibility import expect_accessible, expect_all_inside, picture
from tests.support.browser.lab import LabPage
from tests.support.kernel.served_agents import LIBRARIAN, SERVE
from tests.support.server.workspace import Workspace

CHANGED = f"class Librarian(Librarian):\n    word = 'second'\n{SERVE}"
ENDED = (
    "librarian ran in the notebook's kernel, which has ended. Run the cell that serves it again."
)


def test_an_agent_of_a_cell(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(
        workspace.notebook(
            "", LIBRARIAN, SERVE, "%%acp librarian\nwait", "%%acp librarian\nedit", CHANGED
        )
    )
    (workspace.folder / "list.txt").write_text("old\n")
    nb.load_extension()
    nb.run_to_end(1)
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("librarian answers in this notebook: %%acp librarian")

    waiting = nb.run(3)
    expect(waiting.text("Hello, waiting")).to_be_visible()
    nb.wait_until_running(3)
    waiting.stop.click()
    nb.wait_for_end(3)

    turn = nb.run(4)
    expect(turn.plan).to_contain_text("Edit the list")
    expect(turn.diff("list.txt")).to_be_visible()
    both(lab, "an-agent-of-a-cell-asks")
    turn.answer("Allow")
    nb.wait_for_end(4)
    assert (workspace.folder / "list.txt").read_text() == "new\n"

    panel = lab.panel
    expect(panel.agent).to_contain_text("librarian")
    panel.say("say Bob")
    expect(panel.log.get_by_text("Hello, Bob")).to_be_visible()
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    both(lab, "an-agent-of-a-cell-in-the-panel")

    nb.run_to_end(5)
    panel.say("which")
    expect(panel.log.get_by_text("the second class, 4 messages")).to_be_visible()

    nb.restart()
    expect(panel.log.get_by_text(ENDED)).to_be_visible()
    expect(panel.text("Once its cell has run, your next message starts it again")).to_be_visible()
    expect(panel.button("Start again")).to_have_count(0)
    both(lab, "an-agent-of-a-cell-has-ended")
    for index in (1, 2):
        nb.run_to_end(index)
    panel.say("say Ada")
    expect(panel.log.get_by_text("Hello, Ada")).to_be_visible()


def both(lab: LabPage, name: str) -> None:
    """Keep pictures of the page for the eye, dark and light."""
    for theme in ("Dark", "Light"):
        lab.use_theme(f"JupyterLab {theme}")
        picture(lab.page, f"{name}-{theme.lower()}")
