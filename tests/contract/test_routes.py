"""Every route and command, with who may ask for it, in one list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from tornado.web import RequestHandler

from acp_jupyter.api.access import KernelCaller
from acp_jupyter.api.models.command_table import require_read_only
from acp_jupyter.errors import AcpError, NotAllowed
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.handlers import handlers, page_handlers
from tests.contract.golden import check
from tests.support.features import tables
from tests.support.host.commands import MODELS, CommandSender, example
from tests.support.wait import PATIENCE_SECONDS

KERNEL = KernelCaller("k1", "book.ipynb")

OTHER_CALLERS = {
    "kernel": "kernel",
    "kernel/sessions/{session_id}/events": "kernel",
    "kernel/work": "kernel",
    "kernel/work/done": "kernel",
    "kernel/work/printed": "kernel",
    "sessions/{session_id}/packets": "user, kernel",
    "sessions/{session_id}/traffic": "user, kernel",
    "stream": "user",
    **tables("OTHER_CALLERS"),
}
"""Routes that are no command; ``test_identities`` and ``test_kernel_runner`` ask"""


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[CommandSender]:
    """Yield a host whose only agent can't start."""
    root = tmp_path / "ws"
    root.mkdir()
    host = AgentHost(
        HostConfig(Registry({"absent": {"command": "/absent"}}, []), root, tmp_path / "data")
    )
    host.start()
    yield CommandSender(host, root)
    host.stop()


def test_routes_and_who_may_call_them(sender: CommandSender) -> None:
    callers = {name: _callers(sender, name) for name in MODELS}
    check("routes.txt", [*sorted(_routes(callers)), *sorted(_pages())])
    check("commands.txt", (f"{name}: {callers[name]}" for name in sorted(MODELS)))


def _routes(callers: dict[str, str]) -> Iterator[str]:
    for pattern, handler, more in handlers(cast("Backend", None)):
        path = re.sub(r"\(\?P(<\w+>)\[\^/\]\+\)", r"\1", pattern).translate({60: "{", 62: "}"})
        path = path.removeprefix("/acp-jupyter/api/")
        if "rows" not in more:
            yield f"{path} {' '.join(_methods(handler))}: {OTHER_CALLERS[path]}"
            continue
        for method, row in more["rows"].items():
            route = row.route
            query = " ".join(f"{name}={field}" for name, field in route.query.items())
            body = route.raw_body or ("JSON" if route.body else "")
            bytes_ = f" up to {route.body_bytes}" if body else ""
            takes = "".join(f", {part}" for part in (f"?{query}", body + bytes_) if len(part) > 1)
            who = callers[row.name]
            yield f"{path} {method}: {row.name} {route.status}{takes}: {who}"


def _pages() -> Iterator[str]:
    for path, handler, _ in page_handlers(cast("Backend", None)):
        yield f"{path} {' '.join(_methods(handler))}: user"


def _methods(handler: type[RequestHandler]) -> list[str]:
    missing: Any = RequestHandler._unimplemented_method
    names = ("GET", "POST", "PUT", "PATCH", "DELETE")
    return [name for name in names if getattr(handler, name.lower()) is not missing]


def _callers(sender: CommandSender, name: str) -> str:
    """Tell who may send a command that is about a session of the caller's own."""
    session = sender.make(KERNEL, agent="absent", new=True, ask_trust=True)
    command = example(name, session, "no-turn")
    callers = ["user"]
    try:
        sender.host.submit(sender.dispatcher.handle(command, KERNEL)).result(PATIENCE_SECONDS)
    except NotAllowed:
        pass
    except AcpError:
        callers.append("kernel")  # refused for what it is about
    else:
        callers.append("kernel")
    try:
        require_read_only(command)
    except NotAllowed:
        pass
    else:
        callers.append("agent's code")
    return ", ".join(callers)
