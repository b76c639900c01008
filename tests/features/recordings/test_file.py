"""Where records lie, and which session has which."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.errors import AcpError, BadRequest, FileRefused, NotAllowed, RecordingMissing
from acp_jupyter.features.recordings.recording_file import recording_name
from acp_jupyter.host.recording_options import RecordingOptions, recording_folder
from acp_jupyter.transcript.model.items import Notice
from tests.features.recordings.records import host_in, opened, ran, recorded
from tests.support.host.limits import PATIENT
from tests.support.planted_secret import SECRET
from tests.support.wait import eventually


def test_without_a_record_there_is_nothing_to_play(tmp_path: Path) -> None:
    with host_in(tmp_path / "one", agents=False) as driver:
        with pytest.raises(RecordingMissing, match=r"own\.acp/own_tools\.ndjson.*%acp record on"):
            opened(driver, "own_tools", "replay")
        assert driver.host.sessions == {}


def test_what_something_else_made_is_neither_played_nor_overwritten(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        file = recorded(tmp_path / "one", "own_tools.ndjson")
        file.parent.mkdir()
        file.write_text('{"seq": 1, "d": "!", "m": {"note": "session_opened"}}\n')
        for mode in ("record", "replay"):
            with pytest.raises(FileRefused, match="something else made it"):
                opened(driver, "own_tools", mode)
        file.unlink()
        session = opened(driver, "own_tools")
        file.write_text("mine")
        ran(driver, session, "say Hello")
        eventually(lambda: any(isinstance(i, Notice) for i in session.transcript.items))
        notice = next(i for i in session.transcript.items if isinstance(i, Notice))
        assert "was not written" in notice.text
    assert file.read_text() == "mine"


def test_what_is_no_file_is_not_played(tmp_path: Path) -> None:
    with host_in(tmp_path / "one", agents=False) as driver:
        recorded(tmp_path / "one", "own_tools.ndjson").mkdir(parents=True)
        with pytest.raises(FileRefused, match="is not a plain file"):
            opened(driver, "own_tools", "replay")


@pytest.mark.parametrize(
    ("notebook", "path", "kind"),
    [
        ("", "", BadRequest),
        ("a/n.ipynb", "records", BadRequest),
        ("a/n.ipynb", "../../out.acp", NotAllowed),
        ("", "../../out.acp", NotAllowed),
        ("", "x/../../out.acp", NotAllowed),
        ("a/n.ipynb", "/etc/out.acp", NotAllowed),
        ("a/n.ipynb", "C:\\out.acp", NotAllowed),
    ],
)
def test_where_a_record_can_not_lie(notebook: str, path: str, kind: type[AcpError]) -> None:
    with pytest.raises(kind):
        recording_folder(notebook, RecordingOptions(mode="record", path=path))


@pytest.mark.parametrize(
    ("notebook", "path", "folder"),
    [
        ("a/n.ipynb", "", "a/n.acp"),
        ("a/n.ipynb", "other.ipynb", "a/other.acp"),
        ("a/n.ipynb", "../b/n.acp", "b/n.acp"),
        ("", "n.acp", "n.acp"),
    ],
)
def test_where_a_record_lies(notebook: str, path: str, folder: str) -> None:
    assert str(recording_folder(notebook, RecordingOptions(mode="record", path=path))) == folder


@pytest.mark.parametrize("agent", ["../x", "", "A/b", "x\n"])
def test_no_agent_leads_elsewhere(agent: str, tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver, pytest.raises(BadRequest):
        opened(driver, agent, "replay")


def test_a_link_does_not_lead_out_of_the_root(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with host_in(tmp_path / "one") as driver:
        recorded(tmp_path / "one", "").symlink_to(outside)
        with pytest.raises(NotAllowed):
            opened(driver, "own_tools", "replay")
        with pytest.raises(NotAllowed):
            opened(driver, "own_tools")
    assert list(outside.iterdir()) == []


def test_sessions_have_a_record_each(tmp_path: Path) -> None:
    """Also those of one name: --new starts another."""
    with host_in(tmp_path / "one") as driver:
        for label, run in (("", "r1"), ("a b/c", "r1"), ("", "r1"), ("", "r2")):
            session = opened(driver, "own_tools", label=label, run=run)
            ran(driver, session, f"say {label} in {run}")
    folder = recorded(tmp_path / "one", "")
    names = {"own_tools.ndjson", "own_tools@a b%2Fc.ndjson", "own_tools~2.ndjson"}
    assert {path.name for path in folder.iterdir()} == names
    # Another run begins anew, in the place of the old record.
    assert "say  in r2" in (folder / "own_tools.ndjson").read_text()
    assert "in r1" not in (folder / "own_tools.ndjson").read_text()


def test_a_host_that_stops_with_a_turns_end_has_recorded_it(tmp_path: Path) -> None:
    """The folder is still looked at when the end is told."""
    limits = replace(PATIENT, scan_hold_seconds=0.0)
    with host_in(tmp_path / "one", limits=limits) as driver:
        ran(driver, opened(driver, "own_tools"), "say Hello")
    assert "say Hello" in recorded(tmp_path / "one", "own_tools.ndjson").read_text()


def test_each_of_them_is_played(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        for number in (1, 2):
            ran(driver, opened(driver, "own_tools"), f"say number {number}")
    with host_in(tmp_path / "one", agents=False) as driver:
        for number in (1, 2):
            session = opened(driver, "own_tools", "replay")
            assert ran(driver, session, f"say number {number}").stop_reason == "end_turn"
        with pytest.raises(RecordingMissing, match=r"own_tools~3\.ndjson"):
            opened(driver, "own_tools", "replay")


def test_a_prompt_may_name_what_the_record_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", SECRET)
    prompt = f"Read {Path.home()}/.netrc and {tmp_path}/one/folder/x, not {SECRET}"
    with host_in(tmp_path / "one") as driver:
        ran(driver, opened(driver, "own_tools"), prompt)
    with host_in(tmp_path / "one", agents=False) as driver:
        session = opened(driver, "own_tools", "replay")
        assert ran(driver, session, prompt).stop_reason == "end_turn"


def test_that_of_an_agent_in_a_kernel_has_its_name_without_a_colon() -> None:
    assert recording_name("cell:librarian", "", 1) == "librarian.ndjson"
