"""Packets: an agent's messages as typed objects, from any of the dialects.

``parse_packet`` reads one; the other functions say how to show it.

The functions defined here take raw Onyx packets, under Onyx's names: type, tool, diff and path of
a packet. acp-jupyter itself doesn't call them. They never raise, even if fields have wrong types.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from pydantic import JsonValue

from acp_jupyter.dialects.import_turns import gen_id
from acp_jupyter.protocol.content import first_diff, read_tool_content
from acp_jupyter.protocol.files import get_relative_path
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.protocol.parse.packet import (
    ONYX_PACKET_TYPES,
    PACKET_NAMES,
    Packet,
    packet_name,
    parse_packet,
    session_update,
)
from acp_jupyter.protocol.parse.tool_calls import (
    SPELLINGS,
    ParseState,
    is_task_tool,
    is_todo_write_tool,
    raw_input_of,
)
from acp_jupyter.protocol.tools.inputs import ToolInput, named_path
from acp_jupyter.protocol.tools.outputs import ToolOutput
from acp_jupyter.protocol.tools.table import find_tool, tool_name_to_kind
from acp_jupyter.protocol.tools.titles import (
    format_tool_output,
    get_tool_command,
    get_tool_description,
    get_tool_display_title,
)
from acp_jupyter.protocol.vocabulary import (
    SEED_TOOL_NAMES,
    PacketType,
    ToolName,
    UiKind,
    normalize_todo_status,
)

__all__ = [
    "SEED_TOOL_NAMES",
    "DiffData",
    "Packet",
    "PacketType",
    "ParseState",
    "ToolInput",
    "ToolName",
    "ToolOutput",
    "UiKind",
    "determine_packet_type",
    "extract_diff_data",
    "extract_new_text",
    "extract_old_text",
    "format_tool_output",
    "gen_id",
    "get_file_path",
    "get_relative_path",
    "get_tool_command",
    "get_tool_description",
    "get_tool_display_title",
    "is_new_file_operation",
    "is_task_tool",
    "is_todo_write_tool",
    "normalize_todo_status",
    "normalize_tool_name",
    "parse_packet",
    "tool_name_to_kind",
]

_ONYX_UPDATES = frozenset(
    {"agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"}
)
"""The values of ``sessionUpdate`` in Onyx."""


def determine_packet_type(packet: Obj) -> PacketType:
    """Return which of Onyx's nine packet types an object has."""
    name = packet_name(packet)
    by_type = name in ONYX_PACKET_TYPES and name == packet.get("type")
    if not by_type and not (name in _ONYX_UPDATES and name == session_update(packet)):
        return "unknown"
    return cast(PacketType, PACKET_NAMES[name])


def is_new_file_operation(packet: Obj) -> bool | None:
    """Return whether an edit makes a new file; None if unknown."""
    content = packet.get("content")
    if packet.get("kind") != "edit" or not isinstance(content, list):
        return None
    diffs = (raw for raw in map(obj, content) if first_diff(read_tool_content(raw) or ()))
    diff = next(diffs, None)
    return None if diff is None else diff.get("oldText") == ""


class DiffData(NamedTuple):
    """The first diff of a tool call's content."""

    old_text: str
    new_text: str
    is_new_file: bool


def extract_diff_data(content: JsonValue) -> DiffData:
    """Return the first diff; if there is none, the diff of a new and empty file."""
    found = read_tool_content(content) if isinstance(content, list) else None
    diff = first_diff(found or ())
    if diff is None:
        return DiffData("", "", is_new_file=True)
    return DiffData(diff.old_text or "", diff.new_text, is_new_file=diff.is_new_file())


def extract_old_text(content: JsonValue) -> str:
    """Return the text before the first diff."""
    return extract_diff_data(content).old_text


def extract_new_text(content: JsonValue) -> str:
    """Return the text after the first diff."""
    return extract_diff_data(content).new_text


def get_file_path(packet: Obj) -> str:
    """Return the cleaned path of a tool call's file; empty if the call names none.

    The input's path, else that of the first diff with one, else a title that is a path.
    """
    content = packet.get("content")
    parts = read_tool_content(content) if isinstance(content, list) else None
    title = text(packet.get("title"))
    found = named_path(raw_input_of(packet), parts or ())
    return get_relative_path(found or (title if "/" in title else ""))


def normalize_tool_name(packet: Obj) -> str:
    """Return the tool's name as the table has it, or ``unknown``.

    The first of ``tool_name``, ``toolName`` and ``title`` that is there counts, even if empty.
    """
    names = (packet.get(key) for key in (*SPELLINGS["tool_name"], "title"))
    row = find_tool(text(next((name for name in names if name is not None), None)))
    return "unknown" if row is None else row.name
