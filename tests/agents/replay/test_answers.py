"""Whether a recording can go on after an answer that is not the recorded one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from acp_jupyter.agents.replay.permissions import LiveAnswer, difference, is_allowed, is_rejected
from acp_jupyter.agents.replay.recording import AgentRequest

Json = dict[str, Any]
OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "a", "name": "Always", "kind": "allow_always"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
NOT_POSSIBLE: Json = {"error": {"code": -32603, "message": "No."}}


def chosen(option_id: str) -> Json:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def request(method: str, answer: Json | None, params: Json | None = None) -> AgentRequest:
    return AgentRequest(0.0, 1, {"id": 1, "method": method, "params": params or {}}, answer)


def permission(answer: Json | None) -> AgentRequest:
    return request("session/request_permission", answer, {"options": OPTIONS})


@pytest.mark.parametrize("now", ["y", "a"])
def test_once_or_always_makes_no_difference(now: str) -> None:
    assert difference(permission({"result": chosen("y")}), LiveAnswer(chosen(now))) is None


@pytest.mark.parametrize(
    ("recorded", "now", "words"),
    [
        ({"result": chosen("y")}, LiveAnswer(chosen("n")), "“Yes” when this was recorded.*“No”"),
        ({"result": chosen("n")}, LiveAnswer(chosen("y")), "“No” when this was recorded.*“Yes”"),
        ({"result": chosen("y")}, LiveAnswer({}, "Gone."), "“Yes” .*“Gone.”"),
        (NOT_POSSIBLE, LiveAnswer(chosen("y")), "“No.” .*“Yes”"),
    ],
    ids=["rejected now", "allowed now", "fails now", "failed then"],
)
def test_another_decision_is_told(recorded: Json, now: LiveAnswer, words: str) -> None:
    told = difference(permission(recorded), now)
    assert told is not None
    assert re.search(words, told)


def test_what_was_never_answered_makes_no_difference() -> None:
    assert difference(permission(None), LiveAnswer(chosen("y"))) is None


def test_what_could_be_written_must_be_writable() -> None:
    write = request("fs/write_text_file", {"result": {}})
    assert difference(write, LiveAnswer({})) is None
    told = difference(write, LiveAnswer({}, "Read-only."))
    assert told is not None
    assert told.endswith("can't be now: Read-only.")


def test_only_an_option_that_allows_allows() -> None:
    ask = permission(None)
    answers = [chosen("y"), chosen("a"), chosen("n"), chosen("?"), {}]
    assert [is_allowed(ask, LiveAnswer(each)) for each in answers] == [True, True, *[False] * 3]
    assert not is_allowed(ask, LiveAnswer(chosen("y"), "Gone."))
    assert is_rejected(ask, LiveAnswer(chosen("n")))
    assert not is_rejected(ask, LiveAnswer({"outcome": {"outcome": "cancelled"}}))
