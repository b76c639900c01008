"""The example dashboard as a page of Voilà, whose kernel runs the agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.test_dashboard import NOTEBOOK, use
from tests.support.environments import apps_environment
from tests.support.kernel.notebook_file import new_notebook, read_notebook, write_notebook
from tests.support.server.web_app import WebApp, without_network

pytestmark = pytest.mark.long


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_dashboard_is_a_page(
    browser: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, theme: str
) -> None:
    python = apps_environment(tmp_path_factory.mktemp("wheel"))
    cells = read_notebook(NOTEBOOK).cells
    layout = next(index for index, cell in enumerate(cells) if cell.id == "layout")
    code = [cell.source for cell in cells[: layout + 1] if cell.cell_type == "code"]
    (tmp_path / "work").mkdir()
    write_notebook(tmp_path / "work" / "nb.ipynb", new_notebook(*code))
    command = ("voila", "nb.ipynb", "--no-browser", f"--theme={theme}", "--port={port}")
    context = browser.new_context(viewport={"width": 1100, "height": 1100})
    with WebApp(python, tmp_path, *command) as app:
        page = context.new_page()
        without_network(page, python)
        page.goto(app.url)
        page.get_by_role("textbox", name="Message").wait_for()
        use(page.locator("body"), app.folder)
    context.close()
