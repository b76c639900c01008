"""In which kernels agents' code runs, and where it may have left something behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from acp_jupyter.notebook.kernel_runner import KernelRunner, OnPrinted, RunResult

__all__ = ["RunningCode"]


class RunningCode:
    """Runs code for tools, and knows where it does.

    Parameters
    ----------
    runner
        Runs it.
    """

    def __init__(self, runner: KernelRunner) -> None:
        self._runner = runner
        self._kernels: Counter[str] = Counter()
        self._turns: dict[str, Callable[[], bool]] = {}

    def runs_in(self, kernel_id: str) -> bool:
        """Tell whether a kernel runs an agent's code. May be called in any thread."""
        return self._kernels[kernel_id] > 0

    def ran_in(self, kernel_id: str) -> bool:
        """Tell whether the turn goes on in which code ran there last. May be called in any thread.

        The code may have started a thread, which goes on too.
        """
        goes_on = self._turns.get(kernel_id)
        return goes_on is not None and goes_on()

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted,
        goes_on: Callable[[], bool],
    ) -> RunResult:
        """Run code as a cell would. See `KernelRunner.execute`.

        Parameters
        ----------
        goes_on
            Tells whether the turn is still running.
        """
        self._turns[kernel_id] = goes_on
        self._kernels[kernel_id] += 1
        try:
            return await self._runner.execute(
                kernel_id,
                code,
                timeout_seconds=timeout_seconds,
                store_history=store_history,
                on_printed=on_printed,
            )
        finally:
            self._kernels[kernel_id] -= 1
            if not self._kernels[kernel_id]:
                del self._kernels[kernel_id]
