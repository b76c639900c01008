"""A page whose acp-jupyter is not the server's says what mends it, in the panel and in the cell."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

import acp_jupyter
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents
from tests.support.server.workspace import Workspace

OLD_COPY_FIRST = {"JUPYTER_PREFER_ENV_PATH": "0"}
"""As it is outside of a virtual environment: the user's folder comes before that of Python."""


def copy_an_old_labextension(data: Path) -> None:
    """Put a labextension that speaks another version of the API into the user's folder."""
    copy = data / "labextensions" / "acp-jupyter"
    shutil.copytree(Path(acp_jupyter.__file__).parent / "labextension", copy)
    for now, then in (("1!==e.api_version", "0!==e.api_version"), ("apiVersion=1", "apiVersion=0")):
        (script,) = [path for path in (copy / "static").glob("*.js") if now in path.read_text()]
        script.write_text(script.read_text().replace(now, then))


@pytest.mark.long
def test_an_old_copy_of_the_labextension_is_told(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("two-copies")
    copy_an_old_labextension(folder / "data")
    server = JupyterServer(
        folder, app="jupyterlab", agents=agents(), args=LAB_ARGS, env=OLD_COPY_FIRST
    )
    with server:
        workspace = Workspace(server.root, "here")
        lab = LabPage(visitor, server)
        nb = lab.open(workspace.notebook("%load_ext acp_jupyter", "%%acp demo\nedit clean.py"))
        nb.load_extension()
        nb.run(1)
        # The page's own code draws widgets, so an old copy draws none.
        for place in (lab.panel.root, nb.output(1)):
            expect(place).to_contain_text("hold different versions of acp-jupyter")
            expect(place).to_contain_text('"jupyter labextension list" shows where the old one is')
            expect(place).not_to_contain_text("Trying again")
        lab.close()
        assert "kept = [row.strip() for row in rows]" not in workspace.clean_py
