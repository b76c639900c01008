"""An empty value in an update of a tool call replaces what was there, an absent one does not."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.support.transcript.traffic import Script

Json = dict[str, Any]

TEXT = {"type": "content", "content": {"type": "text", "text": "two lines"}}
IMAGE = {"type": "content", "content": {"type": "image", "data": "aQ==", "mimeType": "image/png"}}
DIFF = {"type": "diff", "path": "/ws/a.py", "oldText": "a\n", "newText": "b\n"}
EDIT: Json = {"title": "Tidy up", "kind": "edit", "content": [TEXT, IMAGE, DIFF]}
BASH: Json = {"title": "bash", "kind": "execute", "rawInput": {"command": "ls", "cwd": "/ws/a"}}
TASK: Json = {"title": "task", "rawInput": {"prompt": "Look.", "subagent_type": "Explore"}}
TODOS: Json = {"title": "todowrite", "rawInput": {"todos": [{"content": "one"}]}}
GREP: Json = {"title": "grep", "kind": "search", "rawInput": {"pattern": "x"}}


def told(call: Json, *updates: Json) -> Script:
    script = Script(cwd="/ws")
    script.turn()
    script.update("tool_call", toolCallId="c", **call)
    for update in updates:
        script.update("tool_call_update", toolCallId="c", **update)
    return script


def card(call: Json, *updates: Json) -> ToolCall:
    return only(told(call, *updates), ToolCall)


def test_an_empty_content_clears_output_diffs_and_blocks() -> None:
    before = card(EDIT)
    assert (before.output, before.path, before.is_new_file) == ("two lines", "a.py", False)
    assert (len(before.diffs), len(before.blocks)) == (1, 1)
    after = card(EDIT, {"content": []})
    assert (after.output, after.diffs, after.blocks) == ("", (), ())
    assert (after.path, after.is_new_file) == ("", None)


@pytest.mark.parametrize("content", [[DIFF], [IMAGE]], ids=["diff", "image"])
def test_a_content_without_text_clears_the_text(content: list[Json]) -> None:
    """The field is replaced as a whole."""
    assert card({"title": "x", "content": [TEXT]}, {"content": content}).output == ""


def test_an_empty_content_leaves_the_raw_output() -> None:
    """The output is another field than the input."""
    after = card({"title": "x"}, {"content": [TEXT], "rawOutput": "raw"}, {"content": []})
    assert (after.output, after.raw_output) == ("raw", "raw")


def test_an_empty_content_clears_what_was_allowed() -> None:
    """An update after the answer counts like any other."""
    script = told({**EDIT, "locations": [{"path": "/ws/a.py"}]})
    script.answer(script.ask({"toolCallId": "c", **EDIT}), "once")
    script.update("tool_call_update", toolCallId="c", content=[])
    assert only(script, ToolCall).diffs == ()


def test_empty_locations_clear_the_paths() -> None:
    places = {"title": "Look", "kind": "read", "locations": [{"path": "/ws/a.py", "line": 3}]}
    assert card(places).path == "a.py"
    after = card(places, {"locations": []})
    assert (after.locations, after.path) == ((), "")


@pytest.mark.parametrize("empty", [{"rawInput": {}}, {"raw_input": {}}], ids=str)
def test_an_empty_input_replaces_the_input(empty: Json) -> None:
    """The field and everything that was read from it."""
    assert card(BASH).command == "ls"
    after = card(BASH, empty)
    assert (after.raw_input, after.command) == ({}, "")
    after = card({"title": "read", "rawInput": {"file_path": "/ws/a.py"}}, empty)
    assert (after.raw_input, after.path, after.description) == ({}, "", "")
    assert card(TASK).subagent_type == "Explore"
    assert card(TASK, empty).subagent_type == ""


@pytest.mark.parametrize("absent", [{}, {"content": None, "locations": None, "rawInput": None}])
def test_what_is_absent_or_null_is_kept(absent: Json) -> None:
    for call in (EDIT, BASH, TASK, TODOS, {**EDIT, "locations": [{"path": "/ws/b.py"}]}):
        assert card(call, absent) == card(call)


def test_a_request_erases_nothing() -> None:
    """Empty values in it change nothing."""
    for call in (EDIT, BASH, TASK, TODOS):
        whole = {**call, "locations": [{"path": "/ws/b.py"}]}
        before = card(whole)
        script = told(whole)
        script.ask({"toolCallId": "c", "content": [], "locations": [], "rawInput": {}})
        after = only(script, ToolCall)
        assert after.model_copy(update={"permission": None}) == before


def test_a_list_of_todos_is_lost_by_no_update_that_has_none() -> None:
    """Only another list replaces it, even an empty one."""
    updates: list[Json] = [{"rawInput": {}}, {"rawInput": {"note": "x"}}, {"content": []}]
    for none in (*updates, {"title": "Done"}):
        assert [todo.content for todo in card(TODOS, none).todos or ()] == ["one"]
    assert card(TODOS, {"rawInput": {"todos": []}}).todos == ()


def test_todos_of_the_input_stay_beside_those_of_an_output() -> None:
    output = {"output": "[]", "metadata": {"todos": [{"content": "another"}]}}
    after = card(TODOS, {"rawOutput": output, "status": "completed"})
    assert [todo.content for todo in after.todos or ()] == ["one"]


@pytest.mark.parametrize("raw_input", [{}, {"todos": []}], ids=str)
@pytest.mark.parametrize("rest", [{}, {"title": "1 todo"}, {"rawInput": {}}], ids=str)
def test_todos_of_an_output_count(raw_input: Json, rest: Json) -> None:
    """An update whose input has no list loses none that its output has."""
    output = {"output": "[]", "metadata": {"todos": [{"content": "one"}]}}
    start = {"title": "todowrite", "rawInput": raw_input}
    after = card(start, {"rawOutput": output, **rest}, {"status": "completed"})
    assert [todo.content for todo in after.todos or ()] == ["one"]


@pytest.mark.parametrize(
    "updates",
    [
        [{"status": "failed", "content": [TEXT]}],
        [{"status": "failed", "rawOutput": {"error": "no such folder"}}],
        [{"content": [TEXT]}, {"status": "failed"}],
        [{"rawOutput": {"output": "a.py"}}, {"status": "failed", "rawOutput": {"error": "gone"}}],
        [{"status": "failed"}, {"content": [TEXT]}],
    ],
    ids=str,
)
def test_the_error_of_a_failed_search_is_no_file(updates: list[Json]) -> None:
    """It is shown as output, and gives neither files nor a count of them."""
    after = card(GREP, *updates)
    assert (after.files, after.hits, after.count, after.remarks) == (None, None, None, ())
    assert after.status == "failed"
    assert after.output


def test_the_packet_of_a_failed_search_lists_no_files() -> None:
    raw = {"type": "tool_call_progress", "toolCallId": "c", "title": "grep", "content": [TEXT]}
    for status, files in (("completed", ["two lines"]), ("failed", [])):
        packet = parse_packet({**raw, "status": status})
        assert isinstance(packet, ToolCallProgress)
        assert packet.output is not None
        assert packet.output.model_dump(mode="json")["data"]["files"] == files
