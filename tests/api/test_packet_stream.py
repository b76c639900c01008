"""A session's log as a numbered stream: turns, questions, and what a reader makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.api.packet_stream import DIALECTS, PacketStream, StreamDialect
from acp_jupyter.protocol.files import ArtifactInfo
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    HostNotice,
    PermissionSettledNote,
    StartFailed,
    TitleChanged,
    TurnEdited,
    TurnFailed,
    TurnQueued,
    TurnRemoved,
    TurnStopped,
)
from acp_jupyter.protocol.host_events.session import ArtifactsFound
from tests.support.log.streamed import stream
from tests.support.transcript.traffic import Script

ENDS = {"prompt_response", "error"}


def types(packets: list[dict[str, Any]]) -> list[str]:
    return [packet["type"] for packet in packets]


def ends(script: Script) -> list[tuple[Any, ...]]:
    """Return turn, type and reason of every end."""
    return [
        (packet["turn_id"], packet["type"], packet.get("stopReason", packet.get("code")))
        for packet in stream(script)
        if packet["type"] in ENDS
    ]


def test_a_turn_from_its_prompt_to_its_end() -> None:
    script = Script(start=1.8e9)
    prompt = script.turn("Do it")
    script.text("Hello")
    script.end(prompt)
    said = stream(script)
    assert types(said) == ["user_message_chunk", "agent_message_chunk", "prompt_response"]
    assert said[0]["content"]["text"] == "Do it"
    assert [packet["seq"] for packet in said] == [1, 2, 3]
    assert {packet["turn_id"] for packet in said} == {"t1"}
    assert {packet["session_id"] for packet in said} == {"s1"}
    assert said[1]["timestamp"] == "2027-01-15T08:00:04.000Z"
    assert types(stream(script, "build-mode")) == [
        *("output_start", "output_delta", "output_end", "done")
    ]


def test_an_echo_of_the_prompt_is_not_said_twice() -> None:
    """A prompt that is replayed outside a turn belongs to no turn."""
    script = Script()
    script.text("Before", "user_message_chunk")
    script.turn("Do it")
    script.text("Do it", "user_message_chunk")
    assert [(p["content"]["text"], p["turn_id"]) for p in stream(script)] == [
        ("Before", None),
        ("Do it", "t1"),
    ]


def test_a_turn_that_the_host_ends_has_its_end() -> None:
    script = Script()
    script.turn(turn_id="t1")
    script.note(AgentExited(words="died"))
    script.note(TurnFailed(turn_id="t1", message="It died.", detail="boom", reason="agent_died"))
    script.turn(turn_id="t2")
    script.note(TurnStopped(turn_id="t2"))
    assert ends(script) == [
        ("t1", "error", "agent_died"),
        ("t2", "prompt_response", "cancelled"),
    ]
    assert types(stream(script, "build-mode")) == ["error", "done"]


def test_an_answer_that_comes_after_the_end_ends_nothing() -> None:
    script = Script()
    first = script.turn(turn_id="t1")
    script.note(TurnStopped(turn_id="t1"))
    script.end(first, "cancelled")
    script.end(script.turn(turn_id="t2"))
    assert [turn_id for turn_id, *_ in ends(script)] == ["t1", "t2"]


@pytest.mark.parametrize("answer", [{"result": {"stopReason": "end_turn"}}, {"error": {"code": 1}}])
def test_a_cancelled_turn_is_cancelled_whatever_the_agent_answers(answer: dict[str, Any]) -> None:
    script = Script()
    prompt = script.turn()
    script.line(">", {"method": "session/cancel", "params": {"sessionId": "a1"}})
    script.line("<", {"id": 1, **answer}, prompt)
    assert ends(script) == [("t1", "prompt_response", "cancelled")]


def test_a_prompt_that_was_taken_back_ends_when_the_running_turn_has() -> None:
    script = Script()
    running = script.turn("first", "t1")
    script.note(TurnQueued(turn_id="t2", prompt=({"type": "text", "text": "second"},)))
    script.note(TurnRemoved(turn_id="t2"))
    assert ends(script) == []
    script.end(running)
    said = stream(script)
    assert [(p["type"], p["turn_id"]) for p in said[-3:]] == [
        ("prompt_response", "t1"),
        ("user_message_chunk", "t2"),
        ("prompt_response", "t2"),
    ]
    assert said[-1]["stopReason"] == "cancelled"


def test_a_turn_that_another_overtakes_is_ended() -> None:
    script = Script()
    script.turn(turn_id="t1")
    script.end(script.turn(turn_id="t2"))
    assert ends(script) == [
        ("t1", "error", "overtaken"),
        ("t2", "prompt_response", "end_turn"),
    ]


def test_late_text_belongs_to_the_turn_before_it() -> None:
    script = Script()
    script.end(script.turn())
    script.text("late")
    assert stream(script)[-1]["turn_id"] == "t1"
    assert types(stream(script, "build-mode")) == ["done", "output_start", "output_delta"]


CALL = {"toolCallId": "c", "title": "Run ls", "kind": "execute", "rawInput": {"command": "ls"}}


@pytest.mark.parametrize(
    ("by", "option_id", "approved", "reason"),
    [
        ("user", "always", True, "Always"),
        ("policy", "once", True, "By policy: allow-all"),
        ("turn_cancelled", None, False, "The turn was stopped."),
        ("nobody", "no", False, "Nobody could be asked."),
    ],
)
def test_a_question_and_its_answer(
    by: Any, option_id: str | None, approved: bool, reason: str
) -> None:
    """In both dialects, with the name of the user who answered."""
    script = Script()
    script.turn()
    request_id = script.ask(CALL)
    script.note(PermissionSettledNote(request_id=request_id, by=by, rule="allow-all"))
    script.answer(request_id, option_id)
    asked, answered = stream(script)[1:]
    assert (asked["request_id"], asked["toolCall"]["title"]) == (request_id, "Run ls")
    assert [option["optionId"] for option in asked["options"]] == ["once", "always", "no"]
    assert answered["outcome"].get("optionId") == option_id
    asked, answered = stream(script, "build-mode")
    assert (asked["operation"], asked["description"]) == ("Run ls", "ls")
    assert (answered["approved"], answered["reason"]) == (approved, reason)


def test_questions_of_an_agent_that_died_are_answered_for_nobody() -> None:
    script = Script()
    script.turn()
    known, forgotten = script.ask(CALL), script.ask(CALL)
    script.note(PermissionSettledNote(request_id=known, by="agent_exited"))
    script.note(AgentExited(words="died"))
    answers = [p for p in stream(script) if p["type"] == "permission_response"]
    assert [answer["request_id"] for answer in answers] == [known, forgotten]
    assert {answer["reason"] for answer in answers} == {"The agent stopped."}


def test_what_the_host_says_is_in_the_stream() -> None:
    script = Script()
    script.note(TitleChanged(title="Mine"))
    script.note(StartFailed(message="No such agent", detail="lines"))
    script.turn()
    script.note(HostNotice(severity="warning", text="Started again."))
    made = ArtifactInfo(id="a", type="csv", name="a.csv", path="a.csv", size_bytes=3)
    script.note(ArtifactsFound(turn_id="t1", artifacts=(made,)))
    title, failed, _, notice, artifact = stream(script)
    assert (title["type"], title["title"]) == ("session_info_update", "Mine")
    assert (failed["severity"], failed["description"]) == ("error", "No such agent")
    assert (notice["severity"], notice["turn_id"]) == ("warning", "t1")
    assert (artifact["artifact"]["name"], artifact["turn_id"]) == ("a.csv", "t1")
    assert types(stream(script, "build-mode"))[-1] == "artifact_created"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_full_log_ends_with_words(dialect: StreamDialect) -> None:
    script = Script()
    reader = PacketStream("s1", dialect)
    script.line("!", {"note": "log_full", "bytes": 5})
    said = [packet.data for entry in script.entries for packet in reader.read(entry)]
    assert reader.full
    assert b"The session continues" in b"".join(said)


def test_a_prompt_that_was_edited_in_the_queue_is_told_as_it_was_sent() -> None:
    script = Script()
    prompt = script.turn("First", "t1")
    script.line("!", {"note": "turn_queued", "turn_id": "t2", "prompt": []})
    script.note(TurnEdited(turn_id="t2", prompt=({"type": "text", "text": "Second, edited"},)))
    script.end(prompt)
    script.line("!", {"note": "turn_started", "turn_id": "t2"})
    said = [packet for packet in stream(script) if packet["type"] == "user_message_chunk"]
    assert [packet["content"]["text"] for packet in said] == ["First", "Second, edited"]
