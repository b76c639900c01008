"""Servers that are no agent, refuse, redirect, or break what they send."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents.remote import remote, serving
from tests.support.host.agent_session import AgentSession
from tests.support.host.driver import driving

TOKEN = "FAR_TOKEN"


def failure(folder: Path, entry: dict[str, object]) -> str:
    """Return why a turn with the agent failed."""
    with driving(folder, {"far": entry}) as driver:
        turn = AgentSession(driver, driver.open("far")).turn()
        assert turn.failure is not None
        return turn.failure.message + turn.failure.detail


@contextlib.contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """Answer every connection with these bytes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_a_token_is_sent_from_a_variable_and_never_shown(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, "Bearer right-token-1234")
    with serving("hello", token="right-token-1234") as port:
        entry = remote(scheme, port, headers={"Authorization": {"env": TOKEN}})
        with driving(tmp_path, {"far": entry}) as driver:
            agent_session = AgentSession(driver, driver.open("far"))
            assert agent_session.turn().stop_reason == "end_turn"
        monkeypatch.setenv(TOKEN, "Bearer wrong-token-5678")
        other = tmp_path / "other"
        other.mkdir()
        words = failure(other, entry)
        assert f"answered 401: the login is not accepted. Check the variable {TOKEN}." in words
        monkeypatch.delenv(TOKEN)
        third = tmp_path / "third"
        third.mkdir()
        assert f"The environment variable {TOKEN}" in failure(third, entry)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"-token-" not in file.read_bytes(), file


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_a_page_is_no_agent(scheme: str, tmp_path: Path) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>Hello"
    with answering(page) as port:
        words = failure(tmp_path, remote(scheme, port))
    assert "Check the address of this agent." in words


def test_a_compressed_answer_is_not_unpacked(tmp_path: Path) -> None:
    """It was not asked for, and a small one may become a very large one."""
    packed = gzip.compress(bytes(100_000_000))
    head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
    with answering(f"{head}Content-Length: {len(packed)}\r\n\r\n".encode() + packed) as port:
        words = failure(tmp_path, remote("http", port))
    assert "the answer is compressed" in words


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_no_proxy_gets_what_stays_on_this_machine(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n") as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "WS_PROXY", "ws_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        with serving("hello") as port, driving(tmp_path, {"far": remote(scheme, port)}) as driver:
            assert AgentSession(driver, driver.open("far")).turn().stop_reason == "end_turn"


@pytest.mark.parametrize("scheme", ["ws", "http"])
@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect"])
def test_no_redirect_is_followed(scheme: str, status: str, tmp_path: Path) -> None:
    with answering(b"") as other:
        head = f"HTTP/1.1 {status}\r\nLocation: http://127.0.0.1:{other}/acp\r\n"
        with answering(f"{head}Content-Length: 0\r\n\r\n".encode()) as port:
            words = failure(tmp_path, remote(scheme, port))
    assert "it redirects to another address, which is not followed" in words


@pytest.mark.parametrize("scheme", ["ws", "http"])
@pytest.mark.parametrize("answer", [b"", b"\x00\x01", b"HTTP/1.1 200", b"HTTP/1.1 503 No\r\n\r\n"])
def test_a_server_that_breaks_off_is_told(scheme: str, answer: bytes, tmp_path: Path) -> None:
    with answering(answer) as port:
        assert f"127.0.0.1:{port}" in failure(tmp_path, remote(scheme, port))


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert "can't be reached" in failure(tmp_path, remote("ws", port))


def test_mcp_servers_that_are_programs_here_are_out_of_reach(tmp_path: Path) -> None:
    servers = [{"name": "papers", "command": "papers-mcp", "args": [], "env": []}]
    with (
        serving("hello") as port,
        driving(tmp_path, {"far": remote("ws", port)}, mcp_servers=servers) as driver,
    ):
        agent_session = AgentSession(driver, driver.open("far"))
        assert agent_session.turn().stop_reason == "end_turn"
        assert [notice.text for notice in agent_session.notices] == [
            "The agent runs on 127.0.0.1 and can't start programs here, so it has no tools of "
            "these MCP servers: papers."
        ]
