"""What a stream costs on the wire, in counts: times are the benchmark's business."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from acp_jupyter.agents.demo import talk_tasks
from tests.support.deflate import deflated_bytes
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import open_session, start_turn
from tests.support.wait import PATIENCE_SECONDS

Json = dict[str, Any]


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "demo")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def stream(server: JupyterServer, user: httpx.Client, session_id: str, prompt: str) -> list[str]:
    """Follow a turn as a page that draws at once; return the messages with events."""
    messages: list[str] = []
    with server.stream() as socket:
        assert socket.response is not None
        assert "permessage-deflate" in socket.response.headers["Sec-WebSocket-Extensions"]
        frame = {"type": "subscribe", "session_id": session_id, "after": None, "epoch": ""}
        socket.send(json.dumps(frame))
        while not _kinds(str(socket.recv(timeout=PATIENCE_SECONDS))):
            pass  # the snapshot
        start_turn(user, session_id, prompt)
        while "turn_ended" not in _kinds(messages[-1] if messages else ""):
            message = str(socket.recv(timeout=PATIENCE_SECONDS))
            if _kinds(message):
                messages.append(message)
                seq = max(event["seq"] for event in json.loads(message)["events"])
                socket.send(json.dumps({"type": "ack", "session_id": session_id, "seq": seq}))
    return messages


def _kinds(message: str) -> set[str]:
    frame = json.loads(message or "{}")
    return {event["kind"] for event in frame["events"]} if frame.get("type") == "events" else set()


def _text(messages: list[str]) -> str:
    events: list[Json] = [event for message in messages for event in json.loads(message)["events"]]
    return "".join(event["text"] for event in events if event["kind"] == "text_appended")


def test_a_flood_is_gathered(server: JupyterServer, user: httpx.Client, session_id: str) -> None:
    messages = stream(server, user, session_id, "bench N=5000 size=20 rate=0")
    text = talk_tasks.exactly(100_000)
    assert _text(messages) == text
    assert len(messages) < 200  # of 5,000 chunks
    assert sum(map(len, messages)) < 1.5 * len(text)


def test_a_steady_stream_is_small_on_the_wire(
    server: JupyterServer, user: httpx.Client, session_id: str
) -> None:
    messages = stream(server, user, session_id, "bench N=200 size=20 rate=100")
    text = talk_tasks.exactly(4_000)
    assert _text(messages) == text
    assert len(messages) < 100  # of 200 chunks, one flush per 33 ms
    live = [message for message in messages if "text_appended" in _kinds(message)]
    assert deflated_bytes(live) < 1.5 * len(text)
