"""What the protocol's own Python SDK helps agents to write, as it is shown here."""

from __future__ import annotations

from typing import Any

import pytest
from acp.helpers import (
    image_block,
    start_edit_tool_call,
    start_read_tool_call,
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    tool_terminal_ref,
    update_tool_call,
)

from acp_jupyter.protocol.host_events.session import TerminalStarted
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.sdk_turns import Told
from tests.acceptance.shown import only, shown
from tests.support.log.imported import import_lines

Json = dict[str, Any]

EXAMPLES: list[Json] = [
    {
        "sessionUpdate": "tool_call",
        "toolCallId": "read_001",
        "title": "Reading file",
        "kind": "read",
        "status": "pending",
        "locations": [{"path": "/src/main.py"}],
        "rawInput": {"path": "/src/main.py"},
    },
    {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "read_001",
        "status": "in_progress",
        "content": [{"type": "content", "content": {"type": "text", "text": "File contents: ..."}}],
    },
    {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "read_001",
        "status": "completed",
        "rawOutput": {"lines": 42, "bytes": 1024},
    },
]


@pytest.mark.parametrize("method", ["acp/notification/session_update", "session/update"])
def test_the_examples_on_the_wire(method: str) -> None:
    """S2.34, C1: all three, in the envelope of the examples and in that of today."""
    params = [{"sessionId": "sess_123", "update": update} for update in EXAMPLES]
    lines = [{"jsonrpc": "2.0", "method": method, "params": each} for each in params]
    opened = {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "sess_123"}}
    asked = {"method": "session/new", "id": 1, "params": {"cwd": "/src", "mcpServers": []}}
    imported = import_lines([{"jsonrpc": "2.0", **asked}, opened, *lines])
    assert (imported.problems, imported.unknown) == ([], [])
    (card,) = imported.calls()
    assert (card.title, card.tool_kind, card.status) == ("Reading file", "read", "completed")
    assert (card.path, card.output) == ("main.py", "File contents: ...")
    assert card.raw_output == {"lines": 42, "bytes": 1024}


def test_a_read_that_is_announced() -> None:
    """S2.35: kind read, pending, its path as place and input."""
    told = Told()
    told.send(start_read_tool_call("r", "Reading config", "/ws/config.json"))
    card = only(told, ToolCall)
    assert (card.tool_kind, card.ui_kind, card.status) == ("read", "read", "pending")
    assert (card.path, card.raw_input) == ("config.json", {"path": "/ws/config.json"})
    assert [place.path for place in card.locations] == ["config.json"]


def test_an_edit_that_is_announced() -> None:
    """S2.36: its new text is in its input before there is a diff."""
    told = Told()
    told.send(start_edit_tool_call("e", "Edit config", "/ws/config.json", "{}"))
    card = only(told, ToolCall)
    assert (card.tool_kind, card.status, card.diffs) == ("edit", "pending", ())
    assert card.raw_input == {"path": "/ws/config.json", "content": "{}"}


FIELDS: list[tuple[Json, Json]] = [
    ({"title": "Move it"}, {"title": "Move it"}),
    ({"kind": "delete"}, {"tool_kind": "delete"}),
    ({"status": "in_progress"}, {"status": "in_progress"}),
    ({"raw_output": {"bytes": 1}}, {"raw_output": {"bytes": 1}}),
]


@pytest.mark.parametrize(("told_field", "changed"), FIELDS, ids=str)
def test_an_update_of_one_field_changes_that_field(told_field: Json, changed: Json) -> None:
    """S2.37."""
    told = Told()
    told.send(start_tool_call("c", "Copy it", kind="move", status="pending", raw_input={"a": "b"}))
    before = only(told, ToolCall)
    told.send(update_tool_call("c", **told_field))
    assert only(told, ToolCall) == before.model_copy(update=changed)


def test_the_three_outputs() -> None:
    """S2.37: text and image, a diff, a terminal."""
    told = Told()
    told.send(start_tool_call("c", "Do it all", kind="edit"))
    told.note(TerminalStarted(terminal_id="term_1", command="make", cwd="/ws"))
    said = [tool_content(text_block("Done.")), tool_content(image_block("aa", "image/png"))]
    diff = tool_diff_content("/ws/a.txt", "new", "old")
    told.send(update_tool_call("c", content=[*said, diff]))
    card = only(told, ToolCall)
    assert (card.output, [block.type for block in card.blocks]) == ("Done.", ["image"])
    assert [(d.path, d.old_text, d.new_text) for d in card.diffs] == [("a.txt", "old", "new")]
    told.send(update_tool_call("c", content=[tool_terminal_ref("term_1")]))
    terminal = only(told, ToolCall).terminal
    assert terminal is not None
    assert (terminal.terminal_id, terminal.running) == ("term_1", True)


def test_a_tracked_call_need_never_be_pending() -> None:
    """S2.38: its id is 32 hexadecimal digits, and means nothing here."""
    told = Told()
    started = told.tracker.start("mine", title="Reading config", kind="read")
    assert len(bytes.fromhex(started.tool_call_id)) == 16
    told.send(started)
    card = only(told, ToolCall)
    assert (card.tool_call_id, card.status) == (started.tool_call_id, "in_progress")
    assert card.started_at is not None
    told.send(told.tracker.progress("mine", status="completed", raw_output={"bytes": 1024}))
    told.tracker.forget("mine")
    assert only(told, ToolCall).status == "completed"


def test_text_that_is_told_whole_each_time_is_shown_once() -> None:
    """S2.39: what is new is appended; nothing that is shown already is drawn again."""
    told = Told()
    told.send(told.tracker.start("bake", title="Baking"))
    before = len(told.events)
    pieces = [f"step {n}\n" for n in range(50)]
    for piece in pieces:
        told.send(told.tracker.append_stream_text("bake", piece))
    assert only(told, ToolCall).output == "".join(pieces)
    events = told.events[before:]
    assert [e.text for e in events if e.kind == "text_appended"] == pieces
    assert all(e.kind != "item_replaced" for e in events[1:])


def test_many_calls_at_once() -> None:
    """S2.40: each keeps its own state; their order is that in which they started."""
    told = Told()
    names = [f"call {n}" for n in range(20)]
    for name in names:
        told.send(told.tracker.start(name, title=name.title()))
    for round_ in range(3):
        for name in reversed(names):
            told.send(told.tracker.append_stream_text(name, f"{name}, {round_}; "))
    for name in names[::2]:
        told.send(told.tracker.progress(name, status="completed"))
    cards = shown(told, ToolCall)
    assert [card.title for card in cards] == [name.title() for name in names]
    said = ["".join(f"{name}, {n}; " for n in range(3)) for name in names]
    assert [card.output for card in cards] == said
    assert [card.status for card in cards[:3]] == ["completed", "in_progress", "completed"]
