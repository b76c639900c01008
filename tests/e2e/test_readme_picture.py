"""The moving picture of the README: a turn in a cell, from its prompt to what it changed.

With ``ACP_SCREENSHOTS=1`` it takes the picture, in light and dark. Without, the picture in the
repository must have the scenes that this journey meets.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.pictures import MovingPicture
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace

SECOND = 1000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """JupyterLab with the demo agent alone, so slow that its text is seen to grow."""
    folder = tmp_path_factory.mktemp("picture")
    env = {"HOME": str(folder / "root"), "ACP_DEMO_RATE": "4"}
    with JupyterServer(folder, app="jupyterlab", args=LAB_ARGS, env=env) as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize(("theme", "name"), [("Light", "turn"), ("Dark", "turn-dark")])
def test_a_turn_from_the_prompt_to_what_it_changed(lab: LabPage, theme: str, name: str) -> None:
    page, keyboard = lab.page, Keyboard(lab.page)
    page.set_viewport_size({"width": 960, "height": 760})
    ground = Workspace(lab.server.root, f"analysis-{theme.lower()}")
    nb = lab.open(ground.notebook("", name="survey.ipynb"))
    nb.wait_for_kernel()
    lab.use_theme(f"JupyterLab {theme}")
    lab.command("application:toggle-left-area")
    lab.command("statusbar:toggle")
    film = MovingPicture(page)

    keyboard.press("Enter")
    for words in ("%%acp demo", "\nMake clean.py ", "twice as fast"):
        keyboard.write(words)
        film.shoot("the prompt is typed", SECOND // 2)
    keyboard.press("Control+Enter")
    turn = nb.turn(0)
    film.shoot_changes("it works", turn.root, until=turn.permission)
    expect(turn.permission).to_contain_text("kept = [row.strip() for row in rows]")
    expect(turn.option("Allow once")).to_be_enabled()
    film.shoot("it asks, with a diff", 2 * SECOND)
    keyboard.press("Alt+Shift+Y")
    expect(turn.option("Allow once").locator("kbd")).to_be_visible()
    film.shoot("keys are drawn", SECOND)
    keyboard.press("1")
    changes = turn.root.get_by_role("group", name="Changes")
    film.shoot_changes("it goes on", turn.root, until=changes)
    nb.wait_for_end(0)
    expect(changes).to_contain_text("1 file changed")
    nb.cell(0).evaluate("cell => cell.scrollIntoView({ block: 'start' })")
    film.shoot("it is done", 2 * SECOND)
    changes.get_by_role("button", name="clean.py").first.press("Enter")
    expect(changes.locator("ins").first).to_be_visible()
    film.shoot("what has changed", 3 * SECOND)
    film.keep(name)
