"""*Ask about this* at an output: a plot, a table and a long log go along with a message."""

from __future__ import annotations

import base64
import json
import re

from playwright.sync_api import Locator, expect

from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.composer import PNG, attachments, blocks_told
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace

TOKEN = f"ghp_{'a1B2' * 9}"
PLOT = f"from IPython.display import Image\nImage({PNG!r}, width=90, height=60)"
TABLE = (
    "display({'text/html': '<table><tr><th>city</th></tr><tr><td>Ulm</td></tr></table>',"
    " 'text/plain': 'cut'}, raw=True)"
)
LOG = f"print('{TOKEN}\\n' + 'line\\n' * 9000 + 'the end')"


def _output(cell: Locator) -> Locator:
    return cell.locator(".jp-OutputArea-child").first


def _ask(lab: LabPage, nb: OpenNotebook, index: int) -> None:
    _output(nb.cell(index)).hover()
    lab.page.get_by_role("button", name="Ask about this").click()


def test_a_plot_a_table_and_a_log_go_along(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(PLOT, TABLE, LOG, "print('hush')"))
    nb.wait_for_kernel()
    for index in range(4):
        nb.run_to_end(index)
    _ask(lab, nb, 0)
    chips = attachments(lab.panel)
    expect(chips).to_have_text(["Cell 1, output"])
    _output(nb.cell(1)).click(button="right")
    lab.page.get_by_role("menuitem", name="Ask the Agent About This Output").click()
    nb.cell(2).locator(".jp-InputArea-prompt").click()
    lab.command("acp-jupyter:ask-about-output")
    expect(chips).to_have_text([f"Cell {number}, output" for number in (1, 2, 3)])

    _send(lab)
    _take_out(lab, nb)


def _send(lab: LabPage) -> None:
    """The agent gets what the panel shows, and the turn says what it was."""
    panel = lab.panel
    panel.choose_agent("takes")
    panel.root.get_by_role("button", name="3 outputs: ").click()
    going = panel.root.get_by_role("list", name="What goes along")
    expect(going.get_by_role("img", name="Cell 1, output")).to_be_visible()
    expect(going).to_contain_text("as text if the agent takes no images")
    expect(going).to_contain_text("| city |\n| Ulm |")
    expect(going).to_contain_text("characters left out")
    shown = [each.inner_text().strip() for each in going.locator("pre").all()]
    expect_accessible(lab.page, ".acp-going")
    panel.message.fill("What do they show?")
    panel.message.press("Enter")
    _, plot, table, log = blocks_told(lab.server, panel)
    assert base64.b64decode(plot["data"]) == PNG
    assert [each["resource"]["text"].strip() for each in (table, log)] == shown
    assert shown[1].endswith("the end")
    assert TOKEN not in json.dumps(log)
    panel.root.get_by_role("button", name="With 3 outputs: ").click()
    went = panel.root.get_by_role("list", name="What went along").get_by_role("listitem")
    expect(went).to_contain_text(
        ["Cell 1, output 1", "Cell 2, output 1", re.compile("Cell 3, output 1 ?20 kB, cut")]
    )
    expect_accessible(lab.page, ".acp-along")


def _take_out(lab: LabPage, nb: OpenNotebook) -> None:
    """One is taken out, and nothing of a cell that is left out goes along, now or later."""
    panel = lab.panel
    chips = attachments(panel)
    going = panel.root.get_by_role("list", name="What goes along")
    for index in (2, 3):
        _ask(lab, nb, index)
        expect(chips).to_have_count(index - 1)
    panel.root.get_by_role("button", name="2 outputs: ").click()  # the list of a new session
    going.get_by_role("button", name="Take Cell 3, output out").click()
    expect(chips).to_have_text(["Cell 4, output"])
    nb.cell(3).locator(".jp-InputArea-prompt").click()
    lab.command("acp-jupyter:leave-out-cell")
    panel.message.press("Enter")
    expect(panel.text("Cell 4 is left out now, so nothing was sent.").first).to_be_visible()
    chips.get_by_role("button", name="Remove Cell 4, output").click()
    _ask(lab, nb, 3)
    expect(panel.text("nothing of it can be asked about")).to_be_visible()
    expect(chips).to_have_count(0)
