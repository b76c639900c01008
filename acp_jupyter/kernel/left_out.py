"""The code of cells that the user left out: none of it goes along with an error or a function.

A traceback and a function name their cell by its execution count. So code counts as left out if
such a cell has that count; and if no cell has it, and the notebook has one that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_jupyter.cells.context import LEFT_OUT
from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.execution_context import current_shell

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from acp_jupyter.api.models.turns import CellPlace, NotebookContext

_COUNT = re.compile(r"\bIn\s?\[(\d{1,9})\]")


def execution_count_of(shell: InteractiveShell, file: str) -> int | None:
    """Return the execution count of the code with this file name; None if it is no cell's."""
    name = shell.compile.format_code_name(file)
    found = None if name is None else _COUNT.search(" ".join(name))
    return None if found is None else int(found[1])


class _LeftOutCells:
    """The cells of this kernel's notebook, as the host last said."""

    def __init__(self) -> None:
        self._cells: tuple[CellPlace, ...] = ()

    def update(self, ask: Callable[[], NotebookContext]) -> None:
        """Ask the host for the cells that are left out, before something of a cell is sent."""
        try:
            self._cells = ask().cells
        except AcpError:
            # A host that can't be asked gets no prompt either.
            return

    def words_of(self, file: str) -> str:
        """Return what to say in place of the code with this file name; empty if it may leave."""
        shell = current_shell()
        if shell is None:
            return ""
        count = execution_count_of(shell, file)
        hidden = [cell for cell in self._cells if cell.context == "left-out"]
        if count is None or not hidden:
            return ""
        for cell in hidden:
            if cell.execution_count == count:
                return f"Cell {cell.number} is {LEFT_OUT}."
        if any(cell.execution_count == count for cell in self._cells):
            return ""
        return f"It can't be seen which cell this was, and others are {LEFT_OUT}."


left_out_cells = _LeftOutCells()
"""Of this kernel."""
