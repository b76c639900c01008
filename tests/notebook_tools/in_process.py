"""A kernel that is a dictionary in this process, and a notebook that has it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acp_jupyter.api.models.documents import NbOutput
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.notebook_tools.kernel_runner import (
    Completion,
    Inspection,
    KernelError,
    LastError,
    OnPrinted,
    RunResult,
    Variable,
    Variables,
)
from acp_jupyter.notebook_tools.mcp_endpoint import NotebookTools
from acp_jupyter.notebook_tools.notebooks import FileNotebooks, Notebooks
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting
from tests.support.server.jupyter_server import fake_agents
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["KERNEL", "Dictionary", "host_with_tools", "write_notebook"]

KERNEL = "kernel-1"
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)


class Dictionary:
    """A `KernelRunner` and a `Whereabouts`. ``plot()`` in its code makes a picture."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.ran: list[str] = []
        self.interrupted = 0
        self.trouble: KernelError | None = None
        self.failed = LastError()
        self.notebook = "work/n.ipynb"

    async def kernel_of(self, notebook_path: str) -> str:
        return KERNEL if notebook_path == self.notebook else ""

    async def notebook_of(self, kernel_id: str) -> str:
        return self.notebook if kernel_id == KERNEL else ""

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted | None = None,
    ) -> RunResult:
        self._check(kernel_id)
        self.ran.append(code)
        if code == "wait":
            try:
                if on_printed is not None:
                    on_printed("waiting\n")
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.interrupted += 1
                raise
        printed, shown = io.StringIO(), []
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, {"plot": lambda: shown.append(1)}, self.names)
        except Exception as error:  # noqa: BLE001 - of any code
            trace: NbOutput = {
                "output_type": "error",
                "ename": type(error).__name__,
                "evalue": str(error),
                "traceback": [f"\x1b[31m{error}\x1b[0m"],
            }
            return RunResult(status="error", outputs=(trace,))
        stream: NbOutput = {"output_type": "stream", "name": "stdout", "text": printed.getvalue()}
        picture: NbOutput = {
            "output_type": "display_data",
            "data": {"image/png": _PIXEL, "text/plain": "<Figure>"},
            "metadata": {},
        }
        outputs = (*((stream,) if printed.getvalue() else ()), *(picture for _ in shown))
        return RunResult(status="ok", outputs=outputs, execution_count=len(self.ran))

    async def variables(self, kernel_id: str) -> Variables:
        self._check(kernel_id)
        return Variables(
            variables=tuple(
                Variable(name=name, type=type(value).__name__, preview=repr(value))
                for name, value in self.names.items()
            )
        )

    async def last_error(self, kernel_id: str) -> LastError:
        self._check(kernel_id)
        return self.failed

    async def inspect(self, kernel_id: str, code: str, position: int) -> Inspection:
        self._check(kernel_id)
        known = code[:position] in self.names
        return Inspection(found=known, text=str(self.names.get(code[:position], "")))

    async def tables(
        self, kernel_id: str, name: str = "", table: str = "", sql: str = ""
    ) -> Inspection:
        self._check(kernel_id)
        if sql:
            return Inspection(found="DROP" in sql, text="It doesn't only read.")
        if name:
            return Inspection(found=name in self.names, text=f"{name} {table}")
        return Inspection(found=bool(self.names), text="\n".join(self.names))

    async def complete(self, kernel_id: str, code: str, position: int) -> Completion:
        self._check(kernel_id)
        matches = tuple(name for name in self.names if name.startswith(code[:position]))
        return Completion(matches=matches, start=0, end=position)

    async def interrupt(self, kernel_id: str) -> None:
        self.interrupted += 1

    async def restart(self, kernel_id: str) -> None:
        self.names.clear()

    def _check(self, kernel_id: str) -> None:
        assert kernel_id == KERNEL
        if self.trouble is not None:
            raise self.trouble


def write_notebook(path: Path, *sources: str) -> list[str]:
    """Write code cells; return their ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = [f"cell-{number}" for number in range(len(sources))]
    cells: list[dict[str, Any]] = [
        {
            "id": cell_id,
            "cell_type": "code",
            "source": source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for cell_id, source in zip(ids, sources, strict=True)
    ]
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    )
    return ids


@contextlib.contextmanager
def host_with_tools(folder: Path, kernel: Dictionary, **agents: dict[str, Any]) -> Iterator[Driver]:
    """Start a host whose sessions of notebooks have the tools; with further agents."""
    root = folder / "root"
    (root / "work").mkdir(parents=True)
    limits = Limits(initialize_seconds=PATIENCE_SECONDS)
    tools = NotebookTools(root, kernel, Notebooks(FileNotebooks(root, limits)), kernel)
    config = HostConfig(
        Registry({**fake_agents("notebook_user", "asks_mcp"), **agents}, []),
        root,
        folder / "data",
        limits=limits,
        trust=trusting(folder),
        tools=tools,
    )
    host = AgentHost(config)
    host.start()
    try:
        yield Driver(host, root / "work")
    finally:
        host.stop()
