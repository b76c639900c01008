"""Questions of agents and the queue over HTTP: who may answer and edit, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.server.jupyter_server import KernelSide
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import eventually


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "elicit")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def question(client: httpx.Client, session_id: str) -> dict[str, Any]:
    """Wait for a question and return it."""

    def find() -> dict[str, Any]:
        page = client.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
        asked = (item for item in page["items"] if item["kind"] == "elicitation")
        return next((item for item in asked if item["state"] == "pending"), {})

    return eventually(find, what="a question")


def test_a_form_is_answered_by_the_user(user: httpx.Client, session_id: str) -> None:
    turn_id = start_turn(user, session_id, "form")
    asked = question(user, session_id)
    assert user.get(f"sessions/{session_id}").json()["waiting"] == 1
    path = f"sessions/{session_id}/elicitations/{asked['request_id']}"
    wrong = user.post(path, json={"action": "accept", "content": {"colour": "blue"}})
    assert (wrong.status_code, wrong.json()["reason"]) == (400, "invalid_answers")
    assert wrong.json()["fields"] == {
        "colour": "Choose one of those offered.",
        "points": "Needs an answer.",
    }
    given = {"colour": "red", "points": 5}
    answer = user.post(path, json={"action": "accept", "content": given})
    assert (answer.status_code, answer.json()) == (200, {"outcome": "accept"})
    finished(user, turn_id)
    late = user.post(path, json={"action": "decline"})
    assert (late.status_code, late.json()["reason"]) == (409, "question_settled")


@pytest.mark.parametrize("body", [{}, {"action": "yes"}, {"action": "accept", "content": []}])
def test_what_is_no_answer_is_refused(
    user: httpx.Client, session_id: str, body: dict[str, Any]
) -> None:
    answer = user.post(f"sessions/{session_id}/elicitations/e1", json=body)
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")


def test_no_kernel_answers_a_question_or_edits_a_message(
    user: httpx.Client, kernel: KernelSide
) -> None:
    session_id = open_session(user, "elicit", notebook_path="kernels/own.ipynb")
    running = start_turn(user, session_id, "simple")
    asked = question(user, session_id)
    queued = start_turn(user, session_id, "later")
    for path, body in (
        (f"sessions/{session_id}/elicitations/{asked['request_id']}", {"action": "accept"}),
        (f"turns/{queued}/edit", {"prompt": "other words"}),
    ):
        answer = kernel.request("POST", path, body)
        assert (answer.status_code, answer.json()["reason"]) == (403, "not_allowed")
    assert question(user, session_id)["request_id"] == asked["request_id"]
    assert user.get(f"turns/{queued}").json()["turn"]["prompt"] == "later"
    user.post(f"sessions/{session_id}/cancel", json={"turn_id": running}).raise_for_status()
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_message_that_waits_is_edited_and_sent_now(user: httpx.Client) -> None:
    session_id = open_session(user, "slow_stream")
    running = start_turn(user, session_id, "go on")
    first = start_turn(user, session_id, "first")
    second = start_turn(user, session_id, "second")
    user.post(f"turns/{second}/edit", json={"prompt": "edited"}).raise_for_status()
    assert user.post(f"turns/{second}/edit", json={"prompt": " "}).status_code == 400
    sent = user.post(f"turns/{second}/send-now")
    assert (sent.status_code, sent.json()) == (200, {})
    assert finished(user, running)["turn"]["stop_reason"] == "cancelled"
    eventually(lambda: user.get(f"turns/{second}").json()["turn"]["status"] == "running")
    turns = [user.get(f"turns/{turn_id}").json()["turn"] for turn_id in (first, second)]
    assert [turn["status"] for turn in turns] == ["queued", "running"]
    assert turns[1]["prompt"] == "edited"
    late = user.post(f"turns/{running}/send-now")
    assert (late.status_code, late.json()["reason"]) == (409, "not_queued")
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_message_that_waits_is_put_into_the_turn(
    user: httpx.Client, kernel: KernelSide, other_kernel: KernelSide
) -> None:
    session_id = open_session(user, "steers", notebook_path="kernels/own.ipynb")
    running = start_turn(user, session_id, "slow")
    eventually(lambda: "begins slow" in user.get(f"turns/{running}").text)
    waiting = start_turn(user, session_id, "not that one", policy="allow-all")
    hidden = other_kernel.request("POST", f"turns/{waiting}/steer", {})
    assert (hidden.status_code, hidden.json()["reason"]) == (404, "unknown_turn")
    assert user.get(f"turns/{running}").json()["turn"]["status"] == "running"
    steered = kernel.request("POST", f"turns/{waiting}/steer", {})
    assert (steered.status_code, steered.json()) == (200, {"outcome": "injected"})
    done = finished(user, running)
    assert done["turn"]["policy"] == "ask"
    kinds = [item["kind"] for item in done["items"]]
    assert kinds == ["user_message", "agent_message", "user_message", "agent_message", "turn_end"]
    assert "> not that one" in done["bundle"]["data"]["text/markdown"]
    assert finished(user, waiting)["turn"]["stop_reason"] == "steered"
    late = user.post(f"turns/{waiting}/steer")
    assert (late.status_code, late.json()["reason"]) == (409, "not_queued")
    user.delete(f"sessions/{session_id}").raise_for_status()


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ([{"type": "image", "data": "?", "mimeType": "image/png"}], "invalid_block"),
        ([{"type": "text", "text": " "}], "empty_prompt"),
    ],
)
def test_a_malformed_prompt_is_refused_before_anything_starts(
    user: httpx.Client, session_id: str, prompt: Any, reason: str
) -> None:
    answer = user.post(f"sessions/{session_id}/prompt", json={"prompt": prompt})
    assert (answer.status_code, answer.json()["reason"]) == (400, reason)


def test_the_stream_of_packets_has_questions_and_answers(
    user: httpx.Client, session_id: str
) -> None:
    turn_id = start_turn(user, session_id, "simple")
    path = f"sessions/{session_id}/elicitations/{question(user, session_id)['request_id']}"
    user.post(path, json={"action": "accept", "content": {"name": "Ada"}}).raise_for_status()
    finished(user, turn_id)
    with user.stream("GET", f"sessions/{session_id}/packets") as stream:
        told: list[str] = []
        for line in stream.iter_lines():
            told.append(line)
            if "prompt_response" in line:
                break
    text = "\n".join(told)
    assert '"type":"elicitation_request"' in text
    assert '"requestId"' in text
    assert '"type":"elicitation_response"' in text
    assert '"content":{"name":"Ada"}' in text
