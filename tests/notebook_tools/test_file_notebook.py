"""Notebooks read and changed on disk, as the notebook tools do it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.api.models.documents import (
    AcpMark,
    CellEdit,
    DeleteCell,
    InsertCell,
    MoveCell,
    NbOutput,
    NotebookRefusal,
    NotebookState,
    ReplaceSource,
    SetOutputs,
)
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.notebooks import FileNotebooks

_MARK = AcpMark(turn="t1", agent="demo")
_TEXT = {"output_type": "stream", "name": "stdout", "text": ["one\n", "two"]}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "source", "cell_type", "outputs", "metadata", "id", "x"]),
            inner,
        )
    ),
    max_leaves=8,
)


def _cell(source: str | list[str], **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    return {**base, "source": source, **more}


def _write(path: Path, *cells: dict[str, Any], minor: int = 5) -> Path:
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": minor, "metadata": {}, "cells": list(cells)})
    )
    return path


def _read(path: Path) -> NotebookState:
    state = asyncio.run(FileNotebooks(path.parent, Limits()).read(path))
    assert isinstance(state, NotebookState), state
    return state


def _apply(path: Path, *edits: CellEdit) -> NotebookState | NotebookRefusal:
    return asyncio.run(FileNotebooks(path.parent, Limits()).apply(path, edits))


def _notebook(path: Path) -> dict[str, Any]:
    return dict(nbformat.read(path, 4))  # type: ignore[no-untyped-call]


def _sources(path: Path) -> list[str]:
    return [cell["source"] for cell in _notebook(path)["cells"]]


def test_an_old_notebook_gets_ids_which_are_the_same_until_it_is_written(tmp_path: Path) -> None:
    path = _write(tmp_path / "old.ipynb", _cell(["a = 1\n", "a"], outputs=[_TEXT]), minor=2)
    (cell,) = _read(path).cells
    assert (cell.source, cell.outputs[0]["text"]) == ("a = 1\na", "one\ntwo")
    assert _read(path).cells[0].id == cell.id
    new = InsertCell(cell_id="n1", after=cell.id, cell_type="code", source="b", acp=_MARK)
    state = _apply(path, new)
    assert isinstance(state, NotebookState)
    assert [each.id for each in state.cells] == [cell.id, "n1"]
    assert state.cells[1].acp == _MARK
    written = _notebook(path)
    nbformat.validate(written)
    assert [each["id"] for each in written["cells"]] == [cell.id, "n1"]
    assert written["cells"][1]["metadata"]["acp"] == _MARK.model_dump()
    assert written["cells"][0]["outputs"][0]["text"] == "one\ntwo"


def test_all_kinds_of_edits_in_one_step(tmp_path: Path) -> None:
    path = _write(tmp_path / "n.ipynb", *(_cell(name, id=name) for name in ("a", "b", "c")))
    output: NbOutput = {
        "output_type": "execute_result",
        "data": {"text/plain": "3"},
        "metadata": {},
        "execution_count": 7,
    }
    state = _apply(
        path,
        MoveCell(cell_id="c", fingerprint=fingerprint("c"), after=None),
        ReplaceSource(cell_id="a", fingerprint=fingerprint("a"), source="1 + 2", acp=_MARK),
        SetOutputs(
            cell_id="a",
            fingerprint=fingerprint("1 + 2"),
            outputs=(output,),
            execution_count=7,
        ),
        DeleteCell(cell_id="b", fingerprint=fingerprint("b"), acp=_MARK),
    )
    assert isinstance(state, NotebookState)
    assert _sources(path) == ["c", "1 + 2"]
    assert state.cells[1].execution_count == 7
    assert state.cells[1].outputs[0]["data"] == {"text/plain": "3"}


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (DeleteCell(cell_id="a", fingerprint=fingerprint("older"), acp=_MARK), "stale"),
        (DeleteCell(cell_id="gone", fingerprint="", acp=_MARK), "cell_gone"),
        (MoveCell(cell_id="a", fingerprint=fingerprint("a"), after="gone"), "cell_gone"),
        (MoveCell(cell_id="a", fingerprint=fingerprint("a"), after="a"), "invalid"),
        (
            InsertCell(cell_id="a", after=None, cell_type="code", source="", acp=_MARK),
            "invalid",
        ),
    ],
)
def test_one_edit_that_does_not_fit_and_nothing_is_changed(
    tmp_path: Path, edit: CellEdit, reason: str
) -> None:
    path = _write(tmp_path / "n.ipynb", _cell("a", id="a"))
    before = path.read_bytes()
    good = InsertCell(cell_id="n", after="a", cell_type="markdown", source="x", acp=_MARK)
    refused = _apply(path, good, edit)
    assert isinstance(refused, NotebookRefusal)
    assert refused.reason == reason
    assert refused.source == ("a" if reason == "stale" else None)
    assert path.read_bytes() == before


def test_files_that_are_no_notebook_or_not_ours(tmp_path: Path) -> None:
    files = FileNotebooks(tmp_path, Limits(notebook_bytes=2000))
    outside = _write(tmp_path.parent / f"{tmp_path.name}.ipynb", _cell("secret"))
    (tmp_path / "link.ipynb").symlink_to(outside)
    texts = {"v3": '{"nbformat": 3}', "list": "[]", "deep": "[" * 1000, "big": " " * 3000}
    for name, text in texts.items():
        (tmp_path / f"{name}.ipynb").write_text(text)
    for name in ("gone", "link", *texts):
        refused = asyncio.run(files.read(tmp_path / f"{name}.ipynb"))
        assert isinstance(refused, NotebookRefusal)
        assert refused.reason == ("no_notebook" if name == "gone" else "unreadable")
    refused = asyncio.run(files.read(outside))
    assert isinstance(refused, NotebookRefusal)


def test_large_outputs_on_disk_are_left_where_they_are(tmp_path: Path) -> None:
    path = _write(tmp_path / "n.ipynb", _cell("a", id="a"))
    notebook = json.loads(path.read_text())
    plot = {"output_type": "display_data", "metadata": {}, "data": {"text/html": "y" * 12_000_000}}
    notebook["cells"][0] |= {"cell_type": "code", "outputs": [plot], "execution_count": None}
    path.write_text(json.dumps(notebook))
    edit = InsertCell(cell_id="n", after="a", cell_type="markdown", source="x", acp=_MARK)
    state = _apply(path, edit)
    assert isinstance(state, NotebookState)
    assert [cell.id for cell in state.cells] == ["a", "n"]
    (kept,) = json.loads(path.read_text())["cells"][0]["outputs"]
    assert kept["data"] == {"text/html": ["y" * 12_000_000]}


@given(_JSON)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, cells: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "n.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells}))
    files = FileNotebooks(path.parent, Limits())
    assert asyncio.run(files.read(path)) is not None
    edit = InsertCell(cell_id="n", after=None, cell_type="code", source="", acp=_MARK)
    changed = asyncio.run(files.apply(path, [edit]))
    if isinstance(changed, NotebookState):
        nbformat.validate(_notebook(path))


def test_a_kernel_with_the_tools_starts_without_what_reads_notebooks() -> None:
    """It takes longer to import than all the rest of a batch's job."""
    code = (
        "import sys; from pathlib import Path\n"
        "from acp_jupyter.kernel.client.embedded_host import WaitingCells, kernel_tools\n"
        "kernel_tools(Path.cwd(), WaitingCells())\n"
        "print([name for name in ('nbformat', 'jsonschema') if name in sys.modules])"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
