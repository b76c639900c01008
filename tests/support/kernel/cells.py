"""Cells in a real kernel, as a frontend runs them."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any, Self

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["Cell", "Kernel", "Output"]


@dataclass
class Output:
    """One display of a cell, with every state that it has had."""

    display_id: str
    states: list[dict[str, Any]]
    metadata: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        return self.states[-1]


@dataclass
class Cell:
    """What came of running a cell."""

    printed: str = ""
    outputs: list[Output] = field(default_factory=list)
    comms: list[dict[str, Any]] = field(default_factory=list, repr=False)
    """Messages on comms, as they came."""
    questions: list[str] = field(default_factory=list)
    error: str = ""
    message: str = ""
    traceback: str = ""

    @property
    def output(self) -> Output:
        """The turn's output; it must be the only one."""
        assert len(self.outputs) == 1, self
        return self.outputs[0]

    def ok(self) -> Self:
        assert not self.error, f"{self.error}: {self.message}\n{self.traceback}"
        return self


class Kernel(AbstractContextManager["Kernel"]):
    """A kernel of its own process, or one that somebody else has started.

    Parameters
    ----------
    folder
        Where it works. Jupyter's own folders lie beside it.
    env
        More variables.
    connection_file
        Of a running kernel; it is then neither started nor stopped here.
    """

    def __init__(
        self,
        folder: Path,
        *,
        env: Mapping[str, str] | None = None,
        connection_file: Path | None = None,
    ) -> None:
        self._manager: KernelManager | None = None
        self._folder = folder
        self._env = jupyter_environment(folder.parent) | dict(env or {})
        self._file = connection_file
        self.client = BlockingKernelClient()

    def __enter__(self) -> Self:
        if self._file is None:
            # Named as servers name it, by the kernel's id.
            file = self._folder.parent / f"kernel-{uuid.uuid4()}.json"
            self._manager = KernelManager(connection_file=str(file))
            self._manager.start_kernel(cwd=str(self._folder), env=self._env)
            self.client = self._manager.client()
        else:
            self.client = BlockingKernelClient(connection_file=str(self._file))
            self.client.load_connection_file()
        # On a busy machine a kernel that starts does not beat in time, and would count as dead.
        self.client.start_channels(hb=self._file is None)
        self.client.wait_for_ready(timeout=PATIENCE_SECONDS)
        return self

    def __exit__(self, *_exception: object) -> None:
        self.client.stop_channels()
        if self._manager is not None:
            if self._manager.is_alive():
                self._manager.shutdown_kernel()
            self._manager.cleanup_resources()

    @property
    def manager(self) -> KernelManager:
        assert self._manager is not None
        return self._manager

    @property
    def pid(self) -> int:
        pid = self.manager.provisioner.pid  # type: ignore[union-attr]
        assert isinstance(pid, int)
        return pid

    def run(
        self,
        code: str,
        *,
        answers: list[str] | None = None,
        watched: bool = False,
        cell_id: str = "cell-1",
        on_progress: Callable[[Cell], None] | None = None,
        seconds: float = PATIENCE_SECONDS,
    ) -> Cell:
        """Run a cell to its end.

        Parameters
        ----------
        answers
            For stdin, in turn; with some, the frontend serves it.
        watched
            Whether the frontend serves stdin all the same.
        on_progress
            Called again and again, e.g. to interrupt.
        seconds
            Until its end at most.
        """
        stdin = watched or answers is not None
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": stdin,
            "stop_on_error": False,
        }
        metadata = {"cellId": cell_id}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        cell, left = Cell(), list(answers or [])
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if stdin:
                self._serve_stdin(cell, left)
            if on_progress is not None:
                on_progress(cell)
            try:
                received = self.client.get_iopub_msg(timeout=0.05)
            except Empty:
                continue
            mine = received["parent_header"].get("msg_id") == message["header"]["msg_id"]
            if received["msg_type"].startswith("comm_"):
                cell.comms.append(received)
            elif mine and _take(cell, received):
                self._reply(message["header"]["msg_id"])
                return cell
        raise AssertionError(f"the cell did not end: {cell.printed}")

    def complete(self, code: str) -> list[str]:
        """Return what Tab offers at the end of `code`."""
        return list(self._reply(self.client.complete(code))["matches"])

    def _reply(self, request_id: str) -> dict[str, Any]:
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE_SECONDS)
            if reply["parent_header"].get("msg_id") == request_id:
                content = reply["content"]
                assert isinstance(content, dict)
                return content

    def _serve_stdin(self, cell: Cell, answers: list[str]) -> None:
        try:
            request = self.client.get_stdin_msg(timeout=0)
        except Empty:
            return
        cell.questions.append(request["content"]["prompt"])
        if answers:
            self.client.input(answers.pop(0))


def jupyter_environment(folder: Path) -> dict[str, str]:
    """Return an environment whose Jupyter folders lie in ``folder``."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")},
        "HOME": str(folder / "home"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }


def _take(cell: Cell, message: dict[str, Any]) -> bool:
    """Add a message of the cell; tell whether it was the last."""
    content = message["content"]
    match message["msg_type"]:
        case "stream":
            cell.printed += content["text"]
        case "display_data" | "execute_result":
            name = content.get("transient", {}).get("display_id", "")
            if not name.endswith("-note"):  # comes on a busy machine only: no page shows itself
                cell.outputs.append(Output(name, [content["data"]], content["metadata"]))
        case "update_display_data":
            name = content["transient"]["display_id"]
            for output in cell.outputs:
                if output.display_id == name:
                    output.states.append(content["data"])
                    output.metadata = content["metadata"]
        case "error":
            cell.error, cell.message = content["ename"], content["evalue"]
            cell.traceback = "\n".join(content["traceback"])
        case "status":
            return bool(content["execution_state"] == "idle")
        case _:
            pass
    return False
