"""Which packet an object is, and of which tool; the functions of seeds 000 and 004.

All are total: an object with wrong types in any field gives an answer (S1.54).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast, get_args

from pydantic import JsonValue

from acp_jupyter.packets.content import ToolContent, ToolDiff, first_diff, read_tool_content
from acp_jupyter.packets.json_fields import Obj, obj, text
from acp_jupyter.packets.paths import get_relative_path
from acp_jupyter.packets.read_inputs import file_path
from acp_jupyter.packets.tools import TOOLS, find_tool
from acp_jupyter.packets.vocabulary import PacketType, UiKind

__all__ = [
    "PACKET_NAMES",
    "SPELLINGS",
    "DiffData",
    "determine_packet_type",
    "extract_diff_data",
    "extract_new_text",
    "extract_old_text",
    "get_file_path",
    "is_new_file_operation",
    "is_task_tool",
    "is_todo_write_tool",
    "named_path",
    "normalize_tool_name",
    "packet_name",
    "session_update",
    "spelled",
    "tool_name_to_kind",
]

PACKET_NAMES: dict[str, str] = {
    "user_message_chunk": "user_message_chunk",
    "user_message": "user_message_chunk",
    "agent_message_chunk": "agent_message_chunk",
    "agent_thought_chunk": "agent_thought_chunk",
    "tool_call": "tool_call_start",
    "tool_call_start": "tool_call_start",
    "tool_start": "tool_call_start",
    "tool_call_update": "tool_call_progress",
    "tool_call_progress": "tool_call_progress",
    "tool_progress": "tool_call_progress",
    "tool_end": "tool_call_progress",
    "permission_request": "permission_request",
    "permission_response": "permission_response",
    "elicitation_request": "elicitation_request",
    "elicitation_response": "elicitation_response",
    "elicitation_complete": "elicitation_complete",
    "plan": "agent_plan_update",
    "plan_update": "agent_plan_update",
    "agent_plan_update": "agent_plan_update",
    "plan_removed": "plan_removed",
    "available_commands_update": "available_commands_update",
    "current_mode_update": "current_mode_update",
    "mode_update": "current_mode_update",
    "config_option_update": "config_option_update",
    "session_info_update": "session_info_update",
    "usage_update": "usage_update",
    "notice": "notice",
    "compaction_update": "notice",
    "compaction_summary_chunk": "notice",
    "artifact_created": "artifact_created",
    "file_write": "file_write",
    "prompt_response": "prompt_response",
    "done": "prompt_response",
    "error": "error",
    "step_start": "step_start",
    "step_delta": "agent_thought_chunk",
    "step_end": "step_end",
    "output_start": "output_start",
    "output_delta": "agent_message_chunk",
    "output_end": "output_end",
}
"""Each name that a packet may have, and the type that it is read as; none means two things."""

_SEED_TYPES = frozenset(get_args(PacketType)) - {"unknown"}
"""What the seeds know as ``type``; these count before any ``sessionUpdate`` (S5.12)."""

_SEED_UPDATES = frozenset(
    {"agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"}
)
"""What they know as ``sessionUpdate``."""

SPELLINGS: dict[str, tuple[str, ...]] = {
    "raw_input": ("raw_input", "rawInput", "tool_input", "toolInput"),
    "raw_output": ("raw_output", "rawOutput"),
    "tool_name": ("tool_name", "toolName"),
}
"""The names of a tool call's field, in the order in which all readers take them."""

_RAW_KINDS: dict[str, UiKind] = {
    "search": "search",
    "read": "read",
    "execute": "execute",
    "edit": "edit",
}


def packet_name(packet: Obj) -> str:
    """Return the name that decides of what type an object is; nothing where none is known.

    First a ``type`` of the seeds, then ``sessionUpdate``, then any other known ``type``.
    """
    name = text(packet.get("type"))
    if name in _SEED_TYPES:
        return name
    return next((n for n in (session_update(packet), name) if n in PACKET_NAMES), "")


def determine_packet_type(packet: Obj) -> PacketType:
    """Tell which of the seeds' nine kinds an object is (S5.4, S5.12, C2)."""
    name = packet_name(packet)
    by_type = name in _SEED_TYPES and name == packet.get("type")
    if not by_type and not (name in _SEED_UPDATES and name == session_update(packet)):
        return "unknown"
    return cast(PacketType, PACKET_NAMES[name])


def session_update(packet: Obj) -> str:
    """Return the protocol's discriminator, in either spelling (C2)."""
    kind = packet.get("sessionUpdate")
    return kind if isinstance(kind, str) and kind else text(packet.get("session_update"))


def spelled(packet: Obj, field: str) -> JsonValue:
    """Return a field in the first of its spellings that says something (S1.51, C33)."""
    said = [value for name in SPELLINGS[field] if (value := packet.get(name)) is not None]
    return next((value for value in said if value not in ({}, [], "")), said[0] if said else None)


def _raw_input(packet: Obj) -> Obj:
    return obj(spelled(packet, "raw_input"))


def is_todo_write_tool(packet: Obj) -> bool:
    """Tell by title or input whether a tool call writes todos (S1.49)."""
    if text(packet.get("title")).lower() in {"todowrite", "todo_write"}:
        return True
    return isinstance(_raw_input(packet).get("todos"), list)


def is_task_tool(packet: Obj) -> bool:
    """Tell by title or input whether a tool call is a subagent's (S1.50)."""
    if text(packet.get("title")).lower() == "task":
        return True
    source = _raw_input(packet)
    return bool(source.get("subagent_type") or source.get("subagentType"))


def is_new_file_operation(packet: Obj) -> bool | None:
    """Tell whether an edit makes a new file; None where nothing says so (S1.33)."""
    content = packet.get("content")
    if packet.get("kind") != "edit" or not isinstance(content, list):
        return None
    diffs = (raw for raw in map(obj, content) if first_diff(read_tool_content(raw) or ()))
    diff = next(diffs, None)
    return None if diff is None else diff.get("oldText") == ""


class DiffData(NamedTuple):
    """The first diff of a tool call's content (S5.36)."""

    old_text: str
    new_text: str
    is_new_file: bool


def extract_diff_data(content: JsonValue) -> DiffData:
    """Return the first diff; without one, that of a new and empty file (S5.36)."""
    told = read_tool_content(content) if isinstance(content, list) else None
    diff = first_diff(told or ())
    if diff is None:
        return DiffData("", "", is_new_file=True)
    return DiffData(diff.old_text or "", diff.new_text, is_new_file=diff.is_new_file())


def extract_old_text(content: JsonValue) -> str:
    """Return the text before the first diff (S5.37)."""
    return extract_diff_data(content).old_text


def extract_new_text(content: JsonValue) -> str:
    """Return the text after the first diff (S5.37)."""
    return extract_diff_data(content).new_text


def get_file_path(packet: Obj) -> str:
    """Return the file that a tool call is about, cleaned; nothing where none is named.

    The input's path, else that of the first diff with one, else a title that is a path
    (S1.52, S1.53).
    """
    content = packet.get("content")
    told = read_tool_content(content) if isinstance(content, list) else None
    title = text(packet.get("title"))
    found = named_path(_raw_input(packet), told or ())
    return get_relative_path(found or (title if "/" in title else ""))


def named_path(raw_input: Obj, content: Iterable[ToolContent]) -> str:
    """Return the path that an input names, else that of the first diff with one."""
    in_diffs = (item.path for item in content if isinstance(item, ToolDiff))
    return file_path(raw_input) or next(filter(None, in_diffs), "")


def normalize_tool_name(packet: Obj) -> str:
    """Return the tool's name as the table has it, or ``unknown`` (S5.17).

    The first of ``tool_name``, ``toolName`` and ``title`` that is there counts, even if empty.
    """
    names = (packet.get(key) for key in (*SPELLINGS["tool_name"], "title"))
    row = find_tool(text(next((name for name in names if name is not None), None)))
    return "unknown" if row is None else row.name


def tool_name_to_kind(tool_name: str, raw_kind: JsonValue = None) -> UiKind:
    """Return the kind for views: by name, else as the packet says (S5.18, C5)."""
    row = TOOLS.get(tool_name)
    if row is not None and row.ui_kind != "other":
        return row.ui_kind
    return _RAW_KINDS.get(text(raw_kind), "other")
