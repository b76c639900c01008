"""The example dashboard's twin: a marimo app, and a marimo notebook to edit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.test_dashboard import use
from tests.support.browser.accessibility import expect_legible, is_dark, picture
from tests.support.environments import apps_environment
from tests.support.server.web_app import WebApp, marimo_settings, without_network

pytestmark = pytest.mark.long
APP = Path(__file__).parents[2] / "notebooks" / "dashboard_marimo.py"
RUN = ("marimo", "run", "app.py", "--headless", "--port={port}")
EDIT = ("marimo", "edit", "app.py", "--headless", "--no-token", "--port={port}")


@pytest.mark.parametrize(
    ("command", "theme"),
    [(RUN, "light"), (RUN, "dark"), (EDIT, "dark")],
    ids=["run, light", "run, dark", "edit, dark"],
)
def test_the_dashboard_is_an_app(
    browser: Browser,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    command: tuple[str, ...],
    theme: str,
) -> None:
    """Its cells run again when something is asked and at the end; a click allows the edit."""
    python = apps_environment(tmp_path_factory.mktemp("wheel"))
    (tmp_path / "work").mkdir()
    shutil.copy(APP, tmp_path / "work" / "app.py")
    marimo_settings(tmp_path, theme)
    context = browser.new_context(viewport={"width": 1100, "height": 1100})
    with WebApp(python, tmp_path, *command) as app:
        page = context.new_page()
        without_network(page, python)
        page.goto(app.url)
        page.get_by_role("textbox", name="Message").wait_for()
        output = page.locator("body")
        use(output, app.folder, "marimo" if theme == "light" else "")
        picture(page, f"dashboard in marimo, {command[1]}, {theme}")
        assert is_dark(output.locator(".acp").first) is (theme == "dark")
        expect_legible(page)
    context.close()
