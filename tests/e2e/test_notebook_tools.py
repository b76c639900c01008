"""An agent at work in the notebook that is open, while the cell that asked it still waits."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.composer import take
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually


def test_an_agent_plots_below_the_cell_that_waits_for_it(
    lab: LabPage, workspace: Workspace
) -> None:
    path = workspace.notebook(
        "%load_ext acp_jupyter\nprices = [3, 1, 2]",
        "%%acp demo\nplot prices",
        "mean = sum(prices) / 3",
        "count = len(prices)",
    )
    notebook = lab.open(path)
    notebook.wait_for_kernel()
    notebook.run_to_end(0)
    turn = notebook.run(1)
    expect(turn.permission).to_contain_text("change the notebook")
    # Typed while the agent waits, and nowhere saved.
    notebook.set_source(3, "count = 3  # typed")
    turn.choose("Allow")
    # Its cell is there, below the one that asked, and has not run.
    expect(notebook.cell(2)).to_contain_text("plt.bar(")
    expect(turn.permission).to_contain_text("run code in the notebook's kernel")
    notebook.wait_until_running(1)
    turn.answer("Allow")
    seen = turn.text(re.compile(r"I see the plot: a PNG of \d+ × \d+ pixels"))
    expect(seen).to_be_visible()
    notebook.wait_for_end(1)
    picture = notebook.output(2).locator("img")
    expect(picture).to_be_visible()
    size = picture.evaluate("img => `${img.naturalWidth} × ${img.naturalHeight}`")
    expect(seen).to_contain_text(f"a PNG of {size} pixels")
    expect(notebook.cell(4)).to_contain_text("# typed")


_SHOP = """\
%load_ext acp_jupyter
import sqlite3
shop = sqlite3.connect(":memory:")
shop.execute("CREATE TABLE sales (city TEXT, sold INTEGER)")
shop.executemany("INSERT INTO sales VALUES (?, ?)", [("Ulm", 2), ("Bonn", 3), ("Ulm", 5)]);
"""
_SQL = "SELECT city, sum(sold) AS total FROM sales GROUP BY city"


def test_an_agent_queries_a_database_of_the_kernel_after_a_question(
    lab: LabPage, workspace: Workspace
) -> None:
    notebook = lab.open(workspace.notebook(_SHOP, f"%%acp demo\nquery shop: {_SQL}"))
    notebook.wait_for_kernel()
    notebook.run_to_end(0)
    turn = notebook.run(1)
    expect(turn.permission).to_contain_text("query shop in the notebook's kernel")
    expect(turn.permission).to_contain_text(_SQL)
    turn.choose("Allow")
    notebook.wait_for_end(1)
    table = notebook.output(1).locator("table").filter(has_text="total")
    expect(table.locator("tr")).to_have_text([re.compile(r"city\s*total"), *_ROWS])


_ROWS = [re.compile(r"Bonn\s*3"), re.compile(r"Ulm\s*7")]


@pytest.mark.long
def test_an_agent_mends_a_cell_that_failed_and_edits_another(
    lab: LabPage, workspace: Workspace
) -> None:
    path = workspace.notebook(
        "%load_ext acp_jupyter\nprices = [3, 1, 2]",
        "mean = sum(prices) / len(price)\nmean",
        "%%acp demo\nfix",
        "%%acp demo\nedit the notebook",
        "left = 1",
    )
    notebook = lab.open(path)
    notebook.wait_for_kernel()
    notebook.run_to_end(0)
    notebook.run_to_end(1)
    expect(notebook.output(1)).to_contain_text("NameError")
    turn = notebook.run(2)
    expect(turn.permission).to_contain_text("change the notebook")
    expect(turn.permission.locator("del")).to_contain_text("len(price)")
    expect(turn.permission.locator("ins")).to_contain_text("len(prices)")
    notebook.set_source(4, "left = 2  # typed")
    turn.choose("Allow")
    expect(turn.permission).to_contain_text("run code in the notebook's kernel")
    turn.answer("Allow")
    expect(turn.text("It ran again without an error.")).to_be_visible()
    notebook.wait_for_end(2)
    expect(notebook.output(1)).to_contain_text("2.0")
    expect(notebook.output(1)).not_to_contain_text("NameError")

    turn = notebook.run(3)
    expect(turn.permission).to_contain_text("change the notebook")
    turn.answer("Reject")
    expect(turn.text(re.compile("It went no further"))).to_be_visible()
    notebook.wait_for_end(3)
    expect(notebook.cell(4)).to_contain_text("# typed")


@pytest.mark.long("what the tools do there is in tests/notebook_tools; here it is seen")
def test_another_notebook_is_named_by_the_prompt_and_in_the_question(
    lab: LabPage, workspace: Workspace
) -> None:
    other = lab.open(workspace.notebook("b = 1", name="other.ipynb"))
    other.wait_for_kernel()
    other.run_to_end(0)
    path = workspace.notebook("a = 1")
    lab.command("docmanager:open", {"path": path})
    lab.notebook(path).wait_for_kernel()
    there = {"notebook": "other.ipynb"}
    edit = {"cell_id": other.read().cells[0].id, "fingerprint": fingerprint("b = 1")}
    calls = [
        {"tool": "edit_cell", "args": {**edit, "source": "b = 2", **there}},
        {"tool": "run_code", "args": {"code": "print('b is', b)", **there}},
    ]
    panel = lab.panel
    panel.choose_agent("notebook_user")
    panel.message.fill(json.dumps(calls))
    take(panel, " @other", "Open documents", "other.ipynb")
    panel.message.press("Enter")
    expect(panel.permission).to_contain_text("wants to change other.ipynb")
    panel.answer("Allow")
    expect(panel.permission).to_contain_text("wants to run code in the kernel of other.ipynb")
    panel.answer("Allow")
    expect(panel.text(re.compile("b is 1"))).to_be_visible()
    eventually(lambda: other.read().cells[0].source == "b = 2", what="the other notebook is saved")
