"""The process in which a server has a notebook checked: ``python -m acp_jupyter.features.checks``.

The first line of standard input says what to check; standard output gets a line for each event.
When standard input ends, the check was cancelled or the server has ended: this process then ends
with its kernel.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from pathlib import Path
from typing import BinaryIO

from pydantic import JsonValue

from acp_jupyter.errors import AcpError
from acp_jupyter.features.checks.report import CheckEnded, CheckLine
from acp_jupyter.features.checks.run_check import check_lines
from acp_jupyter.protocol.objects import Model


class CheckRequest(Model):
    """The notebook to check, and the kernel to start for it."""

    notebook: dict[str, JsonValue]
    folder: str
    kernel_name: str
    spec: dict[str, JsonValue]
    """The kernel's specification, as the server's manager knows it."""
    environment: dict[str, str]


async def _run(request: CheckRequest, out: BinaryIO) -> None:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None

    def watch() -> None:
        while os.read(0, 4096):
            pass
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(task.cancel)

    threading.Thread(target=watch, daemon=True, name="acp-check-life").start()
    try:
        lines = check_lines(
            request.notebook,
            folder=Path(request.folder),
            kernel_name=request.kernel_name,
            spec=request.spec,
            environment=request.environment,
        )
        async with contextlib.aclosing(lines):
            async for line in lines:
                _write(out, line)
    except AcpError as error:
        _write(out, CheckEnded(words=f"{error.message} {error.detail}".strip()))


def _write(out: BinaryIO, line: CheckLine) -> None:
    out.write(line.model_dump_json().encode() + b"\n")
    out.flush()


def main() -> None:
    """Check the notebook of the request on standard input."""
    # What the kernel prints goes to the server's log, as for the server's own kernels.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        line = b""
        while not line.endswith(b"\n") and (part := os.read(0, 1 << 20)):
            line += part
        request = CheckRequest.model_validate_json(line)
        with contextlib.suppress(asyncio.CancelledError, BrokenPipeError):
            asyncio.run(_run(request, out))


if __name__ == "__main__":
    main()
