"""Which files a job begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.features.batches import inputs
from acp_jupyter.features.batches.inputs import (
    MAX_FILES,
    changed_files,
    choose_inputs,
    copy_inputs,
    copy_tree,
    move_into_place,
)
from acp_jupyter.features.batches.jobs import BatchFolder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with what is an input, and what is not."""
    folder = tmp_path / "work"
    for path in (
        *("a.csv", "data/b.csv", "data/c.csv", "n.ipynb", "other.ipynb", ".env", "data/.hidden"),
        *("n.acp/demo.ndjson", "n.batch/jobs/k/notebook.ipynb", "__pycache__/x.pyc"),
        *(".git/HEAD", "venv/pyvenv.cfg", "venv/lib.py"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    (folder / "link.csv").symlink_to(folder / "a.csv")
    return folder


def test_all_plain_files_that_are_not_hidden(files: Path) -> None:
    BatchFolder(files / "results").open()
    result = files / "results" / "jobs" / "k.json"
    result.parent.mkdir(exist_ok=True)
    result.touch()
    assert choose_inputs(files, None, "n.ipynb", {}) == ("a.csv", "data/b.csv", "data/c.csv")


def test_as_many_files_as_are_allowed(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_FILES", 3)
    assert len(choose_inputs(files, None, "n.ipynb", {})) == 3
    (files / "d.csv").write_text("d")
    with pytest.raises(BadRequest, match="more than 3 files"):
        choose_inputs(files, None, "n.ipynb", {})


def test_what_is_named(files: Path) -> None:
    def chosen(*patterns: str) -> tuple[str, ...]:
        return choose_inputs(files, patterns, "n.ipynb", {"name": "b", "n": 1})

    assert chosen() == ()
    assert chosen("data/*.csv", "a.csv") == ("a.csv", "data/b.csv", "data/c.csv")
    assert chosen("data") == ("data/.hidden", "data/b.csv", "data/c.csv")
    assert chosen(".env", "n.ipynb") == (".env",)
    assert chosen("data/{name}.csv") == ("data/b.csv",)


@pytest.mark.parametrize("pattern", ["", "/etc/passwd", "../x", "data/../../x", "C:/x", "none.csv"])
def test_what_names_nothing_in_the_folder_is_said(files: Path, pattern: str) -> None:
    with pytest.raises(BadRequest):
        choose_inputs(files, [pattern], "n.ipynb", {})


def test_too_much_is_refused_unless_it_is_named(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MAX_FILES):
        (files / f"{number}.txt").touch()
    with pytest.raises(BadRequest, match=r"1,000 files or 100\.0 MB.*inputs="):
        choose_inputs(files, None, "n.ipynb", {})
    assert len(choose_inputs(files, ["*.txt"], "n.ipynb", {})) == MAX_FILES
    monkeypatch.setattr(inputs, "MAX_FILES", 10_000)
    with (files / "large.bin").open("wb") as file:
        file.truncate(100_000_001)
    with pytest.raises(BadRequest):
        choose_inputs(files, None, "n.ipynb", {})


def test_equal_inputs_are_kept_once_and_copied_for_each_job(files: Path, tmp_path: Path) -> None:
    batch = BatchFolder(tmp_path / "out")
    batch.open()
    first = copy_inputs(files, ("a.csv", "data/b.csv"), batch)
    assert copy_inputs(files, ("a.csv", "data/b.csv"), batch) == first
    (files / "a.csv").write_text("other")
    assert copy_inputs(files, ("a.csv", "data/b.csv"), batch) != first
    assert (batch.inputs(first) / "a.csv").read_text() == "a.csv"
    assert not list((batch.path / "unfinished").iterdir())

    copy_tree(batch.inputs(first), tmp_path / "job")
    (tmp_path / "job" / "a.csv").write_text("A.csv")
    (tmp_path / "job" / "new").mkdir()
    (tmp_path / "job" / "new" / "c.csv").touch()
    assert changed_files(batch.inputs(first), tmp_path / "job") == (["a.csv", "new/c.csv"], True)
    assert (batch.inputs(first) / "a.csv").read_text() == "a.csv"


def test_a_folder_that_is_there_already_stays(tmp_path: Path) -> None:
    for name in ("made", "again"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    target = tmp_path / "below" / "kept"
    assert move_into_place(tmp_path / "made", target)
    assert not move_into_place(tmp_path / "again", target)
    assert (target / "a.txt").read_text() == "made"
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OSError, match="file"):
        move_into_place(tmp_path / "again", file)
