"""What is asked stands as it was asked, whatever is said before the answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.host_events.notes import Note
from acp_jupyter.protocol.host_events.session import FileWritten, TerminalStarted
from acp_jupyter.transcript.model.items import Notice
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.support.host.permission_answers import answer, rule
from tests.support.transcript.traffic import Script

Json = dict[str, Any]
LS: Json = {
    "toolCallId": "c1",
    "title": "List",
    "kind": "execute",
    "rawInput": {"command": "ls"},
}
EDIT: Json = {
    "toolCallId": "c1",
    "title": "Edit a",
    "kind": "edit",
    "rawInput": {"path": "/ws/a.py"},
    "content": [{"type": "diff", "path": "/ws/a.py", "oldText": "a\n", "newText": "b\n"}],
    "locations": [{"path": "/ws/a.py"}],
}
DIFF = {"type": "diff", "path": "/ws/.git/config", "oldText": "a\n", "newText": "x\n"}
TEXT = {"type": "content", "content": {"type": "text", "text": "Quite harmless"}}

# What an agent may say of a call that asks. A row each.
LATER: list[Json] = [
    {"rawInput": {"command": "rm -r ."}},
    {"rawInput": {"command": "ls", "env": {"PATH": "/tmp"}}},
    {"rawInput": {"path": "/etc/passwd"}},
    {"title": "Nothing much"},
    {"kind": "read"},
    {"kind": "other"},
    {"locations": [{"path": "/etc/passwd"}]},
    {"locations": []},
    {"content": [DIFF]},
    {"content": [TEXT]},
    {"content": []},
    {"content": [{"type": "terminal", "terminalId": "term1"}]},
    {"rawOutput": {"output": "Quite harmless"}},
    {"status": "in_progress", "rawInput": {"command": "rm -r ."}},
    {"status": "completed", "title": "Done", "rawInput": {"command": "rm -r ."}},
    {"_meta": {"claudeCode": {"toolName": "Read"}}, "title": "Read"},
    {"_meta": {"terminal_info": {"terminal_id": "t", "command": "rm", "cwd": "/"}}},
]
ASKED = set(ToolCall.model_fields) - {"status", "ended_at", "terminal", "exit_code"}


def asking(call: Json) -> tuple[Script, str]:
    script = Script(cwd="/ws")
    script.turn()
    script.update("tool_call", **call, status="pending")
    return script, script.ask(call)


def as_asked(script: Script) -> Json:
    call = next(item for item in shown(script, ToolCall))
    return call.model_dump(include=ASKED - {"output"} if call.terminal else ASKED)


@pytest.mark.parametrize("later", LATER, ids=str)
@pytest.mark.parametrize("kind", ["tool_call", "tool_call_update"])
@pytest.mark.parametrize("call", [LS, EDIT], ids=["command", "edit"])
def test_an_update_before_the_answer_changes_nothing_of_what_is_asked(
    call: Json, kind: str, later: Json
) -> None:
    script, _ = asking(call)
    before = as_asked(script)
    script.update(kind, toolCallId="c1", **later)
    assert as_asked(script) | {"output": ""} == before | {"output": ""}
    if "_meta" not in later and "terminal" not in str(later):
        assert as_asked(script) == before
    rules = [rule("execute:rm *"), rule("read"), rule("edit:.git/config")]
    assert answer(only(script, ToolCall), *rules) is None


@given(st.lists(st.sampled_from(LATER), max_size=4), st.sampled_from([LS, EDIT]))
def test_nor_do_several(updates: list[Json], call: Json) -> None:
    script, request = asking(call)
    before = as_asked(script)
    for update in updates:
        script.update("tool_call_update", toolCallId="c1", **update)
    after = as_asked(script)
    assert {**after, "output": ""} == {**before, "output": ""}
    script.answer(request, "no")
    assert script.transcript.session.waiting == 0


@pytest.mark.parametrize(
    "note",
    [
        FileWritten(path="/ws/a.py", old_text="a\n", new_text="other\n"),
        TerminalStarted(terminal_id="term1", command="rm -r .", cwd="/ws"),
    ],
    ids=["file", "terminal"],
)
def test_nor_does_what_else_is_done_meanwhile(note: Note) -> None:
    bare = {**EDIT, "content": []}
    script, _ = asking(bare)
    before = as_asked(script)
    script.note(note)
    assert as_asked(script) == before


def test_what_was_kept_back_counts_after_the_answer() -> None:
    script, request = asking(LS)
    script.update("tool_call_update", toolCallId="c1", title="Listing", content=[TEXT])
    script.update("tool_call_update", toolCallId="c1", status="in_progress")
    call = only(script, ToolCall)
    assert (call.title, call.output, call.status) == ("List", "", "in_progress")
    script.answer(request, "once")
    call = only(script, ToolCall)
    assert (call.title, call.output, call.status) == ("Listing", "Quite harmless", "in_progress")
    assert not list(shown(script, Notice))


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("call", "change", "words"),
    [
        (LS, {"rawInput": {"command": "rm -r ."}}, ["ls", "rm -r ."]),
        (EDIT, {"content": [DIFF]}, ["a.py", ".git/config"]),
    ],
    ids=["command", "edit"],
)
def test_what_was_allowed_and_is_done_differently_is_told(
    call: Json, change: Json, words: list[str], late: bool
) -> None:
    script, request = asking(call)
    if late:
        script.answer(request, "once")
    script.update("tool_call_update", toolCallId="c1", **change)
    if not late:
        assert not list(shown(script, Notice))
        script.answer(request, "once")
    told = only(script, Notice)
    assert told.severity == "warning"
    assert all(word in told.detail for word in words)


def test_what_was_refused_needs_no_warning() -> None:
    script, request = asking(LS)
    script.update("tool_call_update", toolCallId="c1", rawInput={"command": "rm"})
    script.answer(request, "no")
    assert not list(shown(script, Notice))


def test_the_rule_that_is_remembered_is_that_of_the_card() -> None:
    script, request = asking(LS)
    script.update("tool_call_update", toolCallId="c1", rawInput={"command": "rm"})
    permission = only(script, ToolCall).permission
    assert permission is not None
    assert (permission.rule, permission.request_id) == ("execute:ls", request)


def test_a_second_request_about_it_asks_for_what_was_said_since() -> None:
    script, _ = asking(LS)
    script.update("tool_call_update", toolCallId="c1", rawInput={"command": "rm"})
    script.ask({"toolCallId": "c1"})
    assert [call.command for call in shown(script, ToolCall)] == ["ls", "rm"]
