"""What was used, over HTTP: by a session, by all of them today, and after the session is closed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("used")
    with JupyterServer(folder, agents={"scripted": script("terminal_script")}) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


def used(user: httpx.Client, session_id: str = "") -> dict[str, Any]:
    answer = user.get("usage", params={"session_id": session_id} if session_id else {})
    assert answer.status_code == 200, answer.text
    reply: dict[str, Any] = answer.json()
    return reply


def run(user: httpx.Client, session_id: str, *updates: dict[str, Any]) -> None:
    steps = [{"update": each} for each in updates]
    finished(user, start_turn(user, session_id, json.dumps(steps)))


def report(tokens: int, dollars: float) -> dict[str, Any]:
    cost = {"amount": dollars, "currency": "USD"}
    return {"sessionUpdate": "usage_update", "size": 1000, "used": tokens, "cost": cost}


CALL = {"sessionUpdate": "tool_call", "title": "Read", "kind": "read", "status": "completed"}


def test_a_session_and_today_are_summed_and_reading_opens_nothing(user: httpx.Client) -> None:
    before = used(user)["today"]
    one, two = open_session(user, "scripted"), open_session(user, "scripted")
    assert used(user, one)["session"]["turns"] == 0
    run(user, one, {**CALL, "toolCallId": "a"}, {**CALL, "toolCallId": "b"}, report(100, 0.25))
    run(user, one, report(60, 0.5))  # its context is smaller now
    run(user, two, {**CALL, "toolCallId": "c"}, report(40, 1.0))
    own = used(user, one)
    assert own["session"]["turns"] == 2
    assert own["session"]["calls"] == 2
    assert own["session"]["tokens"] == 100
    assert own["session"]["costs"] == [{"amount": 0.5, "currency": "USD"}]
    assert own["session"]["seconds"] > 0
    assert user.get(f"sessions/{one}").json()["use"] == own["session"]
    today = own["today"]
    assert today["turns"] == before["turns"] + 3
    assert today["calls"] == before["calls"] + 3
    assert today["tokens"] == (before["tokens"] or 0) + 140
    assert today["costs"][0]["amount"] == pytest.approx(1.5)

    user.post(f"sessions/{one}/close")

    def is_stored() -> bool:
        states = {state["session_id"]: state for state in user.get("sessions").json()}
        return bool(states[one]["stored"])

    eventually(is_stored, "the session to be closed")
    again = used(user, one)
    assert (again["session"], again["today"]) == (own["session"], today)
    assert is_stored()  # reading has not opened it
    finished(user, start_turn(user, one, "[]"))
    after = used(user, one)
    assert (after["session"]["turns"], after["today"]["turns"]) == (3, today["turns"] + 1)
    assert user.get("usage", params={"session_id": "nobody"}).status_code == 404
