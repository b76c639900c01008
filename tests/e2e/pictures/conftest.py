"""Pictures of the view in both themes: who takes them, and of which server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser.lab import LabPage
from tests.support.scenes.camera import Camera, studio
from tests.support.server.jupyter_server import JupyterServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    with studio(tmp_path_factory.mktemp("pictures")) as running:
        yield running


@pytest.fixture(params=["Light", "Dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def camera(lab: LabPage, theme: str) -> Camera:
    return Camera(lab, theme)
