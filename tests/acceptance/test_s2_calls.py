"""Tool calls of seed 001: their fields, contents and phases."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.packets import Location, ToolCallProgress, ToolCallStart
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.acceptance.turns_of_calls import CALL_TURNS, KINDS, WANTED
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def start(**fields: Any) -> ToolCallStart:
    packet = parse_packet({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "x", **fields})
    assert isinstance(packet, ToolCallStart)
    return packet


def progress(**fields: Any) -> ToolCallProgress:
    packet = parse_packet({"sessionUpdate": "tool_call_update", "toolCallId": "c", **fields})
    assert isinstance(packet, ToolCallProgress)
    return packet


def call(*updates: Json, title: str = "x") -> ToolCall:
    """Return the card of a call and its updates."""
    script = Script(cwd="/ws")
    script.turn()
    script.update("tool_call", toolCallId="c", title=title)
    for update in updates:
        script.update("tool_call_update", toolCallId="c", **update)
    return only(script, ToolCall)


def test_a_tool_that_nobody_has_heard_of_has_a_whole_card_at_once() -> None:
    """S2.18: there is no registry of tools."""
    card = only(CALL_TURNS["call_never_seen"](), ToolCall)
    assert (card.title, card.tool_name) == ("frobnicate_widget", "frobnicate_widget")
    assert (card.tool_kind, card.status) == ("other", "pending")
    assert card.locations == (Location(path="out/report.txt", line=7),)
    assert card.raw_input == WANTED["rawInput"]


def test_ten_kinds_with_ten_names() -> None:
    """S2.19: unknown or missing is other."""
    cards = shown(CALL_TURNS["call_kinds"](), ToolCall)
    *known, hologram, nothing = cards
    assert [card.tool_kind for card in known] == list(KINDS)
    assert len(KINDS) == 10
    assert hologram.tool_kind == nothing.tool_kind == "other"
    names = {card.title for card in known}
    assert len(names) == 10
    assert not any("_" in name for name in names)
    for kind in ("hologram", None, 7):
        assert start(kind=kind).acp_kind in {None, "other"}


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed", "failed"])
def test_the_four_statuses(status: str) -> None:
    """S2.20: missing is pending at the start, and unchanged in an update."""
    assert start(status=status).status == progress(status=status).status == status
    assert start().status == "pending"
    assert progress().status is None
    assert call({"status": status}, {"title": "y"}).status == status


def test_places() -> None:
    """S2.21: a path, a line from 0 on or none; what ``_meta`` says stays in the log."""
    meta = {"ada": [1, {"b": None}]}
    raw: list[Json] = [
        {"path": "/ws/a.py", "line": 0, "_meta": meta},
        {"path": "/ws/b.py", "line": 12},
        {"path": "/ws/c.py", "line": None},
        {"path": "/ws/d.py", "line": -1},
        {"path": "/ws/e.py"},
    ]
    lines = [place.line for place in start(locations=raw).locations]
    assert lines == [0, 12, None, None, None]
    script = Script(cwd="/ws")
    script.turn()
    script.update("tool_call", toolCallId="c", title="x", locations=raw)
    places = script.entries[-1].message["params"]["update"]["locations"]
    assert places[0]["_meta"] == meta
    assert only(script, ToolCall).locations[0] == Location(path="a.py", line=0)


def test_what_a_start_needs() -> None:
    """S2.22, S2.24: an id and a title; anything else may be there or not."""
    bare = start()
    assert (bare.tool_call_id, bare.title, bare.status) == ("c", "x", "pending")
    assert (bare.content, bare.raw_input, bare.raw_output) == (None, None, None)
    full = {
        "kind": "edit",
        "status": "failed",
        "content": [{"type": "diff", "path": "/ws/a", "newText": "n"}],
        "locations": [{"path": "/ws/a", "line": 3}],
        "rawInput": {"a": 1},
        "rawOutput": ["b"],
        "_meta": {"c": True},
    }
    whole = start(**full)
    assert (whole.acp_kind, whole.status, whole.raw_input) == ("edit", "failed", {"a": 1})
    assert whole.raw_output == ["b"]
    assert whole.locations == (Location(path="/ws/a", line=3),)
    assert whole.content is not None
    assert whole.content[0].type == "diff"
    assert parse_packet({"sessionUpdate": "tool_call", "title": "x"}).type == "unknown"


def test_what_an_update_needs() -> None:
    """S2.23, S2.24: its id alone; it says nothing of anything else."""
    bare = progress()
    fields = ("title", "acp_kind", "status", "content", "raw_input", "raw_output")
    assert [getattr(bare, name) for name in fields] == [None] * 6
    assert "locations" not in bare.model_fields_set
    assert parse_packet({"sessionUpdate": "tool_call_update"}).type == "unknown"


def test_content_wraps_any_of_the_five_blocks() -> None:
    """S2.25: text, image, audio, link to a resource and the resource itself; several of each."""
    card = only(CALL_TURNS["call_contents"](), ToolCall)
    assert card.output == "Two pictures and a sound."
    kinds = [block.type for block in card.blocks]
    assert kinds == ["image", "image", "audio", "audio", "resource_link", "resource"]
    assert len({block.id for block in card.blocks}) == len(kinds)


@pytest.mark.parametrize("old", [{}, {"oldText": None}, {"oldText": "o"}])
def test_content_is_a_diff(old: Json) -> None:
    """S2.26: path and new text; without an old text it is a new file."""
    diff = {"type": "diff", "path": "/ws/src/a.py", "newText": "n", **old}
    (shown_diff,) = call({"kind": "edit", "content": [diff]}).diffs
    assert (shown_diff.path, shown_diff.new_text) == ("src/a.py", "n")
    assert shown_diff.old_text == old.get("oldText")
    assert shown_diff.is_new_file is (old.get("oldText") is None)


def test_a_call_before_anything_runs() -> None:
    """S2.28: title, places and input."""
    card = only(CALL_TURNS["call_announced"](), ToolCall)
    assert (card.title, card.status) == ("Copying the report", "pending")
    assert card.locations == (Location(path="out/report.txt", line=7),)
    assert card.raw_input == WANTED["rawInput"]
    assert card.permission is None


def text(words: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": words}}


def test_progress_replaces_what_it_names_and_leaves_the_rest() -> None:
    """S2.32, C13: content is neither appended nor merged, any number of times."""
    diff = {"type": "diff", "path": "/ws/a", "oldText": "o", "newText": "n"}
    full = {"kind": "edit", "title": "Edit", "rawInput": {"a": 1, "b": 2}}
    before = call(full, {"content": [text("one"), diff], "locations": [{"path": "/ws/a"}]})
    assert (before.output, len(before.diffs), len(before.locations)) == ("one", 1, 1)
    nulls = dict.fromkeys(("title", "kind", "status", "content", "locations", "rawInput"))
    again = call(full, {"content": [text("one"), diff], "locations": [{"path": "/ws/a"}]}, nulls)
    times = {"started_at", "ended_at"}
    assert again.model_dump(exclude=times) == before.model_dump(exclude=times)
    after = call(
        full,
        {"content": [text("one"), diff], "rawOutput": {"a": 1}},
        {"content": [text("two")], "rawInput": {"c": 3}, "rawOutput": {"b": 2}},
    )
    assert (after.output, after.diffs) == ("two", ())
    assert (after.raw_input, after.raw_output) == ({"c": 3}, {"b": 2})


def test_what_is_empty_replaces() -> None:
    """C29: in an update; see `test_permissions_joined` for requests."""
    diff = {"type": "diff", "path": "/ws/a", "oldText": "o", "newText": "n"}
    edit = {"kind": "edit", "content": [text("one"), diff]}
    assert call(edit).diffs
    card = call(edit, {"content": []})
    assert (card.output, card.diffs, card.blocks, card.path) == ("", (), (), "")
    read = {"kind": "read", "locations": [{"path": "/ws/a"}]}
    assert call(read).path == "a"
    card = call(read, {"locations": []})
    assert (card.locations, card.path) == ((), "")
    run = {"kind": "execute", "rawInput": {"command": "ls"}}
    assert call(run).command == "ls"
    card = call(run, {"rawInput": {}})
    assert (card.raw_input, card.command) == ({}, "")


def test_what_the_user_is_asked_about_stays_in_sight() -> None:
    """C29: as long as they are asked."""
    script = Script(cwd="/ws")
    script.turn()
    script.update(
        "tool_call", toolCallId="c", title="x", kind="execute", rawInput={"command": "ls"}
    )
    script.ask({"toolCallId": "c"})
    script.update("tool_call_update", toolCallId="c", rawInput={}, content=[])
    assert only(script, ToolCall).command == "ls"
    diff = {"type": "diff", "path": "/ws/a", "oldText": "o", "newText": "n"}
    script.update("tool_call", toolCallId="d", title="y", kind="edit", content=[diff])
    script.ask({"toolCallId": "d"})
    script.update("tool_call_update", toolCallId="d", content=[], locations=[])
    card = list(shown(script, ToolCall))[-1]
    assert ([each.path for each in card.diffs], card.path) == (["a"], "a")


@pytest.mark.parametrize("update", [{"rawInput": {}}, {"rawInput": {"a": 1}}, {"content": []}])
def test_a_list_of_todos_outlives_an_update_without_one(update: Json) -> None:
    """C29, S5.33."""
    todos = {"rawInput": {"todos": [{"content": "a", "status": "pending"}]}}
    assert len(call(todos, update, title="TodoWrite").todos or ()) == 1


def test_the_error_of_a_search_is_no_list_of_files() -> None:
    """C29."""
    search = {"kind": "search", "rawInput": {"pattern": "("}, "content": [text("a: bad\n/b")]}
    card = call(search, {"status": "failed"}, title="Grep")
    assert not card.files
    assert card.output == "a: bad\n/b"


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_an_ended_call_takes_later_updates(status: str) -> None:
    """S2.33: its raw output is shown, and what comes later is taken in."""
    ended = {"status": status, "rawOutput": {"success": status == "completed"}}
    card = call(ended)
    assert (card.status, card.raw_output) == (status, ended["rawOutput"])
    later = call(ended, {"rawOutput": {"more": 1}, "content": [text("late")], "title": "Later"})
    assert (later.status, later.raw_output) == (status, {"more": 1})
    assert (later.output, later.title) == ("late", "Later")


@pytest.mark.parametrize("end", ["completed", "failed", "cancelled"])
@pytest.mark.parametrize("late", ["pending", "in_progress", "completed", "failed", "cancelled"])
def test_an_end_is_the_end(end: str, late: str) -> None:
    """S2.20, C29: within its turn; the other fields of a late update count."""
    card = call({"status": end}, {"status": late, "title": "Later"})
    assert (card.status, card.title) == (end, "Later")


def test_what_became_of_a_call_may_be_told_after_its_turn() -> None:
    """C11, C29: what the turn's end has cancelled was open; what had ended stays."""
    script = Script()
    prompt = script.turn()
    for label, status in (("a", "in_progress"), ("b", "completed")):
        script.update("tool_call", toolCallId=label, title="x", status=status)
    script.end(prompt)
    assert [card.status for card in shown(script, ToolCall)] == ["cancelled", "completed"]
    for label, status in (("a", "in_progress"), ("a", "completed"), ("a", "failed")):
        script.update("tool_call_update", toolCallId=label, status=status)
    script.update("tool_call_update", toolCallId="b", status="failed")
    assert [card.status for card in shown(script, ToolCall)] == ["completed", "completed"]


def test_an_id_that_is_started_again_is_the_same_card() -> None:
    """S2.55: the same file is read twice."""
    script = Script(cwd="/ws")
    script.turn()
    read: Json = {"toolCallId": "read_a", "title": "Reading /ws/a.txt", "kind": "read"}
    for size in (5, 6):
        script.update("tool_call", **read, locations=[{"path": "/ws/a.txt"}])
        end = {"toolCallId": "read_a", "status": "completed", "rawOutput": {"bytes": size}}
        script.update("tool_call_update", **end)
    card = only(script, ToolCall)
    assert (card.status, card.raw_output) == ("completed", {"bytes": 6})
    assert len({item.id for item in script.transcript.items}) == len(script.transcript.items)
