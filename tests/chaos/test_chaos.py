"""Whatever breaks, what is shown is what was sent, and nothing is allowed by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.support.server.chaos import SESSIONS, TURNS, Chaos, Sent
from tests.support.wait import eventually

_MORE_FILES = 8
"""Connections of clients, and what the server itself opens at its first request."""


@pytest.mark.long("random faults: each kind has tests of its own in hazards and sessions")
@pytest.mark.parametrize("seed", range(1, 11))
def test_chaos(tmp_path: Path, seed: int) -> None:
    chaos = Chaos(tmp_path, seed)
    checked = 0
    for server, client in chaos.run():
        assert len(chaos.sent) == TURNS
        for sent in chaos.sent:
            checked += _check(chaos, client, sent)
        process = psutil.Process(server.pid)
        for session_id in chaos.sessions:
            assert client.post(f"sessions/{session_id}/close", json={}).status_code == 200
        eventually(lambda: not chaos.processes(), "no agent is left")
        allowed_files = chaos.files_at_start + _MORE_FILES

        def few_files(process: psutil.Process = process, most: int = allowed_files) -> bool:
            return bool(process.num_fds() <= most)

        eventually(few_files, "no file is left open")
    assert checked > TURNS // 5, "most turns were cut off: this run says little"
    granted = {path.stem for path in chaos.journal.glob("*.answer") if path.read_text() == "yes"}
    assert granted <= chaos.allowed
    assert len(chaos.sessions) == SESSIONS
    eventually(lambda: not chaos.processes(), "no process is left")


def _check(chaos: Chaos, client: httpx.Client, sent: Sent) -> bool:
    """Compare a turn with what its agent sent; tell whether it came to its own end."""
    detail: dict[str, Any] = client.get(f"turns/{sent.turn_id}").json()
    shown = "".join(i["text"] for i in detail["items"] if i["kind"] == "agent_message")
    path = chaos.journal / f"{sent.key}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    told = "".join(json.loads(line)["text"] for line in lines)
    if detail["turn"]["stop_reason"] == "end_turn":
        assert shown == told, sent
        return True
    assert told.startswith(shown) or shown.startswith(told), (sent, detail["turn"])
    assert detail["turn"]["stop_reason"] in {"cancelled", "error"}, (sent, detail["turn"])
    prompts = [i["text"] for i in detail["items"] if i["kind"] == "user_message"]
    assert prompts == [f"{sent.key} {sent.verb}"]
    return False
