"""JupyterLab without our labextension: the agents run in the server, a widget shows the turn."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.accessibility import picture
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import WIDGET_MIME, is_final, read_notebook
from tests.support.scenes.steps import go_on, hold, put_scene, say
from tests.support.server.jupyter_server import JupyterServer, free_port
from tests.support.server.jupyterlab_server import (
    LAB_ARGS,
    agents,
    disable_labextensions,
    stop_kernels,
)
from tests.support.server.routes import pending
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
EDIT = "%%acp demo\nedit clean.py rate=20"
HELD = "%%acp plays\nTwo parts"
SCENE = [say("The first part."), hold("second"), say("\n\nThe second part.")]
BACKGROUND = EDIT.replace("demo", "demo --background")
MET = """import pathlib, threading
from acp_jupyter.kernel.turn.acp_widget import page_met
threading.Thread(target=lambda: (page_met.wait(), pathlib.Path("met").touch())).start()"""
COMPREHENSION = "kept = [row.strip() for row in rows]"


@pytest.fixture(scope="module")
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A JupyterLab that has everything but our labextension."""
    folder = tmp_path_factory.mktemp("bare")
    server = JupyterServer(folder, app="jupyterlab", agents=agents(), args=LAB_ARGS)
    disable_labextensions(folder, "acp-jupyter")
    with server:
        yield server


def test_a_jupyterlab_without_the_labextension(
    bare_server: JupyterServer, visitor: Visitor
) -> None:
    """The widget stands in while the turn runs, and the record takes its place."""
    workspace = Workspace(bare_server.root, "bare")
    lab = LabPage(visitor, bare_server)
    nb = lab.open(workspace.notebook(LOAD, EDIT, EDIT))
    assert lab.page.evaluate("jupyterapp.hasPlugin('acp-jupyter:renderer')") is False
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.plan).to_be_visible()
    expect(turn.diff("clean.py").locator("ins").first).to_be_visible()
    nb.wait_until_running(1)
    assert workspace.clean_py == CLEAN_PY
    turn.answer("Allow once")
    nb.wait_for_end(1)
    eventually(lambda: COMPREHENSION in workspace.clean_py, what="the edit is on disk")
    nb.final_output(1)
    nb.save()
    assert WIDGET_MIME not in nb.file.read_text()
    expect(nb.output(1)).to_contain_text("by a list comprehension")

    allowed = workspace.clean_py
    turn = nb.run(2)
    turn.answer("Reject")
    nb.wait_for_end(2)
    expect(nb.output(2)).to_contain_text("was rejected")
    assert workspace.clean_py == allowed


@pytest.fixture
def lab(bare_server: JupyterServer, visitor: Visitor) -> Iterator[LabPage]:
    yield LabPage(visitor, bare_server)
    stop_kernels(bare_server)


@pytest.fixture
def place(bare_server: JupyterServer, request: pytest.FixtureRequest) -> Workspace:
    return Workspace(bare_server.root, request.node.name)


def final_in_file(nb: OpenNotebook) -> bool:
    """Return whether the cell has the record of its turn on disk, and nothing else."""
    return [*map(is_final, nb.read().cells[1].outputs)] == [True]


def saved_final(nb: OpenNotebook) -> bool:
    nb.save()
    return final_in_file(nb)


@pytest.mark.long
def test_a_reload_while_a_cell_waits(lab: LabPage, place: Workspace) -> None:
    """The page shows the end of the turn, what it saves has it, and the next page too."""
    nb = lab.open(place.notebook(LOAD, HELD))
    nb.load_extension()
    put_scene(place.folder, SCENE)
    turn = nb.run(1)
    expect(turn.root).to_contain_text("The first part")
    nb.save()
    output, note = read_notebook(nb.file).cells[1].outputs
    assert "It runs in the Jupyter server, in session" in output.data["text/markdown"]
    assert "Is nothing drawn above?" in note.data["text/markdown"]
    lab.reload()
    nb.wait_until_ready()
    expect(nb.output(1)).to_contain_text("Loading widget")
    expect(nb.output(1)).to_contain_text("shows the turn once the cell has ended")
    expect(nb.output(1)).to_contain_text("Interrupting the kernel stops it")
    picture(nb.cell(1), "reloaded while it waits")
    go_on(place.folder, "second")
    expect(turn.root).to_contain_text("The second part")
    expect(turn.root.locator(".live, .spin")).to_have_count(0)
    picture(nb.cell(1), "reloaded while it waited")
    # What this page has is the widget; what it saves is the record.
    nb.set_source(0, LOAD + "  # changed")
    nb.save()
    (output,) = read_notebook(nb.file).cells[1].outputs
    assert is_final(output)
    lab.reload()
    nb.wait_until_ready()
    expect(nb.output(1)).to_contain_text("The second part")
    assert nb.final_output(1)


@pytest.mark.long
def test_a_page_without_anywidget(visitor: Visitor, tmp_path: Path) -> None:
    """Below the error that JupyterLab shows it says what is missing, and where one can answer."""
    disable_labextensions(tmp_path, "acp-jupyter", "anywidget")
    with JupyterServer(tmp_path, app="jupyterlab", agents=agents(), args=LAB_ARGS) as server:
        place = Workspace(server.root, "no anywidget")
        nb = LabPage(visitor, server).open(place.notebook(LOAD, EDIT))
        nb.load_extension()
        nb.run(1)
        note = nb.output(1).get_by_text("pip install anywidget")
        expect(note).to_be_visible()
        expect(note).to_contain_text("can be answered in the panel of a JupyterLab")
        picture(nb.cell(1), "no anywidget, with the server")
        answer_first(server, "Allow once")
        nb.wait_for_end(1)
        expect(nb.output(1)).to_contain_text("by a list comprehension")
        expect(note).to_have_count(0)
        assert COMPREHENSION in place.clean_py


def answer_first(server: JupyterServer, option: str) -> None:
    """Answer what the only session asks, as another page does."""
    with server.user() as user:
        (session,) = user.get("sessions").json()
        asked = pending(user, session["session_id"])
        (chosen,) = [each for each in asked["options"] if each["name"] == option]
        url = f"sessions/{session['session_id']}/permissions/{asked['request_id']}"
        user.post(url, json={"option_id": chosen["option_id"]}).raise_for_status()


@pytest.mark.long
def test_a_reload_while_a_turn_is_in_the_background(lab: LabPage, place: Workspace) -> None:
    """Its buttons come back and act, the end stays in sight, and the file gets it by itself."""
    nb = lab.open(place.notebook(LOAD, BACKGROUND, "_acp.wait().stop_reason"))
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    expect(turn.permission).to_be_visible()
    nb.save()
    lab.reload()
    nb.wait_until_ready()
    expect(turn.permission).to_be_visible()
    assert place.clean_py == CLEAN_PY
    turn.answer("Allow once")
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("end_turn")
    expect(turn.root).to_contain_text("by a list comprehension")
    expect(turn.status).to_have_count(0)
    picture(nb.cell(1), "reloaded in the background")
    lab.page.goto("about:blank")
    eventually(lambda: final_in_file(nb), "the record is in the file")


@pytest.mark.long
def test_a_page_that_is_closed_while_a_turn_runs(lab: LabPage, place: Workspace) -> None:
    """Its notebook was not saved since the cell began; the next page finds the whole turn."""
    nb = lab.open(place.notebook(LOAD, HELD))
    nb.load_extension()
    nb.save()
    put_scene(place.folder, SCENE)
    turn = nb.run(1)
    expect(turn.root).to_contain_text("The first part")
    lab.page.goto("about:blank")
    go_on(place.folder, "second")
    eventually(lambda: final_in_file(nb), "the record is in the file")
    nb = lab.open(nb.path)
    expect(nb.output(1)).to_contain_text("The second part")


@pytest.mark.long
def test_a_page_whose_websockets_are_blocked(lab: LabPage, place: Workspace) -> None:
    """The output says so in place of the turn, and gets its end all the same.

    The kernel hears of the page while its cell runs, so it does not tell it to install anywidget.
    """
    lab.page.route_web_socket(
        re.compile("/acp-jupyter/api/stream"), lambda socket: socket.close(code=1006)
    )
    nb = lab.open(place.notebook(LOAD, HELD, MET))
    nb.load_extension()
    put_scene(place.folder, SCENE)
    nb.run_to_end(2)
    nb.run(1)
    expect(nb.output(1)).to_contain_text("its WebSocket does not open")
    eventually((place.folder / "met").exists, what="the kernel has met the page")
    go_on(place.folder, "second")
    nb.wait_for_end(1)
    expect(nb.output(1)).to_contain_text("The second part")
    expect(nb.output(1)).not_to_contain_text("WebSocket")


@pytest.mark.long
def test_a_server_that_is_restarted(visitor: Visitor, tmp_path: Path) -> None:
    """The widget says that the turn has ended, and nothing blinks."""
    port, token = free_port(), {"JUPYTER_TOKEN": uuid.uuid4().hex}
    disable_labextensions(tmp_path, "acp-jupyter")

    def start() -> JupyterServer:
        return JupyterServer(
            tmp_path, app="jupyterlab", agents=agents(), args=LAB_ARGS, env=token, port=port
        )

    with start() as first:
        place = Workspace(first.root, "restarted")
        lab = LabPage(visitor, first)
        nb = lab.open(place.notebook(LOAD, HELD))
        nb.load_extension()
        put_scene(place.folder, SCENE)
        turn = nb.run(1)
        expect(turn.root).to_contain_text("The first part")
        first.kill()
    with start():
        expect(turn.root).to_contain_text("The Jupyter server stopped")
        expect(turn.root.locator(".live, .spin")).to_have_count(0)
        expect(turn.stop).to_have_count(0)
        picture(nb.cell(1), "server restarted")
        eventually(lambda: saved_final(nb), "the record is in what the page saves")
