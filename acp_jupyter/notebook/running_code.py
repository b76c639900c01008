"""In which kernels agents' code runs right now."""

from __future__ import annotations

from collections import Counter

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

    def runs_in(self, kernel_id: str) -> bool:
        """Tell whether a kernel runs an agent's code. May be called in any thread."""
        return self._kernels[kernel_id] > 0

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted | None = None,
    ) -> RunResult:
        """Run code as a cell would. See `KernelRunner.execute`."""
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
