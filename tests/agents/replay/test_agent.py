"""The replay agent as a process: what is played, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.agents.peer import Json
from tests.support.agents.replay import error_of, playing, texts
from tests.support.agents.replay_log import CWD, Score
from tests.support.log.recorded import TRAFFIC


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


# -- what is played, and where -------------------------------------------------


def test_a_session_is_played_as_it_was(ws: Path) -> None:
    score = Score()
    score.open(modes={"currentModeId": "ask", "availableModes": []})
    score.update("available_commands_update", availableCommands=[])
    first = score.prompt("Hello")
    score.say("Good ")
    score.say("day.")
    score.end(first)
    score.say("(late)")
    second = score.prompt("  Again\n")
    score.end(second, "max_tokens")
    with playing(score, ws) as peer:
        hello = peer.call("initialize", {"protocolVersion": 1})["result"]
        assert hello["agentInfo"] == {"name": "painter", "version": "2"}
        new = peer.call("session/new", {"cwd": str(ws), "mcpServers": []})["result"]
        assert new == {"sessionId": "s1", "modes": {"currentModeId": "ask", "availableModes": []}}
        turn = peer.prompt("s1", "Hello")
        assert turn.updates[0]["sessionUpdate"] == "available_commands_update"
        assert (turn.text, turn.stop_reason) == ("Good day.", "end_turn")
        again = peer.prompt("s1", "Again")
        assert (again.text, again.stop_reason) == ("(late)", "max_tokens")
        assert peer.end() == 0


def test_what_came_before_an_answer_comes_before_it(ws: Path) -> None:
    score = Score()
    score.answer("<", score.request(">", "initialize", {}), {"protocolVersion": 1})
    score.line("<", {"method": "_painter/ready", "params": {}})
    new = score.request(">", "session/new", {"cwd": CWD})
    score.update("available_commands_update", availableCommands=[])
    score.answer("<", new, {"sessionId": "s1"})
    with playing(score, ws) as peer:
        peer.open(ws)
        told = [m.get("method") or sorted(m["result"])[0] for m in peer.log]
        assert told == ["protocolVersion", "_painter/ready", "session/update", "sessionId"]


@pytest.mark.parametrize(
    "name", ["claude-write_file", "codex-edit_file", "gemini-error", "opencode-many_tools"]
)
def test_what_published_agents_sent_is_sent_again(name: str, ws: Path) -> None:
    path = TRAFFIC / f"{name}.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    recorded = [line["m"] for line in lines if line["d"] == "<"]
    calls = [line["m"] for line in lines if line["d"] == ">" and "method" in line["m"]]
    chosen = {
        line["m"]["id"]: line["m"]["result"]
        for line in lines
        if line["d"] == ">" and "result" in line["m"]
    }
    choices = [chosen[m["id"]] for m in recorded if "id" in m and "method" in m]
    with playing(path, ws, permission=lambda _: choices.pop(0), read=lambda _: choices.pop(0)) as p:
        p.handlers["fs/write_text_file"] = lambda _: choices.pop(0)
        for call in calls:
            if "id" in call:
                params = {**call["params"], "cwd": "/workspace"}
                if call["method"] == "initialize":
                    call["params"].pop("clientCapabilities")  # else it looks at files as well
                p.call(call["method"], params if "cwd" in call["params"] else call["params"])
        assert p.end() == 0
        assert [essence(m) for m in p.log] == [essence(m) for m in recorded]


def essence(message: Json) -> Json:
    return {key: value for key, value in message.items() if key not in ("id", "jsonrpc")}


# -- prompts -------------------------------------------------------------------


def test_another_prompt_than_the_recorded_one_is_refused_in_words(ws: Path) -> None:
    score = Score()
    score.open()
    score.end(score.prompt("Make it fast\nand\nsafe\nand small"))
    with playing(score, ws) as peer:
        session = peer.open(ws)
        words = error_of(peer.prompt(session, "Make it slow"))
        assert "not the one that was recorded" in words
        assert "“Make it fast\nand\nsafe …”" in words
        assert "“Make it slow”" in words
        assert "record the session again" in words
        assert peer.prompt(session, "Make it fast\nand\nsafe\nand small").stop_reason == "end_turn"
        assert "holds 1 prompt, and no more" in error_of(peer.prompt(session, "And now?"))


def test_attachments_do_not_count(ws: Path) -> None:
    score = Score()
    score.open()
    score.end(score.prompt("Look"))
    with playing(score, ws) as peer:
        session = peer.open(ws)
        link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
        prompt = [link, {"type": "text", "text": "Look"}]
        answer = peer.call("session/prompt", {"sessionId": session, "prompt": prompt})
        assert answer["result"] == {"stopReason": "end_turn"}


def test_a_recorded_error_is_an_error_again(ws: Path) -> None:
    score = Score()
    score.open()
    score.fail("<", score.prompt("Fail"), "The paint is out.")
    with playing(score, ws) as peer:
        turn = peer.prompt(peer.open(ws), "Fail")
        assert turn.answer["error"] == {"code": -32000, "message": "The paint is out."}


def test_a_log_that_ends_in_a_turn_says_so(ws: Path) -> None:
    score = Score()
    score.open()
    score.prompt("Go")
    score.say("I was about to")
    with playing(score, ws) as peer:
        turn = peer.prompt(peer.open(ws), "Go")
        assert turn.text == "I was about to"
        assert error_of(turn) == "The recording ends before this turn does."


def test_a_new_session_plays_the_log_anew(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Hello")
    score.say("Hi")
    score.end(prompt)
    with playing(score, ws) as peer:
        first = peer.open(ws)
        second = peer.new_session(ws)
        assert first != second
        for session in (first, second):
            turn = peer.prompt(session, "Hello")
            assert turn.text == "Hi"
            (update,) = [m for m in turn.messages if "method" in m]
            assert update["params"]["sessionId"] == session


def test_a_log_of_one_session_goes_on_after_its_agent_was_started_anew(ws: Path) -> None:
    score = Score()
    score.note(note="session_opened", session_id="x")
    score.open("s1")
    score.prompt("One")
    score.say("And then it die")
    score.start()
    score.open("s2")
    prompt = score.prompt("Two", "s2")
    score.say("Alive again", "s2")
    score.end(prompt)
    with playing(score, ws) as peer:
        session = peer.open(ws)
        assert "ends before" in error_of(peer.prompt(session, "One"))
        turn = peer.prompt(session, "Two")
        assert turn.text == "Alive again"
        assert turn.messages[0]["params"]["sessionId"] == session == "s1"


# -- times ---------------------------------------------------------------------


def paced_score() -> Score:
    score = Score()
    score.open()
    prompt = score.prompt("Go")
    score.say("one")
    score.rest(8)
    score.say("two")
    score.end(prompt)
    return score


def test_recorded_gaps_are_kept(ws: Path) -> None:
    with playing(paced_score(), ws, "--speed", "1") as peer:
        session = peer.open(ws)
        peer.start_prompt(session, "Go")
        peer.until(lambda m: m.get("method") == "session/update")
        for _ in range(20):
            peer.call("session/list", {})
        assert texts(peer) == ["one"]


def test_flat_keeps_none(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Go")
    for n in range(200):
        score.say(f"{n} ")
        score.rest(8)
    score.end(prompt)
    with playing(score, ws) as peer:
        assert len(peer.prompt(peer.open(ws), "Go").chunks()) == 200


def test_late_text_does_not_hold_up_the_next_prompt(ws: Path) -> None:
    score = Score()
    score.open()
    score.end(score.prompt("One"))
    score.rest(100)
    score.say("late")
    score.end(score.prompt("Two"))
    with playing(score, ws, "--speed", "1") as peer:
        session = peer.open(ws)
        assert peer.prompt(session, "One").stop_reason == "end_turn"
        assert peer.prompt(session, "Two").text == "late"


@pytest.mark.parametrize("speed", ["0", "-1", "fast", "nan", "inf"])
def test_a_speed_that_is_none_is_refused(ws: Path, speed: str) -> None:
    with playing(Score(), ws, "--speed", speed) as peer:
        assert peer.wait() == 2
        assert peer.log == []
