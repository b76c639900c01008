"""What git, nbdime and a reader's eye find when the same turns are run again."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbdime import diff_notebooks, merge_notebooks

from acp_jupyter.transcript.output.record import RUNS_KEY, TURN_MIME
from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer, fake_agents

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PATH = "folder/ten.ipynb"
REPORT = """\
def clean(rows):
    kept = []
    for row in rows:
        kept.append(row.strip())
    return kept
"""
PROMPTS = (
    "Write the mean as a formula",
    "Read `report.py`.",
    "delegate",
    "plan",
    "Make `report.py` faster",
    'Create `notes.md` with "What the survey is about".',
    "Run a command.",
    "max tokens",
    "list",
    "Read `notes.md`.",
)


def _run(server: JupyterServer) -> Any:
    """Run the ten cells in a new kernel, in a folder as it was; return the notebook."""
    folder = server.root / "folder"
    folder.mkdir(exist_ok=True)
    (folder / "report.py").write_text(REPORT)
    (folder / "notes.md").unlink(missing_ok=True)
    notebook = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    file = server.start_kernel(PATH).connection_file
    with Kernel(server.root, connection_file=file) as kernel:
        kernel.run(f"%load_ext acp_jupyter\nimport os; os.chdir({str(folder)!r})").ok()
        for number, prompt in enumerate(PROMPTS):
            source = f"%%acp demo --policy allow-all{' --new' * (not number)}\n{prompt} rate=0"
            ran = kernel.run(source, cell_id=f"c{number}")
            cell = nbformat.v4.new_code_cell(source, id=f"c{number}")  # type: ignore[no-untyped-call]
            output = next(each for each in ran.outputs if each.display_id)
            cell.outputs = [
                nbformat.v4.new_output(  # type: ignore[no-untyped-call]
                    "display_data", data=output.data, metadata=output.metadata
                )
            ]
            notebook.cells.append(cell)
    return notebook


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """The same notebook, run three times."""
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=fake_agents("hello")) as server:
        yield [_run(server) for _ in range(3)]


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.long
def test_running_ten_turns_again_changes_a_line_of_each(runs: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "ten.ipynb"
    nbformat.write(runs[0], str(file))  # type: ignore[no-untyped-call]
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-qm", "first")
    nbformat.write(runs[1], str(file))  # type: ignore[no-untyped-call]
    added, removed, _ = _git(tmp_path, "diff", "--numstat").split()
    assert (int(added), int(removed)) == (len(PROMPTS), len(PROMPTS))


def test_nbdime_sees_the_names_of_the_runs_and_nothing_else(runs: list[Any]) -> None:
    changed = list(_paths(diff_notebooks(*runs[:2])))
    assert len(changed) == 2 * len(PROMPTS)
    for path in changed:
        assert path[0] == "cells"
        assert path[2] == "outputs"
        assert path[4:6] == ("metadata", RUNS_KEY)


def test_nbdime_merges_two_branches_that_both_ran_the_turns_again(runs: list[Any]) -> None:
    base, *branches = copy.deepcopy(runs)
    merged, decisions = merge_notebooks(base, *branches)
    assert [decision for decision in decisions if decision.conflict] == []
    for cell, *theirs in zip(merged.cells, *(branch.cells for branch in branches), strict=True):
        (output,) = cell.outputs
        assert output.data == theirs[0].outputs[0].data
        names = [name for each in theirs for name in each.outputs[0].metadata[RUNS_KEY]]
        assert sorted(output.metadata[RUNS_KEY]) == sorted(names)


def _paths(diff: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for entry in diff:
        here = (*above, entry.key)
        if entry.op == "patch":
            yield from _paths(entry.diff, here)
        else:
            yield here


# -- the notebooks that are shipped --------------------------------------------


def _records() -> Iterator[tuple[str, Any]]:
    for file in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
        for cell in notebook.cells:
            for output in cell.get("outputs", ()):
                if TURN_MIME in output.get("data", {}):
                    yield file.stem, output.data


def test_all_that_is_saved_is_at_most_three_times_the_markdown(
    record_property: Callable[[str, object], None],
) -> None:
    sizes: dict[str, list[int]] = {}
    for name, data in _records():
        size = sizes.setdefault(name, [0, 0])
        words = len(data["text/markdown"].encode())
        record = json.dumps(_without_images(data[TURN_MIME]), ensure_ascii=False)
        size[0] += words
        size[1] += words + len(data["text/plain"].encode()) + len(record.encode())
    for name, (words, saved) in sizes.items():
        record_property(name, f"{saved} for {words}: {saved / words:.2f}")
        print(f"{name:24} {saved:7} for {words:6}: {saved / words:.2f}")
    words, saved = (sum(each) for each in zip(*sizes.values(), strict=True))
    assert saved <= 3 * words


def test_no_record_holds_what_says_nothing_and_a_plot_is_in_its_cell_alone() -> None:
    for name, data in _records():
        values = list(_values(data[TURN_MIME]))
        empty = [key for key, value in values if value is None or value in ("", [], {})]
        # A search that found nothing is another thing than no search.
        assert set(empty) <= {"files", "hits", "todos"}, name
        assert "data" not in [key for key, _ in values], name


def _without_images(value: Any) -> Any:
    match value:
        case {"type": "image" | "audio"}:
            return {key: each for key, each in value.items() if key != "data"}
        case dict():
            return {key: _without_images(each) for key, each in value.items()}
        case list():
            return [_without_images(each) for each in value]
        case _:
            return value


def _values(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    yield name, value
    match value:
        case dict():
            for key, each in value.items():
                yield from _values(each, key)
        case list():
            for each in value:
                yield from _values(each)
        case _:
            pass
