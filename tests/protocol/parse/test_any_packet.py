"""What holds for any packet, however odd."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_jupyter.packets import (
    Packet,
    ParseState,
    determine_packet_type,
    extract_diff_data,
    format_tool_output,
    get_file_path,
    get_relative_path,
    get_tool_command,
    get_tool_description,
    get_tool_display_title,
    is_new_file_operation,
    is_task_tool,
    is_todo_write_tool,
    normalize_todo_status,
    normalize_tool_name,
    parse_packet,
    tool_name_to_kind,
)
from acp_jupyter.protocol.packets import ToolCallProgress, ToolCallStart, Unknown
from acp_jupyter.protocol.tools.table import TOOLS
from tests.support.transcript.odd_packets import KEYS, PACKETS, PYTHON, SLOW, VALUES, WORDS

Json = dict[str, Any]


@given(raw=PACKETS | VALUES)
@settings(SLOW, max_examples=150)
def test_parsing_is_total_and_keeps_what_is_unknown(raw: Any) -> None:
    """Any JSON gives a packet; unknown fields are kept raw."""
    packet = parse_packet(raw)
    assert json.loads(packet.model_dump_json())["type"] == packet.type
    if isinstance(packet, Unknown):
        assert packet.raw is raw
    again = parse_packet(raw)
    assert packet == again or isinstance(packet, Unknown)


@given(raw=PYTHON, known=st.dictionaries(st.sampled_from(KEYS), PYTHON, max_size=5), kind=WORDS)
@settings(SLOW, max_examples=150)
def test_parsing_is_total_on_python_values(raw: Any, known: Json, kind: str) -> None:
    """Sets, bytes, lone surrogates, keys that are no strings."""
    assert isinstance(parse_packet(raw).type, str)
    packet = parse_packet({"type": kind, "toolCallId": "a", **known})
    assert isinstance(packet.type, str)


@given(
    fields=st.dictionaries(st.sampled_from(KEYS), PYTHON, max_size=5),
    kind=st.none() | st.just("edit"),
)
@settings(SLOW, max_examples=150)
def test_detectors_never_raise(fields: Json, kind: str | None) -> None:
    """Whatever value a field has."""
    packet = {**fields, "kind": kind} if kind else fields
    assert determine_packet_type(packet)
    assert is_todo_write_tool(packet) in {True, False}
    assert is_task_tool(packet) in {True, False}
    assert is_new_file_operation(packet) in {True, False, None}
    assert isinstance(get_file_path(packet), str)
    name = normalize_tool_name(packet)
    assert tool_name_to_kind(name, packet.get("title"))
    assert get_tool_display_title(name)
    assert isinstance(extract_diff_data(packet.get("content")).old_text, str)
    assert normalize_todo_status(packet.get("status"))


@given(raw=PACKETS)
@settings(SLOW, max_examples=150)
def test_words_never_raise(raw: Json) -> None:
    """A description, a command and a text of every tool call."""
    for tool in ("", *TOOLS):
        packet = parse_packet({**raw, "toolName": tool, "type": "tool_call_progress"})
        assert isinstance(packet, ToolCallProgress)
        assert isinstance(get_tool_description(packet.input), str)
        assert isinstance(get_tool_command(packet.input), str)
        assert isinstance(format_tool_output(packet.output), str)


@given(path=st.text(alphabet="abc/. ", max_size=20) | st.text(max_size=10))
def test_a_clean_path_is_the_end_of_the_path(path: str) -> None:
    """The folder is left out where no field names it."""
    clean = get_relative_path(path)
    assert path.endswith(clean)
    if "/outputs/" not in path and "/sandboxes/" not in path:
        assert "/" not in clean


@given(earlier=st.lists(PACKETS, max_size=2), raw=PACKETS)
@settings(SLOW, max_examples=150)
def test_a_tool_keeps_its_name(earlier: list[Json], raw: Json) -> None:
    """Facts of the call's start hold for all its later packets."""
    state = ParseState()
    start = {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "grep"}
    parse_packet(start, state)
    for packet in earlier:
        parse_packet({**packet, "toolCallId": "b"}, state)
    late: Json = {**raw, "toolCallId": "a", "_meta": None, "type": "tool_call_progress"}
    progress = parse_packet(late, state)
    assert isinstance(progress, ToolCallProgress)
    assert progress.tool_name == "grep"


def test_the_names_of_calls_are_bounded() -> None:
    """With very many calls only the oldest are forgotten."""
    state = ParseState()
    for n in range(1_001):
        start = {"sessionUpdate": "tool_call", "toolCallId": f"c{n}", "title": "grep"}
        parse_packet({**start, "kind": "search"}, state)
    named: list[Packet] = [
        parse_packet({"type": "tool_call_progress", "toolCallId": f"c{n}"}, state)
        for n in (0, 1, 1_000)
    ]
    assert [p.tool_name for p in named if isinstance(p, ToolCallStart | ToolCallProgress)] == [
        "unknown",
        "grep",
        "grep",
    ]
