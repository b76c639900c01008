"""Captures the outputs of code inside another cell: streams, displays, results, errors."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from IPython.core.displaypub import DisplayPublisher

from acp_jupyter.kernel.execution_context import kernel_of
from acp_jupyter.notebook_tools.outputs import Outputs, Stream

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_LAST_ERROR = ("last_type", "last_value", "last_traceback", "last_exc")


@contextlib.contextmanager
def captured(shell: InteractiveShell, outputs: Outputs) -> Iterator[None]:
    """Send streams, displays, results and errors to ``outputs``.

    The code can't ask for input and can't exit the kernel.

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
    """Replaces attributes, and restores them at the end."""

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
    """Replaces the shell's display publisher."""

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
        """Add a display to the outputs."""
        name = (transient or {}).get("display_id", "")
        self._taken.display(data, metadata, display_id=str(name), update=update)

    def clear_output(self, wait: bool = False) -> None:
        """Clear the outputs."""
        self._taken.clear(wait=wait)


class _ResultTaker:
    """A display hook that adds the value of the last expression to the outputs."""

    def __init__(self, shell: InteractiveShell, outputs: Outputs) -> None:
        self._shell = shell
        self._outputs = outputs

    def __call__(self, result: object = None) -> None:
        formatter = self._shell.display_formatter
        if result is None or formatter is None:
            return
        data, metadata = formatter.format(result)  # type: ignore[no-untyped-call]
        # The next execution count belongs to the user's next cell: this code has none.
        self._outputs.display(data, metadata)


def _stay() -> None:
    print("An agent's code can't end the kernel.", file=sys.stderr)  # noqa: T201 - it is captured


def _error_taker(outputs: Outputs) -> Any:
    def show(etype: type[BaseException], evalue: BaseException, frames: list[str]) -> None:
        outputs.error(etype.__name__, str(evalue), [str(frame) for frame in frames])

    return show
