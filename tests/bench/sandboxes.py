"""What a sandbox adds to an agent's start, and to the memory of many."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from tests.support.published.chosen_sandbox import path_at
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import open_session

__all__ = ["SandboxCost", "measure_sandboxes"]

_KINDS = {"off": ("off", "full"), "full": ("folder", "full"), "partial": ("folder", "partial")}
"""Of each row: the sandbox, and the level of its server."""


@dataclass(frozen=True, slots=True)
class SandboxCost:
    """Of each of `_KINDS`."""

    start_ms: Mapping[str, float]
    """The median, from the request for a session to its answer, the agent not running before."""
    sessions: int
    held_mib: Mapping[str, float]
    """Of one session and its agent's processes, on average; shared memory is shared out."""


def measure_sandboxes(folder: Path, rounds: int, sessions: int = 100) -> SandboxCost:
    """Start agents in turn without a sandbox and in both levels; then many of each at once."""
    starts: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    with _server(folder / "full", "full") as full, _server(folder / "partial", "partial") as other:
        servers = {"full": full, "partial": other}
        for number in range(rounds + 1):
            for kind, (sandbox, level) in _KINDS.items():
                begun = time.perf_counter()
                _open(servers[level], f"{kind}-{number}", sandbox, level)
                starts[kind].append(1000 * (time.perf_counter() - begun))
    held = {}
    for kind, (sandbox, level) in _KINDS.items():
        with _server(folder / f"many-{kind}", level) as server:
            _open(server, "warm", sandbox, level)
            before = _held_mib(server[0].pid)
            for number in range(sessions):
                _open(server, str(number), sandbox, level)
            held[kind] = (_held_mib(server[0].pid) - before) / sessions
    # In the first round the level is found out.
    medians = {kind: statistics.median(times[1:]) for kind, times in starts.items()}
    return SandboxCost(medians, sessions, held)


_Server = tuple[JupyterServer, httpx.Client]


@contextmanager
def _server(folder: Path, level: str) -> Iterator[_Server]:
    env = {"PATH": path_at(level, folder)}
    with (
        JupyterServer(folder, agents=fake_agents("works"), env=env) as server,
        server.user() as client,
    ):
        yield server, client


def _open(server: _Server, name: str, sandbox: str, level: str) -> None:
    """Start a session with an agent of its own: processes are shared by folder."""
    root, client = server[0].root, server[1]
    (root / name).mkdir()
    cwd = str(root / name)
    session_id = open_session(client, "works", cwd=cwd, trust=True, sandbox=sandbox)
    walls = client.get(f"sessions/{session_id}").raise_for_status().json()["walls"]
    assert (walls or {}).get("level", level) == level, walls


def _held_mib(pid: int) -> float:
    server = psutil.Process(pid)
    return sum(_pss(each) for each in (server, *server.children(recursive=True))) / 2**20


def _pss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0
