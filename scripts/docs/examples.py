"""Make pages of the example notebooks, with their saved turns as JupyterLab shows them.

A saved turn's data goes into the page as it is; a script of the page draws it with the views of
JupyterLab. Where no script runs, the turn's Markdown is shown.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
from markdown_it import MarkdownIt

from acp_jupyter.transcript.output.record import TURN_MIME
from scripts.docs.pages import link_pages

ORDER = (
    "quickstart",
    "the_view",
    "permissions",
    "changes_and_terminals",
    "sessions",
    "context",
    "private_data",
    "notebook_tools",
    "record_and_replay",
    "agents",
    "python_api",
    "dashboard",
    "batch",
    "check",
    "go_back",
    "variants",
    "write_an_agent",
    "next_cell",
    "follow",
    "http_api",
    "traffic",
)

INTRODUCTION = """\
# Examples

Each page is a notebook from the `notebooks` folder, with its saved outputs. Every turn is drawn
from what the `.ipynb` holds, by the same code that draws it in JupyterLab. Formulas, diagrams and
the colours of code come from JupyterLab itself, so they stay plain text here. To run one, start
JupyterLab in the folder and use *Run All Cells*; the demo agent that they use needs no model.

```{toctree}
:maxdepth: 1

"""

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def copy_notebooks(root: Path, source: Path) -> None:
    """Write the notebooks and their index below ``examples``."""
    target = source / "examples"
    target.mkdir()
    names = sorted(path.stem for path in (root / "notebooks").glob("*.ipynb"))
    names.sort(key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    for name in names:
        notebook = nbformat.reads((root / f"notebooks/{name}.ipynb").read_text(), as_version=4)  # type: ignore[no-untyped-call]
        # The lexer of plain Python stumbles over prompts.
        notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                page = f"examples/{name}.ipynb"
                cell.source = link_pages(cell.source, f"notebooks/{name}.ipynb", page)
            for output in cell.get("outputs", ()):
                _draw(output)
        (target / f"{name}.ipynb").write_text(nbformat.writes(notebook))  # type: ignore[no-untyped-call]
    shutil.copy(root / "notebooks/dashboard_marimo.py", target)  # pages link to it
    (target / "index.md").write_text(INTRODUCTION + "\n".join(names) + "\n```\n")


def _draw(output: Any) -> None:
    data = output.get("data", {})
    if TURN_MIME in data:
        markdown = data.get("text/markdown", "")
        saved = json.dumps(data[TURN_MIME]).replace("<", "\\u003c")
        output["data"] = {
            "text/html": '<div class="acp-SavedTurn">'
            f'<script type="{TURN_MIME}">{saved}</script>'
            f'<div class="acp-SavedTurn-text">{_MARKDOWN.render(markdown)}</div></div>'
        }
