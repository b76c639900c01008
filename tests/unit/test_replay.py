"""The replay agent as a process: what a client sees of a recorded session."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.peer import Handler, Json, Peer, Turn, select
from tests.support.recorded import TRAFFIC
from tests.support.score import CWD, Score


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


@contextmanager
def playing(log: Score | Path, ws: Path, *args: str, **handlers: Handler) -> Iterator[Peer]:
    """Play a log; handlers are named by the last part of their methods."""
    path = log if isinstance(log, Path) else log.write(ws.parent / "log.jsonl")
    command = [sys.executable, "-m", "acp_jupyter.agents.replay", str(path), *args]
    with Peer([*command, *([] if "--speed" in args else ["--speed", "flat"])]) as peer:
        peer.handlers |= {METHODS[name]: handler for name, handler in handlers.items()}
        yield peer


METHODS = {
    "permission": "session/request_permission",
    "read": "fs/read_text_file",
    "write": "fs/write_text_file",
    "create": "terminal/create",
    "output": "terminal/output",
}


def leave_open(_: Json) -> None:
    """Let the test answer."""


def error_of(turn: Turn) -> str:
    message = turn.answer["error"]["message"]
    assert isinstance(message, str)
    return message


def texts(peer: Peer) -> list[str]:
    updates = [m["params"]["update"] for m in peer.log if m.get("method") == "session/update"]
    return [u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"]


def asked_score(option_id: str = "y") -> Score:
    score = Score()
    score.open()
    prompt = score.prompt("Paint it")
    score.update("tool_call", toolCallId="c1", title="Paint", kind="edit", status="pending")
    score.choose(score.ask_permission(), option_id)
    score.update("tool_call_update", toolCallId="c1", status="completed")
    score.end(prompt)
    return score


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


# -- questions -----------------------------------------------------------------


def test_nothing_goes_on_before_a_question_is_answered(ws: Path) -> None:
    with playing(asked_score(), ws, permission=leave_open) as peer:
        session = peer.open(ws)
        prompt = peer.start_prompt(session, "Paint it")
        *_, question = peer.until(lambda m: m.get("method") == METHODS["permission"])
        # Whatever would go on by itself would come before this answer.
        for _ in range(20):
            answer = peer.send_request("session/list", {})
            assert peer.next()["id"] == answer
        peer.reply(question, {"outcome": {"outcome": "selected", "optionId": "y"}})
        turn = peer.finish(prompt)
        assert [u["status"] for u in turn.of("tool_call_update")] == ["completed"]
        assert turn.stop_reason == "end_turn"


@pytest.mark.parametrize("kind", ["allow_once", "allow_always"])
def test_once_or_always_makes_no_difference(ws: Path, kind: str) -> None:
    with playing(asked_score(), ws, permission=select(kind)) as peer:
        assert peer.prompt(peer.open(ws), "Paint it").stop_reason == "end_turn"


@pytest.mark.parametrize(("recorded", "now"), [("y", "reject_once"), ("n", "allow_once")])
def test_another_answer_than_the_recorded_one_ends_the_turn_in_words(
    ws: Path, recorded: str, now: str
) -> None:
    score = asked_score(recorded)
    score.end(score.prompt("Next"))
    with playing(score, ws, permission=select(now)) as peer:
        session = peer.open(ws)
        turn = peer.prompt(session, "Paint it")
        assert not turn.of("tool_call_update")
        names = {"y": "Allow once", "n": "Reject"}
        assert f"“{names[recorded]}” when this was recorded" in error_of(turn)
        assert "can't be played" in error_of(turn)
        # It can be tried again, or left.
        peer.handlers[METHODS["permission"]] = select("allow_once" if recorded == "y" else now)
        if recorded == "y":
            assert peer.prompt(session, "Paint it").stop_reason == "end_turn"
        assert peer.prompt(session, "Next").stop_reason == "end_turn"


def test_a_cancelled_question_cancels_the_turn(ws: Path) -> None:
    cancelled = {"outcome": {"outcome": "cancelled"}}
    with playing(asked_score(), ws, permission=lambda _: cancelled) as peer:
        turn = peer.prompt(peer.open(ws), "Paint it")
        assert turn.stop_reason == "cancelled"
        assert not turn.of("tool_call_update")


@pytest.mark.parametrize(
    "answer", [{"error": {"code": -32601, "message": "No"}}, {"outcome": "yes"}, {}]
)
def test_an_answer_that_is_none_allows_nothing(ws: Path, answer: Json) -> None:
    with playing(asked_score(), ws, permission=lambda _: answer) as peer:
        turn = peer.prompt(peer.open(ws), "Paint it")
        assert not turn.of("tool_call_update")
        assert "can't be played" in error_of(turn)


def test_two_questions_at_once(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Twice")
    first, second = score.ask_permission(), score.ask_permission()
    score.choose(second, "y")
    score.say("second")
    score.choose(first, "n")
    score.say("first")
    score.end(prompt)
    with playing(score, ws, permission=leave_open) as peer:
        session = peer.open(ws)
        prompt = peer.start_prompt(session, "Twice")
        one, two = (peer.next() for _ in range(2))
        peer.reply(one, {"outcome": {"outcome": "selected", "optionId": "n"}})
        peer.reply(two, {"outcome": {"outcome": "selected", "optionId": "y"}})
        assert peer.finish(prompt).text == "secondfirst"


def file_score(*, could_write: bool = True) -> Score:
    score = Score()
    score.open()
    prompt = score.prompt("Write")
    read = score.ask("fs/read_text_file", path=f"{CWD}/a.txt")
    score.answer(">", read, {"content": "old"})
    write = score.ask("fs/write_text_file", path=f"{CWD}/a.txt", content=f"in {CWD}\n")
    if could_write:
        score.answer(">", write, None)
    else:
        score.fail(">", write, "Read-only")
    score.say("Done")
    score.end(prompt)
    return score


def test_files_are_read_and_written_through_the_client(ws: Path) -> None:
    done: list[Json] = []

    def write(params: Json) -> Json:
        done.append(params)
        return {}

    with playing(file_score(), ws, read=lambda _: {"content": "anything"}, write=write) as peer:
        assert peer.prompt(peer.open(ws), "Write").text == "Done"
    assert [(p["path"], p["content"]) for p in done] == [(f"{ws}/a.txt", f"in {ws}\n")]


def test_a_write_that_fails_ends_the_turn_in_words(ws: Path) -> None:
    error = {"error": {"code": -32000, "message": "The disk is full"}}
    with playing(file_score(), ws, read=lambda _: error, write=lambda _: error) as peer:
        turn = peer.prompt(peer.open(ws), "Write")
        assert not turn.text
        assert "can't be now: The disk is full" in error_of(turn)


def test_a_write_that_failed_then_may_fail_now(ws: Path) -> None:
    with playing(file_score(could_write=False), ws) as peer:
        assert peer.prompt(peer.open(ws), "Write").text == "Done"


def test_terminals_have_the_ids_of_the_live_client(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Run")
    score.answer(">", score.ask("terminal/create", command="ls"), {"terminalId": "then"})
    content = [{"type": "terminal", "terminalId": "then"}]
    score.update("tool_call", toolCallId="c", title="ls", content=content)
    score.answer(">", score.ask("terminal/output", terminalId="then"), {"output": "a"})
    score.end(prompt)
    seen: list[Any] = []

    def output(params: Json) -> Json:
        seen.append(params["terminalId"])
        return {"output": "b", "truncated": False}

    with playing(score, ws, create=lambda _: {"terminalId": "now"}, output=output) as peer:
        turn = peer.prompt(peer.open(ws), "Run")
        assert turn.stop_reason == "end_turn"
        assert seen == ["now"]
        assert turn.of("tool_call")[0]["content"][0]["terminalId"] == "now"


# -- cancelling ----------------------------------------------------------------


def test_stop_cancels_and_nothing_more_comes(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Go")
    score.say("one")
    score.rest(9)
    score.say("two")
    score.end(prompt)
    score.end(score.prompt("Next"))
    with playing(score, ws, "--speed", "1") as peer:
        session = peer.open(ws)
        prompt = peer.start_prompt(session, "Go")
        peer.until(lambda m: m.get("method") == "session/update")
        peer.cancel(session)
        assert peer.finish(prompt).stop_reason == "cancelled"
        assert peer.prompt(session, "Next").stop_reason == "end_turn"
        assert texts(peer) == ["one"]


def cancel_score() -> Score:
    score = Score()
    score.open()
    prompt = score.prompt("Go")
    score.say("one")
    score.rest(9)
    score.update("tool_call", toolCallId="new", title="Paint")
    score.say("two")
    score.cancel()
    score.rest(9)
    score.update("tool_call_update", toolCallId="new", status="failed")
    score.say("I was stopped")
    score.end(prompt, "cancelled")
    return score


def test_after_a_recorded_stop_what_the_agent_did_then_is_played(ws: Path) -> None:
    with playing(cancel_score(), ws, "--speed", "1") as peer:
        session = peer.open(ws)
        prompt = peer.start_prompt(session, "Go")
        peer.until(lambda m: m.get("method") == "session/update")
        peer.cancel(session)
        turn = peer.finish(prompt)
        assert turn.stop_reason == "cancelled"
        assert texts(peer) == ["one", "I was stopped"]
        assert not turn.of("tool_call_update")  # of a tool call that never began


def test_without_a_stop_the_recorded_end_is_played(ws: Path) -> None:
    with playing(cancel_score(), ws) as peer:
        turn = peer.prompt(peer.open(ws), "Go")
        assert turn.chunks() == ["one", "two", "I was stopped"]
        assert turn.stop_reason == "cancelled"


def test_stop_while_a_question_is_open(ws: Path) -> None:
    with playing(asked_score(), ws, permission=leave_open) as peer:
        session = peer.open(ws)
        prompt = peer.start_prompt(session, "Paint it")
        peer.until(lambda m: m.get("method") == METHODS["permission"])
        peer.cancel(session)
        assert peer.finish(prompt).stop_reason == "cancelled"


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


# -- logs and clients that are none ----------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "can't be read"),
        (b"", "is empty"),
        (b"\x00\xff\xfe\n" * 5, "line 1: Bytes that are no UTF-8"),
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
