"""The same turn where our renderer is not alone: widgets, other frontends, other kernels."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import TurnView
from tests.support.environments import install_kernelspec, kernel_environment
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.workspace import CLEAN_PY, Workspace

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
