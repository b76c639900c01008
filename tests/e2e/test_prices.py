"""An amount of money in a saved answer is text where JupyterLab draws the Markdown."""

from __future__ import annotations

from playwright.sync_api import expect

from acp_jupyter.transcript.escaping import agent_markdown
from tests.support.browser.lab import LabPage
from tests.support.kernel.notebook_file import display_data, new_notebook, write_notebook
from tests.support.server.workspace import Workspace


def test_prices_are_text_and_formulas_are_formulas(lab: LabPage, workspace: Workspace) -> None:
    notebook = new_notebook("# saved")
    said = agent_markdown("It costs $5 to $10, at $x_1$ each.")
    notebook.cells[0].outputs = [display_data(**{"text/markdown": said})]
    write_notebook(workspace.folder / "prices.ipynb", notebook)
    nb = lab.open(f"{workspace.name}/prices.ipynb")
    drawn = nb.cell(0).locator(".jp-RenderedMarkdown")
    expect(drawn.locator("mjx-container")).to_have_count(1)
    expect(drawn).to_contain_text("It costs $5 to $10, at ")
