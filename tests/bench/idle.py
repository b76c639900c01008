"""What a server holds of sessions in which nothing happens: opened again, and after their work."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import httpx

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.metadata import TRAFFIC_FILE
from acp_jupyter.host.store.resume_point import DATA_FILE, HEAD_FILE
from tests.bench.memory import held_mib, probed_server, turns_together
from tests.support.server.routes import open_session

__all__ = ["IdleMemory", "measure_idle"]

_ITEMS_OF_TURN = 26
_SEEN = 200
"""Items that a page gets first."""


@dataclass(frozen=True, slots=True)
class IdleMemory:
    """MiB of the server's process above what it had before, when all garbage is given back."""

    sessions: int
    items: int
    """Of each session."""
    opened: float
    """Of all of them, opened again and looked at."""
    worked_sessions: int
    worked_items: int
    worked: float
    """Of all of those, right after their work."""
    rested: float
    """The same when they were put out of memory."""


def measure_idle(folder: Path, sessions: int = 100, items: int = 10_000) -> IdleMemory:
    """Let one session work, open it as often after a restart; then let others work and rest."""
    folder, turns = folder / "idle", -(-items // _ITEMS_OF_TURN)
    with probed_server(folder) as (_, client):
        first = open_session(client, "works", new=True)
        for number in range(turns):
            turns_together(client, [first], f"turn-{number}")
    stored = next(folder.glob(f"data/**/sessions/{first}"))
    ids = [first, *(_copied(stored) for _ in range(sessions - 1))]
    with probed_server(folder) as (server, client):
        _see(client, open_session(client, "works", new=True), 0)
        before = held_mib(client, server, ())
        for session_id in ids:
            _see(client, session_id, turns * _ITEMS_OF_TURN)
        opened = held_mib(client, server, ()) - before
    worked_sessions, worked_turns = max(1, sessions // 5), max(1, turns // 10)
    with probed_server(folder) as (server, client):
        _work(client, open_session(client, "works", new=True), 1)
        before = held_mib(client, server, ())
        ids = [open_session(client, "works", new=True) for _ in range(worked_sessions)]
        for session_id in ids:
            _work(client, session_id, worked_turns)
        worked = held_mib(client, server, ids) - before
        limits = Limits()
        time.sleep(limits.rest_seconds + 2 * limits.heartbeat_seconds)
        rested = held_mib(client, server, ()) - before
    return IdleMemory(
        sessions,
        turns * _ITEMS_OF_TURN,
        opened,
        worked_sessions,
        worked_turns * _ITEMS_OF_TURN,
        worked,
        rested,
    )


def _work(client: httpx.Client, session_id: str, turns: int) -> None:
    for number in range(turns):
        turns_together(client, [session_id], f"turn-{number}")


def _see(client: httpx.Client, session_id: str, items: int) -> None:
    query = {"start": max(0, items - _SEEN), "end": max(1, items)}
    answer = client.get(f"sessions/{session_id}/items", params=query).raise_for_status()
    assert len(answer.json()["items"]) == min(_SEEN, items)


def _copied(stored: Path) -> str:
    """Copy a session's folder under another id, its resume point with it."""
    old, new = stored.name, uuid.uuid4().hex
    copy = stored.with_name(new)
    shutil.copytree(stored, copy)
    for path in copy.iterdir():
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
    head = json.loads((copy / HEAD_FILE).read_bytes().partition(b"\n")[2])
    for name, file in (("log", TRAFFIC_FILE), ("data", DATA_FILE)):
        data = (copy / file).read_bytes()[: head[f"{name}_bytes"]]
        head[f"{name}_digest"] = _digest(data)
    content = json.dumps(head, separators=(",", ":")).encode()
    (copy / HEAD_FILE).write_bytes(_digest(content).encode() + b"\n" + content)
    return new


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
