"""The WebSocket of a page."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.stream import Page
from tests.support.transcript.event_view import View


@pytest.fixture
def page(server: JupyterServer) -> Iterator[Page]:
    with Page(server.stream()) as page:
        yield page


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "hello")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


@pytest.mark.parametrize(
    "bad",
    [
        "not JSON",
        "[]",
        "null",
        b"\xff\xfe",
        '{"type": "unheard of"}',
        '{"type": "subscribe"}',
        '{"type": "ack", "session_id": "x", "seq": "many"}',
        '{"type": "command", "id": 1, "command": {"name": "format_disk"}}',
        '{"type": "hello", "unexpected": 1}',
    ],
)
def test_a_bad_frame_is_answered_in_words_and_the_socket_stays(
    page: Page, bad: str | bytes
) -> None:
    error = page.exchange(bad)["error"]
    assert (error["reason"], error["status"]) == ("bad_request", 400)
    assert error["message"].startswith("The request is not valid")
    assert page.command("list_agents")["error"] is None


def test_an_unknown_session_is_named(page: Page) -> None:
    page.send({"type": "subscribe", "session_id": "no-such"})
    frame = page.until("error")
    assert frame["session_id"] == "no-such"
    assert frame["error"]["reason"] == "unknown_session"
    assert "no-such" in frame["error"]["message"]
    reply = page.command("prompt", session_id="no-such", prompt="hi")
    assert reply["error"]["status"] == 404


def test_frames_for_sessions_that_nobody_follows_are_harmless(page: Page) -> None:
    page.send({"type": "ack", "session_id": "no-such", "seq": 5})
    page.send({"type": "unsubscribe", "session_id": "no-such"})
    page.send({"type": "answer", "id": 99, "text": "unasked"})
    assert page.command("list_agents")["error"] is None


def test_a_message_beyond_the_bound_closes_this_socket_only(
    server: JupyterServer, page: Page
) -> None:
    with Page(server.stream()) as other, pytest.raises(ConnectionClosed):
        other.exchange("x" * (33 * 1024 * 1024))
    assert page.command("list_agents")["error"] is None


def test_a_page_follows_many_sessions_but_not_any_number(page: Page, session_id: str) -> None:
    created = page.command("create_session", agent="hello", start="lazy", new=True)
    many = [created["result"]["session_id"]]
    for _ in range(64):
        reply = page.command("create_session", agent="hello", start="lazy", new=True)
        many.append(reply["result"]["session_id"])
    for one in many[:64]:
        page.follow(one)
    page.send({"type": "subscribe", "session_id": many[64]})
    assert "64 sessions" in page.until("error")["error"]["message"]
    page.send({"type": "unsubscribe", "session_id": many[0]})
    page.follow(many[64])
    for one in many:
        assert page.command("close_session", session_id=one)["error"] is None


def test_a_turn_streams_while_it_runs(page: Page, user: httpx.Client, session_id: str) -> None:
    page.follow(session_id)
    turn_id = start_turn(user, session_id, "a word")
    view = page.follow_until_done(session_id, turn_id)
    assert "Hello from the **fake** agent. You said: a word" in view.text()
    items = finished(user, turn_id)["items"]
    assert [item for item in view.state()[1] if item["turn_id"] == turn_id] == items


def test_two_pages_see_the_same(server: JupyterServer, page: Page, user: httpx.Client) -> None:
    session_id = open_session(user, "slow_stream")
    with Page(server.stream()) as other:
        page.follow(session_id)
        turn_id = start_turn(user, session_id, "go")
        other.follow(session_id)
        first = page.follow_until_done(session_id, turn_id)
        second = other.follow_until_done(session_id, turn_id)
        assert first.state() == second.state()
        assert "word199" in first.text()
    user.delete(f"sessions/{session_id}").raise_for_status()


def test_any_resume_point_gives_the_same_view(server: JupyterServer, user: httpx.Client) -> None:
    """Nothing lost, nothing doubled: the view refuses both."""
    session_id = open_session(user, "slow_stream")
    try:
        with Page(server.stream()) as watching:
            view = watching.follow(session_id)
            turn_id = start_turn(user, session_id, "go")
            points: list[View] = [view.copy()]
            while view.turns.get(turn_id, {}).get("status") != "done":
                watching.until("events", session_id=session_id)
                points.append(view.copy())
        finished(user, turn_id)
        assert len(points) > 20
        with Page(server.stream()) as late:
            final = late.follow(session_id).copy()
        for point in points[:-1]:
            with Page(server.stream()) as resuming:
                resuming.views[session_id] = point
                resuming.follow(session_id, after=point.seq, epoch=point.epoch)
                assert resuming.views[session_id].state() == final.state()
                assert resuming.views[session_id].seq == final.seq
    finally:
        user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_resume_in_another_run_of_the_server_gets_a_snapshot(page: Page, session_id: str) -> None:
    page.send({"type": "subscribe", "session_id": session_id, "after": 3, "epoch": "another run"})
    events = page.until("events", session_id=session_id)["events"]
    assert [event["kind"] for event in events] == ["snapshot"]


def test_the_session_list_is_pushed(page: Page, user: httpx.Client) -> None:
    assert page.hello["api_version"] == 1
    session_id = open_session(user, "hello")
    listed = page.until("sessions")["sessions"]
    assert session_id in [session["session_id"] for session in listed]
    user.delete(f"sessions/{session_id}").raise_for_status()
    while session_id in [s["session_id"] for s in page.until("sessions")["sessions"]]:
        pass


def test_errors_of_commands_come_in_their_reply(page: Page, session_id: str) -> None:
    reply = page.command("prompt", session_id=session_id, prompt="  ")
    assert reply["error"]["reason"] == "empty_prompt"
    assert reply["result"] is None
    reply = page.command("create_session", agent="nobody")
    assert reply["error"]["reason"] == "unknown_agent"
    assert "demo" in reply["error"]["message"]
