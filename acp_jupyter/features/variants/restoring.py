"""Restores variables in a variant's kernel: from copies, by running cells again, or not at all.

The agent gets a message about each failure, so that it does not mistake an empty kernel for the
user's kernel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from acp_jupyter.cells.no_agents import NO_AGENTS
from acp_jupyter.cells.skipped import ASKS, SkippedCells
from acp_jupyter.features.variants.copied_variables import CopiedVariables
from acp_jupyter.features.variants.kernel_request import VariantKernelRequest
from acp_jupyter.features.variants.shared_variables import (
    COPY_SECONDS,
    SharedVariables,
    copied,
    failure,
)
from acp_jupyter.notebook_tools.kernel_runner import KernelError, KernelRunner

_RERUN_SECONDS = 600.0
"""Timeout for running cells again in a variant's kernel."""
_EMPTY = "It has none of the notebook's variables"


@dataclass(frozen=True, slots=True)
class RestoredVariables:
    """The variables that were restored in a kernel."""

    words: str
    whole: bool = True
    """Whether all requested variables were restored."""


class Restorer:
    """Restores variables in a variant's kernel. Used on the host's loop."""

    def __init__(
        self,
        runner: KernelRunner,
        request: VariantKernelRequest,
        cells: Sequence[tuple[int, Any]],
        variables: SharedVariables | None,
    ) -> None:
        self._runner = runner
        self._request = request
        self._cells = cells
        self._variables = variables

    async def restore(self, kernel_id: str) -> RestoredVariables:
        """Restore variables in a new kernel; return which were restored and which not."""
        match self._request.restore:
            case "dill":
                return await self._copy(kernel_id)
            case "rerun":
                return await self._rerun(kernel_id)
            case "none":
                return RestoredVariables(f"{_EMPTY}.")
            case _:
                assert_never(self._request.restore)

    async def _copy(self, kernel_id: str) -> RestoredVariables:
        assert self._variables is not None
        written, path = await self._variables.written(self._request.copy)
        if written.trouble:
            return RestoredVariables(f"{_EMPTY}: {written.trouble}.", whole=False)
        folder, place = self._request.variant.folder, str(self._request.copy.path)
        call = f"read_variables_json(get_ipython(), {str(path)!r}, {folder!r}, {place!r})"
        read = await copied(self._runner, kernel_id, call, COPY_SECONDS)
        if read.trouble:
            await self._empty(kernel_id)
            return RestoredVariables(
                f"{_EMPTY}, as they could not be read: {read.trouble}.", whole=False
            )
        return _copied(written, read)

    async def _empty(self, kernel_id: str) -> None:
        """Restart the kernel, so that the agent can't use variables that are partly read."""
        try:
            await self._runner.restart(kernel_id)
        except KernelError:
            return  # the next tool call reports the dead kernel

    async def _rerun(self, kernel_id: str) -> RestoredVariables:
        end = asyncio.get_running_loop().time() + _RERUN_SECONDS
        skipped, ran, left_out = SkippedCells(), 0, list[str]()
        for number, cell in self._cells:
            reason = skipped.why(number, cell)
            if not reason:
                left = max(0.1, end - asyncio.get_running_loop().time())
                reason = await self._run(kernel_id, cell.source, left)
                if reason and NO_AGENTS not in reason:
                    rest = f"Cell {number} failed: {reason}. What comes after it was not run."
                    return RestoredVariables(
                        f"{self._ran(ran)} {_left_out(left_out)}{rest}", whole=False
                    )
                if reason:
                    skipped.add(number, cell)
                    reason = ASKS
            if not reason:
                ran += 1
            elif cell.source.strip():
                left_out.append(f"cell {number} ({reason})")
        return RestoredVariables(f"{self._ran(ran)} {_left_out(left_out)}".strip())

    def _ran(self, count: int) -> str:
        if not count:
            return f"{_EMPTY}: no cell was run again."
        return f"It ran {count} of the {len(self._cells)} code cells above again."

    async def _run(self, kernel_id: str, source: str, seconds: float) -> str:
        """Run a cell; return why it failed."""
        try:
            result = await self._runner.execute(
                kernel_id, source, timeout_seconds=seconds, store_history=True
            )
        except KernelError as error:
            return error.message.rstrip(".")
        return "" if result.status == "ok" else failure(result)


def _left_out(cells: Sequence[str]) -> str:
    return f"Not run: {', '.join(cells)}. " if cells else ""


def _copied(written: CopiedVariables, read: CopiedVariables) -> RestoredVariables:
    names = (*written.left_out, *read.left_out)
    if not read.count:
        words = f"{_EMPTY}: {'none could be copied' if names else 'there are none'}."
    else:
        words = f"It has copies of {read.count} of the notebook's variables, made by dill."
    if names:
        more = f" and {written.more} more" if written.more else ""
        words += f" Not copied: {', '.join(names)}{more}."
    return RestoredVariables(words)
