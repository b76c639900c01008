"""What ``%acp context`` prints."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.core.error import UsageError

from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.magics.help import print_text, table

_WORDS = {"pinned": "goes along with each prompt", "left-out": "no agent gets it"}


def show_context(rest: Sequence[str]) -> None:
    """List the cells that are pinned or left out."""
    if rest:
        raise UsageError("%acp context takes no arguments. Type: %acp context")
    found = host_client().cell_contexts()
    rows = [
        (f"Cell {cell.number}", cell.context.replace("-", " "), _WORDS[cell.context])
        for cell in found.cells
        if cell.context is not None
    ]
    if not rows:
        print_text("No cell of this notebook is pinned or left out.")
        return
    table(("Cell", "", ""), rows)
    if found.too_many:
        print_text(f"Only the first {len(found.pinned)} pinned cells go along.")
