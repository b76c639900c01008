"""The prompt of ``%acp fix``: the cell that failed last, its traceback and its variables."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import linecache
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, ModuleType, TracebackType
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from acp_jupyter.api.cell_options import parse_cell_line
from acp_jupyter.cells.context import LEFT_OUT
from acp_jupyter.errors import AcpError
from acp_jupyter.features.fix.last_failure import last_failure
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.last_error import locals_of
from acp_jupyter.kernel.left_out import left_out_cells
from acp_jupyter.kernel.magics.cell import run_cell
from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.protocol.formatting import code_block, shorten_middle
from acp_jupyter.protocol.host_events.notes import CellError
from acp_jupyter.transcript.escaping import one_line

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_SOURCE_CHARS = 8000
_TRACEBACK_CHARS = 8000
_ERROR_CHARS = 100
_MAX_VARIABLES = 8
_NOTHING = "Nothing has failed in this kernel yet. Run the cell that fails, then %acp fix."


def run_fix(shell: InteractiveShell, rest: Sequence[str]) -> None:
    """Send the last error; what follows is understood as in the first line of a cell."""
    options = parse_cell_line(shlex.join(rest))
    if options.feature is not None:
        raise UsageError(f"%acp fix asks one agent: leave out {options.feature.option}.")
    error = _last_error()
    left_out_cells.update(host_client().cell_contexts)
    if hidden := left_out_cells.words_of(_file(shell, error)):
        raise UsageError(f"The cell that failed stays here, and nothing was sent. {hidden}")
    named = tuple(dict.fromkeys((*options.var, *named_variables(shell, error))))
    options = dataclasses.replace(options, var=named)
    run_cell(shell, options, fix_prompt(shell, error), _cell_error(shell, error))


def fix_prompt(shell: InteractiveShell, error: BaseException) -> str:
    """Return a prompt with the cell that failed and the bounded traceback."""
    source = shorten_middle(_source(shell, error).strip("\n"), _SOURCE_CHARS)
    cover = _cover(shell, error)
    trace = shorten_middle(cover(_user_traceback(shell, error)).strip("\n"), _TRACEBACK_CHARS)
    # The first line becomes the title of a new session.
    failed = one_line(cover(traceback.format_exception_only(error)[-1]), _ERROR_CHARS)
    parts = [f"A cell of this notebook failed: {failed}", "Find out why and fix it."]
    if source:
        parts.append(f"The cell:\n\n{code_block(source, 'python')}")
    parts.append(f"The traceback:\n\n{code_block(trace)}")
    return "\n\n".join(parts)


def named_variables(shell: InteractiveShell, error: BaseException) -> tuple[str, ...]:
    """Return the user's variables that the failed cell names, the first ones; no modules."""
    try:
        tree = ast.parse(shell.transform_cell(_source(shell, error)))  # type: ignore[no-untyped-call]
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    hidden = shell.user_ns_hidden
    described = (
        name
        for name in dict.fromkeys(found)
        if name in shell.user_ns
        and name not in hidden
        and not isinstance(shell.user_ns[name], ModuleType)
    )
    return tuple(itertools.islice(described, _MAX_VARIABLES))


def _last_error() -> BaseException:
    error = getattr(sys, "last_value", None)
    if not isinstance(error, BaseException):
        raise UsageError(_NOTHING)
    if isinstance(error, AcpError | UsageError):
        raise UsageError(f"The last error was of a magic, not of your code: {error}")
    return error


def _source(shell: InteractiveShell, error: BaseException) -> str:
    """Return the source of the cell that raised the error; empty if unknown."""
    source = "".join(linecache.getlines(_file(shell, error), shell.user_ns))
    return source or (isinstance(error, SyntaxError) and error.text) or ""


def _file(shell: InteractiveShell, error: BaseException) -> str:
    """Return IPython's file name for that cell; empty if unknown."""
    for frame in _frames(error.__traceback__):
        if frame.f_globals is shell.user_ns:
            return frame.f_code.co_filename
    return (isinstance(error, SyntaxError) and error.filename) or ""


def _cell_error(shell: InteractiveShell, error: BaseException) -> CellError:
    """Return the error for the turn's head, with the id of its cell."""
    _, cell = shell.compile.format_code_name(_file(shell, error)) or ("", "")
    cell_id = last_failure.cell_id if last_failure.error is error else ""
    words = _cover(shell, error)(traceback.format_exception_only(error)[-1])
    return CellError(cell=cell, cell_id=cell_id, words=one_line(words))


def _cover(shell: InteractiveShell, error: BaseException) -> Callable[[str], str]:
    return covering(shell.user_ns, *locals_of(error))


def _user_traceback(shell: InteractiveShell, error: BaseException) -> str:
    """Return the traceback from the user's code on; a cell has no file that one could open."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is not shell.user_ns:
        trace = trace.tb_next
    shown = traceback.TracebackException(type(error), error, trace or error.__traceback__)
    _hide_left_out(shown)
    text = "".join(shown.format())
    cells = (frame for frame in _frames(trace) if frame.f_globals is shell.user_ns)
    files = dict.fromkeys(frame.f_code.co_filename for frame in cells)
    for number, file in enumerate(files):
        text = text.replace(f'File "{file}"', f'File "<{"another " * (number > 0)}cell>"')
    return text


def _hide_left_out(shown: traceback.TracebackException) -> None:
    """Replace the lines of cells that are left out, also in the errors behind this one."""
    shown.stack = traceback.StackSummary.from_list(
        traceback.FrameSummary(step.filename, step.lineno, step.name, line=f"[{LEFT_OUT}]")
        if left_out_cells.words_of(step.filename)
        else step
        for step in shown.stack
    )
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        if other is not None:
            _hide_left_out(other)


def _frames(trace: TracebackType | None) -> Iterator[FrameType]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next
