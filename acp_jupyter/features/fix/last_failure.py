"""The error for ``%acp fix``, recorded with its cell while the extension is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult


class _LastFailure:
    """The last error of a user's cell, and the cell's id: a traceback does not name it."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.cell_id = ""

    def note(self, result: ExecutionResult | None) -> None:
        """Record the error of a cell that has ended, unless the code is an agent's."""
        if result is None or result.info is None or not result.info.store_history:
            return
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            self.error, self.cell_id = error, result.info.cell_id or ""


last_failure = _LastFailure()
