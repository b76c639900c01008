"""The example dashboard, used as its page says, in each frontend."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.pictures import take
from tests.support.browser.roles import TurnView
from tests.support.kernel.notebook_file import read_notebook
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents, disable_labextensions
from tests.support.server.workspace import Workspace

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "dashboard.ipynb"


def copied(workspace: Workspace) -> tuple[str, list[int], int]:
    """Return the notebook in a folder, the cells up to its layout, and that of the layout."""
    shutil.copy(NOTEBOOK, workspace.folder / NOTEBOOK.name)
    cells = read_notebook(NOTEBOOK).cells
    layout = next(index for index, cell in enumerate(cells) if cell.id == "layout")
    code = [index for index in range(layout + 1) if cells[index].cell_type == "code"]
    return f"{workspace.name}/{NOTEBOOK.name}", code, layout


def shown(nb: OpenNotebook, cells: list[int], layout: int) -> Locator:
    nb.wait_for_kernel()
    for index in cells:
        nb.run_to_end(index)
    return nb.output(layout)


def use(output: Locator, folder: Path, picture: str = "") -> None:
    """Choose a data set, send, allow, and find everything in its place."""

    def part(part: str) -> Locator:
        return output.locator(f".acp[data-part={part}]").first

    output.get_by_role("combobox", name="Data set").select_option("wind.csv")
    box = part("composer").get_by_role("textbox", name="Message")
    expect(box).to_have_value("edit dashboard/wind.csv")
    box.press("End")
    box.press_sequentially(" rate=20")
    part("composer").get_by_role("button", name="Send").click()
    expect(part("plan")).to_contain_text("2/4")
    expect(output.get_by_text("requires_action")).to_be_visible()
    assert "  \n" in (folder / "dashboard" / "wind.csv").read_text()
    if picture:
        allow = part("permission").get_by_role("button", name="Allow once")
        allow.scroll_into_view_if_needed()
        take(f"widgets/dashboard-{picture}", output)
    TurnView(part("permission")).answer("Allow once")
    expect(part("plan")).to_contain_text("4/4")
    expect(part("diffs")).to_contain_text("wind.csv")
    expect(output.get_by_role("img", name="Tool calls by time")).to_contain_text("wind.csv")
    expect(part("permission")).to_contain_text("Nothing is asked.")
    expect(output.get_by_text("done", exact=True).first).to_be_visible()
    assert "  \n" not in (folder / "dashboard" / "wind.csv").read_text()


@pytest.mark.long
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_in_jupyterlab(lab: LabPage, workspace: Workspace, theme: str) -> None:
    path, cells, layout = copied(workspace)
    lab.page.set_viewport_size({"width": 1280, "height": 1100})
    nb = lab.open(path)
    lab.use_theme(f"JupyterLab {theme}")
    use(shown(nb, cells, layout), workspace.folder, theme.lower())


@pytest.mark.long
def test_in_notebook_7(lab: LabPage, visitor: Visitor, workspace: Workspace) -> None:
    path, cells, layout = copied(workspace)
    nb = LabPage(visitor, lab.server, "notebook").open(path)
    use(shown(nb, cells, layout), workspace.folder)


@pytest.fixture
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A JupyterLab that has everything but our labextension."""
    folder = tmp_path_factory.mktemp("bare")
    server = JupyterServer(folder, app="jupyterlab", agents=agents(), args=LAB_ARGS)
    disable_labextensions(folder, "acp-jupyter")
    with server:
        yield server


@pytest.mark.long
def test_in_jupyterlab_without_the_labextension(
    bare_server: JupyterServer, visitor: Visitor
) -> None:
    workspace = Workspace(bare_server.root, "bare")
    path, cells, layout = copied(workspace)
    nb = LabPage(visitor, bare_server).open(path)
    use(shown(nb, cells, layout), workspace.folder)
