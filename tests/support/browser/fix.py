"""A cell that fails, and the note of *Fix* under it."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyterlab_server import write_settings
from tests.support.server.workspace import Workspace

__all__ = ["BROKEN", "FIXED", "expect_answerable", "expect_side_by_side", "fail", "note", "source"]

BROKEN = "# the mean  \nmean = sum(prices) / len(price)\n\nmean\n"
"""With trailing spaces and a trailing line feed, which must all come back."""

FIXED = BROKEN.replace("len(price)", "len(prices)")


def source(notebook: OpenNotebook, index: int) -> bytes:
    """Return what a cell has in the open document."""
    text: str = notebook.lab.page.evaluate(
        """([path, index]) => [...jupyterapp.shell.widgets('main')]
          .find(w => w.context?.path === path)
          .content.model.sharedModel.getCell(index).getSource()""",
        [notebook.path, index],
    )
    return text.encode()


def note(notebook: OpenNotebook, index: int) -> Locator:
    return notebook.cell(index).get_by_role("group", name="Fix", exact=True)


def expect_answerable(fix: Locator, button: str) -> None:
    """What has just come into view takes no key for half a second."""
    answer = fix.get_by_role("button", name=button)
    expect(answer).to_have_attribute("aria-disabled", "false")


def fail(lab: LabPage, workspace: Workspace, agent: str) -> OpenNotebook:
    """Open a notebook whose second cell has failed; the agent is that of the settings."""
    write_settings(lab.server.root.parent, "acp-jupyter:plugin", {"agent": agent})
    nb = lab.open(workspace.notebook("prices = [3, 1, 2]", BROKEN, "left = 1"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(1)
    expect(nb.output(1)).to_contain_text("NameError")
    return nb


def expect_side_by_side(nb: OpenNotebook) -> None:
    """The output before the fix, and the one with it."""
    before = nb.output(1).get_by_role("group", name="Output before the fix")
    now = nb.output(1).locator(".jp-OutputArea")
    expect(before).to_contain_text("NameError")
    expect(now).to_contain_text("2.0")
    expect(now).not_to_contain_text("NameError")
    left, right = before.bounding_box(), now.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"] + 1
