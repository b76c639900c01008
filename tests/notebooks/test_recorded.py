"""Notebooks that are recorded once and then run with no agent and no model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acp_jupyter.transcript.record import TURN_MIME
from tests.support.notebook import Kernel

RECORD = "n.acp"


def _markdown(kernel: Kernel, source: str) -> str:
    markdown = kernel.run(source).ok().output.data["text/markdown"]
    assert isinstance(markdown, str)
    return markdown


@pytest.fixture
def recorded(folder: Path) -> Path:
    """A folder with the record of two sessions; the folder they worked in is gone."""
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        assert RECORD in kernel.run(f"%acp record on {RECORD}").ok().printed
        _markdown(kernel, "%%acp permission --policy accept-edits\none")
        _markdown(kernel, "%%acp hello --session other\nGood morning")
        _markdown(kernel, "%%acp permission --policy accept-edits\ntwo")
    assert {path.name for path in (folder / RECORD).iterdir()} == {
        "permission.ndjson",
        "hello@other.ndjson",
    }
    (folder / "edited.txt").unlink()
    (folder.parent / "config" / "acp_agents.json").unlink()
    return folder


def test_a_recorded_notebook_runs_without_its_agents(recorded: Path) -> None:
    with Kernel(recorded, env={"ACP_JUPYTER_RECORD": f"replay:{RECORD}"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        first = _markdown(kernel, "%%acp permission --policy accept-edits\none")
        assert (recorded / "edited.txt").read_text() == "one\n"
        assert "permission (replayed)" in first
        assert "Good morning" in _markdown(kernel, "%%acp hello --session other\nGood morning")
        _markdown(kernel, "%%acp permission --policy accept-edits\ntwo")
        assert (recorded / "edited.txt").read_text() == "two\n"
