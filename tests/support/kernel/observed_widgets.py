"""Widgets in a kernel, with the host in the server or in the kernel, and what observers see."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import Kernel
from tests.support.scenes.steps import player
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["NAMES", "WATCH", "Side", "started"]

NAMES = (
    *("text", "thoughts", "plan", "tool_calls", "diffs", "usage"),
    *("pending", "error", "stop_reason", "status"),
)

WATCH = f"""
import time
from acp_jupyter import connect
from acp_jupyter.widgets import TurnWidget
seen, called = [], []
def watch(widget):
    widget.observe(lambda change: seen.append((change.name, change.new, time.monotonic())), {NAMES})
    widget.on_done(lambda widget: called.append(("done", widget.status, widget.text)))
    widget.on_permission(lambda widget, request: called.append(("asked", request["title"])))
    return widget
def settled():
    deadline = time.monotonic() + {PATIENCE_SECONDS}
    while not any(call[0] == "done" for call in called):
        assert time.monotonic() < deadline, (seen, called)
        time.sleep(0.02)
def values(name):
    return [value for each, value, _ in seen if each == name]
"""


class Side:
    """A kernel, and the user who answers in the page or who has none."""

    def __init__(
        self,
        kernel: Kernel,
        user: httpx.Client | None,
        folder: Path,
        server: JupyterServer | None = None,
    ) -> None:
        self.kernel = kernel
        self.server = server
        self.user = user
        self.folder = folder

    def run(self, code: str) -> str:
        return self.kernel.run(code, watched=True).ok().printed

    def tell(self, expression: str) -> Any:
        return ast.literal_eval(self.run(f"print(repr({expression}))"))

    def watch(self, agent: str) -> None:
        """Observe a session's widget from before its first prompt."""
        self.run(f"session = connect('{agent}', new=True)\nwidget = watch(TurnWidget(session))")


@contextmanager
def started(
    where: Literal["server", "kernel"], folder: Path, **server_options: Any
) -> Iterator[Side]:
    """Start a kernel whose agents run there."""
    names = ("hello", "permission", "slow_stream", "dies_mid_turn", "two_permissions")
    agents = {**fake_agents(*names), "plays": player("Player")}
    with ExitStack() as stack:
        user: httpx.Client | None = None
        server: JupyterServer | None = None
        if where == "server":
            server = stack.enter_context(JupyterServer(folder, agents=agents, **server_options))
            work = server.root
            file = server.start_kernel("own.ipynb").connection_file
            kernel = stack.enter_context(Kernel(work, connection_file=file))
            user = stack.enter_context(server.user())
        else:
            (folder / "config").mkdir()
            config = json.dumps({"agent_servers": agents})
            (folder / "config" / "acp_agents.json").write_text(config)
            work = folder / "work"
            work.mkdir()
            trust_in_data_dir(folder / "data", folder)
            kernel = stack.enter_context(Kernel(work))
        side = Side(kernel, user, work, server)
        side.run("%load_ext acp_jupyter")
        yield side
