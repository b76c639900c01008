from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from tests.support.agents.fake_agent import script
from tests.support.agents.remote import remote, serving
from tests.support.host.agent_session import AgentSession
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.processes import all_processes
from tests.support.wait import eventually

LIMITS = replace(
    PATIENT,
    cancel_grace_seconds=1,
    stdin_eof_seconds=0.5,
    term_seconds=0.5,
)


HERE_ONLY = {
    # The server between takes JSON objects alone, reads numbers as JavaScript does, and by HTTP
    # keeps messages for each session that an agent names.
    "nested_deeply",
    "empty_object",
    "answer_to_nobody",
    "batch",
    "huge_ids",
    "about_another_session",
    "a_line_of_70_mb",
    # What becomes of the process is the server's business.
    "death_in_a_turn",
    "dies_while_its_child",
    "does_not_leave",
    "in_a_session_of_its_own",
    "closes_a_pipe",
    "5_mb_for_an_agent_that_reads_nothing",
}
"""Words of the names of tests that say nothing of an agent behind a server."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what can't be asked of an agent that runs elsewhere."""
    left_out = [item for item in items if _is_remote(item) and _is_local(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _is_remote(item: pytest.Item) -> bool:
    called = getattr(item, "callspec", None)
    return called is not None and called.params.get("meet") in {"ws", "http"}


def _is_local(item: pytest.Item) -> bool:
    return any(words in item.name for words in HERE_ONLY)


@pytest.fixture(
    params=[
        "stdio",
        pytest.param("ws", marks=pytest.mark.long),
        pytest.param("http", marks=pytest.mark.long),
    ]
)
def meet(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., AgentSession]]:
    """Open a session with an agent in a mode of `hazards`; at the end no process may be left."""
    root = tmp_path / "ws"
    root.mkdir()
    drivers: list[Driver] = []
    servers = contextlib.ExitStack()

    def begin(mode: str, limits: Limits = LIMITS, **more: Any) -> AgentSession:
        entry = script(mode)
        if request.param != "stdio":
            entry = remote(request.param, servers.enter_context(serving(mode)))
        registry = Registry({mode: entry}, [])
        config = HostConfig(
            registry, root, tmp_path / "data", limits=limits, trust=trusting(tmp_path)
        )
        host = AgentHost(config)
        host.start()
        drivers.append(Driver(host, root))
        return AgentSession(drivers[-1], drivers[-1].open(mode, **more))

    yield begin
    for driver in drivers:
        driver.host.stop()
    servers.close()
    eventually(lambda: not _left(root), "processes are left")


def _left(root: Path) -> list[psutil.Process]:
    """Return what runs in the folder of the test, whoever its parent is by now."""
    return [process for process in all_processes() if _folder(process) == str(root)]


def _folder(process: psutil.Process) -> str:
    try:
        return process.cwd() if process.status() != psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return ""
