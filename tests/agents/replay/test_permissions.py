"""The replay agent waits for the client's answers, and minds what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.peer import Json, select
from tests.support.agents.replay import METHODS, asked_score, error_of, leave_open, playing, texts
from tests.support.agents.replay_log import CWD, Score


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


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

    answers = {"create": lambda _: {"terminalId": "now"}, "output": output}
    with playing(score, ws, "--run-commands", **answers) as peer:
        turn = peer.prompt(peer.open(ws), "Run")
        assert turn.stop_reason == "end_turn"
        assert seen == ["now"]
        assert turn.of("tool_call")[0]["content"][0]["terminalId"] == "now"


def test_a_command_that_was_refused_then_may_be_refused_now(ws: Path) -> None:
    score = Score()
    score.open()
    prompt = score.prompt("Run")
    score.fail(">", score.ask("terminal/create", command="ls"), "No")
    score.say("Done")
    score.end(prompt)
    refusal: Json = {"error": {"code": -32000, "message": "No"}}
    with playing(score, ws, "--run-commands", create=lambda _: refusal) as peer:
        assert peer.prompt(peer.open(ws), "Run").text == "Done"


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
