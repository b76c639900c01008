"""Copies the variables of the user's kernel once, for all variants of a prompt."""

from __future__ import annotations

import ast
import asyncio
import contextlib
from pathlib import Path

from pydantic import ValidationError

from acp_jupyter.errors import AcpError
from acp_jupyter.features.variants.copied_variables import CopiedVariables
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.notebook_tools.kernel_runner import KernelError, KernelRunner, RunResult
from acp_jupyter.protocol.objects import obj, text

_EXTRA_SECONDS = 10.0
"""Extra time for code that the kernel itself can't stop in time, such as a long call into C."""


_MAX_BYTES = 512 * 1024 * 1024
"""Variables of a kernel that variants get copies of."""
COPY_SECONDS = 30.0
"""Timeout for making these copies, and again for reading them."""


class SharedVariables:
    """A file with the variables, in a private folder; written when a variant first needs it.

    It is removed when no variant needs it any more. Used on the host's loop.
    """

    def __init__(self, runner: KernelRunner, kernel_id: str) -> None:
        self._runner = runner
        self._kernel_id = kernel_id
        self._users: set[FolderCopy] = set()
        self._place: Path | None = None
        self._writing: asyncio.Task[tuple[CopiedVariables, Path]] | None = None

    def join(self, copy: FolderCopy) -> None:
        """Note that the variant in this copy may need the variables."""
        self._users.add(copy)

    async def leave(self, copy: FolderCopy) -> bool:
        """Note that a variant is done; after the last one remove the file and return True."""
        self._users.discard(copy)
        if self._users:
            return False
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)
        place, self._place = self._place, None
        if place is not None:
            await copy.remove_beside(place)
        return True

    async def written(self, copy: FolderCopy) -> tuple[CopiedVariables, Path]:
        """Return the file's content and path; all variants get the same file."""
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(copy))
        return await asyncio.shield(self._writing)

    async def _write(self, copy: FolderCopy) -> tuple[CopiedVariables, Path]:
        try:
            self._place = await copy.make_beside()
        except AcpError as error:
            return CopiedVariables(trouble=error.message), Path()
        path = self._place / "variables"
        most, seconds = _MAX_BYTES, COPY_SECONDS
        call = f"write_variables_json(get_ipython(), {str(path)!r}, {most}, {seconds})"
        return await copied(self._runner, self._kernel_id, call, seconds), path


async def copied(
    runner: KernelRunner, kernel_id: str, call: str, seconds: float
) -> CopiedVariables:
    """Call a function of `variable_copies` in a kernel; return its result."""
    module = "__import__('acp_jupyter.features.variants.variable_copies', fromlist=['_'])"
    try:
        result = await runner.execute(
            kernel_id, f"{module}.{call}", timeout_seconds=seconds + _EXTRA_SECONDS
        )
    except KernelError as error:
        return CopiedVariables(trouble=error.message)
    if result.status == "ok":
        with contextlib.suppress(ValueError, SyntaxError, ValidationError):
            return CopiedVariables.model_validate_json(ast.literal_eval(_value(result)))
    return CopiedVariables(trouble=failure(result))


def failure(result: RunResult) -> str:
    """Return why code failed, in words that follow a colon."""
    if result.status == "timeout":
        return "it took too long"
    if result.status == "interrupted":
        return "it was interrupted"
    for output in reversed(result.outputs):
        if output.get("output_type") == "error":
            return f"{text(output.get('ename'))}: {text(output.get('evalue'))}"[:300]
    return "the kernel gave no answer"


def _value(result: RunResult) -> str:
    """Return the text of the last expression's value."""
    for output in reversed(result.outputs):
        if "data" in output:
            return text(obj(output["data"]).get("text/plain"))
    return ""
