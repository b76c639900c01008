"""One server and one browser for all tests; a browser profile and a folder for each."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.support.browser.chromium import Visitor, forget
from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents, stop_kernels
from tests.support.server.workspace import Workspace

TRACES = Path(__file__).resolve().parents[2] / "test-results"

_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[_failed] = True
    return report


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """JupyterLab, with token and XSRF, and agents of every sort.

    ``ACP_PYTHON`` is the interpreter of another environment that it is started from.
    """
    folder = tmp_path_factory.mktemp("lab")
    # Below the home folder, as for most people: the page shortens paths there. The greeting of
    # notebook-intelligence, where that is installed, lies over the page.
    env = {"HOME": str(folder / "root"), "NBI_TOUR_DISABLED": "true"}
    with JupyterServer(
        folder,
        app="jupyterlab",
        agents=agents(),
        args=(*LAB_ARGS, "--AcpJupyter.session_new_seconds=3"),
        env=env,
        python=os.environ.get("ACP_PYTHON", sys.executable),
    ) as running:
        yield running


@pytest.fixture
def visitor(
    server: JupyterServer,
    browser: Browser,
    profile: BrowserContext,
    request: pytest.FixtureRequest,
) -> Iterator[Visitor]:
    """Somebody whose profile has no past; pictures of its pages are kept when the test fails."""
    forget(profile, server.origin)
    visitor = Visitor(browser, TRACES, profile=profile)
    yield visitor
    name = re.sub(r"\W+", "-", request.node.name)
    visitor.close(keep_as=name if request.node.stash.get(_failed, False) else None)


@pytest.fixture
def workspace(server: JupyterServer, request: pytest.FixtureRequest) -> Workspace:
    """A folder with ``clean.py`` on the shared server."""
    return Workspace(server.root, re.sub(r"\W+", "-", request.node.name.removeprefix("test_")))


@pytest.fixture
def lab(server: JupyterServer, visitor: Visitor) -> Iterator[LabPage]:
    """A tab on the shared server; its kernels end with the test."""
    yield LabPage(visitor, server)
    stop_kernels(server)
    # A theme that was chosen is the user's, on the server.
    shutil.rmtree(server.root.parent / "config" / "lab" / "user-settings", ignore_errors=True)
