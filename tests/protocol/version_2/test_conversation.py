"""When a turn of version 2 ends, what of a conversation is saved, and lines of a log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.version_2 import Version2, in_version_1
from tests.protocol.version_2.test_setup import MODE, begun
from tests.protocol.version_2.test_updates import block, message, text

Json = dict[str, Any]
ACCEPTED: Json = {"jsonrpc": "2.0", "id": 5, "result": {"messageId": "m"}}


def prompt(conversation: Version2, request_id: Any = 5, session_id: str = "s") -> None:
    params = {"sessionId": session_id, "prompt": []}
    conversation.sent({"id": request_id, "method": "session/prompt", "params": params}, seq=11)


def state(name: str, session_id: str = "s", **more: Any) -> Json:
    return message({"sessionUpdate": "state_update", "state": name, **more}, session_id)


def asked(conversation: Version2) -> Version2:
    """Return it with a prompt that the agent has taken in."""
    prompt(conversation)
    assert conversation.accepts(ACCEPTED)
    assert conversation.received(ACCEPTED) == []
    return conversation


@pytest.mark.parametrize("work", ["running", "requires_action"])
def test_the_end_of_the_work_is_the_answer(work: str) -> None:
    conversation = asked(begun())
    assert conversation.received(state(work)) == []
    end = state("idle", stopReason="max_tokens", usage={"used": 1}, background=[])
    assert conversation.ends(end) == 5
    (told, answer) = conversation.received(end)
    assert told["params"]["update"]["sessionUpdate"] == "session_info_update"
    assert answer == {
        "jsonrpc": "2.0",
        "id": 5,
        "result": {"stopReason": "max_tokens", "usage": {"used": 1}},
    }
    assert conversation.ends(end) is None
    assert conversation.received(state("idle", stopReason="max_tokens")) == []


def test_an_end_without_a_reason_is_that_of_the_turn() -> None:
    conversation = asked(begun())
    conversation.received(state("running"))
    (answer,) = conversation.received(state("idle"))
    assert answer["result"] == {"stopReason": "end_turn"}


@pytest.mark.parametrize("work", ["running", "requires_action"])
def test_what_counts_as_work(work: str) -> None:
    conversation = begun()
    prompt(conversation)
    conversation.received(state(work))
    assert conversation.ended_by({"jsonrpc": "2.0", "method": "session/update"}) == []
    chunk = message({"sessionUpdate": "agent_message_chunk", "content": text("a")})
    assert conversation.ended_by(chunk) == []
    assert conversation.ends(state("idle")) == 5


def test_an_end_with_an_error() -> None:
    conversation = asked(begun())
    error = {"code": -32000, "message": "Log in."}
    (answer,) = conversation.received(state("idle", stopReason="error", error=error))
    assert answer == {"jsonrpc": "2.0", "id": 5, "error": error}
    conversation = asked(begun())
    (answer,) = conversation.received(state("idle", stopReason="error"))
    assert answer["error"] == {"code": -32603, "message": "Internal error"}


def test_what_ends_no_turn() -> None:
    conversation = begun()
    prompt(conversation)
    old = state("idle", stopReason="end_turn")
    assert conversation.received(old) == [], "the prompt was not taken in"
    conversation.received(ACCEPTED)
    assert conversation.received(state("idle")) == [], "no work since then, and no reason"
    conversation.received(state("running"))
    assert conversation.received(state("idle", session_id="other")) == [], "another session"
    assert conversation.received(state("waiting")) == [], "not at work, and not ended"
    assert conversation.received(state("idle")) == [], "what worked had stopped"
    assert conversation.ends(old) == 5
    assert conversation.ends({**old, "method": "session/other"}) is None


def test_work_before_the_prompt_was_taken_in_counts() -> None:
    conversation = begun()
    prompt(conversation)
    conversation.received(state("running"))
    assert conversation.ends(state("idle")) == 5


def test_one_end_answers_all_prompts_of_its_session() -> None:
    conversation = begun()
    for name, session_id in ((5, "s"), ("six", "s"), (7, "other")):
        prompt(conversation, name, session_id)
    conversation.received(state("running"))
    assert [each["id"] for each in conversation.received(state("idle"))] == [5, "six"]
    conversation.received(state("running", "other"))
    assert [each["id"] for each in conversation.received(state("idle", "other"))] == [7]


def test_the_oldest_prompts_are_forgotten_first() -> None:
    conversation = begun()
    for number in range(101):
        prompt(conversation, number)
    conversation.received(state("running"))
    ended = [each["id"] for each in conversation.received(state("idle"))]
    assert ended == [*range(1, 101)]


@pytest.mark.parametrize(
    "answer",
    [
        {**ACCEPTED, "id": 6},
        {**ACCEPTED, "id": None},
        {**ACCEPTED, "method": "x"},
        {**ACCEPTED, "result": {}},
        {**ACCEPTED, "result": {"messageId": 3}},
        {**ACCEPTED, "result": {"messageId": "m", "stopReason": "end_turn"}},
        {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "x"}},
    ],
)
def test_any_other_answer_is_told(answer: Json) -> None:
    conversation = begun()
    prompt(conversation)
    assert not conversation.accepts(answer)
    assert conversation.received(answer) == [answer]


def test_an_answer_that_is_the_end_leaves_no_prompt() -> None:
    conversation = begun()
    prompt(conversation)
    conversation.received({"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "x"}})
    assert conversation.ends(state("idle", stopReason="end_turn")) is None
    assert not conversation.accepts(ACCEPTED)


def test_an_agent_of_version_1_accepts_and_ends_nothing() -> None:
    conversation = Version2()
    prompt(conversation)
    conversation.received(state("running"))
    assert not conversation.accepts(ACCEPTED)
    assert conversation.ends(state("idle", stopReason="end_turn")) is None
    assert conversation.received(state("idle", stopReason="end_turn")) == []
    assert not conversation.is_used
    assert conversation.saved() is None


def test_a_new_process_knows_nothing_of_the_former_one() -> None:
    conversation = asked(begun())
    chunk = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c"}
    conversation.received(message({**chunk, "content": block("a")}))
    conversation.sent({"id": 1, "method": "initialize", "params": {}})
    assert conversation.ends(state("idle", stopReason="end_turn")) is None
    (found,) = conversation.received(message({**chunk, "content": block("b")}))
    assert found["params"]["update"]["content"] == [block("b")]


def test_a_plain_chunk_is_left_alone() -> None:
    chunk = message({"sessionUpdate": "agent_message_chunk", "content": text("a")})
    (found,) = begun().received(chunk)
    assert found is chunk
    other = {"jsonrpc": "2.0", "method": "fs/read_text_file", "id": 1, "params": {}}
    assert begun().received(other) == [other]


def test_a_result_without_an_id_is_left_alone() -> None:
    given = {"jsonrpc": "2.0", "result": {"configOptions": [MODE]}}
    (found,) = begun().received(given)
    assert found is given


LONG = block("x" * 70_000)


def in_pieces() -> Version2:
    """Return a conversation in which a call has a piece that was not told."""
    conversation = begun()
    chunk = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c"}
    assert len(conversation.received(message({**chunk, "content": LONG}))) == 1
    assert conversation.received(message({**chunk, "content": block("b")})) == []
    return conversation


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_what_was_not_told_of_a_call_is_told_at_its_end(status: str) -> None:
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status}
    (found,) = in_pieces().received(message(done))
    assert found["params"]["update"] == {**done, "content": [block("x" * 70_000 + "b")]}
    going = {**done, "status": "in_progress"}
    (found,) = in_pieces().received(message(going))
    assert found["params"]["update"] == going


def test_what_was_not_told_of_a_call_is_told_when_the_work_ends() -> None:
    conversation = in_pieces()
    assert conversation.received(state("running")) == []
    assert conversation.received(state("idle", session_id="other")) == []
    (found,) = conversation.received(state("idle"))
    assert found == message(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "c",
            "content": [block("x" * 70_000 + "b")],
        }
    )
    assert conversation.received(state("idle")) == []


def test_pieces_of_an_agent_of_version_1_are_forgotten_with_their_call() -> None:
    conversation = Version2()
    chunk = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c"}
    conversation.received(message({**chunk, "content": block("a")}))
    assert conversation.is_used
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    given = message(done)
    assert conversation.received(given) == [given]
    (found,) = conversation.received(message({**chunk, "content": block("b")}))
    assert found["params"]["update"]["content"] == [block("b")]


# -- saved ---------------------------------------------------------------------


def test_a_saved_conversation_goes_on() -> None:
    conversation = asked(begun(session={"mcp": {"stdio": {}}}))
    conversation.received({"jsonrpc": "2.0", "id": 3, "result": {"configOptions": [MODE]}})
    conversation.received(state("running"))
    chunk = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c"}
    conversation.received(message({**chunk, "content": block("a")}))
    saved = conversation.saved()
    assert saved is not None
    assert saved == {
        "spoken": True,
        "stdio": True,
        "mode": "how",
        "prompts": [[5, "s", 11, True, True]],
        "contents": {
            "in_pieces": True,
            "calls": [["c", [block("a")], 12, 12, False]],
            "untold": {},
        },
    }
    restored = Version2.of_saved(json.loads(json.dumps(saved)))
    assert restored.saved() == saved
    (found,) = restored.received(message({**chunk, "content": block("b")}))
    assert found["params"]["update"]["content"] == [block("ab")]
    assert restored.ends(state("idle")) == 5


@pytest.mark.parametrize(
    "changed",
    [
        {"prompts": [[5, "s", 11, True]]},
        {"prompts": [[None, "s", 11, True, True]]},
        {"prompts": ["x"]},
        {"contents": {"in_pieces": True, "calls": [["c"]], "untold": {}}},
        {"contents": {}},
    ],
)
def test_what_is_no_saved_conversation_is_refused(changed: Json) -> None:
    saved = begun().saved()
    assert saved is not None
    with pytest.raises((ValueError, KeyError)):
        Version2.of_saved({**saved, **changed})


def test_a_prompt_that_is_in_no_log_has_no_line() -> None:
    conversation = begun()
    conversation.sent({"id": 5, "method": "session/prompt", "params": {"sessionId": "s"}})
    saved = conversation.saved()
    assert saved is not None
    assert saved["prompts"] == [[5, "s", 0, False, False]]


@pytest.mark.parametrize("given", [1, "true", None])
def test_what_is_not_said_is_not_so(given: Any) -> None:
    saved = begun().saved()
    assert saved is not None
    restored = Version2.of_saved({**saved, "spoken": given, "stdio": given}).saved()
    assert restored is None


# -- lines of a log ------------------------------------------------------------


def entry(seq: int, direction: Any, said: Json, re: int | None = None) -> TrafficEntry:
    return TrafficEntry(seq, 1.0, direction, said, re, "raw")


def test_lines_of_a_log() -> None:
    conversation = begun()
    resumed = {"id": 2, "method": "session/resume", "params": {"replayFrom": {"type": "start"}}}
    (found,) = conversation.entries(entry(2, ">", resumed))
    assert (found.message, found.raw) == ({**resumed, "method": "session/load"}, "")
    asks = entry(3, ">", {"id": 5, "method": "session/prompt", "params": {"sessionId": "s"}})
    assert list(conversation.entries(asks)) == [asks]
    assert list(conversation.entries(entry(4, "<", ACCEPTED, 3))) == []
    chunk = entry(5, "<", message({"sessionUpdate": "agent_message_chunk", "content": text("a")}))
    assert list(conversation.entries(chunk)) == [chunk]
    listed = [{"type": "command"}]
    end = state("idle", stopReason="end_turn", background=listed)
    told, answer = conversation.entries(entry(6, "<", end))
    assert (told.re, told.raw) == (None, "")
    assert (answer.seq, answer.re, answer.raw) == (6, 3, "")
    assert answer.message["id"] == 5


def test_an_answer_that_is_translated_answers_the_same_line() -> None:
    conversation = begun()
    answer = {"jsonrpc": "2.0", "id": 3, "result": {"configOptions": [MODE]}}
    (found,) = conversation.entries(entry(4, "<", answer, 2))
    assert found.re == 2


def test_a_note_of_the_writer_is_no_message() -> None:
    conversation = asked(begun())
    note = entry(1, "!", state("idle", stopReason="end_turn"))
    assert list(conversation.entries(note)) == [note]
    assert conversation.ends(state("idle", stopReason="end_turn")) == 5
    problem = LogProblem(3, "Not JSON.")
    assert list(in_version_1([problem])) == [problem]


def test_our_requests_of_version_1_are_left_alone() -> None:
    resumed = {"id": 2, "method": "session/resume", "params": {"replayFrom": {"type": "start"}}}
    line = entry(2, ">", resumed)
    assert list(Version2().entries(line)) == [line]
