"""Cells that are pinned or left out, in JupyterLab and in Notebook 7."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.chromium import Visitor
from tests.support.browser.composer import blocks_of, blocks_told, take
from tests.support.browser.fix import note
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace

HIDDEN = "key = 'hush'\nprint(key)"
MASKED = """\
import pandas
from acp_jupyter.context import mask
sales = pandas.DataFrame({"email": ["-".join(["ann", "lee"])]})
mask(sales, ["email"])"""


def _button(cell: Locator, name: str) -> Locator:
    return cell.locator(".jp-cell-toolbar").get_by_role("button", name=name)


def test_a_cell_is_pinned_another_left_out_and_both_stay_so(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook("%load_ext acp_jupyter", HIDDEN, "plan = [1, 2]", "1 / 0"))
    nb.wait_for_kernel()
    for index in range(3):
        nb.run_to_end(index)
    nb.cell(1).locator(".jp-InputArea-prompt").click()
    _button(nb.cell(1), "Leave out").click()
    mark = nb.cell(1).get_by_role("img", name="Left out: no agent gets this cell")
    expect(mark).to_be_visible()
    expect(_button(nb.cell(1), "Leave out")).to_have_attribute("aria-pressed", "true")
    nb.cell(2).locator(".jp-InputArea-prompt").click()
    lab.command("acp-jupyter:pin-cell")
    expect(nb.cell(2).get_by_role("img", name="Pinned")).to_be_visible()
    expect_accessible(lab.page, ".acp-ContextMark")
    lab.page.set_viewport_size({"width": 1280, "height": 330})  # the pictures need no more
    pictures.take_both("how-to/context", lab.page.locator(".jp-Notebook"), lab)
    lab.page.set_viewport_size({"width": 1280, "height": 800})
    nb.save()
    marks = [cell.metadata.get("acp") for cell in nb.read().cells]
    assert marks == [None, {"context": "left-out"}, {"context": "pinned"}, None]
    nb.run_to_end(3, "%acp context")
    expect(nb.output(3)).to_contain_text("left out")

    _send_by_the_panel(lab)
    _use_the_tools(lab, nb)
    _send_an_error(lab, nb)


def _send_by_the_panel(lab: LabPage) -> None:
    """The panel shows what goes along before it goes, and a cell can be taken out once."""
    panel = lab.panel
    panel.choose_agent("takes")
    line = panel.root.get_by_role("button", name="1 cell: ")
    expect(line).to_contain_text("1 cell: 13 B, about 3 tokens")
    line.click()
    going = panel.root.get_by_role("list", name="What goes along")
    expect(going).to_contain_text("plan = [1, 2]")
    expect_accessible(lab.page, ".acp-going")
    pictures.take_both("how-to/going-along", panel.root.locator(".acp-compose"), lab)
    going.get_by_role("button", name="Take Cell 3, pinned out").click()
    expect(panel.root.get_by_role("button", name="Nothing goes along")).to_be_visible()
    panel.message.fill("Without it")
    panel.message.press("Enter")
    assert "plan" not in json.dumps(blocks_told(lab.server, panel))
    line.click()  # the session is new, and so is its list
    expect(going).to_contain_text("plan = [1, 2]")
    take(panel, "With @cell1", "Cells", "Cell 1: %load_ext acp_jupyter")
    expect(panel.root.get_by_role("button", name="2 cells: ")).to_be_visible()
    shown = [each.inner_text() for each in going.locator("pre").all()]
    panel.message.press("Enter")
    told = blocks_told(lab.server, panel, 2)[1:]
    assert [each["resource"]["text"] for each in told] == shown
    expect(line).to_contain_text("1 cell: 13 B")


def _use_the_tools(lab: LabPage, nb: OpenNotebook) -> None:
    """Send a prompt from a cell, and have an agent use the tools."""
    nb.run_to_end(3, "%%acp takes --new --trust\nTell me of @cell 2")
    with AsUser(lab.server) as user:
        told = json.dumps(blocks_of(user, user.session_of(nb.path, "takes")))
    assert "plan = [1, 2]" in told
    assert "Cell 2 is left out by the user." in told
    assert "hush" not in told
    ids = nb.cell_ids()
    calls = [
        {"tool": "list_cells", "args": {}},
        {"tool": "read_cells", "args": {"cell_ids": ids[1:3]}},
        {"tool": "last_error", "args": {}},
        {"read": nb.file.name},
    ]
    nb.cell(2).locator(".jp-InputArea-prompt").click()
    lab.command("acp-jupyter:pin-cell")
    expect(nb.cell(2).get_by_role("img", name="Pinned")).to_have_count(0)
    nb.run_to_end(1, "1 / len('')  # hush")
    nb.run_to_end(3, f"%%acp notebook_user --new --policy allow-all\n{json.dumps(calls)}")
    nb.run_to_end(3, "print(_acp.text)")
    expect(nb.output(3)).to_contain_text("plan = [1, 2]")
    assert "hush" not in json.dumps(nb.outputs(3))
    assert json.dumps(nb.outputs(3)).count("left out by the user") >= 4
    expect(nb.cell(1).get_by_role("button", name="Fix", exact=True)).to_have_count(0)


def _send_an_error(lab: LabPage, nb: OpenNotebook) -> None:
    """The traceback has lines of the cell that is left out, and a value that is masked."""
    nb.run_to_end(1, "def half(number):\n    return int(number) / 2  # hush")
    nb.run_to_end(2, MASKED)
    nb.run_to_end(3, "half(sales.email[0])")
    expect(nb.output(3)).to_contain_text("# hush")
    expect(nb.output(3)).to_contain_text("'ann-lee'")
    nb.cell(3).get_by_role("button", name="Fix", exact=True).click()
    expect(note(nb, 3)).to_contain_text("takes proposed no fix.")
    told = [blocks_told(lab.server, lab.panel, 3)]
    take(lab.panel, "Look at @Value", "Errors", "Cell 4: ValueError")
    lab.panel.message.press("Enter")
    told.append(blocks_told(lab.server, lab.panel, 4))
    for each in map(json.dumps, told):
        assert "half(sales.email[0])" in each
        assert "invalid literal for int() with base 10: '[masked]'" in each
        assert "[a frame of a cell that is left out by the user]" in each
        assert "hush" not in each
        assert "ann-lee" not in each


@pytest.mark.long("JupyterLab runs the same code")
def test_notebook_7_has_the_same_buttons(
    lab: LabPage, visitor: Visitor, workspace: Workspace
) -> None:
    nb = LabPage(visitor, lab.server, "notebook").open(workspace.notebook("a = 1", "b = 2"))
    nb.cell(1).locator(".jp-InputArea-prompt").click()
    _button(nb.cell(1), "Pin:").click()
    expect(nb.cell(1).get_by_role("img", name="Pinned")).to_be_visible()
    _button(nb.cell(1), "Pin:").click()
    expect(nb.cell(1).get_by_role("img", name="Pinned")).to_have_count(0)
