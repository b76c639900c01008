"""The notebooks that a batch runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from acp_jupyter.errors import BadRequest, FileMissing
from acp_jupyter.features.batches.notebooks import read_notebook

v4: Any = nbformat.v4


def test_a_notebook_is_read_without_what_it_has_shown(tmp_path: Path) -> None:
    shown = v4.new_output("stream", name="stdout", text="1\n")
    code = v4.new_code_cell("print(1)", outputs=[shown], execution_count=7)
    cells = [v4.new_markdown_cell("# Title"), code]
    path = tmp_path / "a.ipynb"
    nbformat.write(v4.new_notebook(cells=cells), path)  # type: ignore[no-untyped-call]
    title, cell = read_notebook(path).cells
    assert (title.source, "outputs" in title) == ("# Title", False)
    assert (cell.source, cell.outputs, cell.execution_count) == ("print(1)", [], None)


def test_what_is_no_notebook_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match=r"There is no notebook .*b\.ipynb\."):
        read_notebook(tmp_path / "b.ipynb")
    (tmp_path / "b.ipynb").write_text("no JSON")
    with pytest.raises(BadRequest, match=r"b\.ipynb can't be read"):
        read_notebook(tmp_path / "b.ipynb")
