"""The option ``--rewind`` in the first line of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from acp_jupyter.kernel.execution_context import ExecutionContext
    from acp_jupyter.kernel.magics.cell_options import Prepare
    from acp_jupyter.kernel.session import Session


class _Rewind:
    """A `CellFeature`."""

    after = "--new"
    options = ("--rewind",)
    flags = ("--rewind",)
    choices: Mapping[str, tuple[str, ...]] = {}

    def add_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Add the option to the parser."""
        group.add_argument(
            "--rewind",
            action="store_true",
            help="if this cell has run before, go back to before that first, with the files and "
            "what the agent remembers",
        )

    def read(self, given: argparse.Namespace, rest: list[str]) -> None:
        """It runs no cell."""

    def prepare(self, given: argparse.Namespace) -> Prepare | None:
        """Go back first, if that was asked for."""
        return _go_back if given.rewind else None


REWIND = _Rewind()


def _go_back(session: Session, cell: ExecutionContext) -> Session:
    from acp_jupyter.features.history.kernel import gone_back

    return gone_back(session, cell)
