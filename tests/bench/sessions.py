"""Many sessions in one agent process, and one session as fast as its agent can write."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import acp
import httpx
import psutil
from websockets.sync.client import ClientConnection

from tests.bench.lag_probe import LAG_FILE
from tests.support.agents.fake_agent import command_line
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import open_session, start_turn

__all__ = ["ManySessions", "Speed", "measure_many", "measure_speed"]

_COMMAND = command_line("many_sessions")


@dataclass(frozen=True, slots=True)
class ManySessions:
    """One update per ``pause`` in each session, all sessions in one process."""

    sessions: int
    updates: int
    """Of all sessions."""
    lost: int
    lag_p50_ms: float
    """Of the Jupyter server's event loop."""
    lag_p99_ms: float
    lag_max_ms: float
    seconds: float
    server_cpu: float
    memory_mb: float
    """Of the server, above what it had before."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Updates per second of one session, from the agent's first write to the last one here."""

    updates: int
    bare: float
    """Reading and parsing the lines, and nothing else."""
    sdk: float
    """The SDK's client with an empty handler."""
    ours: float
    """Through the server to a WebSocket: log, transcript and events."""


def measure_many(folder: Path, sessions: int = 100, pause: float = 0.01) -> ManySessions:
    """Let all sessions stream at once, with two pages that follow half of them each."""
    count = 1000
    with (
        _server(folder) as (server, client, stream),
        ExitStack() as stack,
        ThreadPoolExecutor(2) as readers,
    ):
        ids = [open_session(client, "many_sessions") for _ in range(sessions)]
        process = psutil.Process(server.pid)
        before = process.memory_info().rss
        other = stack.enter_context(server.stream())
        pages = {page: ids[place::2] for place, page in enumerate((stream, other))}
        for page, followed in pages.items():
            for session_id in followed:
                _subscribe(page, session_id)
        cpu = sum(process.cpu_times()[:2])
        started, at = time.monotonic(), time.time()
        turns = {s: start_turn(client, s, f"{count} {pause}") for s in ids}
        reading = [
            readers.submit(_read_until_ended, page, {turns[s] for s in followed})
            for page, followed in pages.items()
        ]
        got = {name: text for read in reading for name, text in read.result().items()}
        seconds = time.monotonic() - started
        lag = _delays(folder / "lag", at, time.time())
        said = sum(len(_text(client, turn).split()) for turn in turns.values())
        on_socket = sum(len(text.split()) for text in got.values())
        return ManySessions(
            sessions,
            sessions * count,
            2 * sessions * count - said - on_socket,
            statistics.median(lag),
            statistics.quantiles(lag, n=100)[98],
            max(lag),
            seconds,
            sum(process.cpu_times()[:2]) - cpu,
            (process.memory_info().rss - before) / 2**20,
        )


def measure_speed(folder: Path, count: int = 30_000) -> Speed:
    """Let the three take turns on the same lines; the best of each counts."""
    runs = [(_bare(count), _sdk(count)) for _ in range(3)]
    with _server(folder) as (_, client, stream):
        ours = [_ours(client, stream, count) for _ in range(3)]
    return Speed(
        count,
        count / min(bare for bare, _ in runs),
        count / min(sdk for _, sdk in runs),
        count / min(ours),
    )


@contextmanager
def _server(folder: Path) -> Iterator[tuple[JupyterServer, httpx.Client, ClientConnection]]:
    folder.mkdir()
    with (
        JupyterServer(
            folder,
            agents=fake_agents("many_sessions"),
            config='c.ServerApp.jpserver_extensions = {"tests.bench.lag_probe": True}',
            env={
                LAG_FILE: str(folder / "lag"),
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
        ) as server,
        server.user() as client,
        server.stream() as stream,
    ):
        yield server, client, stream


def _subscribe(stream: ClientConnection, session_id: str) -> None:
    stream.send(json.dumps({"type": "subscribe", "session_id": session_id}))


def _read_until_ended(stream: ClientConnection, turns: set[str]) -> dict[str, str]:
    """Follow as a page does; return the text of each session."""
    texts: dict[str, str] = {}
    while turns:
        frame = json.loads(stream.recv(120))
        if frame["type"] != "events":
            continue
        for event in frame["events"]:
            _take(texts, turns, event)
        seq = frame["events"][-1]["seq"]
        ack = {"type": "ack", "session_id": frame["session_id"], "seq": seq}
        stream.send(json.dumps(ack))
    return texts


def _take(texts: dict[str, str], turns: set[str], event: dict[str, Any]) -> None:
    session_id = event["session_id"]
    match event["kind"]:
        case "text_appended":
            texts[session_id] = texts.get(session_id, "") + event["text"]
        case "item_added" if event["item"]["kind"] == "agent_message":
            texts[session_id] = texts.get(session_id, "") + event["item"]["text"]
        case "turn_ended":
            turns.discard(event["turn"]["turn_id"])
        case _:
            pass


def _text(client: httpx.Client, turn_id: str) -> str:
    items = client.get(f"turns/{turn_id}").json()["items"]
    return "".join(item["text"] for item in items if item["kind"] == "agent_message")


def _delays(path: Path, start: float, end: float) -> list[float]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [delay for at, delays in lines if start <= at <= end for delay in delays]


def _ours(client: httpx.Client, stream: ClientConnection, count: int) -> float:
    session_id = open_session(client, "many_sessions", new=True)
    _subscribe(stream, session_id)
    start = time.monotonic()
    turn_id = start_turn(client, session_id, f"{count} 0")
    texts = _read_until_ended(stream, {turn_id})
    seconds = time.monotonic() - start
    assert len(texts[session_id].split()) == count
    return seconds


def _bare(count: int) -> float:
    with subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        prompt = {"sessionId": "m1", "prompt": [{"type": "text", "text": f"{count} 0"}]}
        start = time.monotonic()
        request = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": prompt}
        agent.stdin.write(json.dumps(request).encode() + b"\n")
        agent.stdin.flush()
        while "result" not in json.loads(agent.stdout.readline()):
            pass
        seconds = time.monotonic() - start
        agent.stdin.close()
    return seconds


class _Empty:
    """The SDK's client that does nothing with what it is told."""

    async def session_update(self, session_id: str, update: object, **_: Any) -> None:
        pass

    def on_connect(self, conn: object) -> None:
        pass


def _sdk(count: int) -> float:
    async def run() -> float:
        client: Any = _Empty()
        async with acp.spawn_agent_process(client, *_COMMAND) as (agent, _process):
            await agent.initialize(protocol_version=1)
            session = await agent.new_session(cwd="/", mcp_servers=[])
            start = time.monotonic()
            text = acp.text_block(f"{count} 0")
            await agent.prompt(session_id=session.session_id, prompt=[text])
            return time.monotonic() - start

    return asyncio.run(run())
