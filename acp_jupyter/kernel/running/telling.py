"""Tells what code prints while it runs, for those who watch an agent at work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeAlias

from acp_jupyter.errors import AcpError
from acp_jupyter.notebook_tools.outputs import Outputs

__all__ = ["Tell", "Telling"]

Tell: TypeAlias = Callable[[str], None]
"""Takes the end of what was printed, in a thread of its own."""

_SECONDS = 1.0
_SHARE = 0.05
"""Of the time that has passed: what runs for hours is told of less often."""


class Telling:
    """Looks from another thread: the main thread is busy with the code.

    Parameters
    ----------
    outputs
        Where the code prints.
    report_output
        Is given their end, where it is another than before.
    """

    def __init__(self, outputs: Outputs, report_output: Tell) -> None:
        self._outputs = outputs
        self._report_output = report_output
        self._over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="acp-tool-printed", daemon=True).start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._over.set()  # what is on its way comes too late, which does no harm

    def _watch(self) -> None:
        told, begun = "", time.monotonic()
        while not self._over.wait(max(_SECONDS, (time.monotonic() - begun) * _SHARE)):
            tail = self._outputs.tail()
            if tail == told:
                continue
            try:
                self._report_output(tail)
            except (AcpError, RuntimeError):
                continue  # the host is busy, or about to end
            told = tail
