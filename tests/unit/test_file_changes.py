"""What a turn changed on disk, and which of it is worth opening."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.file_changes import FileChanged, FolderScan, Signature, changes, scan
from acp_jupyter.host.file_changes_artifacts import made_artifacts
from acp_jupyter.host.host import AgentHost, HostConfig
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.session import Session
from acp_jupyter.host.traffic_log import read_traffic
from acp_jupyter.packets.artifact_types import file_type
from acp_jupyter.packets.display import artifact_type_name
from acp_jupyter.packets.file_notes import ArtifactsMade
from acp_jupyter.packets.notes import SessionOpened
from acp_jupyter.packets.reader import TrafficReader
from acp_jupyter.transcript.items import Artifact, Item, Notice
from acp_jupyter.transcript.reduce import reduce
from acp_jupyter.transcript.setup import opened
from acp_jupyter.transcript.state import Transcript
from tests.support.driver import Driver
from tests.support.fake_agents import AGENTS
from tests.support.script import Script
from tests.support.wait import eventually

LIMITS = Limits()


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_scan_sees_plain_files_and_neither_links_nor_caches(tmp_path: Path) -> None:
    write(tmp_path, a_py="x", sub__b_csv="1,2")
    for folder in (".git", "node_modules", ".venv", "__pycache__", ".ipynb_checkpoints", "n.acp"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "inside").write_text("x")
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "env" / "lib.py").write_text("")
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    found = scan(tmp_path, LIMITS)
    assert set(found.files) == {"a.py", "sub/b.csv"}
    assert found.whole


@pytest.mark.skipif(os.name == "nt", reason="names are always text there")
def test_a_name_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, a_py="x")
    with open(os.fsencode(tmp_path) + b"/\xff.py", "w") as file:
        file.write("x")
    assert set(scan(tmp_path, LIMITS).files) == {"a.py"}


@pytest.mark.parametrize("bound", [{"scan_files": 5}, {"scan_seconds": -1.0}])
def test_beyond_a_bound_nothing_is_claimed(tmp_path: Path, bound: dict[str, float]) -> None:
    limits = dataclasses.replace(LIMITS, **bound)  # type: ignore[arg-type]
    for number in range(9):
        (tmp_path / f"{number}.py").write_text("")
    part = scan(tmp_path, limits)
    assert not part.whole
    assert len(part.files) <= 5
    whole = scan(tmp_path, LIMITS)
    assert changes(part, whole) == changes(whole, part) == ()


def test_what_was_made_changed_and_deleted(tmp_path: Path) -> None:
    write(tmp_path, kept_py="1", changed_py="1", gone_py="1", swapped_py="1")
    before = scan(tmp_path, LIMITS)
    write(tmp_path, changed_py="22", new__made_csv="1")
    (tmp_path / "gone.py").unlink()
    # As editors save: another file under the name, of the same size and time.
    times = (tmp_path / "swapped.py").stat()
    (tmp_path / "other").write_text("2")
    os.utime(tmp_path / "other", ns=(times.st_atime_ns, times.st_mtime_ns))
    (tmp_path / "other").replace(tmp_path / "swapped.py")
    assert changes(before, scan(tmp_path, LIMITS)) == (
        FileChanged("changed.py", "changed"),
        FileChanged("gone.py", "deleted"),
        FileChanged("new/made.csv", "made"),
        FileChanged("swapped.py", "changed"),
    )


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert scan(tmp_path / "gone", LIMITS) == FolderScan({})


FOLDERS = st.dictionaries(
    st.sampled_from("abcde"), st.builds(Signature, *[st.integers(0, 2)] * 3), max_size=5
).map(FolderScan)


@given(FOLDERS, FOLDERS)
def test_changes_lead_from_the_one_scan_to_the_other(old: FolderScan, new: FolderScan) -> None:
    files = dict(old.files)
    for change in changes(old, new):
        assert (change.path in old.files) == (change.how != "made")
        if change.how == "deleted":
            del files[change.path]
        else:
            assert files.get(change.path) != new.files[change.path]
            files[change.path] = new.files[change.path]
    assert files == new.files


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("a/plot.PNG", "image", "Image"),
        ("t.csv", "csv", "CSV"),
        ("t.tsv", "csv", "CSV"),
        ("t.xlsx", "excel", "Excel"),
        ("t.pptx", "pptx", "PowerPoint"),
        ("t.docx", "docx", "Word"),
        ("t.pdf", "pdf", "PDF"),
        ("t.md", "markdown", "Markdown"),
        ("t.py", "code", "Code"),
        ("t.html", "web_app", "Web app"),
        ("n.ipynb", "other", "File"),
        ("data.json", "other", "File"),
        ("Makefile", "other", "File"),
        (".csv", "other", "File"),
    ],
)
def test_a_files_name_says_what_it_is(name: str, kind: str, words: str) -> None:
    """S3.24: the types have names for people; csv shows "CSV"."""
    found = file_type(name)
    assert found.artifact == kind
    assert artifact_type_name(found.artifact) == words
    assert bool(found.mime) == (kind not in {"other"})


def _made(root: Path, before: FolderScan, *shown: str) -> dict[str, tuple[str, str]]:
    after = scan(root, LIMITS)
    found = made_artifacts(changes(before, after), before, after, set(shown))
    return {artifact.path: (artifact.type, artifact.name) for artifact in found}


def test_made_files_of_a_known_type_are_artifacts(tmp_path: Path) -> None:
    """C28: a file made in the turn whose type is in S3.24."""
    write(tmp_path, old_csv="1", old_png="")
    before = scan(tmp_path, LIMITS)
    write(tmp_path, old_csv="12", out__plot_png="x", table_csv="1,2", own_ipynb="{}", x_bin="0")
    write(tmp_path, tool_py="", notes_md="", more_py="")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "README.md").write_text("x")
    # Code and Markdown whose diff is in sight are not shown twice; a table is.
    assert _made(tmp_path, before, "tool.py", "notes.md", "table.csv") == {
        "more.py": ("code", "more.py"),
        "out/plot.png": ("image", "plot.png"),
        "table.csv": ("csv", "table.csv"),
    }


def test_a_new_folder_with_a_page_is_one_web_app(tmp_path: Path) -> None:
    write(tmp_path, old__a_txt="")
    before = scan(tmp_path, LIMITS)
    write(tmp_path, site__index_html="", site__app_js="", site__docs__index_html="")
    write(tmp_path, old__index_html="", page_html="")
    assert _made(tmp_path, before) == {
        "old/index.html": ("web_app", "index.html"),
        "page.html": ("web_app", "page.html"),
        "site/index.html": ("web_app", "site"),
    }


def test_artifacts_have_sizes_and_types(tmp_path: Path) -> None:
    before = scan(tmp_path, LIMITS)
    write(tmp_path, table_csv="1,2\n")
    after = scan(tmp_path, LIMITS)
    (made,) = made_artifacts(changes(before, after), before, after, set())
    assert (made.size_bytes, made.mime_type, made.preview_url) == (4, "text/csv", "")


def test_the_note_becomes_items_of_its_turn() -> None:
    """C28: in the turn it was made in, also when the turn is done; the log alone says so."""
    script = Script()
    prompt = script.turn("Plot it", "t1")
    script.text("Here it is")
    script.note(
        ArtifactsMade.model_validate(
            {
                "turn_id": "t1",
                "artifacts": [{"id": "a.csv", "type": "csv", "name": "a.csv", "path": "a.csv"}],
                "left_out": 3,
            }
        )
    )
    script.end(prompt)
    items = script.transcript.turn_items("t1")
    assert [item.kind for item in items] == [
        "user_message",
        "agent_message",
        "artifact",
        "notice",
        "turn_end",
    ]
    made, more = items[2:4]
    assert isinstance(made, Artifact)
    assert (made.type_name, made.path, made.preview_url) == ("CSV", "a.csv", "")
    assert isinstance(more, Notice)
    assert more.text == "The turn made 3 more files that are not shown here."
    ended = [event.kind for event in script.events].count("turn_ended")
    script.note(ArtifactsMade.model_validate({"turn_id": "t1", "left_out": 1}))
    assert script.transcript.turn_items("t1")[-1].kind == "notice"
    assert [event.kind for event in script.events].count("turn_ended") == ended + 1
    script.note(ArtifactsMade.model_validate({"turn_id": "unknown", "left_out": 1}))
    assert len(script.transcript.items) == 6


# -- in sessions ---------------------------------------------------------------


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    root = tmp_path / "ws"
    root.mkdir()
    agents = {"own": {"command": sys.executable, "args": [str(AGENTS / "own_tools.py")]}}
    host = AgentHost(HostConfig(Registry(agents, []), root, tmp_path / "data"))
    host.start()
    yield Driver(host, root)
    host.stop()


def _items(driver: Driver, session: Session, prompt: str) -> list[Item]:
    turn_id = driver.prompt(session, prompt)
    driver.done(session, turn_id)
    return list(session.transcript.turn_items(turn_id))


def test_made_files_are_in_the_turn_before_it_is_done(driver: Driver) -> None:
    """C28: live artifacts, before the turn's end and in the log."""
    (driver.root / "old.csv").write_text("1")
    session = driver.open("own")
    items = _items(
        driver,
        session,
        "write plot.png x\nwrite old.csv 12\nwrite n.ipynb {}\n"
        "show a.py x\nshow t.csv 1,2\nsay Done",
    )
    made = [item for item in items if isinstance(item, Artifact)]
    assert [(item.path, item.type, item.size) for item in made] == [
        ("plot.png", "image", "1 B"),
        ("t.csv", "csv", "3 B"),
    ]
    assert [item.kind for item in items[-3:]] == ["artifact", "artifact", "turn_end"]
    # What the next turn finds there is not made by it.
    assert not any(isinstance(item, Artifact) for item in _items(driver, session, "say Hello"))


def test_the_transcript_is_a_function_of_the_log(driver: Driver) -> None:
    session = driver.open("own")
    _items(driver, session, "write a.png x\nsay Done")
    _items(driver, session, "many 3 .svg")
    driver.host.submit(session.close()).result(20)
    first, *rest = read_traffic(driver.host.traffic_path(session.session_id))
    reader, transcript = TrafficReader(), opened(SessionOpened.model_validate(first.message), 0)
    for entry in rest:
        for packet in reader.read(entry):
            transcript, _events = reduce(transcript, packet, entry.t)
    assert _timeless(transcript) == _timeless(session.transcript)
    numbers = [entry.seq for entry in rest]
    assert numbers == sorted(numbers)
    made = next(n for n, entry in enumerate(rest) if entry.message.get("note") == "artifacts_made")
    assert "stopReason" in rest[made + 1].message["result"]


def _timeless(transcript: Transcript) -> list[dict[str, object]]:
    times = {"at", "started_at", "ended_at", "duration_seconds"}
    return [item.model_dump(exclude=times) for item in transcript.items]


def test_too_many_made_files_are_counted(driver: Driver) -> None:
    """C28: at most twenty are shown, the rest is told."""
    items = _items(driver, driver.open("own"), "many 23 .png")
    assert sum(isinstance(item, Artifact) for item in items) == 20
    (notice,) = [item for item in items if isinstance(item, Notice)]
    assert notice.text == "The turn made 3 more files that are not shown here."


def test_a_stopped_turn_shows_what_it_made_and_does_not_wait_for_it(driver: Driver) -> None:
    session = driver.open("own")
    turn_id = driver.prompt(session, "write a.png x\nwait")
    eventually((driver.root / "a.png").exists)
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    driver.done(session, driver.prompt(session, "say Next"))
    kinds = [item.kind for item in session.transcript.turn_items(turn_id)]
    assert sorted(kinds) == ["artifact", "turn_end", "user_message"]


def test_a_turn_whose_agent_died_shows_what_it_made(driver: Driver) -> None:
    session = driver.open("own")
    turn_id = driver.prompt(session, "write a.png x\nfail")
    assert driver.done(session, turn_id).stop_reason == "error"
    eventually(
        lambda: any(isinstance(i, Artifact) for i in session.transcript.turn_items(turn_id)),
        what="the artifact",
    )


def test_beyond_the_bound_there_are_no_artifacts(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    agents = {"own": {"command": sys.executable, "args": [str(AGENTS / "own_tools.py")]}}
    limits = Limits(scan_files=3)
    host = AgentHost(HostConfig(Registry(agents, []), root, tmp_path / "data", limits=limits))
    host.start()
    try:
        driver = Driver(host, root)
        items = _items(driver, driver.open("own"), "many 9 .png\nsay Done")
        assert [item.kind for item in items] == ["user_message", "agent_message", "turn_end"]
    finally:
        host.stop()
