"""Commands of the demo agent, several questions and sessions at once, and what stops them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agents.demo_agent import permission, said_all
from tests.support.agents.peer import Json, Peer, select


def test_runs_a_command_by_itself(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("allow_once")
    turn = peer.prompt(peer.open(tmp_path), "run something")
    (call,) = turn.tool_calls()
    assert (call["kind"], call["status"], call["rawOutput"]["exitCode"]) == (
        "execute",
        "completed",
        0,
    )
    assert "Python 3" in turn.text
    assert [option["kind"] for option in permission(turn)["options"]] == [
        "allow_once",
        "reject_once",
    ]


def test_runs_a_command_in_the_clients_terminal(peer: Peer, tmp_path: Path) -> None:
    peer.handlers |= {
        "session/request_permission": select("allow_once"),
        "terminal/create": lambda _: {"terminalId": "t1"},
        "terminal/wait_for_exit": lambda _: {"exitCode": 3, "signal": None},
        "terminal/output": lambda _: {"output": "from the terminal", "truncated": False},
        "terminal/release": lambda _: {},
    }
    turn = peer.prompt(peer.open(tmp_path, {"terminal": True}), "run something")
    (call,) = turn.tool_calls()
    assert call["content"] == [{"type": "terminal", "terminalId": "t1"}]
    assert call["status"] == "failed"
    assert "exit code 3" in turn.text
    assert "from the terminal" in turn.text
    assert len(turn.asked("terminal/release")) == 1


def test_a_rejected_command_does_not_run(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = select("reject_once")
    turn = peer.prompt(peer.open(tmp_path, {"terminal": True}), "run something")
    assert turn.asked("terminal/create") == []
    assert turn.tool_calls()[0]["status"] == "failed"


def test_two_questions_are_open_at_once(peer: Peer, tmp_path: Path) -> None:
    peer.handlers["session/request_permission"] = lambda _: None
    prompt = peer.start_prompt(peer.open(tmp_path), "ask twice")
    requests: list[Json] = []
    while len(requests) < 2:
        message = peer.next()
        if message.get("method") == "session/request_permission":
            requests.append(message)
    first, second = requests
    peer.reply(second, select("allow_once")(second["params"]) or {})
    peer.reply(first, select("reject_once")(first["params"]) or {})
    assert peer.finish(prompt).stop_reason == "end_turn"
    assert [path.name for path in tmp_path.iterdir()] == ["second.txt"]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("slow rate=5", "agent_message_chunk"),
        ("bench N=1000000 size=20 rate=100", "agent_message_chunk"),
        ("edit", "session/request_permission"),
        ("ask twice", "session/request_permission"),
    ],
)
def test_cancel_ends_the_turn_at_once(peer: Peer, tmp_path: Path, text: str, sign: str) -> None:
    peer.handlers["session/request_permission"] = lambda _: None
    session = peer.open(tmp_path)
    prompt = peer.start_prompt(session, text)
    peer.until(lambda message: sign in str(message))
    peer.cancel(session)
    turn = peer.finish(prompt)
    assert turn.stop_reason == "cancelled"
    assert not said_all(turn.messages)
    assert list(tmp_path.iterdir()) == []
    assert peer.prompt(session, "hello").stop_reason == "end_turn"


def test_cancel_right_behind_the_prompt(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    prompt = peer.start_prompt(session, "slow rate=5")
    peer.cancel(session)
    assert peer.finish(prompt).stop_reason == "cancelled"


def test_cancel_stops_a_running_terminal(peer: Peer, tmp_path: Path) -> None:
    peer.handlers |= {
        "session/request_permission": select("allow_once"),
        "terminal/create": lambda _: {"terminalId": "t1"},
        "terminal/wait_for_exit": lambda _: None,
    }
    session = peer.open(tmp_path, {"terminal": True})
    prompt = peer.start_prompt(session, "run something")
    peer.until(lambda message: message.get("method") == "terminal/wait_for_exit")
    peer.cancel(session)
    turn = peer.finish(prompt)
    assert turn.stop_reason == "cancelled"
    assert turn.asked("terminal/kill") == turn.asked("terminal/release")
    assert len(turn.asked("terminal/kill")) == 1


def test_two_sessions_work_at_once(peer: Peer, tmp_path: Path) -> None:
    one = peer.open(tmp_path)
    two = peer.new_session(tmp_path)
    waiting = peer.start_prompt(one, "slow rate=1")
    peer.until(lambda message: "agent_thought_chunk" in str(message))
    other = peer.prompt(two, "hello")
    assert {
        message["params"]["sessionId"]
        for message in other.messages
        if "agent_message_chunk" in str(message)
    } == {two}
    peer.cancel(one)
    assert peer.finish(waiting).stop_reason == "cancelled"


def test_a_second_prompt_in_the_same_session_is_refused(peer: Peer, tmp_path: Path) -> None:
    session = peer.open(tmp_path)
    running = peer.start_prompt(session, "slow rate=1")
    second = peer.finish(peer.start_prompt(session, "hello"))
    assert second.answer["error"]["code"] == -32600
    peer.cancel(session)
    assert peer.finish(running).stop_reason == "cancelled"
