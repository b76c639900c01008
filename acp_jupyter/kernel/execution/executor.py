"""Carries out a tool's work on the main thread: run code, list variables, inspect, complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from acp_jupyter.kernel.describing.variables import list_variables
from acp_jupyter.kernel.execution.nested_run import ReportOutput, run_nested
from acp_jupyter.kernel.execution_context import tool_code, tool_code_runs
from acp_jupyter.notebook_tools.kernel_runner import Completion, Inspection, TroubleKind
from acp_jupyter.notebook_tools.kernel_work import (
    CompleteCode,
    FinishedWork,
    InspectCode,
    KernelWork,
    ReadVariables,
    RunCodeWork,
    WorkError,
)
from acp_jupyter.notebook_tools.outputs import uncoloured

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_MOST_TEXT_CHARS = 50_000
_MOST_MATCHES = 200
_AT_WORK = "The kernel already runs code for a tool. Wait for its end."


def do_work(
    shell: InteractiveShell | None, work: KernelWork, report_output: ReportOutput
) -> FinishedWork:
    """Carry out work; return its outcome or its error.

    Parameters
    ----------
    report_output
        Called with the end of the code's printed output while it runs.
    """
    if shell is None:
        return _trouble(work, "no_kernel", "This is a script, not a notebook's kernel.")
    if tool_code_runs():
        return _trouble(work, "refused", _AT_WORK)
    try:
        return _done(shell, work, report_output)
    except Exception as error:  # noqa: BLE001 - the user's objects raise what they like
        name = type(error).__name__
        return _trouble(work, "refused", f"The kernel failed to do it: {name}.")
    except KeyboardInterrupt:
        return _trouble(work, "refused", "It was interrupted.")


def _done(shell: InteractiveShell, work: KernelWork, tell: ReportOutput) -> FinishedWork:
    match work:
        case RunCodeWork():
            ran = run_nested(shell, work.code, work.timeout_seconds, tell)
            return FinishedWork(work_id=work.work_id, ran=ran)
        case ReadVariables():
            with tool_code():
                variables = list_variables(shell.user_ns, shell.user_ns_hidden)
            return FinishedWork(work_id=work.work_id, variables=variables)
        case InspectCode():
            with tool_code():
                inspection = _inspect(shell, work.code, work.position)
            return FinishedWork(work_id=work.work_id, inspection=inspection)
        case CompleteCode():
            with tool_code():
                completion = _complete(shell, work.code, work.position)
            return FinishedWork(work_id=work.work_id, completion=completion)
        case _:
            assert_never(work)


def _inspect(shell: InteractiveShell, code: str, position: int) -> Inspection:
    from IPython.utils.tokenutil import token_at_cursor

    name = token_at_cursor(code, min(position, len(code)))
    if not name:
        return Inspection(found=False)
    try:
        bundle: dict[str, Any] = shell.object_inspect_mime(name)  # type: ignore[no-untyped-call]
    except KeyError:
        return Inspection(found=False)
    text = str(bundle.get("text/plain", ""))
    return Inspection(found=True, text=uncoloured(text[:_MOST_TEXT_CHARS]))


def _complete(shell: InteractiveShell, code: str, position: int) -> Completion:
    from IPython.core.completer import provisionalcompleter

    position = min(position, len(code))
    completer: Any = shell.Completer
    with provisionalcompleter():
        found = []
        for each in completer.completions(code, position):
            found.append(each)
            if len(found) >= _MOST_MATCHES:
                break
    if not found:
        return Completion(start=position, end=position)
    start, end = min(each.start for each in found), max(each.end for each in found)
    matches = tuple(code[start : each.start] + each.text + code[each.end : end] for each in found)
    return Completion(matches=tuple(dict.fromkeys(matches)), start=start, end=end)


def _trouble(work: KernelWork, kind: TroubleKind, message: str) -> FinishedWork:
    return FinishedWork(work_id=work.work_id, trouble=WorkError(trouble=kind, message=message))
