"""JupyterLab without us, in the page and in the server; only its kernels have the package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.accessibility import picture
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import WIDGET_MIME
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, disable_labextensions, write_settings
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
EDIT = "%%acp demo\nedit clean.py rate=20"
BACKGROUND = EDIT.replace("demo", "demo --background --out turn")
COMPREHENSION = "kept = [row.strip() for row in rows]"
KERNELS = "@jupyterlab/apputils-extension:kernels-settings"


@pytest.fixture(scope="module")
def lone_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("lone")
    config = "c.ServerApp.jpserver_extensions = {'acp_jupyter': False}"
    server = JupyterServer(folder, app="jupyterlab", config=config, args=LAB_ARGS)
    disable_labextensions(folder, "acp-jupyter")
    with server:
        yield server


@pytest.fixture
def subshells(request: pytest.FixtureRequest) -> str:
    """How the page sends comm messages: JupyterLab's own way, or as versions before 4.4."""
    return str(getattr(request, "param", "perCommTarget"))


OLD = pytest.mark.parametrize("subshells", ["disabled"], indirect=True)


@pytest.fixture
def place(lone_server: JupyterServer, request: pytest.FixtureRequest) -> Workspace:
    return Workspace(lone_server.root, request.node.name.replace("[", "_").replace("]", ""))


@pytest.fixture
def page(lone_server: JupyterServer, visitor: Visitor, subshells: str) -> Iterator[LabPage]:
    write_settings(lone_server.root.parent, KERNELS, {"commsOverSubshells": subshells})
    yield LabPage(visitor, lone_server)
    with lone_server.user() as client:
        for kernel in client.get(f"{lone_server.url}api/kernels").json():
            client.delete(f"{lone_server.url}api/kernels/{kernel['id']}")


def question(nb: OpenNotebook, index: int) -> Locator:
    return nb.output(index).locator(".jp-Stdin-input")


@pytest.mark.long
def test_buttons_of_the_cell_that_waits(page: LabPage, place: Workspace) -> None:
    """A click reaches the kernel while the cell runs, so nothing is asked in text."""
    nb = page.open(place.notebook(LOAD, EDIT, EDIT))
    with page.server.user() as user:
        assert user.get("agents").status_code == 404
    nb.load_extension()
    for index in (1, 2):
        (place.folder / "clean.py").write_text(CLEAN_PY)
        turn = nb.run(index)
        expect(turn.plan).to_be_visible()
        expect(turn.diff("clean.py").locator("ins").first).to_be_visible()
        nb.wait_until_running(index)
        turn.answer("Allow once")
        nb.wait_for_end(index)
        assert COMPREHENSION in place.clean_py
        expect(question(nb, index)).to_have_count(0)
        nb.final_output(index)
        expect(nb.output(index)).to_contain_text("by a list comprehension")
    nb.save()
    assert WIDGET_MIME not in nb.file.read_text()


@pytest.mark.long
@OLD
def test_a_question_in_text_where_clicks_wait(page: LabPage, place: Workspace) -> None:
    """Buttons that would do nothing are not drawn; the turn says where to answer."""
    nb = page.open(place.notebook(LOAD, EDIT))
    nb.load_extension()
    turn = nb.run(1)
    expect(question(nb, 1)).to_be_visible()
    expect(nb.output(1)).to_contain_text("[1] Allow once")
    expect(turn.permission).to_contain_text("Answer below")
    expect(turn.permission.get_by_role("button", name="Allow once")).to_have_count(0)
    expect(turn.stop).to_have_count(0)
    picture(nb.cell(1), "asked below")
    assert place.clean_py == CLEAN_PY
    question(nb, 1).fill("1")
    question(nb, 1).press("Enter")
    nb.wait_for_end(1)
    assert COMPREHENSION in place.clean_py
    nb.final_output(1)


@pytest.mark.long
def test_a_background_turn_that_a_later_cell_waits_for(page: LabPage, place: Workspace) -> None:
    """The buttons above answer; the waiting cell does not ask a second time."""
    nb = page.open(place.notebook(LOAD, BACKGROUND, "turn.wait().stop_reason"))
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    expect(turn.permission).to_be_visible()
    nb.run(2)
    nb.wait_until_running(2)
    turn.answer("Reject")
    nb.wait_for_end(2)
    expect(nb.output(2)).to_contain_text("end_turn")
    expect(question(nb, 2)).to_have_count(0)
    expect(nb.output(1)).to_contain_text("was rejected")
    assert place.clean_py == CLEAN_PY
    nb.final_output(1)
    nb.save()
    assert WIDGET_MIME not in nb.file.read_text()


@pytest.mark.long
@OLD
def test_a_later_cell_asks_for_a_background_turn(page: LabPage, place: Workspace) -> None:
    """A cell that waits for the turn, and one whose own turn waits behind it."""
    nb = page.open(place.notebook(LOAD, BACKGROUND, "%%acp demo\nlist rate=0"))
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    expect(turn.option("Allow once")).to_be_enabled()
    nb.run(2)
    expect(question(nb, 2)).to_be_visible()
    expect(turn.permission).to_contain_text("Answer below")
    question(nb, 2).fill("3")
    question(nb, 2).press("Enter")
    nb.wait_for_end(2)
    expect(nb.output(1)).to_contain_text("was rejected")
    expect(nb.output(2)).to_contain_text("clean.py")
    nb.final_output(1)
    nb.final_output(2)


@pytest.mark.long
def test_a_turn_ends_with_its_kernel(page: LabPage, place: Workspace) -> None:
    """After a restart nothing blinks, and the turn says why it ended."""
    nb = page.open(place.notebook(LOAD, "%%acp demo\nslow rate=2", EDIT))
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.status).to_be_visible()
    expect(turn.root.locator(".live")).to_be_visible()
    nb.restart()
    expect(turn.root).to_contain_text("The kernel was restarted or has ended")
    expect(turn.root.locator(".live, .spin")).to_have_count(0)
    expect(turn.stop).to_have_count(0)
    picture(nb.cell(1), "kernel restarted")
    # The new kernel works.
    nb.run_to_end(0, LOAD)
    turn = nb.run(2)
    turn.answer("Allow once")
    nb.wait_for_end(2)
    eventually(lambda: COMPREHENSION in place.clean_py, what="the edit is on disk")


@pytest.fixture
def page_without_anywidget(
    tmp_path_factory: pytest.TempPathFactory, visitor: Visitor
) -> Iterator[LabPage]:
    folder = tmp_path_factory.mktemp("no anywidget")
    config = "c.ServerApp.jpserver_extensions = {'acp_jupyter': False}"
    server = JupyterServer(folder, app="jupyterlab", config=config, args=LAB_ARGS)
    disable_labextensions(folder, "acp-jupyter", "anywidget")
    with server:
        yield LabPage(visitor, server)


@pytest.mark.long
def test_a_page_without_anywidget(page_without_anywidget: LabPage) -> None:
    """What is missing is said, and the questions are asked, both in text."""
    place = Workspace(page_without_anywidget.server.root, "bare")
    nb = page_without_anywidget.open(
        place.notebook(LOAD, EDIT, BACKGROUND, "turn.wait().stop_reason")
    )
    nb.load_extension()
    nb.run(1)
    expect(question(nb, 1)).to_be_visible()
    expect(nb.output(1)).to_contain_text("pip install anywidget")
    picture(nb.cell(1), "no anywidget, waiting")
    question(nb, 1).fill("3")
    question(nb, 1).press("Enter")
    nb.wait_for_end(1)
    expect(nb.output(1)).to_contain_text("was rejected")
    expect(nb.output(1)).not_to_contain_text("pip install")

    nb.run(2)
    nb.wait_for_end(2)
    expect(nb.output(2)).to_contain_text("This page can't show the turn")
    expect(nb.output(2)).to_contain_text("Run _acp.wait() in a cell to answer.")
    picture(nb.cell(2), "no anywidget, background")
    nb.run(3)
    question(nb, 3).fill("1")
    question(nb, 3).press("Enter")
    nb.wait_for_end(3)
    expect(nb.output(3)).to_contain_text("end_turn")
    nb.final_output(2)
    assert COMPREHENSION in place.clean_py
