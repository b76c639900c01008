"""`check` for Python, and ``jupyter acp check FILE``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any

from acp_jupyter.errors import AcpError, BadRequest, plain_reason
from acp_jupyter.features.checks.report import CheckedCell, CheckEnded, CheckLine, CheckReport
from acp_jupyter.features.checks.run_check import CELL_SECONDS, check_lines
from acp_jupyter.system.printing import echo


def check(
    path: str | Path, *, kernel: str = "", cell_seconds: float | None = CELL_SECONDS
) -> CheckReport:
    """Run a copy of a notebook from the top in a second kernel, and compare the outputs.

    The file and the notebook's own kernel don't change. Cells that ask agents are skipped, and so
    are cells that use the names that skipped cells would set.

    Parameters
    ----------
    path
        The notebook's file.
    kernel
        Name of the kernel; by default that of the notebook.
    cell_seconds
        How long a cell may run; None for any time.

    Returns
    -------
    CheckReport
        Each code cell as ``same``, ``different``, ``failed`` or ``skipped``.

    Raises
    ------
    BadRequest
        The file is not a notebook, or there is no such kernel.
    """
    given, stop = Path(path), list[Any]()
    notebook, folder = read_notebook(given), given.absolute().parent

    async def run() -> CheckReport:
        task = asyncio.current_task()
        assert task is not None
        stop.append((asyncio.get_running_loop(), task))
        lines = check_lines(notebook, folder=folder, kernel_name=kernel, cell_seconds=cell_seconds)
        return await _report(str(given), lines)

    # In a notebook an event loop already runs in this thread.
    with ThreadPoolExecutor(1, thread_name_prefix="acp-check") as thread:
        running = thread.submit(asyncio.run, run())
        try:
            return running.result()
        except KeyboardInterrupt:
            for loop, task in stop:
                loop.call_soon_threadsafe(task.cancel)
            raise


async def _report(path: str, lines: AsyncGenerator[CheckLine, None]) -> CheckReport:
    cells: list[CheckedCell] = []
    words = ""
    async with aclosing(lines):
        async for line in lines:
            if isinstance(line, CheckedCell):
                cells.append(line)
            elif isinstance(line, CheckEnded):
                words = line.words
    return CheckReport(path=path, cells=tuple(cells), words=words)


def read_notebook(path: Path) -> Any:
    """Read a notebook of any version."""
    import nbformat

    try:
        return nbformat.reads(path.read_text("utf-8-sig"), 4)  # type: ignore[no-untyped-call]
    except OSError as error:
        raise BadRequest(f"{path} can't be read: {plain_reason(error)}") from error
    except (ValueError, KeyError, AttributeError, nbformat.reader.NotJSONError):
        raise BadRequest(f"{path} is no notebook.") from None


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if nothing differs, 1 if something does, 2 for a wrong line."""
    parser = argparse.ArgumentParser(
        "jupyter acp check",
        description="Run a copy of a notebook from the top in its own kernel, and say of each "
        "cell whether its output is the same. The file is not changed.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a notebook")
    parser.add_argument("--kernel", default="", metavar="NAME", help="default: the notebook's")
    parser.add_argument(
        "--cell-seconds",
        type=float,
        default=CELL_SECONDS,
        metavar="N",
        help=f"how long a cell may run; default: {CELL_SECONDS:g}",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args(words)
    try:
        report = check(given.file, kernel=given.kernel, cell_seconds=given.cell_seconds)
    except AcpError as error:
        print(error, error.detail, sep="\n" if error.detail else "", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)  # noqa: T201
        return 130
    text = json.dumps(report.model_dump(), indent=1) if given.json else str(report)
    echo(text)
    return 0 if report.is_same else 1
