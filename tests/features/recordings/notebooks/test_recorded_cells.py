"""Recorded cells, in kernels without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import fake_agents

RECORD = "n.acp"


def _markdown(kernel: Kernel, source: str, **more: Any) -> str:
    markdown = kernel.run(source, **more).ok().output.data["text/markdown"]
    assert isinstance(markdown, str)
    return markdown


@pytest.fixture
def recorded(folder: Path) -> Path:
    """A folder with the record of two sessions; the agents are gone."""
    with Kernel(folder) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        said = kernel.run(f"%acp record on {RECORD}").ok().printed
        assert f"recorded in {RECORD}" in said
        _markdown(kernel, "%%acp permission --policy accept-edits\none")
        _markdown(kernel, "%%acp hello --session other\nGood morning")
        kernel.run("%%acp permission\ntwo", answers=["1"]).ok()
    names = {path.name for path in (folder / RECORD).iterdir()}
    assert names == {"permission.ndjson", "hello@other.ndjson"}
    (folder / "edited.txt").unlink()
    (folder.parent / "config" / "acp_agents.json").unlink()
    return folder


def test_a_recorded_notebook_runs_without_its_agents(recorded: Path) -> None:
    with Kernel(recorded, env={"ACP_JUPYTER_RECORD": f"replay:{RECORD}"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        first = _markdown(kernel, "%%acp permission --policy accept-edits\none")
        assert "Allowed by policy: accept-edits" in first
        assert (recorded / "edited.txt").read_text() == "one\n"
        assert "permission (replayed) 1.0 · policy accept-edits" in first
        assert "Good morning" in _markdown(kernel, "%%acp hello --session other\nGood morning")
        # What the user answered by hand, where nobody can be asked.
        assert "Allowed once (recorded)" in _markdown(kernel, "%%acp permission\ntwo")
        assert (recorded / "edited.txt").read_text() == "two\n"
        kernel.run("%acp use hello").ok()
        kernel.run("%acp replay off").ok()
        cell = kernel.run("%%acp permission\none")
        assert (cell.error, "no agent called" in cell.message) == ("UnknownAgent", True)


@pytest.mark.long
def test_a_user_who_sits_there_is_asked(recorded: Path) -> None:
    with Kernel(recorded) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        kernel.run(f"%acp replay on {RECORD}").ok()
        _markdown(kernel, "%%acp permission --policy accept-edits\none")
        cell = kernel.run("%%acp permission\ntwo", answers=["3"])
        assert len(cell.questions) == 1
        assert cell.error == "TurnError"
        assert "The rest of the turn can't be played" in cell.message
        assert (recorded / "edited.txt").read_text() == "one\n"


@pytest.mark.long
def test_another_prompt_raises_in_words(recorded: Path) -> None:
    with Kernel(recorded) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        kernel.run(f"%acp replay on {RECORD}").ok()
        cell = kernel.run("%%acp permission --policy accept-edits\nanother")
        assert cell.error == "TurnError"
        assert "not the one that was recorded" in cell.message
        cell = kernel.run("%%acp permission --session none\none")
        assert cell.error == "RecordingMissing"
        assert "Record it first: type %acp record on" in cell.message
        assert "File " not in cell.traceback


def test_what_has_to_be_said_is_said(kernel: Kernel) -> None:
    """A kernel that does not know its notebook asks for the record's name."""
    cell = kernel.run("%acp record on")
    assert (cell.error, "on NAME.acp" in cell.message) == ("BadRequest", True)
    assert kernel.run("%acp record on records").error == "BadRequest"
    assert kernel.run("%acp record on ../../x.acp").error == "NotAllowed"
    assert "Type %acp record on" in kernel.run("%acp record perhaps").printed
    assert "Nothing is being recorded" in kernel.run("%acp record").ok().printed
    assert "recorded in x.acp" in kernel.run("%acp record on x.ipynb").ok().printed
    assert "recorded in x.acp" in kernel.run("%acp replay off").ok().printed
    assert "Nothing is being recorded" in kernel.run("%acp record off").ok().printed
    assert kernel.complete("%acp rec") == ["record"]
    assert kernel.complete("%acp record ") == ["on", "off", "status"]


@pytest.mark.long
def test_a_variable_that_makes_no_sense_is_told(folder: Path) -> None:
    with Kernel(folder, env={"ACP_JUPYTER_RECORD": "yes"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        cell = kernel.run("%%acp hello\nHi")
        assert cell.error == "BadRequest"
        assert "Set it to record, replay or off" in cell.message
        kernel.run("%acp record off").ok()
        kernel.run("%%acp hello\nHi").ok()


@pytest.mark.long
def test_a_fresh_kernel_makes_a_new_record_in_the_place_of_the_old(recorded: Path) -> None:
    servers = fake_agents("hello")
    config = recorded.parent / "config" / "acp_agents.json"
    config.write_text(json.dumps({"agent_servers": servers}))
    with Kernel(recorded, env={"ACP_JUPYTER_RECORD": f"record:{RECORD}"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        _markdown(kernel, "%%acp hello --session other\nGood evening")
        _markdown(kernel, "%%acp hello --session other\nGood night")
    text = (recorded / RECORD / "hello@other.ndjson").read_text()
    assert "Good morning" not in text
    assert "Good evening" in text
    assert "Good night" in text


@pytest.mark.long
def test_a_record_of_somebody_else_is_asked_about_and_ones_own_is_not(recorded: Path) -> None:
    data = recorded.parent / "data" / "acp-jupyter"
    (data / "trust.json").unlink()
    cell = "%%acp permission --policy accept-edits\none"
    with Kernel(recorded, env={"ACP_JUPYTER_RECORD": f"replay:{RECORD}"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        assert not kernel.run(cell, watched=True).ok().questions
    (recorded / "edited.txt").unlink()
    (data / "records.json").unlink()
    with Kernel(recorded, env={"ACP_JUPYTER_RECORD": f"replay:{RECORD}"}) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        asked = kernel.run(cell, answers=["2"])
        assert asked.error == "FolderNotTrusted"
        assert "n.acp/permission.ndjson was not recorded here" in asked.message
        assert not (recorded / "edited.txt").exists()
        kernel.run(cell, answers=["1"]).ok()
        assert (recorded / "edited.txt").read_text() == "one\n"
