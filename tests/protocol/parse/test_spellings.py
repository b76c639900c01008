"""The parser and the detectors read the spellings of a field in one order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from acp_jupyter.packets import get_file_path, is_task_tool, is_todo_write_tool, parse_packet
from acp_jupyter.protocol.packets import PermissionRequest, ToolCallProgress, ToolCallStart
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.support.transcript.traffic import Script

Json = dict[str, Any]

INPUTS = ("raw_input", "rawInput", "tool_input", "toolInput")
EMPTY: list[Any] = [{}, [], "", None]


def read(**fields: Any) -> ToolCallStart:
    packet = parse_packet({"type": "tool_call_start", "toolCallId": "c", **fields})
    assert isinstance(packet, ToolCallStart)
    return packet


@pytest.mark.parametrize(("one", "other"), [*permutations(INPUTS, 2)])
def test_the_input_is_read_in_one_order(one: str, other: str) -> None:
    """Parser and detectors choose the same one, whichever comes first."""
    values: Json = {"raw_input": "/a", "rawInput": "/b", "tool_input": "/c", "toolInput": "/d"}
    raw: Json = {name: {"file_path": values[name]} for name in (one, other)}
    wanted = values[min(one, other, key=INPUTS.index)]
    assert read(**raw).raw_input == {"file_path": wanted}
    assert get_file_path(raw) == wanted[1:]


@pytest.mark.parametrize("empty", EMPTY, ids=str)
@pytest.mark.parametrize(("one", "other"), [*permutations(INPUTS, 2)])
def test_an_empty_spelling_hides_nothing(one: str, other: str, empty: Any) -> None:
    """In the parser, in each detector and on the card."""
    todos: Json = {one: empty, other: {"todos": [{"content": "x"}]}}
    task: Json = {one: empty, other: {"subagent_type": "Explore"}}
    assert is_todo_write_tool(todos)
    assert is_task_tool(task)
    assert (read(**todos).tool_name, read(**todos).raw_input) == ("todowrite", todos[other])
    assert (read(**task).tool_name, read(**task).raw_input) == ("task", task[other])
    script = Script()
    script.turn()
    script.update("tool_call", toolCallId="c", title="bash", **{other: {"command": "ls"}})
    again: Json = {one: empty, other: {"command": "pwd"}}
    script.update("tool_call_update", toolCallId="c", **again)
    assert only(script, ToolCall).command == "pwd"


def test_an_input_that_is_empty_in_all_spellings_is_empty() -> None:
    """A field that is null in every spelling is absent."""
    assert read(raw_input={}, rawInput={}).raw_input == {}
    assert read(raw_input=None, rawInput={}).raw_input == {}
    assert read(raw_input=None, rawInput=None).raw_input is None
    assert read().raw_input is None


def test_a_request_without_an_id_reads_them_alike() -> None:
    for one, other in permutations(INPUTS, 2):
        call = {one: {}, other: {"command": "ls"}}
        raw = {"type": "permission_request", "request_id": "r", "toolCall": call}
        request = parse_packet(raw)
        assert isinstance(request, PermissionRequest)
        assert request.tool_call.raw_input == {"command": "ls"}


def test_the_name_and_the_output_are_read_in_the_same_order() -> None:
    """Snake case counts first."""
    assert read(tool_name="read", toolName="bash", name="edit").tool_name == "read"
    assert read(toolName="bash", name="edit").tool_name == "bash"
    raw: Json = {"type": "tool_call_progress", "toolCallId": "c"}
    for output in ({"raw_output": "a", "rawOutput": "b"}, {"raw_output": {}, "rawOutput": "a"}):
        packet = parse_packet({**raw, **output})
        assert isinstance(packet, ToolCallProgress)
        assert packet.raw_output == "a"
