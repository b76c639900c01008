"""How late a Jupyter server answers others while an agent sends what is hard to take in.

Others are who asks for its status, and the page of another session, whose agent says the time. Each
group of loads begins with one that sends nothing, which tells what the machine itself adds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from acp_jupyter.host.limits import Limits
from tests.support.patterns.largest import LARGEST, largest
from tests.support.patterns.repeated import REPEATED, corpus
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import open_session, start_turn

__all__ = ["LATE_MS", "Hostile", "Load", "measure_hostile"]

LATE_MS = 100
_CORPUS_CHARS = 90_000
_LONGEST_MIB = Limits().line_bytes // 2**20 - 1
"""Of a line that is still taken."""
_READ_MIB = 2
"""Of a line whose many parts are still read."""
_TIMES = 2
_TURN_SECONDS = 600
_AFTER_SECONDS = 0.5
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Load:
    """What an agent sends in one turn."""

    name: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Hostile:
    """One load; each number the median of the rounds."""

    load: str
    p50: float
    """Milliseconds until ``/api/status`` was answered."""
    p99: float
    longest: float
    said_p99: float
    """Milliseconds until a page had what the agent of another session said."""
    said_longest: float
    seconds: float
    """To the turn's end."""
    memory_mb: float
    """Most that the server held meanwhile, above what it held before."""


def measure_hostile(
    rounds: int, corpora: Sequence[str] = tuple(REPEATED), *, count: int = 100_000
) -> list[Hostile]:
    """Send every load, each round and each group of loads to a fresh server."""
    idle = Load("nothing", _prompt("nothing"))
    largest_loads = [
        Load(f"{mib} MiB of {name}", _prompt("file", name=f"{_file(name)}-{mib}", count=_TIMES))
        for name in LARGEST
        for mib in (_LONGEST_MIB, _READ_MIB)
    ]
    groups = [
        [idle, *(_corpus_load(name) for name in corpora)],
        [idle, *largest_loads],
        [Load(f"{count:,} tool calls", _prompt("calls", count=count))],
        *([load] for load in _line_loads()),
    ]
    done: dict[str, list[Hostile]] = {}
    for _ in range(rounds):
        for group in groups:
            for one in _measure_group(group):
                done.setdefault(one.load, []).append(one)
    return [_median(name, runs) for name, runs in done.items()]


def _corpus_load(name: str) -> Load:
    return Load(name, _prompt("everywhere", name=_file(name)))


def _line_loads() -> Iterator[Load]:
    for kind in ("text", "brackets", "no JSON"):
        for mib in (70, _LONGEST_MIB, 3):
            words = f"5 lines of {mib} MiB: {kind}"
            yield Load(words, _prompt("lines", mib=mib, count=5, kind=kind))


def _prompt(load: str, **more: object) -> str:
    return json.dumps({"load": load, **more})


def _file(name: str) -> str:
    return name.replace(" ", "-").replace(",", "").replace(":", "")


def _median(name: str, runs: Sequence[Hostile]) -> Hostile:
    columns = ("p50", "p99", "longest", "said_p99", "said_longest", "seconds", "memory_mb")
    medians = (statistics.median(getattr(run, column) for run in runs) for column in columns)
    return Hostile(name, *medians)


def _measure_group(loads: Sequence[Load]) -> list[Hostile]:
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterServer(Path(folder), agents=fake_agents("hostile", "says_the_time")) as server,
        server.user() as client,
        server.stream() as stream,
    ):
        for name in REPEATED:
            text = corpus(name, _CORPUS_CHARS)
            (server.root / f"{_file(name)}.json").write_text(json.dumps(text))
            shown = text.encode("utf-8", "replace")
            (server.root / f"{_file(name)}.txt").write_bytes(shown)
        for name in LARGEST if any('"file"' in load.prompt for load in loads) else ():
            for mib in (_LONGEST_MIB, _READ_MIB):
                (server.root / f"{_file(name)}-{mib}.line").write_bytes(largest(name, mib))
        page = threading.Thread(target=_follow, args=(stream,), daemon=True)
        page.start()
        client.timeout = httpx.Timeout(_TURN_SECONDS)
        other = open_session(client, "says_the_time", new=True)
        start_turn(client, other, "What time is it?")
        return [_measure(server, client, stream, load, other) for load in loads]


def _measure(
    server: JupyterServer, client: httpx.Client, stream: ClientConnection, load: Load, other: str
) -> Hostile:
    session_id = open_session(client, "hostile", new=True, policy="allow-all")
    stream.send(json.dumps({"type": "subscribe", "session_id": session_id}))
    status = ("status_probe", f"{server.url}api/status", server.token)
    said = ("said_probe", f"{server.api.replace('http', 'ws', 1)}stream", server.token, other)
    with _probed(*status) as waits, _probed(*said) as delays, _memory(server) as memory:
        began = time.monotonic()
        turn_id = start_turn(client, session_id, load.prompt)
        _wait(client, turn_id)
        seconds = time.monotonic() - began
        # What is written to disk at the end belongs to it.
        client.get(f"sessions/{session_id}/traffic-lines", params={"limit": 1}).raise_for_status()
        time.sleep(_AFTER_SECONDS)
    stream.send(json.dumps({"type": "unsubscribe", "session_id": session_id}))
    client.delete(f"sessions/{session_id}").raise_for_status()
    return Hostile(
        load.name,
        statistics.median(waits),
        statistics.quantiles(waits, n=100)[98],
        max(waits),
        statistics.quantiles(delays, n=100)[98],
        max(delays),
        seconds,
        max(memory),
    )


def _wait(client: httpx.Client, turn_id: str) -> None:
    """Wait for the end as a kernel does whose cell runs."""
    until = time.monotonic() + _TURN_SECONDS
    while time.monotonic() < until:
        answer = client.get(f"turns/{turn_id}", params={"wait": 20}).raise_for_status().json()
        if answer["turn"]["status"] == "done":
            assert answer["turn"]["stop_reason"] == "end_turn", answer["turn"]
            return
    raise AssertionError(f"the turn has not ended within {_TURN_SECONDS} s")


@contextmanager
def _probed(probe_name: str, *words: str) -> Iterator[list[float]]:
    """Run a probe all the time; the list holds the milliseconds at the end."""
    waits: list[float] = []
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-m", f"tests.bench.{probe_name}", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as probe:
        assert probe.stdout is not None
        assert probe.stdout.readline() == "ready\n"
        yield waits
        told, _ = probe.communicate("\n")
        waits += json.loads(told)


@contextmanager
def _memory(server: JupyterServer) -> Iterator[list[float]]:
    """Look at the server's memory all the time; the list holds MB above what it had."""
    process = psutil.Process(server.pid)
    before = process.memory_info().rss
    seen, ended = [0.0], threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_SECONDS):
            seen.append((process.memory_info().rss - before) / 2**20)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        ended.set()
        looking.join()


def _follow(stream: ClientConnection) -> None:
    """Take what a page takes, and say that it is drawn."""
    try:
        for frame in stream:
            assert isinstance(frame, str)
            if frame.startswith('{"type":"events"'):
                session_id = frame.split('"session_id":"', 1)[1].split('"', 1)[0]
                seq = int(frame.rsplit('"seq":', 1)[1].split(",", 1)[0].rstrip("}]"))
                stream.send(json.dumps({"type": "ack", "session_id": session_id, "seq": seq}))
    except ConnectionClosed:
        pass
