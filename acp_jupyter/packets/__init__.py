"""What agents say, decoded once: types, parsing, tools, display. Pure; useful on its own.

>>> from acp_jupyter.packets import parse_packet
>>> parse_packet({"sessionUpdate": "tool_call", "toolCallId": "1", "title": "glob"}).kind
'search'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_jupyter.packets.detect import (
        DiffData,
        determine_packet_type,
        extract_diff_data,
        extract_new_text,
        extract_old_text,
        get_file_path,
        is_new_file_operation,
        is_task_tool,
        is_todo_write_tool,
        normalize_tool_name,
        tool_name_to_kind,
    )
    from acp_jupyter.packets.display import (
        format_tool_output,
        get_tool_command,
        get_tool_description,
        get_tool_display_title,
    )
    from acp_jupyter.packets.ids import gen_id
    from acp_jupyter.packets.parse.packet import parse_packet
    from acp_jupyter.packets.parse.state import ParseState
    from acp_jupyter.packets.paths import get_relative_path
    from acp_jupyter.packets.tool_inputs import ToolInput
    from acp_jupyter.packets.tool_outputs import ToolOutput
    from acp_jupyter.packets.union import Packet
    from acp_jupyter.packets.vocabulary import (
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

_MODULES = {
    "detect": (
        "DiffData",
        "determine_packet_type",
        "extract_diff_data",
        "extract_new_text",
        "extract_old_text",
        "get_file_path",
        "is_new_file_operation",
        "is_task_tool",
        "is_todo_write_tool",
        "normalize_tool_name",
        "tool_name_to_kind",
    ),
    "display": (
        "format_tool_output",
        "get_tool_command",
        "get_tool_description",
        "get_tool_display_title",
    ),
    "ids": ("gen_id",),
    "parse.packet": ("parse_packet",),
    "parse.state": ("ParseState",),
    "paths": ("get_relative_path",),
    "tool_inputs": ("ToolInput",),
    "tool_outputs": ("ToolOutput",),
    "union": ("Packet",),
    "vocabulary": (
        "SEED_TOOL_NAMES",
        "PacketType",
        "ToolName",
        "UiKind",
        "normalize_todo_status",
    ),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: reading a log needs no models of packets."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
