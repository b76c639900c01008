"""``jupyter acp run NOTEBOOK``: runs a notebook of any kernel from the top, with its prompts."""

from __future__ import annotations

import argparse
import copy
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_jupyter.errors import AcpError, BadRequest, plain_reason
from acp_jupyter.host.workspace.folders import choose_cwd
from acp_jupyter.system.printing import echo

if TYPE_CHECKING:
    from acp_jupyter.features.prompt_cells.own_server import OwnServer

_CELL_SECONDS = 3600.0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if all cells ran, 1 if one failed, 2 for a wrong line."""
    parser = argparse.ArgumentParser(
        "jupyter acp run",
        description="Run a notebook of any kernel from the top, and send its prompts. Its outputs "
        "are saved in the file. Nobody is there to answer: what an agent asks for is rejected, "
        "except where the prompt's first line allows it.",
    )
    parser.add_argument("notebook", metavar="NOTEBOOK", type=Path)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="run a copy with this name instead"
    )
    parser.add_argument(
        "--trust", action="store_true", help="let agents run in the notebook's folder this time"
    )
    parser.add_argument(
        "--cell-seconds",
        type=float,
        default=_CELL_SECONDS,
        metavar="N",
        help=f"how long a cell of the kernel may run; default: {_CELL_SECONDS:g}",
    )
    given = parser.parse_args(words)
    try:
        failed = run_notebook(
            _copied(given.notebook, given.output),
            trust=given.trust,
            cell_seconds=given.cell_seconds,
        )
    except AcpError as error:
        print(error, error.detail, sep="\n" if error.detail else "", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)  # noqa: T201
        return 130
    echo(failed or f"All cells ran: {given.output or given.notebook}")
    return 1 if failed else 0


def run_notebook(path: Path, *, trust: bool = False, cell_seconds: float | None = None) -> str:
    """Run a notebook from the top and save its outputs.

    Returns
    -------
    str
        Which cell failed and why; empty if all ran.

    Raises
    ------
    BadRequest
        The file is no notebook, can't be written, or its kernel is not installed.
    """
    from jupyter_client.kernelspec import NoSuchKernel

    from acp_jupyter.features.prompt_cells.notebook_file import NotebookFile
    from acp_jupyter.features.prompt_cells.own_server import run_in_server
    from acp_jupyter.features.prompt_cells.run_notebook import CellFailed, NotebookRun

    whole = path.absolute()
    file = NotebookFile(path)
    before = copy.deepcopy(file.notebook)
    here = Path(whole.anchor)
    root = choose_cwd(here, whole.relative_to(here).as_posix())
    failed: list[str] = []

    async def work(server: OwnServer) -> None:
        run = NotebookRun(
            server,
            file,
            whole,
            root=root,
            cell_seconds=cell_seconds,
            report=echo,
        )
        try:
            await run.run()
        except CellFailed as error:
            failed.append(f"Cell {error.number} failed: {error.words}")
        except NoSuchKernel as error:
            raise BadRequest(f"There is no kernel {error.name!r} here.") from None

    try:
        run_in_server(root, work, trust=root if trust else None)
    finally:
        words = file.save_at_end() if file.notebook != before else ""
        if words:
            failed.append(words)
    return "\n".join(failed)


def _copied(notebook: Path, output: Path | None) -> Path:
    if output is None:
        return notebook
    try:
        return Path(shutil.copyfile(notebook, output))
    except (OSError, shutil.SameFileError) as error:
        raise BadRequest(f"{output} can't be written: {plain_reason(error)}.") from error
