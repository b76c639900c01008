"""Notebooks that were saved with widgets, in layouts and sent by buttons, opened again later."""

from __future__ import annotations

import pytest
from nbconvert import HTMLExporter, MarkdownExporter
from playwright.sync_api import expect

from tests.support.browser.accessibility import picture
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import WIDGET_MIME
from tests.support.server.jupyterlab_server import write_settings
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
PARTS = """import ipywidgets
from acp_jupyter import connect
from acp_jupyter.widgets import *
session = connect("demo")
plan, diffs = PlanWidget(session), DiffsWidget(session)
tab = ipywidgets.Tab([ToolCallsWidget(session), TextWidget(session)])
ipywidgets.VBox([ipywidgets.GridBox([plan, diffs]), tab])"""
BUTTON = """from IPython.display import display
out, button = ipywidgets.Output(), ipywidgets.Button(description="Go")
def go(_):
    turn = session.prompt("plan rate=0")
    with out:
        display(turn)
button.on_click(go)
ipywidgets.VBox([button, out])"""
MANAGER = "@jupyter-widgets/jupyterlab-manager:plugin"
TICKED = "The plan is ticked off"


def dashboard(lab: LabPage, workspace: Workspace) -> OpenNotebook:
    """Leave a notebook with a layout, a part and a layout with a button, each with its turn."""
    nb = lab.open(workspace.notebook(LOAD, PARTS, "PlanWidget(session)", BUTTON))
    nb.load_extension()
    for index in (1, 2, 3):
        nb.run_to_end(index)
    nb.output(3).get_by_role("button", name="Go").click()
    for index in (1, 2):
        expect(nb.output(index).locator("[data-part=plan]").last).to_contain_text("4/4")
    expect(nb.output(3).locator("[data-part=turn]")).to_contain_text(TICKED)
    return nb


def words(nb: OpenNotebook, index: int) -> str:
    """Return what the file says of a cell's first output, as Markdown."""
    (output, *_) = nb.read().cells[index].outputs
    text: str = output.data.get("text/markdown", "")
    return text


def open_without_kernel(lab: LabPage, nb: OpenNotebook) -> None:
    lab.open_empty(nb.file.parent.name)
    with lab.server.user() as client:
        for kernel in client.get(f"{lab.server.url}api/kernels").json():
            client.delete(f"{lab.server.url}api/kernels/{kernel['id']}")
    preference = {"autoStartDefault": False, "shouldStart": False}
    arguments = {"path": nb.path, "factory": "Notebook", "kernelPreference": preference}
    lab.command("docmanager:open", arguments, wait=False)
    lab.notebook(nb.path)


def open_with_another(lab: LabPage, nb: OpenNotebook) -> None:
    nb.restart()
    lab.reload()
    lab.notebook(nb.path)


@pytest.mark.long
@pytest.mark.parametrize("later", ["no kernel", "another kernel"])
def test_layouts_and_turns_of_buttons(lab: LabPage, workspace: Workspace, later: str) -> None:
    """The file has the words, for every reader; the page has the saved turns."""
    nb = dashboard(lab, workspace)
    # Nobody saves: the page does, once the turn is over.
    eventually(lambda: all(TICKED in words(nb, index) for index in (1, 2, 3)), "the words")
    assert all(WIDGET_MIME in nb.read().cells[index].outputs[0].data for index in (1, 2, 3))
    for exporter in (HTMLExporter(), MarkdownExporter()):  # type: ignore[no-untyped-call]
        converted, _ = exporter.from_notebook_node(nb.read())
        assert converted.count("ticked off") >= 3
    if later == "no kernel":
        open_without_kernel(lab, nb)
    else:
        open_with_another(lab, nb)
    for index in (1, 2, 3):
        expect(nb.output(index).locator(".acp")).to_contain_text(TICKED)
        expect(nb.output(index).locator(".acp")).to_contain_text("Saved turn")
    picture(nb.cell(3), f"saved widgets, {later}")


@pytest.mark.long
def test_widgets_whose_state_is_saved(lab: LabPage, workspace: Workspace) -> None:
    """Where JupyterLab saves it, the layout itself is drawn, and its parts are the server's."""
    write_settings(lab.server.root.parent, MANAGER, {"saveState": True})
    nb = dashboard(lab, workspace)
    nb.save()
    assert "widgets" in nb.read().metadata
    open_with_another(lab, nb)
    expect(nb.output(1).locator(".widget-gridbox [data-part=plan]")).to_contain_text("4/4")
    expect(nb.output(3).locator(".widget-vbox [data-part=turn]")).to_contain_text(TICKED)
    picture(lab.page, "saved widgets, with their state")
    nb.save()
    assert all(WIDGET_MIME in nb.read().cells[index].outputs[0].data for index in (1, 2, 3))
