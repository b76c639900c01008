"""A page that takes nothing of a flood holds up nobody else."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
from websockets.sync.client import connect

from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.stream import Page

FLOOD = "bench N=1600 size=5000 rate=0"
"""8 MB, more than lies in sockets."""


@contextmanager
def deaf(server: JupyterServer, session_id: str) -> Iterator[None]:
    """Follow a session, and read nothing of what comes."""
    address = urlsplit(server.api)
    assert address.hostname is not None
    assert address.port is not None
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect((address.hostname, address.port))
    with connect(
        server.api.replace("http", "ws", 1) + "stream",
        sock=raw,
        additional_headers={"Authorization": f"token {server.token}"},
        compression=None,
        max_size=None,
        max_queue=1,
        proxy=None,
    ) as connection:
        frame = {"type": "subscribe", "session_id": session_id, "after": None, "epoch": ""}
        connection.send(json.dumps(frame))
        try:
            yield
        finally:
            raw.shutdown(socket.SHUT_RDWR)  # it is gone: to say so, it would have to read


def test_pages_that_read_nothing_hold_up_nobody(server: JupyterServer, user: httpx.Client) -> None:
    flooded, other = open_session(user, "demo"), open_session(user, "hello")
    try:
        with (
            deaf(server, flooded),
            deaf(server, flooded),
            deaf(server, other),
            Page(server.stream()) as page,
        ):
            page.follow(flooded)
            page.follow(other)
            flood = start_turn(user, flooded, FLOOD)
            beside = start_turn(user, other, "a word")
            # The others get all of the flood, and what happens beside it, first.
            view = page.follow_until_done(other, beside)
            assert "You said: a word" in view.text()
            assert page.views[flooded].turns[flood]["status"] != "done"
            assert page.command("list_agents")["error"] is None
            assert len(page.follow_until_done(flooded, flood).text()) >= 8_000_000
        assert finished(user, flood)["turn"]["stop_reason"] == "end_turn"
    finally:
        for session_id in (flooded, other):
            user.delete(f"sessions/{session_id}").raise_for_status()
