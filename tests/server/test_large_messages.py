"""A message that is too large: its user is told, nobody can allow it, and its traffic is whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.patterns.largest import largest
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn

ROWS = ("permission: fields", "permission: locations", "terminal: variables", "plan: entries")
REFUSED = "tool_call: brackets"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder: Path = tmp_path_factory.mktemp("large")
    with JupyterServer(folder, agents=fake_agents("hostile")) as server:
        for number, name in enumerate(ROWS):
            (server.root / f"{number}.line").write_bytes(largest(name, 0.5))
        (server.root / "refused.line").write_bytes(largest(REFUSED, 2))
        yield server


@pytest.fixture(scope="module")
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as user:
        yield user


def send(user: httpx.Client, name: str, *, asks: bool = False) -> tuple[str, str]:
    session_id = open_session(user, "hostile", new=True, policy="allow-all")
    prompt = json.dumps({"load": "file", "name": name, "count": 1, "wait": 60 if asks else 0})
    return session_id, start_turn(user, session_id, prompt)


def notices(detail: dict[str, list[dict[str, str]]]) -> list[str]:
    return [item["title"] or item["text"] for item in detail["items"] if item["kind"] == "notice"]


def test_what_is_not_shown_whole_is_allowed_by_nobody(
    server: JupyterServer, user: httpx.Client
) -> None:
    for number in (0, 1):
        session_id, turn_id = send(user, str(number), asks=True)
        request = pending(user, session_id)
        assert request["too_large"] is True
        path = f"sessions/{session_id}/permissions/{request['request_id']}"
        answer = user.post(path, json={"option_id": "yes"})
        assert answer.status_code == 400
        assert "too large to be shown" in answer.text
        user.post(f"sessions/{session_id}/cancel").raise_for_status()
        finished(user, turn_id)


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_the_traffic_has_all_of_it_and_the_turn_says_so(
    server: JupyterServer, user: httpx.Client, number: int
) -> None:
    session_id, turn_id = send(user, str(number), asks=number < 2)
    if number < 2:
        pending(user, session_id)
        user.post(f"sessions/{session_id}/cancel").raise_for_status()
    detail = finished(user, turn_id)
    assert any("too large to be shown whole (0.5 MB)" in words for words in notices(detail))
    sent = json.loads((server.root / f"{number}.line").read_bytes())
    log = user.get(f"sessions/{session_id}/traffic").raise_for_status().text.splitlines()
    found = [json.loads(line)["m"] for line in log if len(line) > 400_000]
    assert len(found) == 1
    sent["params"]["sessionId"] = found[0]["params"]["sessionId"]
    assert found[0] == sent


def test_another_request_with_too_much_is_answered_with_an_error(user: httpx.Client) -> None:
    session_id, turn_id = send(user, "2")
    finished(user, turn_id)
    log = user.get(f"sessions/{session_id}/traffic").raise_for_status().text.splitlines()
    answers = [json.loads(line)["m"] for line in log if '"d":">"' in line and '"error"' in line]
    assert [answer["error"]["message"] for answer in answers] == ["The request is too large"]


def test_what_has_more_parts_than_are_read_is_left_out_and_said(user: httpx.Client) -> None:
    _, turn_id = send(user, "refused")
    detail = finished(user, turn_id)
    words = "The agent sent a message that is too large (2.1 MB). It was left out."
    assert words in notices(detail)
    assert any("After the long lines." in item.get("text", "") for item in detail["items"])
