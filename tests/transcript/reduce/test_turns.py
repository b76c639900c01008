"""How turns wait, begin and end."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import (
    AgentStarting,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnSteered,
)
from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.model.session_state import STEERED
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.support.transcript.traffic import Script


def queue(script: Script, *turn_ids: str) -> None:
    for turn_id in turn_ids:
        script.note(TurnQueued(turn_id=turn_id, prompt=({"type": "text", "text": turn_id},)))


def waiting(script: Script) -> list[str]:
    return [each.turn_id for each in script.transcript.session.queue]


def test_a_prompt_waits_until_it_is_sent() -> None:
    script = Script()
    queue(script, "t1", "t2")
    assert waiting(script) == ["t1", "t2"]
    script.note(TurnStartedNote(turn_id="t1"))
    assert waiting(script) == ["t2"]
    assert script.transcript.session.active_turn_id == "t1"


def test_a_turn_that_is_not_known_does_not_begin() -> None:
    script = Script()
    script.note(TurnStartedNote(turn_id="unknown"))
    assert script.transcript.session.active_turn_id is None


@pytest.mark.parametrize("starting", [False, True])
def test_the_session_starts_until_its_agent_has(starting: bool) -> None:
    script = Script()
    queue(script, "t1")
    if starting:
        script.note(AgentStarting())
    script.note(TurnStartedNote(turn_id="t1"))
    assert script.transcript.session.status == ("starting" if starting else "running")


@pytest.mark.parametrize(
    ("note", "reason"),
    [(TurnRemoved(turn_id="t2"), "cancelled"), (TurnSteered(turn_id="t2"), STEERED)],
    ids=["removed", "steered"],
)
def test_a_prompt_that_is_not_sent_leaves_the_running_turn_alone(
    note: TurnRemoved | TurnSteered, reason: str
) -> None:
    script = Script()
    script.turn()
    script.update("tool_call", toolCallId="c", title="Build", kind="execute", status="in_progress")
    script.text("It is")
    queue(script, "t2")
    script.note(note)
    assert waiting(script) == []
    turn = script.transcript.turns["t2"]
    assert (turn.status, turn.stop_reason) == ("done", reason)
    assert only(script, ToolCall).status == "in_progress"
    assert only(script, AgentMessage).open


@pytest.mark.parametrize(("reason", "needed"), [("end_turn", False), ("cancelled", True)])
def test_an_agent_that_answers_needs_no_login(reason: str, needed: bool) -> None:
    script = Script()
    error = {"code": -32000, "message": "Authentication required"}
    script.line("<", {"id": 1, "error": error}, script.turn())
    assert script.transcript.session.needs_login
    script.end(script.turn("Again", "t2"), reason)
    assert bool(script.transcript.session.needs_login) is needed


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"inputTokens": 3}, (3, 3, None)),
        ({"inputTokens": 3, "outputTokens": 4}, (7, 3, 4)),
        ({"inputTokens": 3, "outputTokens": 4, "totalTokens": 9}, (9, 3, 4)),
        ({}, (None, None, None)),
    ],
    ids=str,
)
def test_tokens_are_those_that_the_agent_counts(
    usage: dict[str, Any], tokens: tuple[int | None, int | None, int | None]
) -> None:
    script = Script()
    number = script.turn()
    script.line("<", {"id": 1, "result": {"stopReason": "end_turn", "usage": usage}}, number)
    turn = script.transcript.turns["t1"]
    assert (turn.tokens, turn.input_tokens, turn.output_tokens) == tokens


@pytest.mark.parametrize(
    ("error", "reason", "next_step", "login"),
    [
        ({"code": 401, "message": "Bad key."}, "login_expired", "Log in to it, then", True),
        ({"code": 429, "message": "Slow down."}, "rate_limited", "Wait, or choose another", False),
        (
            {"code": -32603, "message": "fetch failed"},
            "no_network",
            "It did not reach its model. Check the network, a proxy",
            False,
        ),
        ({"code": 500, "message": "Oops."}, "agent_error", "send the message again", False),
    ],
)
def test_an_error_says_the_next_step(
    error: dict[str, Any], reason: str, next_step: str, login: bool
) -> None:
    script = Script()
    script.line("<", {"id": 1, "error": error}, script.turn())
    turn = script.transcript.turns["t1"]
    assert turn.failure is not None
    assert turn.failure.reason == reason
    words = error["message"].rstrip(".")
    assert turn.failure.message.startswith(f"Demo answered with an error: {words}. ")
    assert next_step in turn.failure.message
    assert bool(script.transcript.session.needs_login) is login
    script.end(script.turn(turn_id="t2"))
    assert script.transcript.session.needs_login == ""
