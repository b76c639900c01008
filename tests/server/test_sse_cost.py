"""What followers cost the server: memory, connections, its end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from acp_jupyter.api.packet_stream import DIALECTS
from tests.support.server.follower import ENDS, following
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS, eventually

SLOW_READERS = 8
PROMPT = "bench N=1500 size=4000 rate=0"
MAX = 32


PINGING = ["--AcpJupyter.ping_seconds=0.2"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    with JupyterServer(tmp_path_factory.mktemp("pinging"), args=PINGING) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    limits = httpx.Limits(max_connections=None)
    with httpx.Client(base_url=server.api, timeout=PATIENCE_SECONDS, limits=limits) as client:
        client.headers["Authorization"] = f"token {server.token}"
        yield client


def silent_reader(server: JupyterServer, session_id: str) -> socket.socket:
    """Ask for a stream and read nothing of it."""
    address = urlsplit(server.api)
    assert address.hostname is not None
    assert address.port is not None
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((address.hostname, address.port))
    connection.sendall(
        f"GET {address.path}sessions/{session_id}/packets HTTP/1.1\r\n"
        f"Host: {address.netloc}\r\nAuthorization: token {server.token}\r\n\r\n".encode()
    )
    return connection


def test_readers_that_do_not_read_cost_no_memory(server: JupyterServer, user: httpx.Client) -> None:
    session_id = open_session(user, "demo")
    start_turn(user, session_id, PROMPT)
    process = psutil.Process(server.pid)
    with following(user, session_id) as follower:
        follower.until(lambda packet: packet["type"] in ENDS)
    size, packets = len(follower.raw), follower.packets
    assert size > 6_000_000
    before = process.memory_info().rss
    with ExitStack() as connections:
        for _ in range(SLOW_READERS):
            connections.enter_context(silent_reader(server, session_id))
        # In the time that one reader takes all of it, the others would have been given as much.
        with following(user, session_id) as follower:
            follower.until(lambda packet: packet["type"] in ENDS)
        grown = process.memory_info().rss - before
        assert follower.packets == packets
        assert user.get("agents").status_code == 200
    assert grown < SLOW_READERS * size / 4


def test_too_many_readers_are_refused_in_words(user: httpx.Client) -> None:
    session_id = open_session(user, "demo")
    path = f"sessions/{session_id}/packets"
    with ExitStack() as streams:
        for _ in range(MAX):
            answer = streams.enter_context(user.stream("GET", path))
            assert answer.status_code == 200
        refused = user.get(path)
        assert (refused.status_code, refused.json()["reason"]) == (503, "too_many")
        assert "32 programs" in refused.json()["message"]

    def is_free() -> bool:
        with user.stream("GET", path) as answer:
            return answer.status_code == 200

    eventually(is_free, what="those who hung up make room")


@pytest.mark.long
def test_the_end_of_the_server_is_the_end_of_its_streams(tmp_path: Path) -> None:
    with JupyterServer(tmp_path) as server, server.user() as user:
        session_id = open_session(user, "demo")
        with following(user, session_id) as follower:
            start_turn(user, session_id, "slow rate=5")
            follower.until(lambda packet: packet["type"].startswith("agent_"))
            server.__exit__()
            follower.wait()
            assert follower.ended
    assert "Traceback" not in server.log.read_text()


BOUNDS = """
import functools
import acp_jupyter.server.extension as extension
import acp_jupyter.server.following as following

following._WRITE_SECONDS = {write_seconds}
extension.Limits = functools.partial(extension.Limits, {bounds})
"""


@pytest.mark.long
def test_a_full_log_ends_its_stream_with_words(tmp_path: Path) -> None:
    config = BOUNDS.format(bounds="traffic_log_bytes=1_000_000", write_seconds=FOREVER_SECONDS)
    with JupyterServer(tmp_path, config=config) as server, server.user() as user:
        session_id = open_session(user, "demo")
        turn_id = start_turn(user, session_id, "bench N=300 size=4000 rate=0")
        for dialect in DIALECTS:
            with following(user, session_id, dialect=dialect) as follower:
                follower.wait()
                assert follower.ended
            assert "The session continues" in str(follower.packets[-2:])
            assert not {packet["type"] for packet in follower.packets} & ENDS
            assert b": the log of this session is full" in follower.raw
            assert follower.raw.endswith(b"retry: 600000\n\n")
        assert finished(user, turn_id)["turn"]["stop_reason"] == "end_turn"


@pytest.mark.long
def test_a_reader_that_takes_nothing_is_cut_off(tmp_path: Path) -> None:
    """Its place is free for another, and it can ask for what it missed."""
    config = BOUNDS.format(bounds="packet_streams=1", write_seconds=0.3)
    server = JupyterServer(tmp_path, config=config)
    with server, server.user() as user:
        session_id = open_session(user, "demo")
        start_turn(user, session_id, PROMPT)

        def is_idle() -> bool:
            return bool(user.get(f"sessions/{session_id}").json()["status"] == "idle")

        eventually(is_idle, what="the turn ends")
        path = f"sessions/{session_id}/packets"

        def is_free() -> bool:
            with user.stream("GET", path) as answer:
                return answer.status_code == 200

        with silent_reader(server, session_id) as connection:
            got = connection.recv(100)
            assert got.startswith(b"HTTP/1.1 200")
            eventually(is_free, what="the silent reader is cut off")
            while piece := connection.recv(2**20):
                got += piece
    assert len(got) < 6_000_000
    assert not got.endswith(b"0\r\n\r\n")
    assert "Traceback" not in server.log.read_text()
