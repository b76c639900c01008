"""Runs the cells of a notebook from the top, and sends its prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_server.utils import ensure_async
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output

from acp_jupyter.api.models.command_table import row_of
from acp_jupyter.api.models.turns import Cancel, GetTurn, TurnDetail
from acp_jupyter.errors import AcpError
from acp_jupyter.features.prompt_cells.commands import (
    PromptCell,
    PromptCellTurn,
    ReadPromptCell,
    RunPromptCell,
)
from acp_jupyter.features.prompt_cells.notebook_file import NotebookChanged, NotebookFile
from acp_jupyter.features.prompt_cells.own_server import OwnServer
from acp_jupyter.transcript.escaping import without_ansi

_START_SECONDS = 60
_REPLY_SECONDS = 10
_WAIT_SECONDS = 20.0
_SKIP = "skip-execution"
_MAGIC = "%%acp"


@dataclass(frozen=True, slots=True)
class CellFailed(Exception):
    """A cell failed, so the ones below it were not run."""

    number: int
    words: str


class NotebookRun:
    """A notebook that runs in the kernel of a server."""

    def __init__(
        self,
        server: OwnServer,
        file: NotebookFile,
        path: Path,
        *,
        root: Path,
        cell_seconds: float | None,
        report: Callable[[str], None],
    ) -> None:
        self._server = server
        self._notebook = file.notebook
        self._file = file
        self._path = path.relative_to(root).as_posix()
        self._cwd = str(root)
        self._cell_seconds = cell_seconds
        self._report = report

    async def run(self) -> None:
        """Run all cells; the notebook gets their outputs.

        Raises
        ------
        CellFailed
            A cell failed.
        """
        name = str(self._notebook.metadata.get("kernelspec", {}).get("name", "python3"))
        model = await self._server.session_manager.create_session(
            path=self._path, name=self._path, type="notebook", kernel_name=name
        )
        kernel = self._server.kernel_manager.get_kernel(model["kernel"]["id"])
        seconds = None if self._cell_seconds is None else max(1, round(self._cell_seconds))
        client = NotebookClient(self._notebook, km=kernel, timeout=seconds, record_timing=False)
        client.reset_execution_trackers()
        channels = client.kc = kernel.client()
        channels.start_channels()
        try:
            await ensure_async(channels.wait_for_ready(timeout=_START_SECONDS))
            channels.allow_stdin = False  # nobody answers
            await self._run_cells(client, await _knows_magic(channels))
        finally:
            channels.stop_channels()
            await ensure_async(self._server.session_manager.delete_session(model["id"]))

    async def _run_cells(self, client: NotebookClient, knows_magic: bool) -> None:
        cells, index = self._notebook.cells, 0
        while index < len(cells):
            if cells[index].cell_type == "code":
                index = await self._run_cell(client, index, knows_magic)
            index += 1

    async def _run_cell(self, client: NotebookClient, index: int, knows_magic: bool) -> int:
        """Run a cell; return its index then, as the agent of a prompt may insert cells."""
        cell = self._notebook.cells[index]
        is_prompt = _is_prompt(cell.source)
        if is_prompt:
            self._report(f"Cell {index + 1}: {cell.source.strip().splitlines()[0]}")
            try:
                self._file.save()  # for the notebook tools of the agent
            except NotebookChanged:
                raise CellFailed(index + 1, "Something else has changed the notebook.") from None
        try:
            if is_prompt and not knows_magic:
                await self._send(client, cell, index + 1)
            else:
                await client.async_execute_cell(cell, index)
        except CellExecutionError as error:
            words = without_ansi(f"{error.ename}: {error.evalue}".strip(": "))
            raise CellFailed(index + 1, words) from None
        except CellTimeoutError:
            words = f"It ran for more than {self._cell_seconds:g} s."
            raise CellFailed(index + 1, words) from None
        except DeadKernelError:
            raise CellFailed(index + 1, "The kernel died.") from None
        finally:
            if is_prompt:
                index = self._take_in(cell, index)
        return index

    def _take_in(self, cell: NotebookNode, index: int) -> int:
        """Take in what an agent has changed in the file; return the index of the prompt."""
        changed = self._file.take_in(cell.id)
        if changed is None:
            return index
        ids = [each.get("id") for each in changed.cells]
        self._notebook.cells[:] = changed.cells
        index = ids.index(cell.id)
        self._notebook.cells[index] = cell
        return index

    async def _send(self, client: NotebookClient, cell: NotebookNode, number: int) -> None:
        """Send a prompt and wait for its end; the cell gets the turn as its output."""
        cell.outputs, cell.execution_count = [], None
        cell.metadata["tags"] = list(dict.fromkeys((*cell.metadata.get("tags", ()), _SKIP)))
        try:
            words = await self._prompt(client.kc, cell)
        except AcpError as error:
            traceback = [error.message, *filter(None, [error.detail])]
            failed = {"ename": "", "evalue": error.message, "traceback": traceback}
            cell.outputs.append(_output("error", **failed))
            words = error.message
        if words:
            raise CellFailed(number, words)

    async def _prompt(self, channels: Any, cell: NotebookNode) -> str:
        """Send it; return why its turn failed, empty if it ended well."""
        read = await self._do(ReadPromptCell(source=cell.source), PromptCell)
        if read.help:
            cell.outputs.append(_printed(read.help))
            return ""
        variables = {name: await _inspected(channels, name) for name in read.names}
        sent = await self._do(
            RunPromptCell(
                notebook_path=self._path,
                cell_id=cell.id,
                source=cell.source,
                variables={name: words for name, words in variables.items() if words},
                cwd=self._cwd,
                can_ask=False,
            ),
            PromptCellTurn,
        )
        if sent.words:
            cell.outputs.append(_printed(sent.words))
        detail = await self._ended(sent)
        if detail.bundle is not None:
            data, metadata = detail.bundle.data, detail.bundle.metadata
            cell.outputs.append(_output("display_data", data=data, metadata=metadata))
        turn = detail.turn
        if turn.failure is not None:
            return turn.failure.message
        return turn.words if turn.stop_reason in {"error", "cancelled"} else ""

    async def _ended(self, sent: PromptCellTurn) -> TurnDetail:
        left = sent.timeout
        while True:
            wait = _WAIT_SECONDS if left is None else min(_WAIT_SECONDS, left)
            asked = GetTurn(turn_id=sent.turn_id, wait_seconds=wait)
            detail: TurnDetail = await self._do(asked, TurnDetail)
            if detail.turn.status == "done":
                return detail
            if left is not None:
                left -= wait
                if left <= 0:
                    stop = Cancel(
                        session_id=sent.session_id, turn_id=sent.turn_id, reason="time_limit"
                    )
                    await self._server.run_command(stop)
                    left = None

    async def _do(self, command: Any, kind: type[Any]) -> Any:
        result = await self._server.run_command(command)
        assert isinstance(result, kind), row_of(command).name
        return result


def _is_prompt(source: str) -> bool:
    words = source.split(maxsplit=1)
    return bool(words) and words[0] == _MAGIC


async def _knows_magic(channels: Any) -> bool:
    """Return whether a kernel runs prompts itself: IPython's, or one that completes the magic."""
    info = await _reply(channels.kernel_info(reply=True, timeout=_REPLY_SECONDS))
    if info.get("implementation") == "ipython":
        return True
    begun = _MAGIC[:-1]
    completed = await _reply(
        channels.complete(begun, len(begun), reply=True, timeout=_REPLY_SECONDS)
    )
    return _MAGIC in completed.get("matches", ())


async def _inspected(channels: Any, name: str) -> str:
    """Return what the kernel says about a name; empty if it says nothing."""
    found = await _reply(channels.inspect(name, len(name), reply=True, timeout=_REPLY_SECONDS))
    data = found.get("data")
    words = data.get("text/plain") if found.get("found") and isinstance(data, Mapping) else None
    return words if isinstance(words, str) else ""


async def _reply(asked: Any) -> dict[str, Any]:
    """Return the content of a reply; empty if none comes, as some kernels never answer."""
    try:
        content = (await ensure_async(asked)).get("content")
    except TimeoutError:
        return {}
    return content if isinstance(content, dict) else {}


def _printed(words: str) -> Any:
    return _output("stream", name="stdout", text=f"{words}\n")


def _output(kind: str, **fields: Any) -> Any:
    return new_output(kind, **fields)  # type: ignore[no-untyped-call]
