"""The question about a folder, and answers that are remembered, in a cell and in the panel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A JupyterLab where no folder is trusted beforehand."""
    folder = tmp_path_factory.mktemp("untrusted")
    with JupyterServer(
        folder, app="jupyterlab", agents=agents(), args=LAB_ARGS, trusted=[]
    ) as running:
        yield running


def test_a_cell_asks_about_its_folder_once_and_remembers_an_answer(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(LOAD, *(f"%%acp permission\nwords {n}" for n in range(3))))
    nb.load_extension()
    edited = workspace.folder / "edited.txt"

    # No ends the turn; nothing has run.
    turn = nb.run(1)
    trust = turn.root.get_by_role("group", name="Folder trust")
    expect(trust).to_contain_text("hooks, MCP servers")
    trust.get_by_role("button", name="Don't trust").click()
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("has been allowed to run")

    # Yes starts the agent, while the cell runs.
    turn = nb.run(2)
    trust = turn.root.get_by_role("group", name="Folder trust")
    trust.get_by_role("button", name="Trust this folder").click()
    # What goes beyond the agent's options is in a menu of its own.
    expect(turn.option("Allow for this session")).to_be_visible()
    expect(turn.permission.get_by_role("button", name="This file")).to_have_count(0)
    turn.permission.get_by_text("More answers").click()
    session = turn.root.get_by_role("group", name="Always in this session")
    session.get_by_role("button", name="This file").click()
    nb.wait_for_end(2)
    eventually(lambda: edited.read_text() == "words 1\n", what="the edit is on disk")

    # Neither is asked again.
    turn = nb.run(3)
    nb.wait_for_end(3)
    expect(turn.root).to_contain_text("Allowed by rule: edit:edited.txt")
    eventually(lambda: edited.read_text() == "words 2\n", what="the edit is on disk")
    expect(turn.root.get_by_role("group", name="Folder trust")).to_have_count(0)
