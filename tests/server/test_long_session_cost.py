"""What a page gets of a session does not grow with it, nor with a restart of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.log.long_log import ITEMS_OF_TURN, long_log
from tests.support.server.jupyter_server import JupyterServer
from tests.support.wait import PATIENCE_SECONDS

SHORT, LONG = 205, 410
"""Turns: more than a page gets at first, and twice as many."""
WINDOW = 200


def imported(client: httpx.Client, turns: int) -> str:
    query = {"name": f"{turns}.jsonl"}
    answer = client.post("import", content=long_log(turns), params=query, timeout=300)
    return str(answer.raise_for_status().json()["session_id"])


def attached(server: JupyterServer, session_id: str) -> tuple[dict[str, Any], int]:
    """Return what a page gets that begins to follow, and its length."""
    with server.stream() as socket:
        frame = {"type": "subscribe", "session_id": session_id, "after": None, "epoch": ""}
        socket.send(json.dumps(frame))
        while True:
            text = str(socket.recv(timeout=PATIENCE_SECONDS))
            frame = json.loads(text)
            if frame["type"] == "events":
                (event,) = frame["events"]
                return event, len(text)


def scrolled(client: httpx.Client, session_id: str, start: int) -> int:
    """Return the bytes of the items at a place."""
    query = {"start": start, "end": start + WINDOW}
    answer = client.get(f"sessions/{session_id}/items", params=query).raise_for_status()
    assert len(answer.json()["items"]) == WINDOW
    return len(answer.content)


@pytest.mark.long
def test_a_page_gets_as_much_of_a_long_session_as_of_a_short_one(tmp_path: Path) -> None:
    with JupyterServer(tmp_path) as server, server.user() as client:
        short, long = imported(client, SHORT), imported(client, LONG)
        first = {session_id: attached(server, session_id) for session_id in (short, long)}
    with JupyterServer(tmp_path) as server, server.user() as client:
        for session_id, turns in ((short, SHORT), (long, LONG)):
            event, size = attached(server, session_id)
            assert event["total"] == turns * ITEMS_OF_TURN
            assert (len(event["items"]), len(event["turns"])) == (WINDOW, WINDOW)
            assert event["items"] == first[session_id][0]["items"]
            places = [0, event["total"] // 2, event["total"] - WINDOW]
            assert max(scrolled(client, session_id, at) for at in places) < 2 * size
            export = client.get(f"sessions/{session_id}/traffic").raise_for_status()
            assert export.content.count(b'"session/prompt"') == turns
        assert attached(server, long)[1] < 1.1 * attached(server, short)[1]
