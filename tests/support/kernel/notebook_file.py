"""Notebook files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

from acp_jupyter.transcript.output.record import RUNS_KEY, TURN_MIME

__all__ = [
    "TURN_MIME",
    "WIDGET_MIME",
    "claims",
    "display_data",
    "is_final",
    "new_notebook",
    "read_notebook",
    "write_notebook",
]

WIDGET_MIME = "application/vnd.jupyter.widget-view+json"


def new_notebook(*sources: str, kernel: str = "python3") -> Any:
    """Return a notebook with these code cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    notebook.metadata.kernelspec = {"name": kernel, "display_name": kernel, "language": "python"}
    return notebook


def write_notebook(path: Path, notebook: Any) -> None:
    nbformat.write(notebook, str(path))  # type: ignore[no-untyped-call]


def read_notebook(path: Path) -> Any:
    return nbformat.read(str(path), as_version=4)  # type: ignore[no-untyped-call]


def display_data(**data: Any) -> Any:
    """Return an output; its MIME types with ``/`` are given by ``**``."""
    return nbformat.v4.new_output("display_data", data=data)  # type: ignore[no-untyped-call]


def is_final(output: Any) -> bool:
    """Return whether an output is the record of a turn that is done."""
    data = output.get("data", {})
    snapshot = data.get(TURN_MIME)
    return (
        snapshot is not None
        and snapshot.get("final") is True
        and WIDGET_MIME not in data
        and "text/markdown" in data
        and "text/plain" in data
    )


def claims(output: Any, turn_id: str) -> bool:
    """Return whether an output says that it is of that turn."""
    return turn_id in output.get("metadata", {}).get(RUNS_KEY, {})
