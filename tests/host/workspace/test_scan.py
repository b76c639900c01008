"""What a turn changed on disk, and which of it is worth opening."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.changed_files import find_artifacts
from acp_jupyter.host.workspace.scan import (
    FileChanged,
    FolderScan,
    Signature,
    birthtime_ns,
    changes,
    next_file_time_ns,
    scan,
)
from acp_jupyter.protocol.files import artifact_type_name, file_type
from acp_jupyter.protocol.host_events.session import ArtifactsFound
from acp_jupyter.transcript.model.items import Artifact, Notice
from tests.support.transcript.traffic import Script

LIMITS = Limits()


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_scan_sees_plain_files_and_neither_links_nor_caches(tmp_path: Path) -> None:
    write(tmp_path, a_py="x", sub__b_csv="1,2")
    for folder in (
        *(".git", "node_modules", ".venv", "__pycache__", ".ipynb_checkpoints", "n.acp"),
        *(".jupyter_cache", ".virtual_documents"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "inside").write_text("x")
    (tmp_path / ".jupyter_ystore.db").write_text("x")
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
    """The types have names for people; csv shows "CSV"."""
    found = file_type(name)
    assert found.artifact == kind
    assert artifact_type_name(found.artifact) == words
    assert bool(found.mime) == (kind not in {"other"})


def _made(root: Path, before: FolderScan, *shown: str) -> dict[str, tuple[str, str]]:
    after = scan(root, LIMITS)
    found = find_artifacts(changes(before, after), before, after, set(shown))
    return {artifact.path: (artifact.type, artifact.name) for artifact in found}


def test_made_files_of_a_known_type_are_artifacts(tmp_path: Path) -> None:
    """A new file of the turn, of a type that has a name for people."""
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
    (made,) = find_artifacts(changes(before, after), before, after, set())
    assert (made.size_bytes, made.mime_type, made.preview_url) == (4, "text/csv", "")


def test_the_note_becomes_items_of_its_turn() -> None:
    """In the turn that created it, also after the turn's end; read from the log alone."""
    script = Script()
    prompt = script.turn("Plot it", "t1")
    script.text("Here it is")
    script.note(
        ArtifactsFound.model_validate(
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
    script.note(ArtifactsFound.model_validate({"turn_id": "t1", "left_out": 1}))
    assert script.transcript.turn_items("t1")[-1].kind == "notice"
    assert [event.kind for event in script.events].count("turn_ended") == ended + 1
    script.note(ArtifactsFound.model_validate({"turn_id": "unknown", "left_out": 1}))
    assert len(script.transcript.items) == 6


def test_a_time_tells_files_made_before_it_from_those_made_after(tmp_path: Path) -> None:
    """However quickly they follow each other."""
    for number in range(100):
        before, after = tmp_path / f"{number}-before", tmp_path / f"{number}-after"
        before.touch()
        time = next_file_time_ns()
        after.touch()
        born = [birthtime_ns(path) for path in (before, after)]
        if None in born:
            pytest.skip("this file system does not tell when a file was made")
        assert [each is not None and each < time for each in born] == [True, False]
