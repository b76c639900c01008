"""Turns of the Claude CLI adapter, with a stand-in for the CLI."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acp.schema import RequestPermissionRequest

from tests.support.agents.claude_cli import FakeCli
from tests.support.agents.peer import Json, Peer, Turn, select
from tests.support.processes import alive
from tests.support.wait import eventually


@pytest.fixture
def cli(tmp_path: Path) -> FakeCli:
    return FakeCli(tmp_path)


@pytest.fixture
def peer(cli: FakeCli) -> Iterator[Peer]:
    with cli.peer() as peer:
        yield peer


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """One adapter for the tests that look at nothing but its lines."""
    with FakeCli(tmp_path_factory.mktemp("shared")).peer() as peer:
        peer.call("initialize", {"protocolVersion": 1})
        yield peer


def error_of(turn: Turn) -> Json:
    error: Json = turn.answer["error"]
    return error


def test_hooks(shared: Peer, tmp_path: Path) -> None:
    """Each hook is one notice; the one that failed is a warning."""
    notices = shared.prompt(shared.new_session(tmp_path), "hooks").of("notice")
    assert [(n["severity"], n["message"]) for n in notices] == [
        ("info", "fine"),
        ("warning", "Hook failed, exit code 2. no"),
    ]


def test_torn_lines_and_garbage(shared: Peer, tmp_path: Path) -> None:
    """Pieces of a line are joined, blank lines skipped, torn lines reported."""
    turn = shared.prompt(shared.new_session(tmp_path), "torn")
    assert (turn.text, turn.stop_reason) == ("whole é", "end_turn")
    details = [notice["_meta"]["acp-jupyter/detail"][:8] for notice in turn.of("notice")]
    assert details == ['{"type":', "no json", "\ufffd\ufffd", "[[[[[[[["]


def test_the_budget_is_used_up(shared: Peer, tmp_path: Path) -> None:
    """max_turn_requests, with the CLI's own word for it."""
    turn = shared.prompt(shared.new_session(tmp_path), "budget")
    assert turn.stop_reason == "max_turn_requests"
    claude = turn.answer["result"]["_meta"]["claudeCode"]
    assert claude["subtype"] == "error_max_budget_usd"
    assert claude["errors"] == ["Reached maximum budget ($0.01)"]


def test_any_other_end_is_an_error_in_the_clis_words(shared: Peer, tmp_path: Path) -> None:
    """An unmapped subtype answers the prompt with an error; the next turn works."""
    session = shared.new_session(tmp_path)
    error = error_of(shared.prompt(session, "broke"))
    assert (error["code"], error["message"]) == (-32603, "It broke.")
    assert shared.prompt(session, "hello").stop_reason == "end_turn"


@pytest.mark.parametrize("word", ["auth", "login"])
def test_nobody_is_logged_in(peer: Peer, cli: FakeCli, tmp_path: Path, word: str) -> None:
    """The error says what to do; the next prompt asks a fresh CLI."""
    session = peer.open(tmp_path)
    turn = peer.prompt(session, word)
    assert error_of(turn)["code"] == -32000
    assert "type /login" in error_of(turn)["message"]
    assert turn.text == ""
    assert peer.prompt(session, "hello").text == "You said hello."
    assert len(cli.notes("argv")) == 2


def test_a_cli_that_dies(peer: Peer, cli: FakeCli, tmp_path: Path) -> None:
    """Its last words are told, its tool calls closed; the next prompt resumes."""
    session = peer.open(tmp_path)
    turn = peer.prompt(session, "dies")
    assert "exited with code 3 during the turn" in error_of(turn)["message"]
    details = error_of(turn)["data"]["details"].splitlines()
    assert details[-1] == "panic: out of cheese"
    assert len(details) == 20
    assert [call["status"] for call in turn.tool_calls()] == ["failed"]
    assert peer.prompt(session, "hello").text == "You said hello."
    assert f"--resume {session}" in " ".join(cli.notes("argv")[1])


def test_a_cli_that_never_began_is_not_resumed(cli: FakeCli, tmp_path: Path) -> None:
    with cli.peer(env={"FAKE_CLI_FAILS": "unknown option --verbose"}) as peer:
        session = peer.open(tmp_path)
        for _ in range(2):
            error = error_of(peer.prompt(session, "hello"))
            assert error["data"]["details"] == "unknown option --verbose"
    first, second = (" ".join(argv) for argv in cli.notes("argv"))
    assert f"--session-id {session}" in first
    assert "--session-id" in second
    assert session not in second


def test_cancel_interrupts_and_the_same_process_goes_on(
    peer: Peer, cli: FakeCli, tmp_path: Path
) -> None:
    """Cancel answers cancelled, closes the open tool call; the next prompt works."""
    session = peer.open(tmp_path)
    prompt = peer.start_prompt(session, "obeys")
    peer.until(lambda message: "tool_call" in json.dumps(message))
    peer.cancel(session)
    turn = peer.finish(prompt)
    assert turn.stop_reason == "cancelled"
    assert turn.answer["result"]["_meta"]["claudeCode"]["subtype"] == "error_during_execution"
    assert [call["status"] for call in turn.tool_calls()] == ["failed"]
    assert peer.prompt(session, "hello").text == "You said hello."
    assert len(cli.notes("argv")) == 1


def test_a_cli_that_ignores_the_interrupt_is_ended_with_its_children(
    peer: Peer, cli: FakeCli, tmp_path: Path
) -> None:
    session = peer.open(tmp_path)
    prompt = peer.start_prompt(session, "deaf")
    peer.until(lambda message: "tool_call" in json.dumps(message))
    peer.cancel(session)
    turn = peer.finish(prompt)
    assert turn.stop_reason == "cancelled"
    assert [call["status"] for call in turn.tool_calls()] == ["failed"]
    pids = [*cli.notes("pid"), *cli.notes("child")]
    eventually(lambda: not any(map(alive, pids)), what="the CLI and its child are gone")
    assert peer.prompt(session, "hello").text == "You said hello."
    assert f"--resume {session}" in " ".join(cli.notes("argv")[1])


@pytest.mark.parametrize("way", ["stdin", "SIGTERM"])
def test_nothing_stays_behind(peer: Peer, cli: FakeCli, tmp_path: Path, way: str) -> None:
    session = peer.open(tmp_path)
    peer.start_prompt(session, "deaf")
    peer.until(lambda message: "tool_call" in json.dumps(message))
    if way == "stdin":
        assert peer.end() == 0
    else:
        os.kill(peer.process.pid, signal.SIGTERM)
        assert peer.wait() == 0
    pids = [*cli.notes("pid"), *cli.notes("child")]
    assert len(set(pids)) == 2
    eventually(lambda: not any(map(alive, pids)), what="the CLI and its child are gone")


def test_subagents_belong_to_the_turn(shared: Peer, tmp_path: Path) -> None:
    """The turn ends when the CLI is idle; what comes after the first result is in it."""
    turn = shared.prompt(shared.new_session(tmp_path), "background")
    assert turn.text == "Delegated. It is done."
    assert turn.chunks("agent_thought_chunk") == ["Found it."]


def test_a_turn_that_the_cli_begins_by_itself_answers_no_prompt(
    shared: Peer, tmp_path: Path
) -> None:
    session = shared.new_session(tmp_path)
    assert shared.prompt(session, "by-itself").text == "First."
    turn = shared.prompt(session, "hello")
    assert turn.text == "Of the task.Of the prompt."
    assert turn.stop_reason == "end_turn"


def test_a_second_prompt_is_refused(shared: Peer, tmp_path: Path) -> None:
    session = shared.new_session(tmp_path)
    first = shared.start_prompt(session, "obeys")
    second = shared.finish(shared.start_prompt(session, "hello"))
    assert error_of(second)["code"] == -32600
    shared.cancel(session)
    assert shared.finish(first).stop_reason == "cancelled"


def test_another_request_of_the_cli_is_refused(shared: Peer, tmp_path: Path) -> None:
    """can_use_tool is the only control request that is known."""
    answer = json.loads(shared.prompt(shared.new_session(tmp_path), "stranger").text)
    assert (answer["subtype"], answer["request_id"]) == ("error", "r9")


def decided(cli: FakeCli, folder: Path, answer: Any) -> Turn:
    with cli.peer({"session/request_permission": lambda _: answer}) as peer:
        return peer.prompt(peer.open(folder), "permission")


def test_permission_is_asked_and_allowed(cli: FakeCli, tmp_path: Path) -> None:
    """can_use_tool on stdout is asked as session/request_permission."""
    with cli.peer({"session/request_permission": select("allow_once")}) as peer:
        turn = peer.prompt(peer.open(tmp_path), "permission")
    (asked,) = turn.asked("session/request_permission")
    RequestPermissionRequest.model_validate(asked)
    assert asked["toolCall"]["rawInput"] == {"command": "make"}
    assert json.loads(turn.text) == {"behavior": "allow", "updatedInput": {"command": "make"}}


def test_permission_for_the_session(cli: FakeCli, tmp_path: Path) -> None:
    with cli.peer({"session/request_permission": select("allow_always")}) as peer:
        turn = peer.prompt(peer.open(tmp_path), "permission")
    answer = json.loads(turn.text)
    assert answer["behavior"] == "allow"
    (granted,) = answer["updatedPermissions"]
    assert (granted["destination"], granted["rules"][0]["ruleContent"]) == ("session", "make")


def test_an_error_for_an_answer_denies(cli: FakeCli, tmp_path: Path) -> None:
    error = {"error": {"code": -32601, "message": "no"}}
    assert json.loads(decided(cli, tmp_path, error).text)["behavior"] == "deny"


def test_a_cancelled_permission_stops_the_turn(cli: FakeCli, tmp_path: Path) -> None:
    turn = decided(cli, tmp_path, {"outcome": {"outcome": "cancelled"}})
    assert turn.stop_reason == "cancelled"


def test_a_question_that_the_cli_withdraws_holds_up_nothing(cli: FakeCli, tmp_path: Path) -> None:
    with cli.peer({"session/request_permission": lambda _: None}) as peer:
        assert peer.prompt(peer.open(tmp_path), "withdrawn").text == "Withdrawn."
