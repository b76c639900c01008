"""A permission request belongs to the tool call that it means."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets.notes import PermissionSettledNote
from acp_jupyter.transcript.items import ToolCall
from tests.acceptance.shown import only, shown
from tests.support.script import Script

Json = dict[str, Any]

LS: Json = {
    "toolCallId": "call-1",
    "title": "ls -la",
    "kind": "execute",
    "rawInput": {"command": "ls -la"},
}


def calls(script: Script) -> list[ToolCall]:
    return list(shown(script, ToolCall))


@pytest.fixture
def script() -> Script:
    script = Script(cwd="/ws")
    script.turn()
    return script


@pytest.mark.parametrize(
    "asked",
    [
        {"toolCallId": "shell-permission"},
        {"toolCallId": "shell-permission", "kind": "execute"},
        {"toolCallId": "shell-permission", "title": "Run ls -la", "kind": "other"},
        {"toolCallId": "x", "title": "Anything", "rawInput": {"command": "ls -la"}},
    ],
    ids=str,
)
def test_a_label_means_the_newest_call_that_is_under_way(script: Script, asked: Json) -> None:
    script.update("tool_call", **LS, status="pending")
    request = script.ask(asked)
    call = only(script, ToolCall)
    assert call.tool_call_id == "call-1"
    assert call.command == "ls -la"
    assert call.permission is not None
    assert call.permission.request_id == request
    assert call.permission.rule == "execute:ls -la"


@pytest.mark.parametrize(
    "asked",
    [
        {"toolCallId": "x", "kind": "edit"},
        {"toolCallId": "x", "title": "rm -r ."},
        {"toolCallId": "x", "kind": "execute", "rawInput": {"command": "rm -r ."}},
    ],
    ids=str,
)
def test_what_contradicts_is_a_card_of_its_own(script: Script, asked: Json) -> None:
    script.update("tool_call", **LS, status="pending")
    script.ask(asked)
    first, second = calls(script)
    assert (first.permission, second.tool_call_id) == (None, "x")
    assert second.permission is not None
    assert second.command != "ls -la"


def test_a_call_that_is_done_or_was_asked_about_is_not_meant(script: Script) -> None:
    script.update("tool_call", **LS, status="completed")
    script.update("tool_call", **{**LS, "toolCallId": "call-2"}, status="pending")
    script.ask({"toolCallId": "label"})
    script.ask({"toolCallId": "label"})
    ids = [(c.tool_call_id, c.permission is not None) for c in calls(script)]
    assert ids == [("call-1", False), ("call-2", True), ("label", True)]


def test_a_label_for_every_call_joins_each(script: Script) -> None:
    for number in (1, 2):
        script.update("tool_call", **{**LS, "toolCallId": f"call-{number}"}, status="pending")
        script.answer(script.ask({"toolCallId": "shell-permission"}), "once")
    assert [c.permission.state for c in calls(script) if c.permission] == ["allowed"] * 2


def test_two_questions_about_one_call_can_both_be_answered(script: Script) -> None:
    script.update("tool_call", **LS, status="pending")
    first = script.ask({"toolCallId": "call-1"})
    second = script.ask({"toolCallId": "call-1"})
    assert script.transcript.session.waiting == 2
    shown_commands = [call.command for call in calls(script)]
    assert shown_commands == ["ls -la", "ls -la"]
    script.answer(second, "no")
    script.answer(first, "once")
    assert [c.permission.state for c in calls(script) if c.permission] == ["allowed", "rejected"]
    assert script.transcript.session.waiting == 0


def test_one_label_for_two_deeds_keeps_what_was_answered_first(script: Script) -> None:
    script.answer(
        script.ask({"toolCallId": "perm", "title": "a", "rawInput": {"command": "a"}}), "once"
    )
    script.ask({"toolCallId": "perm", "title": "b", "rawInput": {"command": "b"}})
    states = [(c.command, c.permission.state) for c in calls(script) if c.permission]
    assert states == [("a", "allowed"), ("b", "pending")]


@pytest.mark.parametrize(
    ("note", "option", "state", "outcome"),
    [
        ({"by": "rule", "rule": "execute:ls"}, "once", "allowed", "Allowed by rule: execute:ls"),
        ({"by": "user", "reason": "Too slow"}, "no", "rejected", "Rejected: Too slow"),
        ({"by": "withdrawn"}, None, "cancelled", "Withdrawn by the agent"),
    ],
    ids=str,
)
def test_what_became_of_it(
    script: Script, note: Json, option: str | None, state: str, outcome: str
) -> None:
    request = script.ask(LS)
    script.note(PermissionSettledNote(request_id=request, **note))
    script.answer(request, option)
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert (permission.state, permission.outcome) == (state, outcome)


def test_a_question_offers_no_rule(script: Script) -> None:
    options = [
        {"optionId": f"q0_opt_{n}", "name": name, "kind": "allow_once"}
        for n, name in enumerate(("red", "blue"))
    ]
    script.ask(LS, options)
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert permission.rule == ""
