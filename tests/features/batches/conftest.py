"""A folder to run batches in, with Jupyter's own folders beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.kernel.cells import jupyter_environment


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder. Jupyter's configuration is in ``config`` beside it."""
    for name, value in jupyter_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "config").mkdir()
    monkeypatch.chdir(folder)
    return folder
