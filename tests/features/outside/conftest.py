"""A server with a notebook that has a kernel, and keys for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.notebook_tools.in_process import write_notebook
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.user import AsUser

NOTEBOOK = "work/n.ipynb"

MakeKey = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("outside")
    with JupyterServer(folder, agents=fake_agents("notebook_user")) as server:
        yield server


@pytest.fixture(scope="session")
def side(server: JupyterServer) -> KernelSide:
    write_notebook(server.root / NOTEBOOK, "")
    return server.start_kernel(NOTEBOOK)


@pytest.fixture
def path(server: JupyterServer, side: KernelSide) -> Path:
    path = server.root / NOTEBOOK
    write_notebook(path, "n = 1", "n + 1")
    return path


@pytest.fixture
def user(server: JupyterServer) -> Iterator[AsUser]:
    with AsUser(server) as user:
        yield user


@pytest.fixture
def make_key(user: AsUser, path: Path) -> Iterator[MakeKey]:
    made: list[str] = []

    def make(policy: str = "ask", notebook: str = NOTEBOOK) -> dict[str, Any]:
        body = {"notebook_path": notebook, "policy": policy}
        answer = user.post("outside-keys", body).raise_for_status().json()
        made.append(answer["entry"]["key_id"])
        return dict(answer)

    yield make
    left = {key["key_id"] for key in user.get("outside-keys")}
    for key_id in left & set(made):
        user.delete(f"outside-keys/{key_id}")
