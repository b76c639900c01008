"""Apps and dashboards without Jupyter's page: the widget shows a turn live, its buttons answer.

The examples are those of ``docs/how-to/apps.md``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.accessibility import expect_legible, is_dark, picture
from tests.support.environments import apps_environment
from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.server.web_app import WebApp, marimo_settings, without_network
from tests.support.wait import eventually

pytestmark = pytest.mark.long
APPS = Path(__file__).parent / "apps"
Open = Callable[[WebApp], Page]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of the environment with marimo, Panel, Shiny and Voilà."""
    return apps_environment(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def visit(browser: Browser, python: Path) -> Iterator[Open]:
    """Open an app in a page that has no network."""
    context = browser.new_context(viewport={"width": 1000, "height": 1000})

    def opened(app: WebApp) -> Page:
        page = context.new_page()
        without_network(page, python)
        page.goto(app.url)
        return page

    yield opened
    context.close()


def app_of(name: str, tmp_path: Path) -> Path:
    """Put an example into the folder of an app."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Path(shutil.copy(APPS / name, folder / "app.py"))


def answer(page: Page, app: WebApp, dark: bool = False) -> None:
    """Allow the edit, and see the turn end, whole and as dark as its page."""
    button = page.get_by_role("button", name="Allow once").first
    expect(button).to_be_enabled()
    assert not (app.folder / "made.txt").exists()
    button.click()
    expect(page.get_by_text("Allowed once").first).to_be_visible()
    expect(page.get_by_text("1 file changed").first).to_be_visible()
    assert (app.folder / "made.txt").exists()
    view = page.locator(".acp").first
    assert is_dark(view) is dark
    assert view.evaluate("each => each.scrollHeight - each.clientHeight") < 2
    expect_legible(page)
    assert "Traceback" not in app.log()


MARIMO = ("marimo", "run", "app.py", "--headless", "--port={port}")
PANEL = ("panel", "serve", "app.py", "--port={port}")
SHINY = ("shiny", "run", "app.py", "--port={port}")
VOILA = ("voila", "nb.ipynb", "--no-browser", "--port={port}")


def test_marimo_shows_a_turn_that_is_the_last_expression(
    python: Path, tmp_path: Path, visit: Open
) -> None:
    app_of("marimo_last.py", tmp_path)
    with WebApp(python, tmp_path, *MARIMO) as app:
        answer(visit(app), app)


def test_marimo_runs_a_cell_again_when_the_status_of_its_turn_changes(
    python: Path, tmp_path: Path, visit: Open
) -> None:
    app_of("marimo_turn.py", tmp_path)
    with WebApp(python, tmp_path, *MARIMO) as app:
        page = visit(app)
        asked = page.get_by_text("The turn is requires_action. Tool calls: 1.")
        expect(asked).to_be_visible()
        answer(page, app)
        expect(page.get_by_text("The turn is done. Tool calls: 1.")).to_be_visible()


def test_marimo_refuses_what_a_waiting_cell_of_an_app_would_have_to_ask(
    python: Path, tmp_path: Path, visit: Open
) -> None:
    app_of("marimo_wait.py", tmp_path)
    with WebApp(python, tmp_path, *MARIMO) as app:
        words = "Ended: NobodyToAsk: Nobody could be asked, so this was rejected."
        expect(visit(app).get_by_text(words)).to_be_visible()
        assert not (app.folder / "made.txt").exists()


def test_marimo_asks_in_a_waiting_cell_of_a_notebook(
    python: Path, tmp_path: Path, visit: Open
) -> None:
    app_of("marimo_wait.py", tmp_path)
    marimo_settings(tmp_path)
    edit = ("marimo", "edit", "app.py", "--headless", "--no-token", "--port={port}")
    with WebApp(python, tmp_path, *edit) as app:
        page = visit(app)
        typed = page.locator("[data-testid=console-input]")
        expect(typed).to_be_visible()
        expect(page.get_by_text("[1] Allow once")).to_be_visible()
        typed.fill("1")
        typed.press("Enter")
        expect(page.get_by_text("Ended: end_turn")).to_be_visible()
        assert (app.folder / "made.txt").exists()


def test_panel_shows_a_turn_by_ipywidgets_bokeh(python: Path, tmp_path: Path, visit: Open) -> None:
    app_of("panel_app.py", tmp_path)
    with WebApp(python, tmp_path, *PANEL, path="/app") as app:
        answer(visit(app), app)


def test_shiny_shows_a_turn_by_shinywidgets(python: Path, tmp_path: Path, visit: Open) -> None:
    app_of("shiny_app.py", tmp_path)
    with WebApp(python, tmp_path, *SHINY) as app:
        answer(visit(app), app)


@pytest.mark.parametrize("host", ["marimo", "panel", "shiny", "voila"])
def test_a_host_is_dark(python: Path, tmp_path: Path, visit: Open, host: str) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "app.py"
    command: tuple[str, ...] = MARIMO
    path = "/"
    match host:
        case "marimo":
            shutil.copy(APPS / "marimo_last.py", file)
            marimo_settings(tmp_path, "dark")
        case "panel":
            app = (APPS / "panel_app.py").read_text()
            file.write_text(app.replace('"ipywidgets",', '"ipywidgets", theme="dark",'))
            command, path = PANEL, "/app"
        case "shiny":
            app = (APPS / "shiny_app.py").read_text()
            file.write_text(f'{app}\n\nui.input_dark_mode(mode="dark")\n')
            command = SHINY
        case _:
            write_notebook(file.with_name("nb.ipynb"), new_notebook(f"{PROMPT}turn"))
            command = (*VOILA, "--theme=dark")
    with WebApp(python, tmp_path, *command, path=path) as served:
        page = visit(served)
        answer(page, served, dark=True)
        picture(page, f"{host}, dark")


RECORDED = Path(__file__).parent / "programs" / "one_prompt.py"


@pytest.mark.parametrize(
    ("app_name", "command", "path"),
    [
        ("marimo_last.py", MARIMO, "/"),
        ("panel_app.py", PANEL, "/app"),
        ("shiny_app.py", SHINY, "/"),
        ("", VOILA, "/"),
    ],
    ids=["marimo", "panel", "shiny", "voila"],
)
def test_an_app_plays_a_recording(
    python: Path,
    tmp_path: Path,
    visit: Open,
    app_name: str,
    command: tuple[str, ...],
    path: str,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    if app_name:
        shutil.copy(APPS / app_name, folder / "app.py")
    else:
        write_notebook(folder / "nb.ipynb", new_notebook(f"{PROMPT}turn"))
    trust_in_data_dir(tmp_path / "data", tmp_path)
    env = jupyter_environment(tmp_path) | {"ACP_JUPYTER_RECORD": "record:made.acp"}
    subprocess.run([sys.executable, str(RECORDED)], cwd=folder, env=env, check=True)
    (folder / "made.txt").unlink()
    with WebApp(python, tmp_path, *command, path=path, record="replay:made.acp") as app:
        page = visit(app)
        # The policy that was recorded answers again.
        expect(page.get_by_text("1 file changed").first).to_be_visible()
        expect(page.get_by_text("Demo (replayed)").first).to_be_visible()
        assert (folder / "made.txt").exists()
    assert kept(python, tmp_path) == "create made.txt"


def kept(python: Path, tmp_path: Path) -> str:
    """Return the title of the newest session that is kept."""
    code = "import acp_jupyter; print(acp_jupyter.list_sessions()[0].title)"
    env = jupyter_environment(tmp_path)
    del env["PYTHONPATH"]
    done = subprocess.run(
        [str(python), "-P", "-c", code],
        cwd=tmp_path / "work",
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


PROMPT = "import acp_jupyter\nturn = acp_jupyter.connect('demo').prompt('create made.txt')\n"


@pytest.mark.parametrize(
    "cells",
    [
        (f"{PROMPT}turn",),
        (f"{PROMPT}turn.widget",),
        ("%load_ext acp_jupyter", "%%acp demo --background\ncreate made.txt"),
    ],
    ids=["turn", "widget", "background"],
)
def test_voila_shows_a_turn(
    python: Path, tmp_path: Path, visit: Open, cells: tuple[str, ...]
) -> None:
    (tmp_path / "work").mkdir()
    write_notebook(tmp_path / "work" / "nb.ipynb", new_notebook(*cells))
    with WebApp(python, tmp_path, *VOILA) as app:
        answer(visit(app), app)


def test_voila_refuses_what_a_waiting_cell_would_have_to_ask(
    python: Path, tmp_path: Path, visit: Open
) -> None:
    (tmp_path / "work").mkdir()
    cells = ("%load_ext acp_jupyter", "%%acp demo\ncreate made.txt rate=0")
    write_notebook(tmp_path / "work" / "nb.ipynb", new_notebook(*cells))
    with WebApp(python, tmp_path, *VOILA) as app:
        words = "Nobody could be asked, so this was rejected."
        expect(visit(app).get_by_text(words).first).to_be_visible()
        eventually(lambda: "NobodyToAsk" in app.log() or words in app.log())
        assert not (app.folder / "made.txt").exists()
