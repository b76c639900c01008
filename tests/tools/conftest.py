"""Tools that people use beside us, in one environment made once; `make test-all` runs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.environments import tools_environment
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents, stop_kernels
from tests.support.server.workspace import Workspace

TRACES = Path(__file__).resolve().parents[2] / "test-results"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.name != "test_table.py":
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of the environment with all tools."""
    return tools_environment(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def server(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """JupyterLab with the extensions of others."""
    folder = tmp_path_factory.mktemp("tools")
    with JupyterServer(
        folder, app="jupyterlab", agents=agents(), args=LAB_ARGS, python=str(python)
    ) as running:
        yield running


@pytest.fixture
def lab(
    server: JupyterServer, browser: Browser, request: pytest.FixtureRequest
) -> Iterator[LabPage]:
    """A tab there; its kernels end with the test."""
    visitor = Visitor(browser, TRACES)
    yield LabPage(visitor, server)
    visitor.close()
    stop_kernels(server)


@pytest.fixture
def workspace(server: JupyterServer, request: pytest.FixtureRequest) -> Workspace:
    """A folder with ``clean.py`` there."""
    return Workspace(server.root, re.sub(r"\W+", "-", request.node.name.removeprefix("test_")))
