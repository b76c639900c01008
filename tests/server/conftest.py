from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A server that all tests share which leave it as it was."""
    agents = fake_agents(
        "hello",
        "permission",
        "slow_stream",
        "dies_mid_turn",
        "edits_files",
        "elicit",
        "steers",
        "takes",
    )
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


@pytest.fixture
def browser(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.browser() as client:
        yield client


@pytest.fixture(scope="session")
def kernel(server: JupyterServer) -> KernelSide:
    kernel = server.start_kernel("kernels/own.ipynb")
    kernel.run("1")  # one whose ports are taken starts again, and may ask for nothing meanwhile
    return kernel


@pytest.fixture(scope="session")
def other_kernel(server: JupyterServer) -> KernelSide:
    kernel = server.start_kernel("kernels/other.ipynb")
    kernel.run("1")  # one whose ports are taken starts again, and may ask for nothing meanwhile
    return kernel
