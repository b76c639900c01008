"""What is remembered of very many, and what is not read of too much: the oldest go first."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.elicitation import ElicitationField, read_field
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.protocol.large.long_json import read_long_json
from acp_jupyter.protocol.log_envelope import OpenRequests
from acp_jupyter.protocol.log_json import PrettyPrinted
from acp_jupyter.protocol.packets import AgentMessageChunk
from acp_jupyter.protocol.parse.elicitation import SecretAnswers
from acp_jupyter.protocol.parse.tool_calls import ParseState
from acp_jupyter.protocol.tools.outputs import TerminalTexts
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader

WITH_A_SECRET = {"properties": {"key": {"type": "string", "writeOnly": True}}}


@pytest.mark.parametrize(("count", "kept"), [(10_000, True), (10_001, False)])
def test_open_requests_of_a_log(count: int, kept: bool) -> None:
    requests = OpenRequests()
    for number in range(count):
        requests.add(">", {"id": number, "method": "x"}, number)
    assert (requests.answered("<", {"id": 0}) is not None) is kept
    newest = requests.answered("<", {"id": count - 1})
    assert newest is not None
    assert newest.seq == count - 1


@pytest.mark.parametrize(("count", "kept"), [(1_000, True), (1_001, False)])
def test_questions_with_secret_answers(count: int, kept: bool) -> None:
    secrets = SecretAnswers()
    asked = {"method": "elicitation/create", "params": {"requestedSchema": WITH_A_SECRET}}
    plain = {"method": "elicitation/create", "params": {"requestedSchema": {}}}
    for seq in range(count):
        secrets.without(TrafficEntry(seq, 1.0, "<", asked, None))
        secrets.without(TrafficEntry(count + seq, 1.0, "<", plain, None))
    for of, hidden in ((0, kept), (count - 1, True)):
        answer = {"id": 1, "result": {"action": "accept", "content": {"key": "k"}}}
        shown: Any = secrets.without(TrafficEntry(2 * count, 1.0, ">", answer, of)).message
        assert shown["result"]["content"] == {"key": "(not kept)" if hidden else "k"}


@pytest.mark.parametrize(("count", "kept"), [(200, True), (201, False)])
def test_terminals_with_half_a_character(count: int, kept: bool) -> None:
    texts = TerminalTexts()
    for number in range(count):
        assert texts.read(f"t{number}", {"base64": "w6k="[:2] + "=="}) == ""
    assert texts.read("t0", {"base64": "qQ=="}) == ("é" if kept else "\ufffd")


@pytest.mark.parametrize(("count", "kept"), [(1_000, True), (1_001, False)])
def test_names_and_kinds_of_calls(count: int, kept: bool) -> None:
    state = ParseState()
    for number in range(count):
        state.tool_name(f"c{number}", {"title": "grep"})
        state.kind(f"c{number}", {"kind": "edit"})
    assert state.tool_name("c0", {}) == ("grep" if kept else "unknown")
    assert state.kind("c0", {}) == ("edit" if kept else None)
    assert state.kind(f"c{count - 1}", {}) == "edit"


def test_an_object_that_is_too_long_is_left_out_of_a_printed_log() -> None:
    printed = PrettyPrinted(10)
    assert list(printed.feed(1, "[")) == []
    assert list(printed.feed(2, '{"a":')) == []
    assert list(printed.feed(3, "12345")) == []
    assert list(printed.feed(4, "6")) == [(2, "")]
    assert (printed.is_open, printed.in_object) == (True, False)
    assert list(printed.feed(5, '{"b": 1}')) == [(5, '{"b": 1}')]
    assert list(printed.feed(6, "]")) == []
    assert not printed.is_open


def test_what_is_no_json_becomes_text() -> None:
    assert clean_json({"a": (1, b"x")}) == {"a": [1, "b'x'"]}


def test_a_long_line_of_too_many_parts_says_so() -> None:
    assert len(read_long_json("[" + "[]," * 99_998 + "[]]")) == 99_999
    with pytest.raises(ValueError, match=r"\AIt has too many parts\.\Z"):
        read_long_json("[" + "[]," * 99_999 + "[]]")


@pytest.mark.parametrize(("count", "asked"), [(1_000, True), (1_001, False)])
def test_a_field_of_very_many_choices_is_not_asked(count: int, asked: bool) -> None:
    found = read_field("n" * 81, {"enum": [str(n) for n in range(count)]}, required=False)
    refusal = f"The field '{'n' * 80}' offers more than 1000 choices."
    assert isinstance(found, ElicitationField) if asked else found == refusal


def _update(session: str, **update: Any) -> TrafficEntry:
    params = {"sessionId": session, "update": update}
    return TrafficEntry(1, 1.0, "<", {"method": "session/update", "params": params}, None)


def _announced(count: int) -> TrafficReader:
    reader = TrafficReader()
    for number in range(count):
        reader.read(_update("s", sessionUpdate="subagent_update", sessionId=f"child {number}"))
    return reader


@pytest.mark.parametrize(("count", "kept"), [(200, True), (201, False)])
def test_child_sessions(count: int, kept: bool) -> None:
    reader = _announced(count)
    content = {"type": "text", "text": "a"}
    for of, known in ((0, kept), (count - 1, True)):
        said = reader.read(
            _update(f"child {of}", sessionUpdate="agent_message_chunk", content=content)
        )
        assert isinstance(said[-1], AgentMessageChunk)
        assert said[-1].parent_id == (f"subagent-{of + 1}" if known else "")


@pytest.mark.parametrize(("count", "kept"), [(200, True), (201, False)])
def test_messages_between_sessions(count: int, kept: bool) -> None:
    """A later chunk says no more whom its message is for."""
    reader = _announced(1)
    chunk = {"sessionUpdate": "session_message_chunk", "content": {"type": "text", "text": "a"}}
    for number in range(count):
        reader.read(_update("s", **chunk, messageId=f"m{number}", recipientSessionId="child 0"))
    for of, known in ((0, kept), (count - 1, True)):
        assert bool(reader.read(_update("s", **chunk, messageId=f"m{of}"))) is known
