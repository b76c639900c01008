"""Does on the main thread what a tool asks of this kernel: run code, list, inspect, complete.

What code shows inside another cell is captured: streams, displays, results, errors.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, assert_never

from IPython.core.displaypub import DisplayPublisher

from acp_jupyter.kernel.describing.variables import list_variables
from acp_jupyter.kernel.execution.nested_run import ReportOutput, run_nested
from acp_jupyter.kernel.execution_context import kernel_of, tool_code, tool_code_runs
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
from acp_jupyter.notebook_tools.outputs import Outputs, Stream, uncoloured

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_MOST_TEXT_CHARS = 50_000
_MOST_MATCHES = 200
_AT_WORK = "The kernel already runs code for a tool. Wait for its end."


def do_work(
    shell: InteractiveShell | None, work: KernelWork, report_output: ReportOutput
) -> FinishedWork:
    """Do a piece of work; what goes wrong with it is its outcome.

    Parameters
    ----------
    report_output
        Is given the end of what code has printed, while it runs.
    """
    if shell is None:
        return _trouble(work, "no_kernel", "No notebook's kernel runs here, but a script.")
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


_LAST_ERROR = ("last_type", "last_value", "last_traceback", "last_exc")


@contextlib.contextmanager
def captured(shell: InteractiveShell, outputs: Outputs) -> Iterator[None]:
    """Send streams, displays, results and errors to ``outputs``.

    The code asks the user nothing, and does not end the kernel.

    The last error of the kernel stays that of the user's own code, for ``%debug`` and
    ``%acp fix``.
    """
    show = _error_taker(outputs)
    hook = _ResultTaker(shell, outputs)
    with contextlib.ExitStack() as stack:
        put = stack.enter_context(_Replaced())
        put(sys, "stdout", Stream("stdout", outputs))
        put(sys, "stderr", Stream("stderr", outputs))
        put(sys, "displayhook", hook)
        put(shell.display_trap, "hook", hook)
        put(shell, "display_pub", _Publisher(outputs, shell=shell))
        for name, method in (("_showtraceback", show), ("ask_exit", _stay)):
            stack.callback(vars(shell).pop, name, None)
            vars(shell)[name] = method
        if (kernel := kernel_of(shell)) is not None:
            put(kernel, "_allow_stdin", False)
        for name in _LAST_ERROR:
            put(sys, name, getattr(sys, name, None))
        yield


class _Replaced(contextlib.AbstractContextManager["_Replaced"]):
    """Puts attributes in, and the earlier ones back."""

    def __init__(self) -> None:
        self._earlier: list[tuple[object, str, object]] = []

    def __call__(self, owner: object, name: str, value: object) -> None:
        self._earlier.append((owner, name, getattr(owner, name, _ABSENT)))
        setattr(owner, name, value)

    def __exit__(self, *_exception: object) -> None:
        while self._earlier:
            owner, name, earlier = self._earlier.pop()
            if earlier is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, earlier)


_ABSENT = object()


class _Publisher(DisplayPublisher):
    """Takes the place of the shell's publisher."""

    def __init__(self, outputs: Outputs, **more: Any) -> None:
        super().__init__(**more)  # type: ignore[no-untyped-call]
        self._taken = outputs

    def publish(
        self,
        data: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        source: object = None,
        *,
        transient: dict[str, Any] | None = None,
        update: bool = False,
        **_more: object,
    ) -> None:
        """Keep a display."""
        name = (transient or {}).get("display_id", "")
        self._taken.display(data, metadata, display_id=str(name), update=update)

    def clear_output(self, wait: bool = False) -> None:
        """Forget what was kept."""
        self._taken.clear(wait=wait)


class _ResultTaker:
    """Takes the value of the last expression."""

    def __init__(self, shell: InteractiveShell, outputs: Outputs) -> None:
        self._shell = shell
        self._outputs = outputs

    def __call__(self, result: object = None) -> None:
        formatter = self._shell.display_formatter
        if result is None or formatter is None:
            return
        data, metadata = formatter.format(result)  # type: ignore[no-untyped-call]
        # The next number is that of the user's next cell: this one has none.
        self._outputs.display(data, metadata)


def _stay() -> None:
    print("An agent's code can't end the kernel.", file=sys.stderr)  # noqa: T201 - it is captured


def _error_taker(outputs: Outputs) -> Any:
    def show(etype: type[BaseException], evalue: BaseException, frames: list[str]) -> None:
        outputs.error(etype.__name__, str(evalue), [str(frame) for frame in frames])

    return show
