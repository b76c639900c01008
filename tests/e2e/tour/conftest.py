"""A JupyterLab with one agent after the other, and what a new user finds there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.tour import (
    EDIT,
    FORMULA,
    PROMPTS,
    REPORT_PY,
    TRAVELLERS,
    Album,
    Tour,
    Traveller,
)
from tests.support.mockllm import FakeModel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, stop_kernels
from tests.support.server.workspace import Workspace


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(each, id=each.agent_id, marks=[pytest.mark.agents] if each.published else [])
        for each in TRAVELLERS
    ],
)
def traveller(request: pytest.FixtureRequest) -> Traveller:
    agent: Traveller = request.param
    return agent


@pytest.fixture(scope="module")
def server(
    traveller: Traveller, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JupyterServer]:
    """A JupyterLab with that agent, in a home folder of its own."""
    folder = tmp_path_factory.mktemp(f"tour-{traveller.agent_id}")
    home = folder / "agent-home"
    home.mkdir()
    with FakeModel(title="Faster loops in report.py") as model:
        for words, scenario in PROMPTS.items():
            model.prompts[words] = f"scenario={scenario} cwd={folder / 'root' / 'survey'}"
        with JupyterServer(
            folder,
            app="jupyterlab",
            agents=traveller.entry(home, model),
            args=LAB_ARGS,
            trusted=[],
            env={"HOME": str(folder / "root")},
        ) as running:
            yield running


@pytest.fixture
def tour(server: JupyterServer, visitor: Visitor, traveller: Traveller) -> Iterator[Tour]:
    ground = Workspace(server.root, "survey")
    (ground.folder / "clean.py").unlink()
    (ground.folder / "report.py").write_text(REPORT_PY)
    agent = traveller.agent_id
    path = ground.notebook(
        "%load_ext acp_jupyter",
        f"%%acp {agent}\n{EDIT}",
        f"%%acp {agent}\n{FORMULA}",
        name="survey.ipynb",
    )
    lab = LabPage(visitor, server)
    lab.page.set_viewport_size({"width": 1100, "height": 1150})
    notebook = lab.open(path)
    notebook.load_extension()
    lab.command("application:toggle-left-area")
    yield Tour(traveller, lab, notebook, ground, Album(agent))
    stop_kernels(server)
