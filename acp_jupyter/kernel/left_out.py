"""The code of cells that the user left out: none of it goes along with an error or a function.

A traceback and a function name their cell by its execution count. So code counts as left out if
such a cell has that count; and if no cell has it, and the notebook has one that is left out.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

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


class CodeOfCell(NamedTuple):
    """The cell that code is of, by its execution count; None if unknown."""

    execution_count: int | None


def code_of_cell(shell: InteractiveShell, value: object) -> CodeOfCell | None:
    """Return the cell whose code a function or class is; None if it is of no cell.

    Of a class, the cell is known if it has a method.
    """
    if isinstance(value, property):
        value = value.fget
    if inspect.isclass(value):
        if getattr(value, "__module__", "") != "__main__":
            return None
        methods = [each for each in vars(value).values() if isinstance(each, FunctionType)]
        found = (code_of_cell(shell, each) for each in methods)
        return next((each for each in found if each is not None), CodeOfCell(None))
    if not inspect.isroutine(value):
        return None
    try:
        function = inspect.unwrap(getattr(value, "__func__", value))
    except ValueError:  # it wraps itself
        return CodeOfCell(None)
    file = getattr(getattr(function, "__code__", None), "co_filename", "")
    if not isinstance(file, str) or shell.compile.format_code_name(file) is None:
        return None
    return CodeOfCell(execution_count_of(shell, file))


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
        count = None if shell is None else execution_count_of(shell, file)
        return "" if count is None else self._words(count)

    def words_of_code(self, value: object) -> str:
        """Return what to say in place of a function or class; empty if it may leave."""
        shell = current_shell()
        found = None if shell is None else code_of_cell(shell, value)
        return "" if found is None else self._words(found.execution_count)

    def _words(self, count: int | None) -> str:
        hidden = [cell for cell in self._cells if cell.context == "left-out"]
        if not hidden:
            return ""
        for cell in hidden:
            if count is not None and cell.execution_count == count:
                return f"Cell {cell.number} is {LEFT_OUT}."
        if count is not None and any(cell.execution_count == count for cell in self._cells):
            return ""
        return f"It can't be seen which cell this was, and others are {LEFT_OUT}."


left_out_cells = _LeftOutCells()
"""Of this kernel."""
