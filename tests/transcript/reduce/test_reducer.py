"""The transcript as a function of the traffic."""

from __future__ import annotations

import itertools
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    PermissionSettledNote,
    TurnFailed,
    TurnStopped,
    TurnTimeUp,
)
from acp_jupyter.transcript.model.items import AgentMessage, Plan
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.event_view import View
from tests.support.transcript.traffic import Script


def items(script: Script, kind: str) -> list[Any]:
    state = script.transcript
    return [item for item in state.window(0, len(state.items)) if item.kind == kind]


def call(script: Script, tool_call_id: str) -> ToolCall:
    state = script.transcript
    item = state.item(int(state.calls[tool_call_id].item_id[1:]))
    return cast(ToolCall, item)


def test_chunks_are_joined_in_order_with_nothing_added() -> None:
    script = Script()
    script.turn()
    for piece in ("Good ", "morning, ", "**world**"):
        script.text(piece)
    (message,) = items(script, "agent_message")
    assert message.text == "Good morning, **world**"


def test_a_message_id_or_another_kind_starts_a_new_item() -> None:
    script = Script()
    script.turn()
    script.text("one", messageId="a")
    script.text("two", messageId="b")
    script.text("hm", kind="agent_thought_chunk")
    script.text("three", messageId="b")
    assert [m.text for m in items(script, "agent_message")] == ["one", "two", "three"]
    (thought,) = items(script, "thought")
    assert not thought.open
    assert thought.ended_at > thought.started_at


def test_empty_chunks_open_no_item() -> None:
    script = Script()
    script.turn()
    script.text("")
    assert items(script, "agent_message") == []


def test_text_after_the_end_of_the_turn_is_kept_and_told_again() -> None:
    script = Script()
    prompt = script.turn()
    script.text("The tail ")
    script.end(prompt)
    ends = sum(event.kind == "turn_ended" for event in script.events)
    script.text("is here.")
    (message,) = items(script, "agent_message")
    assert message.text == "The tail is here."
    assert sum(event.kind == "turn_ended" for event in script.events) == ends + 1


def test_a_tool_call_is_an_upsert_by_id() -> None:
    """Absent and null keep a field, a value replaces it."""
    script = Script()
    script.turn()
    script.update("tool_call_update", toolCallId="c1", status="in_progress")
    script.update(
        "tool_call",
        toolCallId="c1",
        title="Read notes",
        kind="read",
        rawInput={"filePath": "/ws/notes.md"},
        locations=[{"path": "/ws/notes.md", "line": 3}],
    )
    script.update("tool_call_update", toolCallId="c1", status="completed", rawInput=None)
    read = call(script, "c1")
    assert (read.title, read.path, read.locations[0].line) == ("Read notes", "notes.md", 3)
    assert (read.status, read.tool_kind, read.ui_kind) == ("completed", "read", "read")
    assert read.raw_input == {"filePath": "/ws/notes.md"}
    assert len(items(script, "tool_call")) == 1


def test_a_status_never_goes_backwards() -> None:
    script = Script()
    script.turn()
    script.update("tool_call", toolCallId="c1", title="x", status="in_progress")
    script.update("tool_call", toolCallId="c1", title="x", status="pending")
    assert call(script, "c1").status == "in_progress"


def test_whole_buffers_become_appends() -> None:
    script = Script()
    script.turn()
    for text in ("a", "ab", "abc"):
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        script.update("tool_call_update", toolCallId="c1", content=content)
    assert call(script, "c1").output == "abc"
    appended = [e.text for e in script.events if e.kind == "text_appended"]
    assert appended == ["a", "b", "c"]


@pytest.mark.parametrize("old", [None, ""])
def test_an_empty_old_text_is_a_new_file(old: str | None) -> None:
    script = Script()
    script.turn()
    diff = {"type": "diff", "path": "/ws/src/a.py", "oldText": old, "newText": "x\n"}
    script.update("tool_call", toolCallId="c1", title="edit", kind="edit", content=[diff])
    edit = call(script, "c1")
    assert (edit.title, edit.description, edit.is_new_file) == ("Writing file", "src/a.py", True)
    assert (edit.diffs[0].added, edit.diffs[0].removed) == (1, 0)


def test_an_edit_names_its_file_relative_to_the_folder() -> None:
    script = Script()
    script.turn()
    diff = {"type": "diff", "path": "/ws/src/a.py", "oldText": "a\nb\n", "newText": "a\nc\n"}
    script.update("tool_call", toolCallId="c1", title="/ws/src/a.py", kind="edit", content=[diff])
    edit = call(script, "c1")
    assert (edit.title, edit.description) == ("Editing file", "src/a.py")


def test_a_permission_is_a_state_of_its_tool_call() -> None:
    """The request shows what is known of the call, and empty values erase nothing."""
    script = Script()
    script.turn()
    script.update(
        "tool_call", toolCallId="c1", title="bash", kind="execute", rawInput={"command": "ls"}
    )
    request = script.ask({"toolCallId": "c1", "rawInput": {}, "content": [], "locations": []})
    asked = call(script, "c1")
    assert asked.command == "ls"
    assert asked.permission is not None
    assert asked.permission.title == "Demo wants to run a command"
    assert [option.name for option in asked.permission.options] == [
        "Allow once",
        "Always",
        "Reject",
    ]
    assert script.transcript.session.status == "requires_action"
    assert script.transcript.turns["t1"].status == "requires_action"
    script.answer(request, "once")
    settled = call(script, "c1").permission
    assert settled is not None
    assert (settled.state, settled.outcome) == ("allowed", "Allowed once")
    after = script.transcript.session
    assert after.status == "running"


def test_a_request_for_an_unknown_call_makes_its_card() -> None:
    script = Script()
    script.turn()
    script.ask({"toolCallId": "new", "title": "touch x", "kind": "execute"})
    assert call(script, "new").permission is not None


def test_the_outcome_selected_alone_allows_nothing() -> None:
    """A selected reject option is a rejection."""
    script = Script()
    script.turn()
    request = script.ask({"toolCallId": "c1", "title": "x", "kind": "edit"})
    script.answer(request, "no")
    settled = call(script, "c1").permission
    assert settled is not None
    assert (settled.state, settled.outcome) == ("rejected", "Rejected")


def test_an_unknown_option_kind_is_an_answer_and_no_grant() -> None:
    script = Script()
    script.turn()
    offered = [{"optionId": "blue", "name": "Blue", "kind": "colour"}]
    request = script.ask({"toolCallId": "c1", "title": "Which?"}, offered)
    script.answer(request, "blue")
    settled = call(script, "c1").permission
    assert settled is not None
    assert (settled.state, settled.outcome) == ("answered", "Blue")


def test_a_rule_is_named_in_the_outcome() -> None:
    script = Script()
    script.turn()
    request = script.ask({"toolCallId": "c1", "title": "x", "kind": "edit"})
    settled = PermissionSettledNote(request_id=request, by="policy", rule="accept-edits")
    script.note(settled)
    script.answer(request, "once")
    permission = call(script, "c1").permission
    assert permission is not None
    assert permission.outcome == "Allowed by policy: accept-edits"


def test_a_stopped_turn_closes_what_is_open() -> None:
    script = Script()
    prompt = script.turn()
    script.update("tool_call", toolCallId="c1", title="x", status="in_progress")
    script.end(prompt, "cancelled")
    assert call(script, "c1").status == "cancelled"
    turn = script.transcript.turns["t1"]
    assert (turn.status, turn.stop_reason, turn.words) == ("done", "cancelled", "Stopped by you.")
    assert script.transcript.session.status == "idle"


def test_a_stopped_turn_is_cancelled_whatever_the_agent_says() -> None:
    script = Script()
    prompt = script.turn()
    script.line(">", {"method": "session/cancel", "params": {"sessionId": "a1"}})
    script.text("I was done anyway.")
    script.end(prompt, "end_turn")
    assert script.transcript.turns["t1"].stop_reason == "cancelled"
    refusing = script.turn("Then", "t3")
    script.line(">", {"method": "session/cancel", "params": {"sessionId": "a1"}})
    script.line("<", {"id": 1, "error": {"code": -32603, "message": "aborted"}}, refusing)
    assert script.transcript.turns["t3"].stop_reason == "cancelled"
    again = script.turn("Next", "t2")
    script.text("Yes.")
    script.end(again)
    assert script.transcript.turns["t2"].stop_reason == "end_turn"


def test_a_rejected_call_without_a_last_word_has_failed() -> None:
    script = Script()
    prompt = script.turn()
    request = script.ask({"toolCallId": "c1", "title": "x", "kind": "edit"})
    script.answer(request, "no")
    script.end(prompt)
    assert call(script, "c1").status == "failed"


def test_an_answer_after_the_stop_changes_nothing() -> None:
    script = Script()
    prompt = script.turn()
    script.note(TurnStopped(turn_id="t1"))
    script.end(prompt, "end_turn")
    assert script.transcript.turns["t1"].stop_reason == "cancelled"
    assert len(items(script, "turn_end")) == 1


def test_a_dead_process_expires_its_questions() -> None:
    script = Script()
    script.turn()
    script.ask({"toolCallId": "c1", "title": "x", "kind": "edit"})
    script.note(AgentExited(words="was killed by signal 9", stderr=("boom",)))
    script.note(TurnFailed(turn_id="t1", message="Demo stopped.", detail="boom"))
    permission = call(script, "c1").permission
    assert permission is not None
    assert permission.state == "expired"
    (error,) = items(script, "error")
    assert (error.message, error.detail) == ("Demo stopped.", "boom")
    assert script.transcript.turns["t1"].stop_reason == "error"
    assert script.transcript.session.status == "stopped"


def test_a_json_rpc_error_ends_the_turn() -> None:
    script = Script()
    prompt = script.turn()
    error = {"code": -32603, "message": "Internal error", "data": {"details": "no model"}}
    script.line("<", {"id": 1, "error": error}, prompt)
    (item,) = items(script, "error")
    assert item.message.startswith("Demo answered with an error: Internal error: no model. ")
    assert (item.detail, item.code) == ("no model", "-32603")
    assert script.transcript.turns["t1"].failure is not None


def test_a_silent_turn_says_so() -> None:
    script = Script()
    script.end(script.turn())
    assert script.transcript.turns["t1"].words == "The agent sent no answer."


def test_an_unknown_stop_reason_ends_the_turn() -> None:
    script = Script()
    prompt = script.turn()
    script.text("x")
    script.end(prompt, "budget")
    assert script.transcript.turns["t1"].words == "Ended: budget."


def test_a_plan_is_replaced_in_place() -> None:
    script = Script()
    script.turn()
    script.update("plan", entries=[{"content": "a", "priority": 1}, {"description": "b"}])
    script.text("text between")
    script.update("plan", entries=[{"content": "a", "status": "completed"}])
    (plan,) = cast(list[Plan], items(script, "plan"))
    assert [(e.content, e.status) for e in plan.entries] == [("a", "completed")]


def test_the_echo_of_the_prompt_is_not_doubled() -> None:
    script = Script()
    script.turn("Do it")
    script.text("Do it", kind="user_message_chunk")
    assert [item.text for item in items(script, "user_message")] == ["Do it"]


def test_a_queued_prompt_waits_and_is_taken_back() -> None:
    script = Script()
    script.turn()
    prompt = [{"type": "text", "text": "Then this"}]
    script.line("!", {"note": "turn_queued", "turn_id": "t2", "prompt": prompt})
    assert [q.text for q in script.transcript.session.queue] == ["Then this"]
    script.line("!", {"note": "turn_removed", "turn_id": "t2"})
    assert script.transcript.session.queue == ()
    assert script.transcript.turns["t2"].stop_reason == "cancelled"
    assert script.transcript.session.active_turn_id == "t1"


def test_unknown_updates_harm_nothing() -> None:
    script = Script()
    script.turn()
    script.update("hologram", shape="cube")
    script.line("<", {"method": "session/update", "params": None})
    script.text("still here")
    assert items(script, "agent_message")[0].text == "still here"


def test_items_of_turns_do_not_mix() -> None:
    script = Script()
    first = script.turn("one", "t1")
    script.text("first")
    script.end(first)
    script.turn("two", "t2")
    script.text("second")
    texts = [i.text for i in script.transcript.turn_items("t2") if isinstance(i, AgentMessage)]
    assert texts == ["second"]


@given(text=st.text(min_size=1, max_size=200), cuts=st.lists(st.integers(0, 200), max_size=12))
def test_any_split_of_a_text_gives_the_same_transcript(text: str, cuts: list[int]) -> None:
    """Offsets count UTF-16 units, as in JavaScript."""
    text = text.encode("utf-8", "replace").decode()
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    script = Script()
    script.turn()
    for start, end in itertools.pairwise(places):
        script.text(text[start:end])
    messages = items(script, "agent_message")
    assert "".join(message.text for message in messages) == text
    _, shown, _ = View().take(script.events).state()
    assert text in [item.get("text") for item in shown if item["kind"] == "agent_message"]


@pytest.mark.parametrize(("approved", "status"), [(True, "completed"), (False, "failed")])
def test_a_request_that_names_no_call_ends_as_it_was_answered(approved: bool, status: str) -> None:
    script = Script()
    prompt = script.turn()
    asked = {"type": "permission_request", "request_id": "pr", "operation": "delete_file"}
    told = {"type": "permission_response", "request_id": "pr", "approved": approved}
    script.imported(asked)
    script.imported(told)
    script.end(prompt)
    (call,) = (item for item in script.transcript.items if isinstance(item, ToolCall))
    assert call.status == status


@pytest.mark.parametrize(
    ("of_turn", "stopped", "words"),
    [
        ("t1", True, "Stopped at its time limit."),
        ("t0", True, "Stopped by you."),
        ("t1", False, ""),
    ],
)
def test_a_turn_that_ran_out_of_time_says_so(of_turn: str, stopped: bool, words: str) -> None:
    script = Script()
    prompt = script.turn()
    script.text("Half")
    script.note(TurnTimeUp(turn_id=of_turn))
    if stopped:
        script.line(">", {"method": "session/cancel", "params": {"sessionId": "a1"}})
    script.end(prompt)
    (ended,) = items(script, "turn_end")
    assert ended.words == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "Demo",
            "Demo answered with an error: No. The session continues; send the message again.",
        ),
        ("Demo (replayed)", "Demo (replayed): No."),
    ],
)
def test_an_error_of_a_replay_asks_for_no_second_try(name: str, words: str) -> None:
    script = Script(agent=name)
    prompt = script.turn()
    script.line("<", {"id": 1, "error": {"code": 1, "message": "No."}}, prompt)
    (error,) = items(script, "error")
    assert error.message == words


def test_a_call_of_which_nothing_is_said_is_one_call() -> None:
    script = Script()
    script.turn()
    for more in ({}, {}, {"title": "grep"}):
        script.update("tool_call_update", toolCallId="c1", **more)
    (only,) = items(script, "tool_call")
    assert only.title == "Searching content"


@pytest.mark.parametrize("by", get_args(PermissionSettledNote.model_fields["by"].annotation))
def test_the_end_of_a_request_that_nobody_knows_changes_nothing(by: Any) -> None:
    script = Script()
    script.turn()
    before = script.transcript
    script.note(PermissionSettledNote(request_id="p99", by=by, shown_name="Ann"))
    script.answer("p99", "once")
    assert script.transcript.items == before.items
    assert script.transcript.session == before.session


def test_what_is_said_of_one_compaction_is_one_line() -> None:
    script = Script()
    script.turn()

    def told() -> list[tuple[str, str]]:
        return [(notice.title, notice.detail) for notice in items(script, "notice")]

    script.update("compaction_update", compactionId="k", status="in_progress")
    assert told() == [("Making room in the context", "")]
    for words in ("Before. ", "More."):
        script.update("compaction_summary_chunk", compactionId="k", content=_text(words))
    assert told() == [("Making room in the context", "Before. More.")]
    script.update("compaction_update", compactionId="k", status="completed")
    assert told() == [("Older messages were summarised", "Before. More.")]
    script.update("compaction_update", compactionId="l", status="completed")
    script.update("compaction_update", status="failed")
    script.update("compaction_update", status="failed")
    assert [title for title, _ in told()] == [
        *["Older messages were summarised"] * 2,
        *["The context could not be summarised"] * 2,
    ]


def _text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}
