"""A tool call keeps what was said of it, and takes in what is said anew."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.session import FileWritten, TerminalStarted
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.support.transcript.traffic import Script

Json = dict[str, Any]
RUN: Json = {"title": "Build it", "kind": "execute"}
EDIT: Json = {"title": "Tidy up", "kind": "edit"}
IMAGE: Json = {"type": "content", "content": {"type": "image", "data": "aQ==", "mimeType": "a/b"}}
DIFF: Json = {"type": "diff", "path": "/ws/a.py", "oldText": "a\n", "newText": "b\n"}
LONG = "x" * 20_000
"""The longest text of a raw output that is shown whole."""
CUT = f"{LONG} … the rest is in the session's traffic"


def said(words: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": words}}


@pytest.fixture
def script() -> Script:
    script = Script(cwd="/ws")
    script.turn()
    return script


def test_a_call_of_which_nothing_is_said_has_a_title(script: Script) -> None:
    script.update("tool_call_update", toolCallId="c")
    assert only(script, ToolCall).title == "Running tool"


def test_a_status_alone_leaves_the_output(script: Script) -> None:
    """Its text is that of the content, whatever the raw output is."""
    script.update("tool_call", toolCallId="c", **RUN, rawOutput="raw")
    script.update("tool_call_update", toolCallId="c", content=[said("told")])
    script.update("tool_call_update", toolCallId="c", status="completed")
    call = only(script, ToolCall)
    assert (call.output, call.raw_output) == ("told", "raw")


def test_an_id_names_another_call_in_another_turn() -> None:
    """Some agents use one label for every call."""
    script = Script(cwd="/ws")
    prompt = script.turn()
    script.update("tool_call", toolCallId="label", **EDIT, status="in_progress")
    script.end(prompt)
    script.turn("More", "t2")
    script.update("tool_call", toolCallId="label", **RUN, status="in_progress")
    calls = [(call.turn_id, call.title, call.status) for call in shown(script, ToolCall)]
    assert calls == [("t1", "Tidy up", "cancelled"), ("t2", "Build it", "in_progress")]


def test_a_call_stays_with_the_subagent_that_made_it(script: Script) -> None:
    for name in ("c1", "c2"):
        script.update("tool_call", toolCallId=name, title="task", status="in_progress")
    of_first, of_second = ({"parentToolCallId": name} for name in ("c1", "c2"))
    script.update("tool_call", toolCallId="step", **RUN, _meta=of_first)
    script.update("tool_call_update", toolCallId="step", status="completed", _meta=of_second)
    first, _, step = shown(script, ToolCall)
    assert (step.parent_id, step.status) == (first.id, "completed")


def test_a_picture_is_replaced_by_a_text(script: Script) -> None:
    """A content replaces the whole of the one before."""
    script.update("tool_call", toolCallId="c", title="Look", content=[IMAGE])
    assert len(only(script, ToolCall).blocks) == 1
    script.update("tool_call_update", toolCallId="c", content=[said("It is blue.")])
    call = only(script, ToolCall)
    assert (call.blocks, call.output) == ((), "It is blue.")


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (LONG, LONG),
        (f"{LONG}y", CUT),
        ({"output": f"{LONG}y", "exit": 0}, {"output": CUT, "exit": 0}),
        ({"metadata": {"output": f"{LONG}y"}}, {"metadata": {"output": CUT}}),
        ([f"{LONG}y", "short"], [CUT, "short"]),
        ([1, None, "a"], [1, None, "a"]),
        (7, 7),
    ],
    ids=["longest", "too long", "in a field", "deeper", "in a list", "list", "number"],
)
def test_of_a_long_text_the_beginning_is_kept_as_raw_output(
    script: Script, raw: Any, kept: Any
) -> None:
    """An output that grows and comes whole each time would be sent whole each time."""
    script.update("tool_call", toolCallId="c", title="x", rawOutput=raw)
    script.update("tool_call_update", toolCallId="c", status="completed")
    assert only(script, ToolCall).raw_output == kept


@pytest.mark.parametrize("in_turn", [True, False])
def test_a_command_that_nobody_stopped_is_completed(in_turn: bool) -> None:
    """What an agent tells of an earlier session belongs to no turn."""
    script = Script(cwd="/ws")
    if in_turn:
        script.turn()
    script.update("tool_call", toolCallId="c", **RUN, status="in_progress")
    script.update("tool_call_update", toolCallId="c", status="completed", content=[said("ok")])
    assert only(script, ToolCall).status == "completed"


def test_the_file_that_was_asked_about_stays_in_sight(script: Script) -> None:
    """Its path is that of the diff alone."""
    asked = {"toolCallId": "c", **EDIT, "content": [DIFF]}
    script.answer(script.ask(asked), "once")
    script.update("tool_call_update", toolCallId="c", content=[said("Wrote file")])
    call = only(script, ToolCall)
    assert ([diff.path for diff in call.diffs], call.path) == (["a.py"], "a.py")


def test_the_command_of_a_terminal_outlives_what_is_said_later(script: Script) -> None:
    """Only the host has told it."""
    terminal = {"type": "terminal", "terminalId": "T"}
    script.update("tool_call", toolCallId="c", **RUN, content=[terminal])
    script.note(TerminalStarted(terminal_id="T", command="make all", cwd="/ws"))
    script.update("tool_call_update", toolCallId="c", title="Build everything")
    call = only(script, ToolCall)
    assert (call.title, call.command) == ("Build everything", "make all")


def test_a_card_shows_what_was_written_before_it_came(script: Script) -> None:
    script.note(FileWritten(path="/ws/a.py", old_text="a\n", new_text="b\n"))
    script.update("tool_call", toolCallId="c", **EDIT, locations=[{"path": "/ws/a.py"}])
    (diff,) = only(script, ToolCall).diffs
    assert (diff.path, diff.old_text, diff.new_text) == ("a.py", "a\n", "b\n")


@pytest.mark.parametrize("option", ["once", "no"])
def test_a_card_that_asked_shows_what_was_written_meanwhile(script: Script, option: str) -> None:
    asked = {"toolCallId": "c", **EDIT, "locations": [{"path": "/ws/a.py"}]}
    request = script.ask(asked)
    script.note(FileWritten(path="/ws/a.py", old_text="a\n", new_text="b\n"))
    assert only(script, ToolCall).diffs == ()
    script.answer(request, option)
    assert len(only(script, ToolCall).diffs) == 1
