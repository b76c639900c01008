"""The replay agent and whatever else clients send and logs hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agents.peer import Json, select
from tests.support.agents.replay import asked_score, error_of, playing, texts
from tests.support.agents.replay_log import CWD, Score


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


# -- other requests ------------------------------------------------------------


def test_other_requests_are_answered_from_the_record_and_then_sensibly(ws: Path) -> None:
    options = [{"id": "model", "currentValue": "a"}, {"id": "effort", "currentValue": "low"}]
    score = Score()
    score.open(configOptions=options)
    mode = score.request(">", "session/set_mode", {"sessionId": "s1", "modeId": "plan"})
    score.update("current_mode_update", currentModeId="plan")
    score.answer("<", mode, {"_meta": {"recorded": True}})
    score.answer("<", score.request(">", "session/list", {}), {"sessions": [{"sessionId": "s1"}]})
    score.end(score.prompt("Go"))
    with playing(score, ws) as peer:
        session = peer.open(ws)
        mode = peer.send_request("session/set_mode", {"sessionId": session, "modeId": "plan"})
        update, answer = peer.next(), peer.next()
        assert update["params"]["update"]["currentModeId"] == "plan"
        assert answer == {"jsonrpc": "2.0", "id": mode, "result": {"_meta": {"recorded": True}}}
        assert peer.call("session/set_mode", {"sessionId": session})["result"] == {}
        assert len(peer.call("session/list", {})["result"]["sessions"]) == 1
        assert peer.call("session/list", {})["result"] == {"sessions": []}
        params = {"sessionId": session, "configId": "model", "value": "b"}
        changed = peer.call("session/set_config_option", params)["result"]["configOptions"]
        assert [option["currentValue"] for option in changed] == ["b", "low"]
        assert peer.call("_painter/mix", {})["error"]["code"] == -32601
        assert peer.prompt(session, "Go").stop_reason == "end_turn"


def test_what_followed_a_request_that_is_not_made_comes_before_the_next_prompt(ws: Path) -> None:
    score = Score()
    score.open()
    mode = score.request(">", "session/set_mode", {"sessionId": "s1", "modeId": "plan"})
    score.answer("<", mode, {})
    score.update("current_mode_update", currentModeId="plan")
    prompt = score.prompt("Go")
    score.say("Gone")
    score.end(prompt)
    with playing(score, ws) as peer:
        turn = peer.prompt(peer.open(ws), "Go")
        kinds = [update["sessionUpdate"] for update in turn.updates]
        assert kinds == ["current_mode_update", "agent_message_chunk"]


def test_a_session_is_loaded_as_it_was(ws: Path) -> None:
    score = Score()
    score.answer("<", score.request(">", "initialize", {}), {"protocolVersion": 1})
    load = score.request(">", "session/load", {"sessionId": "old", "cwd": CWD})
    score.say(f"From {CWD}/a", "old")
    score.answer("<", load, None)
    score.end(score.prompt("Go on", "old"))
    with playing(score, ws) as peer:
        peer.call("initialize", {})
        params = {"sessionId": "old", "cwd": str(ws), "mcpServers": []}
        assert peer.call("session/load", params)["result"] is None
        assert texts(peer) == [f"From {ws}/a"]
        assert peer.prompt("old", "Go on").stop_reason == "end_turn"
        assert "error" in peer.call("session/load", {**params, "sessionId": "other"})
        assert "error" in peer.call("session/fork", params)


# -- logs and clients that are none --------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "can't be read"),
        (b"", "is empty"),
        (b"\x00\xff\xfe\n" * 5, "line 1: Bytes that are not UTF-8"),
        (b'{"type":"user","message":"hi"}\n', "line 1: No JSON-RPC message"),
        (b"Dear diary\n", "line 1: This is not JSON"),
    ],
)
def test_a_log_that_is_none_is_an_error_in_words(
    ws: Path, content: bytes | None, words: str
) -> None:
    path = ws.parent / "log.jsonl"
    if content is not None:
        path.write_bytes(content)
    with playing(path, ws) as peer:
        assert peer.call("initialize", {})["result"]["agentInfo"]["name"] == "replay"
        said = peer.call("session/new", {"cwd": str(ws)})["error"]["message"]
        assert words in said
        assert str(path) in said
        assert peer.end() == 0


def test_a_log_without_a_prompt_says_so_with_its_first_bad_line(ws: Path) -> None:
    score = Score()
    score.open()
    path = score.write(ws.parent / "log.jsonl")
    path.write_text(path.read_text() + '{"torn\n')
    with playing(path, ws) as peer:
        words = error_of(peer.prompt(peer.open(ws), "Go"))
        assert "holds no prompt" in words
        assert f"{path}, line 5: This is not JSON" in words


def test_no_client_can_break_it(ws: Path) -> None:
    with playing(asked_score(), ws, permission=select("allow_once")) as peer:
        session = peer.open(ws)
        peer.send_raw(b'\n{"torn\n\xff\n[1]\n"x"\nnull\n' + b"[" * 100_000 + b"\n")
        peer.send({"jsonrpc": "2.0", "id": 77, "result": {"outcome": 3}})
        peer.send({"jsonrpc": "2.0", "method": "session/cancel", "params": [session]})
        peer.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": {}}})
        bad: list[Json] = [{}, {"sessionId": []}, {"sessionId": session, "prompt": 7}]
        for params in bad:
            assert "error" in peer.call("session/prompt", params)
        for method in ("session/new", "session/load", "session/set_config_option", "x" * 5000):
            peer.call(method, {"cwd": 5, "sessionId": {"a": 1}, "configId": []})
        assert peer.prompt(session, "Paint it").stop_reason == "end_turn"
        assert peer.end() == 0
        assert peer.process.stderr is not None
        assert b"Traceback" not in peer.process.stderr.read()
