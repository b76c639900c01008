"""What the page adds to errors of cells: how to load the magics, and what ``%acp fix`` is about."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

_UNKNOWN = """\
manager = get_ipython().magics_manager
for kind in ("line", "cell"):
    manager.magics[kind].pop("acp", None)
manager.lazy_magics.pop("acp", None)
"""
"""Makes of a kernel one that this server has not started: without the magics."""

_MISSING = """
import sys
class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name == "acp_jupyter":
            raise ModuleNotFoundError(f"No module named {name!r}")
sys.meta_path.insert(0, NotInstalled())
"""


@pytest.mark.long
def test_a_kernel_without_the_magics_is_told_of_them_under_the_error(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(_UNKNOWN, "%%acp hello\nHi", "%acp agents", "%%nonsense\nHi"))
    nb.wait_for_kernel()
    lab.use_theme("JupyterLab Dark")
    nb.run_to_end(0)
    nb.run_to_end(3)
    nb.run_to_end(2)
    nb.run_to_end(1)
    expect(nb.output(3)).to_contain_text("Cell magic `%%nonsense` not found")
    expect(nb.output(3).get_by_role("note")).to_have_count(0)
    expect(nb.output(2).get_by_role("note")).to_contain_text("%load_ext acp_jupyter")
    hint = nb.output(1).get_by_role("note")
    expect(nb.output(1)).to_contain_text("UsageError: Cell magic `%%acp` not found")
    expect(hint).to_contain_text("Run %load_ext acp_jupyter in this kernel first.")
    expect_accessible(lab.page, ".acp-LoadHint")

    hint.get_by_role("button", name="Load it and run the cell again").click()
    expect(nb.turn(1).root).to_contain_text("Hello from")
    nb.wait_for_end(1)
    expect(hint).to_have_count(0)
    expect(nb.output(1)).not_to_contain_text("UsageError")
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("hello")
    expect(nb.output(2).get_by_role("note")).to_have_count(0)


@pytest.mark.long
def test_a_kernel_without_the_package_is_told_so(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(_UNKNOWN + _MISSING, "%%acp hello\nHi"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(1)
    hint = nb.output(1).get_by_role("note")
    hint.get_by_role("button").click()
    expect(hint.get_by_role("status")).to_contain_text("Run %pip install acp-jupyter in a cell")
    expect(hint.get_by_role("button")).to_be_enabled()


def test_fix_says_which_error_it_is_about_and_leads_to_its_cell(
    lab: LabPage, workspace: Workspace
) -> None:
    rows = [f"row_{number} = {number}" for number in range(30)]
    nb = lab.open(workspace.notebook("1 / 0", *rows, "%acp fix hello"))
    last = len(rows) + 1
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(last)
    words = "About the error in cell In[1]: ZeroDivisionError: division by zero"
    head = nb.turn(last).root
    expect(head).to_contain_text(words)
    expect(lab.panel.log).to_contain_text(words)
    expect(nb.cell(0)).not_to_be_in_viewport()
    expect_accessible(lab.page)
    link = re.compile("About the error in cell")
    head.get_by_role("button", name=link).click()
    expect(nb.cell(0)).to_be_in_viewport()
    expect(nb.cell(0)).to_have_class(re.compile("jp-mod-active"))
    # An earlier error is found too once the magics are loaded.
    nb.run_to_end(1, "row_0 = nonsense")
    nb.run_to_end(2)
    nb.run_to_end(last)
    expect(nb.turn(last).root).to_contain_text("cell In[3]: NameError: name 'nonsense'")
    lab.panel.log.get_by_role("button", name=link).last.click()
    expect(nb.cell(1)).to_have_class(re.compile("jp-mod-active"))

    saved = nb.saved_output(last)["data"]
    cell_id = nb.cell_ids()[1]
    assert saved["text/markdown"].startswith(
        rf"*[About the error in cell In\[3\]](#cell-id={cell_id}): NameError: name 'nonsense'"
    )
    assert saved["text/plain"].startswith("About the error in cell In[3]: NameError")
