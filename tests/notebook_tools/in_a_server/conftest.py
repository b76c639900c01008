"""A server, and a kernel of a notebook in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notebook_tools.in_a_server.calls import NOTEBOOK, PICTURE
from tests.notebook_tools.in_process import write_notebook
from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("notebook_user", "permission")
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=agents) as server:
        yield server


@pytest.fixture(scope="session")
def side(server: JupyterServer) -> KernelSide:
    write_notebook(server.root / NOTEBOOK, "")
    return server.start_kernel(NOTEBOOK)


@pytest.fixture(scope="session")
def kernel(server: JupyterServer, side: KernelSide) -> Iterator[Kernel]:
    with Kernel(server.root, connection_file=side.connection_file) as kernel:
        kernel.run("%load_ext acp_jupyter\nimport acp_jupyter").ok()
        yield kernel


@pytest.fixture
def path(server: JupyterServer) -> Path:
    path = server.root / NOTEBOOK
    write_notebook(path, "%%acp", "n = 1", PICTURE)
    return path
