"""Packets: what an agent says, as typed objects, from any of the dialects.

``parse_packet`` reads one; the other functions say how it is shown.
"""

from __future__ import annotations

from acp_jupyter.dialects.import_turns import gen_id
from acp_jupyter.dialects.onyx.detect import (
    DiffData,
    determine_packet_type,
    extract_diff_data,
    extract_new_text,
    extract_old_text,
    get_file_path,
    is_new_file_operation,
    normalize_tool_name,
)
from acp_jupyter.protocol.files import get_relative_path
from acp_jupyter.protocol.parse.packet import Packet, parse_packet
from acp_jupyter.protocol.parse.tool_calls import ParseState, is_task_tool, is_todo_write_tool
from acp_jupyter.protocol.tools.inputs import ToolInput
from acp_jupyter.protocol.tools.outputs import ToolOutput
from acp_jupyter.protocol.tools.table import tool_name_to_kind
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
