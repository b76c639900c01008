"""The subcommand ``%acp context``."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.magics.subcommand import Subcommand


def _context(rest: Sequence[str]) -> None:
    from acp_jupyter.features.context.kernel import show_context

    show_context(rest)


SUBCOMMANDS = (
    Subcommand(
        "context",
        "list the cells that are pinned to prompts, or left out of them",
        _context,
        after="fix",
        details=(
            "A pinned cell goes along with each prompt of this notebook. A cell that is left out "
            "never does, and no notebook tool reads it.",
            "The buttons in a cell's toolbar and the commands of the page set it; it is saved in "
            "the notebook as the cell's metadata.acp.context.",
        ),
    ),
)
