"""What a server holds of finished turns: per 1,000 of them, and of a very long one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import open_session, start_turn

__all__ = ["Memory", "held_mib", "measure_memory", "probed_server", "turns_together"]

_TURN_SECONDS = 600
_FLUSH_SECONDS = 5.0
"""An answer that took longer may have given up to wait for what is still to be written."""
_LOOK_SECONDS = 0.02
_BEYOND = 10**9
"""No turn has so many items."""
_WARM_TURNS = 30
"""Of each session, before anything is measured."""


@dataclass(frozen=True, slots=True)
class Memory:
    """MiB of the server's process, when all garbage is given back, above what it had before."""

    sessions: int
    turns: tuple[int, ...]
    """Of all sessions, at each look."""
    held: tuple[float, ...]
    """At each look."""
    per_1000_turns: float
    """From the first look to the last."""
    long_mib: int
    """Text of one long turn."""
    long_held: float
    long_peak: float


def measure_memory(folder: Path, sessions: int = 10, steps: int = 3, long: int = 200) -> Memory:
    """Let sessions work at the same time, 500 turns at each step; then one writes a long turn."""
    with probed_server(folder / "turns") as (server, client):
        ids = [open_session(client, "works", new=True) for _ in range(sessions)]
        for number in range(_WARM_TURNS):
            turns_together(client, ids, f"warm-{number}")
        before = held_mib(client, server, ids)
        turns, held = [0], [0.0]
        for step in range(steps):
            for number in range(500 // sessions):
                turns_together(client, ids, f"{step}-{number}")
            turns.append(turns[-1] + 500 // sessions * sessions)
            held.append(held_mib(client, server, ids) - before)
    with probed_server(folder / "long") as (server, client):
        session_id = open_session(client, "works", new=True)
        turns_together(client, [session_id], "warm")
        before = held_mib(client, server, [session_id])
        with _peak(server) as peak:
            turns_together(client, [session_id], str(long))
        long_held = held_mib(client, server, [session_id]) - before
    per_1000 = (held[-1] - held[1]) / (turns[-1] - turns[1]) * 1000
    return Memory(
        sessions, tuple(turns), tuple(held), per_1000, long, long_held, max(peak) - before
    )


@contextmanager
def probed_server(folder: Path) -> Iterator[tuple[JupyterServer, httpx.Client]]:
    with (
        JupyterServer(
            folder,
            agents=fake_agents("works"),
            config='c.ServerApp.jpserver_extensions = {"tests.bench.memory_probe": True}',
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
        ) as server,
        server.user() as client,
    ):
        client.timeout = httpx.Timeout(_TURN_SECONDS)
        yield server, client


def turns_together(client: httpx.Client, session_ids: Sequence[str], prompt: str) -> None:
    """Let each session take a turn, and wait for all; what they said is not asked for."""
    turn_ids = [start_turn(client, session_id, prompt) for session_id in session_ids]
    for turn_id in turn_ids:
        query = {"wait": 20, "start": _BEYOND}
        until = time.monotonic() + _TURN_SECONDS
        while client.get(f"turns/{turn_id}", params=query).json()["turn"]["status"] != "done":
            assert time.monotonic() < until, f"the turns have not ended within {_TURN_SECONDS} s"


def held_mib(client: httpx.Client, server: JupyterServer, session_ids: Sequence[str]) -> float:
    """Return the MiB of the server's process, once the logs of these sessions are written."""
    for session_id in session_ids:
        lines = f"sessions/{session_id}/traffic-lines"
        began = 0.0
        while time.monotonic() - began > _FLUSH_SECONDS:
            began = time.monotonic()
            client.get(lines, params={"limit": 1}).raise_for_status()
    return float(client.get(f"{server.url}memory-probe").raise_for_status().json()["mib"])


@contextmanager
def _peak(server: JupyterServer) -> Iterator[list[float]]:
    process = psutil.Process(server.pid)
    seen, ended = [0.0], threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_SECONDS):
            seen.append(process.memory_info().rss / 2**20)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        ended.set()
        looking.join()
