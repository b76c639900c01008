"""Servers that are stopped, suspended and killed: what they had answered is there afterwards."""

from __future__ import annotations

import json
import os
import signal
import threading
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import eventually

"""Servers start slowly on a busy machine."""
AGENTS = {**fake_agents("slow_stream"), "short_stream": script("slow_stream", "20", "0.005")}


def server_in(folder: Path) -> JupyterServer:
    return JupyterServer(folder, agents=AGENTS)


def turn_of(user: httpx.Client, turn_id: str) -> dict[str, Any]:
    answer = user.get(f"turns/{turn_id}")
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()["turn"]
    return turn


def is_running(user: httpx.Client, turn_id: str) -> bool:
    return bool(turn_of(user, turn_id)["status"] == "running")


def numbers_of(folder: Path, session_id: str) -> list[int]:
    log = folder / "data" / "acp-jupyter" / "sessions" / session_id / "traffic.ndjson"
    return [int(json.loads(line)["seq"]) for line in log.read_text().splitlines()]


@pytest.mark.long
def test_a_server_that_is_stopped_tells_what_a_killed_one_would(tmp_path: Path) -> None:
    """The turn that ran, and the message that waited, which is kept."""
    told = []
    for end in ("stopped", "killed"):
        folder = tmp_path / end
        with server_in(folder) as server:
            with server.user() as user:
                session_id = open_session(user, "slow_stream")
                running = start_turn(user, session_id, "slow rate=5")
                waiting = start_turn(user, session_id, "And then this.")
                eventually(partial(is_running, user, running), what="a turn")
            if end == "killed":
                server.kill()
        with server_in(folder) as server, server.user() as user:
            turns = [turn_of(user, each) for each in (running, waiting)]
            told.append([(t["stop_reason"], t["words"], t["prompt"]) for t in turns])
    assert told[0] == told[1]
    (_, words, _), (_, later, prompt) = told[0]
    assert "The Jupyter server stopped during this turn" in words
    assert "Send it again" in later
    assert prompt == "And then this."


@pytest.mark.long
def test_a_suspended_server_stays_the_owner(tmp_path: Path) -> None:
    """However late it is: another one shows its sessions, to read only."""
    with server_in(tmp_path) as first, first.user() as user:
        session_id = open_session(user, "slow_stream")
        finished(user, start_turn(user, session_id, "slow rate=1000"))
        os.kill(first.pid, signal.SIGSTOP)
        try:
            sign = next((tmp_path / "data" / "acp-jupyter" / "servers").glob("*.json"))
            os.utime(sign, (0, 0))  # as after hours
            with server_in(tmp_path) as second, second.user() as other:
                state = other.get(f"sessions/{session_id}").json()
                assert state["read_only"] == (
                    "This session is open in another server. You can read it here."
                )
                refused = other.post(f"sessions/{session_id}/prompt", json={"prompt": "x"})
                assert refused.status_code >= 400
                assert "another server" in refused.text
        finally:
            os.kill(first.pid, signal.SIGCONT)
        finished(user, start_turn(user, session_id, "slow rate=1000"))
    numbers = numbers_of(tmp_path, session_id)
    assert numbers == sorted(set(numbers))


def listed(user: httpx.Client) -> dict[str, dict[str, Any]]:
    return {session["session_id"]: session for session in user.get("sessions").json()}


@pytest.mark.long
def test_each_of_two_servers_lists_what_the_other_has_made_and_deleted(tmp_path: Path) -> None:
    with (
        server_in(tmp_path) as first,
        first.user() as user,
        server_in(tmp_path) as second,
        second.user() as other,
    ):
        assert listed(user) == listed(other) == {}
        session_id = open_session(other, "short_stream")
        assert list(listed(user)) == [session_id]
        turn_id = start_turn(other, session_id, "Made elsewhere")
        finished(other, turn_id)

        def title() -> bool:
            return bool(listed(user)[session_id]["title"] == "Made elsewhere")

        eventually(title, what="its title")
        assert turn_of(user, turn_id)["prompt"] == "Made elsewhere"
        assert "another server" in listed(user)[session_id]["read_only"]
        deleted = open_session(other, "short_stream")
        assert list(listed(user)) == [deleted, session_id]  # those that are open come last
        assert other.delete(f"sessions/{deleted}").status_code < 400
        assert list(listed(user)) == [session_id]
        assert user.get(f"sessions/{deleted}").status_code == 404


MOMENTS = [
    pytest.param(ms, marks=() if ms == 400 else (pytest.mark.long,)) for ms in range(0, 1000, 20)
]
SENT = "".join(f"word{number} " for number in range(20))


@pytest.mark.parametrize("ms", MOMENTS)
def test_what_was_answered_outlives_a_server_that_is_killed(tmp_path: Path, ms: int) -> None:
    answered: list[str] = []
    prompts: dict[str, str] = {}

    def ask(server: JupyterServer) -> None:
        with server.user() as user:
            try:
                while True:
                    answered.append(open_session(user, "short_stream"))
                    turn_id = start_turn(user, answered[-1], f"Message {len(answered)}")
                    prompts[turn_id] = f"Message {len(answered)}"
            except (httpx.HTTPError, AssertionError):
                return  # it was killed

    with server_in(tmp_path) as server:
        asking = threading.Thread(target=ask, args=(server,))
        asking.start()
        asking.join(ms / 1000)
        server.kill()
        asking.join()
    with server_in(tmp_path) as server, server.user() as user:
        kept = {session["session_id"] for session in user.get("sessions").json()}
        assert set(answered) <= kept
        for turn_id, prompt in prompts.items():
            detail = user.get(f"turns/{turn_id}").json()
            assert detail["turn"]["prompt"] == prompt
            # What the agent sent is there, or it is said that the turn lacks its end.
            items = [item for item in detail["items"] if item["kind"] == "agent_message"]
            shown = "".join(item["text"] for item in items)
            if detail["turn"]["stop_reason"] == "end_turn":
                assert shown == SENT
            else:
                assert SENT.startswith(shown)
                assert "The Jupyter server stopped" in detail["turn"]["words"]
