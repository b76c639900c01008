"""The IPython extension that ``%load_ext acp_jupyter`` loads: ``%%acp`` and ``%acp``.

Loading it imports neither the protocol's SDK nor pydantic nor any widget.
"""

from __future__ import annotations

from types import MethodType
from typing import TYPE_CHECKING, TypeVar

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.magics.cell_options import cell_help, parse_cell_line
from acp_jupyter.kernel.magics.completion import add_completion

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_E = TypeVar("_E", bound=BaseException)
_DETAIL_LINES = 20


def cell_magic(line: str, cell: str) -> None:
    """Send the cell to an agent and wait for the end of its turn; see ``%%acp --help``."""
    options = parse_cell_line(line)
    if options.help:
        print(cell_help())  # noqa: T201 - for the cell
        return
    if not cell.strip():
        raise UsageError("The prompt is empty. Write below the first line what the agent shall do.")
    from acp_jupyter.kernel.magics.cell import run_cell

    shell = get_ipython()
    assert shell is not None
    try:
        run_cell(shell, options, cell.strip("\n"))
    except AcpError as error:
        raise _in_few_lines(error) from None
    except KeyboardInterrupt:
        raise _in_few_lines(KeyboardInterrupt("Stopped by you.")) from None


def line_magic(line: str) -> None:
    """Look after agents and sessions; see ``%acp help``."""
    from acp_jupyter.kernel.magics.subcommands import run_subcommand

    try:
        run_subcommand(line)
    except AcpError as error:
        raise _in_few_lines(error) from None


def _in_few_lines(error: _E) -> _E:
    """Let IPython show the message alone.

    Where in this package it was raised helps nobody, and its path has no place in a notebook.
    """
    error._render_traceback_ = MethodType(_traceback, error)  # type: ignore[attr-defined]
    return error


def _traceback(error: BaseException) -> list[str]:
    detail = error.detail.splitlines() if isinstance(error, AcpError) else []
    return [f"{type(error).__name__}: {error}", *detail[-_DETAIL_LINES:]]


def _with_body(lines: list[str]) -> list[str]:
    """Give a cell that is only ``%%acp …`` a body: without one IPython does not call the magic.

    So ``%%acp --help`` helps, and an empty prompt gets words of ours.
    """
    written = [line for line in lines if line.strip()]
    alone = len(written) == 1 and written[0].split()[0] == "%%acp"
    return [*lines, "\n"] if alone else lines


# Else a terminal would take the first line of a cell for all of it.
_with_body.has_side_effects = True  # type: ignore[attr-defined]


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Add the magics and their completion."""
    register = ipython.register_magic_function
    register(cell_magic, "cell", "acp")  # type: ignore[arg-type]
    register(line_magic, "line", "acp")  # type: ignore[arg-type]
    add_completion(ipython)
    transforms = ipython.input_transformers_cleanup
    if _with_body not in transforms:
        transforms.insert(0, _with_body)
