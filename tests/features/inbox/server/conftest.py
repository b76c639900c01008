"""A server that people share, behind a prefix as on a hub."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.named_users import NAMED


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """One for all tests of the pages."""
    folder = tmp_path_factory.mktemp("inbox")
    with JupyterServer(
        folder,
        agents=fake_agents("permission"),
        config=NAMED,
        args=("--ServerApp.base_url=/user/ada/",),
    ) as running:
        yield running
