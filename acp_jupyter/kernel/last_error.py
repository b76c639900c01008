"""The last error of the kernel, with the variables of the user's own frames.

Reading it runs nothing but bounded reprs, and changes nothing.
"""

from __future__ import annotations

import linecache
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from acp_jupyter.kernel.left_out import execution_count_of
from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.kernel.values import FAILURES
from acp_jupyter.kernel.variables import users_namespace, variable_of
from acp_jupyter.notebook_tools.kernel_runner import LastError, TracebackFrame

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_MAX_FRAMES = 12
"""Half of them the outermost, half the innermost."""
_MAX_VARIABLES = 30
_MAX_SECONDS = 3.0
"""Time for all previews; later variables have none."""
_WORDS_CHARS = 2000
_LONGER = 3
"""Masked values are looked for in longer texts: one that is cut off is not found."""
_CODE_CHARS = 200


def read_last_error(
    shell: InteractiveShell, clock: Callable[[], float] = time.monotonic
) -> LastError:
    """Return the last error, from the user's own code on."""
    error = getattr(sys, "last_value", None)
    if not isinstance(error, BaseException):
        return LastError()
    steps = _steps(error.__traceback__)
    own = next((i for i, each in enumerate(steps) if _is_cell(shell, each)), len(steps))
    steps = steps[own:]
    left_out = max(0, len(steps) - _MAX_FRAMES)
    if left_out:
        half = _MAX_FRAMES // 2
        steps = [*steps[:half], *steps[-half:]]
    end = clock() + _MAX_SECONDS
    file = steps[0].tb_frame.f_code.co_filename if steps else getattr(error, "filename", "")
    cover = covering(shell.user_ns, *locals_of(error))
    frames = tuple(_frame(shell, each, cover, lambda: clock() > end) for each in steps)
    return LastError(
        words=_sendable(cover(_words(error))[:_WORDS_CHARS]),
        frames=frames,
        left_out=left_out,
        execution_count=execution_count_of(shell, str(file)),
    )


def covered(text: str) -> str:
    """Return the text of an error without the masked values that this kernel has.

    Pages call this before they send the error that stands in a cell's output.
    """
    error = getattr(sys, "last_value", None)
    local = locals_of(error) if isinstance(error, BaseException) else []
    return covering(users_namespace(), *local)(text)


def locals_of(error: BaseException) -> list[dict[str, object]]:
    """Return the local variables of the frames of an error, the innermost first."""
    steps = _steps(error.__traceback__)[::-1]
    return [dict(step.tb_frame.f_locals) for step in steps[:_MAX_FRAMES]]


def last_error_json(shell: InteractiveShell) -> str:
    """Return `read_last_error` as JSON."""
    return read_last_error(shell).model_dump_json()


def _steps(trace: TracebackType | None) -> list[TracebackType]:
    found = []
    while trace is not None:
        found.append(trace)
        trace = trace.tb_next
    return found


def _is_cell(shell: InteractiveShell, step: TracebackType) -> bool:
    return step.tb_frame.f_globals is shell.user_ns


def _is_own(shell: InteractiveShell, step: TracebackType) -> bool:
    """Return whether code is the user's: a package's variables may contain a password."""
    paths = sysconfig.get_paths()
    file = step.tb_frame.f_code.co_filename
    packages = (paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"])
    return _is_cell(shell, step) or not file.startswith((*packages, "<frozen"))


def _words(error: BaseException) -> str:
    try:
        words = "".join(traceback.format_exception_only(error)).strip()
    except FAILURES:
        words = type(error).__name__
    return words[: _LONGER * _WORDS_CHARS]


def _frame(
    shell: InteractiveShell,
    step: TracebackType,
    cover: Callable[[str], str],
    is_late: Callable[[], bool],
) -> TracebackFrame:
    frame, line = step.tb_frame, step.tb_lineno
    code = frame.f_code
    local: dict[Any, object] = dict(frame.f_locals)
    if frame.f_locals is frame.f_globals:
        # Not the whole namespace: only variables that this code names.
        local = {name: local[name] for name in code.co_names if name in local}
    if not _is_own(shell, step):
        local = {}
    named = [(name, value) for name, value in local.items() if isinstance(name, str)]
    cell = shell.compile.format_code_name(code.co_filename)
    where = code.co_filename if cell is None else " ".join(cell)
    return TracebackFrame(
        place=_sendable(f"{where}, line {line}"),
        function=_sendable(code.co_name),
        code=_sendable(linecache.getline(code.co_filename, line).strip()[:_CODE_CHARS]),
        variables=tuple(
            variable_of(name, value, cover, late=is_late())
            for name, value in named[:_MAX_VARIABLES]
        ),
        more=max(0, len(named) - _MAX_VARIABLES),
        execution_count=execution_count_of(shell, code.co_filename),
    )


def _sendable(text: str) -> str:
    """Return text that JSON can hold: without lone surrogates."""
    return text.encode("utf-8", "replace").decode()
