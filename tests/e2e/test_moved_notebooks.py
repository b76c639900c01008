"""What is said goes on in JupyterLab, whoever renames the notebook or its folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.agents.fake_agent import script
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace

_LOAD = "%load_ext acp_jupyter"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("moving")
    agents = {"keeper": script("keeps_sessions", str(folder / "agent.json"), "resume")}
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as running:
        yield running


@pytest.mark.long
def test_the_panel_of_a_notebook_that_mv_renamed_goes_on(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(_LOAD, "%%acp keeper\none"))
    nb.load_extension()
    nb.run_to_end(1)
    nb.saved_output(1)
    nb.save()
    nb.close()
    nb.file.rename(nb.file.with_name("renamed.ipynb"))
    lab.open(f"{workspace.name}/renamed.ipynb")
    panel = lab.panel
    expect(panel.log).to_contain_text("After 0: one")
    panel.say("two")
    expect(panel.log).to_contain_text("After 1: two")


@pytest.mark.long
def test_an_open_notebook_and_its_panel_go_on_in_a_renamed_folder(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(_LOAD, "%%acp keeper\none", "%%acp keeper\nthree"))
    nb.load_extension()
    nb.run_to_end(1)
    panel = lab.panel
    expect(panel.log).to_contain_text("After 0: one")
    new = f"{workspace.name}-renamed"
    lab.page.evaluate(
        "([old, to]) => jupyterapp.serviceManager.contents.rename(old, to)", [workspace.name, new]
    )
    renamed = OpenNotebook(lab, f"{new}/nb.ipynb")
    panel.say("two")
    expect(panel.log).to_contain_text("After 1: two")
    renamed.run_to_end(2)
    expect(renamed.turn(2).root).to_contain_text("After 2: three")
    expect(panel.log).to_contain_text("After 2: three")
