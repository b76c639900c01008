"""The values of traits, from items and events that come late, twice or by the hundred thousand."""

from __future__ import annotations

import time

import pytest

from acp_jupyter.transcript.model.events import TextAppended
from acp_jupyter.transcript.model.item_base import utf16_length
from acp_jupyter.transcript.model.items import AgentMessage, Elicitation, Plan, PlanEntry, Thought
from acp_jupyter.transcript.model.session_state import TurnFailure, TurnState
from acp_jupyter.transcript.model.tool_items import Diff, Permission, PermissionOption, ToolCall
from acp_jupyter.transcript.view import NAMES, TurnView


@pytest.fixture
def turn() -> TurnView:
    return TurnView(TurnState(turn_id="t", session_id="s", status="running"))


def call(index: int, **more: object) -> ToolCall:
    told = {"tool_call_id": f"c{index}", "title": "Edit a.py", "tool_kind": "edit", **more}
    return ToolCall.model_validate({"id": f"i{index}", "turn_id": "t", **told})


def appended(index: int, offset: int, text: str) -> TextAppended:
    return TextAppended(
        session_id="s", seq=1, item_id=f"i{index}", field="text", offset=offset, text=text
    )


def test_a_piece_that_a_fresh_look_has_brought_is_there_once(turn: TurnView) -> None:
    turn.add(AgentMessage(id="i0", turn_id="t", text="A 🐦 si"))
    for piece, offset in (("A 🐦", 0), (" sings", utf16_length("A 🐦")), (".", 10)):
        turn.apply(appended(0, offset, piece))
    assert turn.changed()["text"] == "A 🐦 sings."
    turn.apply(appended(0, 11, " Loud"))
    turn.apply(appended(0, 16, "ly."))
    assert turn.changed() == {"text": "A 🐦 sings. Loudly."}
    assert turn.changed() == {}


def test_what_a_subagent_says_is_not_the_answer(turn: TurnView) -> None:
    turn.add(Thought(id="i0", turn_id="t", text="Hm."))
    turn.add(call(1))
    turn.add(AgentMessage(id="i2", turn_id="t", text="inner", parent_id="i1"))
    turn.add(AgentMessage(id="i3", turn_id="t", text="One."))
    turn.add(AgentMessage(id="i4", turn_id="t", text="Two.", parent_id="gone"))
    assert {"text": "One.\n\nTwo.", "thoughts": "Hm."}.items() <= turn.changed().items()


def test_all_values_are_there_before_and_after_they_are_told(turn: TurnView) -> None:
    assert turn.values["text"] == ""
    turn.add(AgentMessage(id="i0", turn_id="t", text="One."))
    turn.changed()
    assert turn.values["text"] == "One."
    assert turn.values.keys() == {*NAMES}


def test_the_newest_plan_counts(turn: TurnView) -> None:
    for index, words in enumerate(("old", "new")):
        turn.add(Plan(id=f"i{index}", turn_id="t", entries=(PlanEntry(content=words),)))
    assert turn.changed()["plan"] == (
        {"content": "new", "priority": "medium", "status": "pending"},
    )


def test_what_is_asked_is_there_until_it_is_answered(turn: TurnView) -> None:
    options = (PermissionOption(option_id="y", name="Allow", option_kind="allow_once"),)
    asked = Permission(request_id="p1", title="Demo wants to edit a file", options=options)
    turn.add(call(0, permission=asked, path="a.py"))
    turn.add(Elicitation(id="i1", turn_id="t", request_id="e1", title="Question", message="Why?"))
    pending = turn.changed()["pending"]
    assert [(each["kind"], each["options"]) for each in pending] == [
        ("permission", ("Allow",)),
        ("elicitation", ()),
    ]
    turn.add(call(0, permission=asked.model_copy(update={"state": "allowed"}), path="a.py"))
    assert [each["kind"] for each in turn.changed()["pending"]] == ["elicitation"]
    turn.update(turn.turn.model_copy(update={"status": "done", "stop_reason": "cancelled"}))
    turn.add(Elicitation(id="i1", turn_id="t", request_id="e1", state="cancelled", title="Q"))
    assert turn.changed()["pending"] == ()


def test_an_edit_that_failed_has_changed_nothing(turn: TurnView) -> None:
    diffs = (Diff(path="a.py", new_text="x", added=1, removed=0),)
    turn.add(call(0, diffs=diffs, status="pending"))
    assert [diff["path"] for diff in turn.changed()["diffs"]] == ["a.py"]
    turn.add(call(0, diffs=diffs, status="failed"))
    assert turn.changed()["diffs"] == ()


def test_the_end_comes_last(turn: TurnView) -> None:
    turn.changed()
    failure = TurnFailure(message="It broke.")
    update = {"status": "done", "stop_reason": "error", "failure": failure}
    turn.update(turn.turn.model_copy(update=update))
    turn.add(AgentMessage(id="i0", turn_id="t", text="late"))
    changed = turn.changed()
    assert list(changed) == ["text", "error", "stop_reason", "status"]
    assert NAMES[-1] == "status"
    assert changed["error"] == "It broke."


def test_a_hundred_thousand_calls_cost_little_for_each_change(turn: TurnView) -> None:
    for index in range(100_000):
        turn.add(call(index, status="completed"))
    before = turn.changed()["tool_calls"]
    started = time.process_time()
    for number in range(10):
        turn.add(call(5, status="completed", title=f"Title {number}"))
        after = turn.changed()["tool_calls"]
    assert time.process_time() - started < 2  # 0.1 on a machine at rest
    assert sum(one is not other for one, other in zip(before, after, strict=True)) == 1
