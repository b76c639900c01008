"""A permission is answered once, by a user, while its process lives."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import httpx
import pytest

from tests.support.processes import family
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.server.stream import Page


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "permission")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


@pytest.fixture
def asking(user: httpx.Client, session_id: str) -> tuple[str, str]:
    """A turn that waits for an answer: its id and the request's path."""
    turn_id = start_turn(user, session_id, "new words")
    request_id = pending(user, session_id)["request_id"]
    return turn_id, f"sessions/{session_id}/permissions/{request_id}"


def edited(server: JupyterServer) -> str:
    path = server.root / "edited.txt"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize(("option", "text"), [("yes", "new words\n"), ("no", "")])
def test_the_file_changes_only_after_the_user_allows_it(
    server: JupyterServer, user: httpx.Client, asking: tuple[str, str], option: str, text: str
) -> None:
    (server.root / "edited.txt").unlink(missing_ok=True)
    turn_id, path = asking
    assert user.get(f"turns/{turn_id}").json()["turn"]["status"] == "requires_action"
    answer = user.post(path, json={"option_id": option})
    assert (answer.status_code, answer.json()) == (
        200,
        {"outcome": {"yes": "Allow", "no": "Reject"}[option]},
    )
    finished(user, turn_id)
    assert edited(server) == text


def test_the_second_answer_is_told_so(
    server: JupyterServer, user: httpx.Client, asking: tuple[str, str]
) -> None:
    turn_id, path = asking
    assert user.post(path, json={"option_id": "no"}).status_code == 200
    second = user.post(path, json={"option_id": "yes"})
    assert (second.status_code, second.json()["reason"]) == (409, "permission_settled")
    finished(user, turn_id)
    third = user.post(path, json={"outcome": "cancelled"})
    assert third.status_code == 409


def test_both_pages_see_who_was_first(
    server: JupyterServer, session_id: str, asking: tuple[str, str]
) -> None:
    request_id = asking[1].rsplit("/", 1)[1]
    with Page(server.stream()) as first, Page(server.stream()) as second:
        views = [page.follow(session_id) for page in (first, second)]
        answer = {"session_id": session_id, "request_id": request_id}
        assert first.command("answer_permission", **answer, option_id="no")["error"] is None
        refused = second.command("answer_permission", **answer, option_id="yes")["error"]
        assert (refused["status"], refused["reason"]) == (409, "permission_settled")
        for page, view in zip((first, second), views, strict=True):
            page.follow_until_done(session_id, asking[0])
            permissions = [i["permission"] for i in view.state()[1] if i.get("permission")]
            assert [p["state"] for p in permissions] == ["rejected"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"option_id": "unheard-of"},
        {"option_id": "yes", "outcome": "cancelled"},
        {"outcome": "yes"},
        [],
    ],
)
def test_a_senseless_answer_settles_nothing(
    server: JupyterServer, user: httpx.Client, asking: tuple[str, str], body: object
) -> None:
    before = edited(server)
    answer = user.post(asking[1], json=body)
    assert (answer.status_code, answer.json()["reason"]) == (400, "bad_request")
    assert user.get(f"turns/{asking[0]}").json()["turn"]["status"] == "requires_action"
    assert edited(server) == before


def test_a_request_of_a_dead_process_is_gone(
    server: JupyterServer, user: httpx.Client, asking: tuple[str, str], session_id: str
) -> None:
    for pid, command in family(server.pid).items():
        if "fake_agent.py permission" in command:
            os.kill(pid, signal.SIGKILL)
    detail = finished(user, asking[0])
    assert detail["turn"]["stop_reason"] == "error"
    answer = user.post(asking[1], json={"option_id": "yes"})
    assert (answer.status_code, answer.json()["reason"]) == (410, "permission_gone")
    # The next prompt starts a new process, which asks anew.
    start_turn(user, session_id, "again")
    assert pending(user, session_id)["request_id"] != asking[1].rsplit("/", 1)[1]


def test_a_stopped_turn_answers_its_request_cancelled(
    server: JupyterServer, user: httpx.Client, asking: tuple[str, str], session_id: str
) -> None:
    before = edited(server)
    assert user.post(f"sessions/{session_id}/cancel", json={}).status_code == 200
    assert finished(user, asking[0])["turn"]["stop_reason"] == "cancelled"
    items = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 99}).json()["items"]
    assert [i["permission"]["state"] for i in items if i.get("permission")] == ["cancelled"]
    assert user.post(asking[1], json={"option_id": "yes"}).status_code == 409
    assert edited(server) == before


def test_a_kernel_prompt_that_nobody_can_see_is_refused_at_once(
    server: JupyterServer, user: httpx.Client
) -> None:
    kernel = server.start_kernel("alone.ipynb")
    before = edited(server)
    session_id = kernel.request("POST", "sessions", {"agent": "permission"}).json()["session_id"]
    prompt = {"prompt": "words", "can_ask": False}
    turn_id = kernel.request("POST", f"sessions/{session_id}/prompt", prompt).json()["turn_id"]
    detail = finished(user, turn_id)
    assert detail["turn"]["failure"]["reason"] == "nobody_to_ask"
    assert edited(server) == before
    user.delete(f"sessions/{session_id}").raise_for_status()
