"""Notebooks whose cells hold turns that ended long before they are opened."""

from __future__ import annotations

import os
from typing import Any

from tests.support.kernel.notebook_file import (
    display_data,
    new_notebook,
    read_notebook,
    write_notebook,
)
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn

__all__ = ["write_finished", "write_words"]

_LATER_SECONDS = 120
"""A page is told again of what ended in the last minute before the file was written."""


def write_finished(server: JupyterServer, path: str, turns: int, agent: str) -> str:
    """Run turns for so many cells, and write these with their outputs; return the session's id.

    Before them is a cell that loads the extension, after them one with the next prompt.
    """
    prompts = [f"turn-{number}" for number in range(turns)]
    sources = [f"%%acp {agent}\n{prompt}" for prompt in [*prompts, "next"]]
    notebook = new_notebook("%load_ext acp_jupyter", *sources)
    cells = notebook.cells[1:-1]
    with server.user() as user:
        session_id = open_session(user, agent, new=True, notebook_path=path)
        for prompt, cell in zip(prompts, cells, strict=True):
            origin = {"notebook_path": path, "cell_id": cell.id, "source": cell.source}
            finished(user, start_turn(user, session_id, prompt, origin=origin))
        answer = user.get("records", params={"notebook_path": path}, timeout=300)
        outputs = answer.raise_for_status().json()["outputs"]
    bundles = {output["cell_id"]: output["bundle"] for output in outputs}
    for number, cell in enumerate(cells, start=1):
        bundle = bundles[cell.id]
        cell.execution_count = number
        cell.outputs = [display_data(**bundle["data"])]
        cell.outputs[0].metadata = bundle["metadata"]
    _write_later(server, path, notebook)
    return session_id


def write_words(server: JupyterServer, path: str, like: str) -> None:
    """Write a notebook with the same words as Markdown that is of no turn."""
    notebook = read_notebook(server.root / like)
    words = ""
    for cell in notebook.cells:
        cell.source = "1"
        for output in cell.outputs:
            words = output.data["text/markdown"]
            output.data, output.metadata = {"text/markdown": words}, {}
    notebook.cells[-1].source = f"from IPython.display import Markdown\nMarkdown({words!r})"
    _write_later(server, path, notebook)


def _write_later(server: JupyterServer, path: str, notebook: Any) -> None:
    file = server.root / path
    write_notebook(file, notebook)
    at = file.stat().st_mtime + _LATER_SECONDS
    os.utime(file, (at, at))
