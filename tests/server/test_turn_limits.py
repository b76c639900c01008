"""Limits of turns over HTTP: the turn is stopped, nothing is lost, and the next prompt works."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import FOREVER_SECONDS, eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """The administrator allows five tool calls in a turn."""
    agents = {"scripted": script("terminal_script"), "slow": script("slow_stream", "9", "3600")}
    folder = tmp_path_factory.mktemp("limited")
    args = ["--AcpJupyter.turn_limit=5 calls, 10 h"]
    with JupyterServer(folder, agents=agents, args=args) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


SAID = {"type": "text", "text": "still here"}
_IDS = itertools.count()


def calls(count: int) -> list[dict[str, Any]]:
    update = {"sessionUpdate": "tool_call", "title": "Read", "kind": "read", "status": "completed"}
    return [{"update": {**update, "toolCallId": f"c{next(_IDS)}"}} for _ in range(count)]


def usage(**fields: Any) -> dict[str, Any]:
    return {"update": {"sessionUpdate": "usage_update", "size": 1000, **fields}}


def run(user: httpx.Client, session_id: str, steps: list[Any], **more: Any) -> dict[str, Any]:
    return finished(user, start_turn(user, session_id, json.dumps(steps), **more))


def notices(detail: dict[str, Any]) -> list[str]:
    return [item["text"] for item in detail["items"] if item["kind"] == "notice"]


def test_a_turn_is_stopped_at_its_limit_and_the_next_works(user: httpx.Client) -> None:
    session_id = open_session(user, "scripted")
    rest = {"rest": FOREVER_SECONDS}
    stopped = run(user, session_id, [*calls(3), rest], limit="3 calls, 1 h")
    assert stopped["turn"]["stop_reason"] == "cancelled"
    assert stopped["turn"]["words"] == "Stopped at its limit of 3 tool calls."
    assert sum(item["kind"] == "tool_call" for item in stopped["items"]) == 3
    (words,) = notices(stopped)
    assert words.startswith("Stopped at the limit of 3 tool calls. Used: 3 tool calls.")
    assert "To go on, send a message" in words

    # The last call that is allowed may end; another one stops the turn.
    (begun,), more = calls(1), calls(1)
    begun["update"]["status"] = "in_progress"
    ended = {"update": {**begun["update"], "sessionUpdate": "tool_call_update"}}
    ended["update"]["status"] = "completed"
    say = {"update": {"sessionUpdate": "agent_message_chunk", "content": SAID}}
    stopped = run(user, session_id, [begun, {"rest": 0.2}, say, ended, rest, *more], limit="1 call")
    assert "still here" in str(stopped["items"])
    assert notices(stopped)[-1].startswith("Stopped at the limit of 1 tool call")

    fine = run(user, session_id, calls(3), limit="4 calls")
    assert fine["turn"]["stop_reason"] == "end_turn"
    assert notices(fine) == []

    # The administrator's holds where it is tighter, or nobody says another.
    for limit in ("", "100 calls"):
        stopped = run(user, session_id, [*calls(5), rest], limit=limit)
        said = notices(stopped)
        assert said[-1].startswith("Stopped at the limit of 5 tool calls")


def test_tokens_and_money_count_as_the_agent_reports_them(user: httpx.Client) -> None:
    session_id = open_session(user, "scripted")
    rest = {"rest": FOREVER_SECONDS}
    steps = [usage(used=80), usage(used=30), usage(used=60), rest]
    stopped = run(user, session_id, steps, limit="100 tokens")
    assert stopped["turn"]["stop_reason"] == "cancelled"
    assert "Stopped at the limit of 100 tokens. Used: 110 tokens." in notices(stopped)[-1]
    euro = [usage(used=61, cost={"amount": 5, "currency": "EUR"})]
    (words,) = notices(run(user, session_id, euro, limit="1 USD"))
    assert "reports its cost in EUR, so the limit of 1 USD can't hold" in words


def test_an_agent_that_reports_nothing_is_named(user: httpx.Client) -> None:
    session_id = open_session(user, "scripted")
    run(user, session_id, [], limit="100 tokens")

    def said() -> bool:
        page = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99}).json()
        words = " ".join(item.get("text", "") for item in page["items"])
        return "reported no tokens. So the limit of 100 tokens could not hold." in words

    eventually(said, "the notice after the turn")


def test_time_is_a_limit_of_the_turn_itself(user: httpx.Client) -> None:
    session_id = open_session(user, "slow")
    stopped = finished(user, start_turn(user, session_id, "Go", limit="0.5 s"))
    assert stopped["turn"]["stop_reason"] == "cancelled"
    assert "Stopped at the limit of" in notices(stopped)[-1]


@pytest.mark.parametrize("limit", ["ten minutes", "0 min", "5"])
def test_a_limit_that_makes_no_sense_is_refused(user: httpx.Client, limit: str) -> None:
    session_id = open_session(user, "scripted")
    answer = user.post(f"sessions/{session_id}/prompt", json={"prompt": "[]", "limit": limit})
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")
    assert '"10 min, 200k tokens, 30 calls"' in answer.json()["message"] or limit == "0 min"


def limit(user: httpx.Client, session_id: str, **limits: str) -> httpx.Response:
    return user.post(f"sessions/{session_id}/config", json=limits)


def test_a_session_has_a_limit_for_all_its_turns(user: httpx.Client) -> None:
    session_id = open_session(user, "scripted")
    run(user, session_id, calls(2))
    refused = limit(user, session_id, limit="2 calls, 1 h")
    assert (refused.status_code, refused.json()["reason"]) == (400, "bad_request")
    assert refused.json()["message"] == (
        "This session has used 2 tool calls already, so a limit of 2 tool calls would stop each "
        "turn before it begins. Set a higher limit, or start a new session."
    )
    assert limit(user, session_id, limit="0 calls").status_code == 400
    assert limit(user, session_id, limit="4 calls, 1 h").json()["limit"] == "4 calls, 1 h"
    # Its own limit is wider; the administrator's is, too.
    rest = {"rest": FOREVER_SECONDS}
    stopped = run(user, session_id, [*calls(2), rest], limit="5 calls")
    assert stopped["turn"]["words"] == "Stopped at its limit of 4 tool calls for this session."
    assert notices(stopped)[-1] == (
        "Stopped at the limit of 4 tool calls for this session. Used: 4 tool calls. What was done "
        "is kept. To go on, give the session a higher limit, or start a new session."
    )
    again = user.post(f"sessions/{session_id}/prompt", json={"prompt": "[]"})
    assert again.status_code == 400
    assert "This session has reached its limit of 4 tool calls." in again.json()["message"]
    assert limit(user, session_id, limit="").json()["limit"] == ""
    assert run(user, session_id, calls(1))["turn"]["stop_reason"] == "end_turn"


def test_a_session_has_a_limit_for_each_of_its_turns(user: httpx.Client) -> None:
    session_id = open_session(user, "scripted")
    assert limit(user, session_id, turn_limit="ten calls").status_code == 400
    limit(user, session_id, turn_limit="2 calls")
    rest = {"rest": FOREVER_SECONDS}
    for _ in range(2):
        stopped = run(user, session_id, [*calls(2), rest], limit="9 calls")
        assert stopped["turn"]["words"] == "Stopped at its limit of 2 tool calls."
    fine = run(user, session_id, calls(1), limit="2 calls")
    assert fine["turn"]["stop_reason"] == "end_turn"
