"""The HTTP routes: what is well asked, what is not, and what comes back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import httpx
import pytest

from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "hello", notebook_path="books/hello.ipynb")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def refused(answer: httpx.Response, status: int, reason: str) -> str:
    body = answer.json()
    assert (answer.status_code, body["reason"]) == (status, reason), body
    assert set(body) == {"message", "reason", "detail"}
    return str(body["message"])


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "agents"),
        ("POST", "agents"),
        ("DELETE", "sessions"),
        ("HEAD", "sessions"),
        ("PATCH", "sessions/x"),
        ("GET", "sessions/x/prompt"),
        ("POST", "records"),
        ("POST", "kernel"),
        ("DELETE", "sessions/x/traffic"),
    ],
)
def test_other_verbs_are_not_allowed(user: httpx.Client, method: str, path: str) -> None:
    assert user.request(method, path).status_code == 405


@pytest.mark.parametrize(
    "body",
    [b"{", b"\xff", b"[]", b'"text"', b"{}", b'{"agent": 3}', b'{"agent": "hello", "shell": "sh"}'],
)
def test_a_bad_body_is_refused_in_one_sentence(user: httpx.Client, body: bytes) -> None:
    message = refused(user.post("sessions", content=body), 400, "bad_request")
    assert message.startswith("The request is not valid")
    assert "\n" not in message
    assert "pydantic" not in message


def test_a_bad_field_is_named_in_plain_words(user: httpx.Client) -> None:
    message = refused(user.post("sessions", json={"agent": 3, "shell": 1}), 400, "bad_request")
    wrong = "create_session.agent must be text; create_session.shell is not known here"
    assert message == f"The request is not valid ({wrong})."


def test_a_body_beyond_the_bound_is_refused(user: httpx.Client) -> None:
    body = json.dumps({"agent": "x" * (33 * 1024 * 1024)})
    refused(user.post("sessions", content=body), 413, "too_large")


@pytest.mark.parametrize(
    ("method", "path", "body", "reason"),
    [
        ("GET", "sessions/none", None, "unknown_session"),
        ("DELETE", "sessions/none", None, "unknown_session"),
        ("POST", "sessions/none/prompt", {"prompt": "x"}, "unknown_session"),
        ("POST", "sessions/none/cancel", None, "unknown_session"),
        ("POST", "sessions/none/config", {"title": "x"}, "unknown_session"),
        ("POST", "sessions/none/permissions/p1", {"option_id": "x"}, "unknown_session"),
        ("GET", "sessions/none/items?start=0&end=1", None, "unknown_session"),
        ("GET", "sessions/none/transcript", None, "unknown_session"),
        ("GET", "sessions/none/traffic", None, "unknown_session"),
        ("GET", "sessions/..%2F..%2Fetc/traffic", None, "unknown_session"),
        ("GET", "turns/none", None, "unknown_turn"),
        ("GET", "turns/none/attach?notebook_path=a&cell_id=b", None, "unknown_turn"),
        ("POST", "sessions", {"agent": "none"}, "unknown_agent"),
    ],
)
def test_what_is_not_there_is_named(
    user: httpx.Client, method: str, path: str, body: object, reason: str
) -> None:
    refused(user.request(method, path, json=body), 404, reason)


def test_the_path_wins_over_the_body(user: httpx.Client, session_id: str) -> None:
    body = {"prompt": "hi", "session_id": "none", "name": "close_session"}
    answer = user.post(f"sessions/{session_id}/prompt", json=body)
    assert answer.status_code == 202
    finished(user, answer.json()["turn_id"])


def test_an_empty_prompt_is_refused(user: httpx.Client, session_id: str) -> None:
    refused(user.post(f"sessions/{session_id}/prompt", json={"prompt": ""}), 400, "empty_prompt")


def test_a_session_from_start_to_end(user: httpx.Client) -> None:
    state = user.post("sessions", json={"agent": "hello"}).json()
    session_id = state["session_id"]
    assert state["agent"] == "hello"
    assert session_id in [session["session_id"] for session in user.get("sessions").json()]
    changed = user.post(f"sessions/{session_id}/config", json={"title": "Mine", "policy": "deny"})
    assert (changed.json()["title"], changed.json()["policy"]) == ("Mine", "deny")

    turn_id = start_turn(user, session_id, "a word")
    detail = finished(user, turn_id)
    assert detail["turn"]["stop_reason"] == "end_turn"
    assert detail["bundle"]["data"]["text/markdown"]
    items = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
    assert [i for i in items["items"] if i["turn_id"] == turn_id] == detail["items"]
    markdown = user.get(f"sessions/{session_id}/transcript", params={"format": "markdown"})
    assert "You said: a word" in markdown.json()["markdown"]
    assert user.get(f"sessions/{session_id}/transcript", params={"format": "x"}).status_code == 400

    assert user.delete(f"sessions/{session_id}").status_code == 200
    assert user.get(f"sessions/{session_id}").status_code == 404


def test_the_same_label_finds_the_session_again(user: httpx.Client) -> None:
    wanted = {"notebook_path": "books/a.ipynb", "label": "review"}
    first = open_session(user, "hello", **wanted)
    assert open_session(user, "hello", **wanted) == first
    second = open_session(user, "hello", **wanted, new=True)
    assert second != first
    for session_id in (first, second):
        user.delete(f"sessions/{session_id}").raise_for_status()


def test_the_traffic_is_what_went_over_the_wire(user: httpx.Client, session_id: str) -> None:
    finished(user, start_turn(user, session_id, "a word"))
    answer = user.get(f"sessions/{session_id}/traffic")
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert any("session/prompt" in json.dumps(line) for line in lines)


def test_a_long_poll_answers_at_the_end_of_the_turn(user: httpx.Client) -> None:
    session_id = open_session(user, "demo")
    turn_id = start_turn(user, session_id, "bench N=1000000 size=20 rate=10")
    assert user.get(f"turns/{turn_id}", params={"wait": 0.1}).json()["turn"]["status"] == "running"
    refused(user.get(f"turns/{turn_id}", params={"wait": 1000}), 400, "bad_request")
    stop = threading.Timer(0.2, lambda: user.post(f"sessions/{session_id}/cancel", json={}))
    stop.start()
    detail = user.get(f"turns/{turn_id}", params={"wait": 30}).json()
    stop.join()
    assert detail["turn"]["stop_reason"] == "cancelled"
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_turn_attaches_to_its_own_cell_only(
    server: JupyterServer, user: httpx.Client, session_id: str
) -> None:
    origin = {"notebook_path": "books/hello.ipynb", "cell_id": "c1", "source": "%%acp\nhi"}
    turn_id = start_turn(user, session_id, "hi", origin=origin)
    own = {"notebook_path": "books/hello.ipynb", "cell_id": "c1"}
    assert user.get(f"turns/{turn_id}/attach", params=own).json()["session_id"] == session_id
    for other in ({**own, "cell_id": "c2"}, {**own, "notebook_path": "clone.ipynb"}):
        refused(user.get(f"turns/{turn_id}/attach", params=other), 404, "unknown_turn")
    finished(user, turn_id)
    records = user.get("records", params={"notebook_path": "books/hello.ipynb"}).json()["outputs"]
    assert [(r["turn_id"], r["cell_id"], r["done"]) for r in records] == [(turn_id, "c1", True)]
    assert user.get("records", params={"notebook_path": "clone.ipynb"}).json()["outputs"] == []


def test_a_renamed_notebook_keeps_its_turns(server: JupyterServer, user: httpx.Client) -> None:
    kernel = server.start_kernel("old.ipynb")
    session_id = kernel.request("POST", "sessions", {"agent": "hello"}).json()["session_id"]
    origin = {"cell_id": "c1", "source": "%%acp"}
    prompt = {"prompt": "hi", "origin": origin}
    turn_id = kernel.request("POST", f"sessions/{session_id}/prompt", prompt).json()["turn_id"]
    finished(user, turn_id)
    sessions = user.get(f"{server.url}api/sessions").json()
    jupyter_id = next(s["id"] for s in sessions if s["path"] == "old.ipynb")
    moved = user.patch(f"{server.url}api/sessions/{jupyter_id}", json={"path": "new.ipynb"})
    moved.raise_for_status()
    assert kernel.request("GET", "kernel").json()["notebook_path"] == "new.ipynb"
    cell = {"notebook_path": "new.ipynb", "cell_id": "c1"}
    assert user.get(f"turns/{turn_id}/attach", params=cell).status_code == 200
    records = user.get("records", params={"notebook_path": "new.ipynb"}).json()["outputs"]
    assert [record["turn_id"] for record in records] == [turn_id]
    user.delete(f"sessions/{session_id}").raise_for_status()
