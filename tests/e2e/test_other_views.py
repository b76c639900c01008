"""The same turn where our renderer is not alone: widgets, other frontends, other kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import Visitor
from tests.support.lab import LabPage
from tests.support.lab_server import LAB_ARGS, agents, disable_labextensions
from tests.support.notebook_file import WIDGET_MIME
from tests.support.roles import TurnView
from tests.support.second_environment import install_kernelspec, kernel_environment
from tests.support.server import JupyterServer
from tests.support.wait import eventually
from tests.support.workspace import CLEAN_PY, Workspace

LOAD = "%load_ext acp_jupyter"
EDIT = "%%acp demo\nedit clean.py rate=20"
COMPREHENSION = "kept = [row.strip() for row in rows]"


@pytest.mark.long
def test_turn_widget_beside_the_renderer(lab: LabPage, workspace: Workspace) -> None:
    """The widget of a turn works in any layout, with its buttons."""
    code = """import acp_jupyter, ipywidgets
turn = acp_jupyter.connect("demo").prompt("edit clean.py rate=20")
ipywidgets.VBox([ipywidgets.Label("a label"), turn.widget])"""
    nb = lab.open(workspace.notebook(LOAD, code, "turn.wait(); print(turn.stop_reason)"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run(1)
    nb.wait_for_end(1)
    view = TurnView(nb.output(1).locator(".widget-vbox"))
    # The kernel blocks: no comm message would get through.
    nb.run(2)
    nb.wait_until_running(2)
    expect(view.plan).to_be_visible()
    expect(view.diff("clean.py").locator("ins").first).to_be_visible()
    assert workspace.clean_py == CLEAN_PY
    view.answer("Allow once")
    nb.wait_for_end(2)
    expect(nb.output(2)).to_contain_text("end_turn")
    expect(view.root).to_contain_text("by a list comprehension")
    assert COMPREHENSION in workspace.clean_py


@pytest.fixture
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


@pytest.mark.long
def test_the_kernel_in_an_environment_of_its_own(
    lab: LabPage, workspace: Workspace, server: JupyterServer, tmp_path: Path
) -> None:
    """Only ipykernel, widgets and this package: no server, no protocol SDK."""
    data = server.root.parent / "data"
    install_kernelspec(data, "elsewhere", kernel_environment(tmp_path))
    nb = lab.open(
        workspace.notebook(LOAD, EDIT, "print(__import__('sys').prefix)", kernel="elsewhere")
    )
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.plan).to_be_visible()
    expect(turn.diff("clean.py").locator("ins").first).to_be_visible()
    assert workspace.clean_py == CLEAN_PY
    turn.answer("Allow once")
    nb.wait_for_end(1)
    assert COMPREHENSION in workspace.clean_py
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("acp-jupyter-kernel-env")
    nb.saved_output(1)


def test_notebook_7(lab: LabPage, visitor: Visitor, workspace: Workspace) -> None:
    """The same server, the simpler frontend."""
    nb = LabPage(visitor, lab.server, "notebook").open(
        workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0")
    )
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.plan).to_be_visible()
    turn.answer("Allow once")
    nb.wait_for_end(1)
    assert COMPREHENSION in workspace.clean_py
    nb.saved_output(1)
