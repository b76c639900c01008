"""``%acp fix``: the kernel's last error as a prompt."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import linecache
import shlex
import sys
import traceback
from collections.abc import Iterator, Sequence
from types import FrameType, ModuleType, TracebackType
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.magics.cell_options import parse_cell_line

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_SOURCE_CHARS = 8000
_TRACEBACK_CHARS = 8000
_MOST_VARIABLES = 8
_NOTHING = "Nothing has failed in this kernel yet. Run the cell that fails, then %acp fix."


def run_fix(shell: InteractiveShell, rest: Sequence[str]) -> None:
    """Send the last error; what follows is understood as in the first line of a cell.

    Raises
    ------
    UsageError
        There is no error to send.
    """
    from acp_jupyter.kernel.magics.cell import run_cell

    options = parse_cell_line(shlex.join(rest))
    error = _last_error()
    named = tuple(dict.fromkeys((*options.var, *named_variables(shell, error))))
    run_cell(shell, dataclasses.replace(options, var=named), fix_prompt(shell, error))


def fix_prompt(shell: InteractiveShell, error: BaseException) -> str:
    """Return a prompt with the cell that failed and the bounded traceback."""
    source = _source(shell, error)
    told = _user_traceback(shell, error)
    parts = ["A cell of this notebook failed. Find out why and fix it."]
    if source:
        parts.append(f"The cell:\n\n{_fenced(_cut(source, _SOURCE_CHARS), 'python')}")
    parts.append(f"The traceback:\n\n{_fenced(_cut(told, _TRACEBACK_CHARS))}")
    return "\n\n".join(parts)


def named_variables(shell: InteractiveShell, error: BaseException) -> tuple[str, ...]:
    """Return the user's variables that the failed cell names, the first ones; no modules."""
    try:
        tree = ast.parse(shell.transform_cell(_source(shell, error)))  # type: ignore[no-untyped-call]
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    hidden = shell.user_ns_hidden
    told = (
        name
        for name in dict.fromkeys(found)
        if name in shell.user_ns
        and name not in hidden
        and not isinstance(shell.user_ns[name], ModuleType)
    )
    return tuple(itertools.islice(told, _MOST_VARIABLES))


def _last_error() -> BaseException:
    error = getattr(sys, "last_value", None)
    if not isinstance(error, BaseException):
        raise UsageError(_NOTHING)
    if isinstance(error, AcpError | UsageError):
        raise UsageError(f"The last error was of a magic, not of your code: {error}")
    return error


def _source(shell: InteractiveShell, error: BaseException) -> str:
    """Return the source of the cell in which the error rose; empty if that is not known."""
    for frame in _frames(error.__traceback__):
        if frame.f_globals is shell.user_ns:
            return "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    if isinstance(error, SyntaxError) and error.filename:
        return "".join(linecache.getlines(error.filename)) or error.text or ""
    return ""


def _user_traceback(shell: InteractiveShell, error: BaseException) -> str:
    """Return the traceback from the user's code on; a cell has no file that one could open."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is not shell.user_ns:
        trace = trace.tb_next
    told = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
    cells = (frame for frame in _frames(trace) if frame.f_globals is shell.user_ns)
    files = dict.fromkeys(frame.f_code.co_filename for frame in cells)
    for number, file in enumerate(files):
        told = told.replace(f'File "{file}"', f'File "<{"another " * (number > 0)}cell>"')
    return told


def _frames(trace: TracebackType | None) -> Iterator[FrameType]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _cut(text: str, most: int) -> str:
    """Return the text without its middle, where there is too much of it."""
    text = text.strip("\n")
    if len(text) <= most:
        return text
    half = most // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n… {left} characters left out …\n{text[-half:]}"


def _fenced(text: str, language: str = "") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
