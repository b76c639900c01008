"""The notebook that the jobs of a batch run: the user's, or one made from a prompt."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from acp_jupyter.errors import BadRequest, FileMissing, plain_reason
from acp_jupyter.features.batches.jobs import digest_of

PROMPT_NAME = "prompt.ipynb"
_SETUP_TAG = "acp-jupyter-batch"
_SETUP = """\
# Added by acp_jupyter.batch: this job's agent, policy and recording.
from acp_jupyter.features.batches.in_kernel import begin as _begin

_begin()
del _begin"""
NO_PARAMETERS_CELL = (
    'No cell of this notebook has the tag "parameters", so papermill put the parameters at the '
    "top: cells below that set the same names win."
)


def read_notebook(path: Path) -> Any:
    """Return a notebook without its outputs."""
    if not path.is_file():
        raise FileMissing(f"There is no notebook {path}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cells without ids
            notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, AttributeError) as error:
        raise BadRequest(f"{path} can't be read: {plain_reason(error)}") from error
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def prompt_notebook(prompt: str, names: Collection[str]) -> Any:
    """Return a notebook that sends a prompt; ``{name}`` in the prompt is a parameter."""
    if not prompt.strip():
        raise BadRequest("The prompt is empty. Write what the agent should do.")
    line = "%%acp --format" if names else "%%acp"
    parameters = new_code_cell("\n".join(f"{name} = None" for name in names))  # type: ignore[no-untyped-call]
    parameters.metadata["tags"] = ["parameters"]
    cell = new_code_cell(f"{line}\n{prompt}")  # type: ignore[no-untyped-call]
    return new_notebook(cells=[parameters, cell] if names else [cell])  # type: ignore[no-untyped-call]


def has_parameters_cell(notebook: Any) -> bool:
    """Return whether a cell has the tag after which papermill inserts parameters."""
    return any("parameters" in cell.metadata.get("tags", []) for cell in notebook.cells)


def kernel_name(notebook: Any) -> str:
    """Return the name of the notebook's kernel."""
    return str(notebook.metadata.get("kernelspec", {}).get("name") or "python3")


def notebook_digest(notebook: Any) -> str:
    """Return the digest of a notebook's kernel name, and of its cells without their outputs."""
    cells = [
        [cell.cell_type, cell.source, sorted(cell.metadata.get("tags", []))]
        for cell in notebook.cells
    ]
    return digest_of([kernel_name(notebook), cells])


def with_setup(notebook: Any) -> Any:
    """Insert the cell that prepares a job's kernel at the top."""
    cell = new_code_cell(_SETUP)  # type: ignore[no-untyped-call]
    # A fixed id, so that the notebook's text is the same for each batch.
    cell["id"] = _SETUP_TAG
    cell.metadata["tags"] = [_SETUP_TAG]
    notebook.cells.insert(0, cell)
    return notebook
