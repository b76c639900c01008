"""The table of tools, and the words of the protocol's kinds."""

from __future__ import annotations

from typing import get_args

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.tools.table import KIND_TITLES, TOOLS, UNKNOWN_TOOL, ToolRow, find_tool
from acp_jupyter.protocol.vocabulary import ACP_KINDS, AcpKind, read_acp_kind, read_priority
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.support.transcript.traffic import Script

ROWS = {
    "glob": ("search", "search"),
    "grep": ("search", "search"),
    "read": ("read", "read"),
    "write": ("edit", "edit"),
    "edit": ("edit", "edit"),
    "bash": ("execute", "execute"),
    "task": ("think", "task"),
    "todowrite": ("other", "other"),
    "webfetch": ("fetch", "other"),
    "websearch": ("search", "other"),
    "askuserquestion": ("other", "other"),
    "view_image": ("read", "read"),
}
MORE_TITLES = {"askuserquestion": "Asking a question", "view_image": "Viewing image"}


def test_a_tool_is_one_row() -> None:
    """S5.47, C27: name, both kinds and title; views need nothing else."""
    assert {name: (row.acp_kind, row.ui_kind) for name, row in TOOLS.items()} == ROWS
    for name, row in TOOLS.items():
        assert row.name == name
        assert find_tool(f" {name.upper()} ") is row
        if name in MORE_TITLES:
            assert row.title == MORE_TITLES[name]
    assert find_tool("todo_write") is TOOLS["todowrite"]
    assert find_tool("agent") is TOOLS["task"]
    assert ToolRow("unknown", "other", "other", "Running tool") == UNKNOWN_TOOL
    assert find_tool("") is find_tool(None) is find_tool("nobody") is None


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_all_that_a_card_needs(name: str) -> None:
    """S5.47: kinds, title and name of a card follow from the row alone."""
    script = Script()
    script.turn()
    script.update("tool_call", toolCallId="c", title=name)
    call = only(script, ToolCall)
    assert (call.tool_kind, call.ui_kind, call.tool_name) == (*ROWS[name], name)
    assert call.title == TOOLS[name].title


KIND_WORDS = {
    "read": "Reading file",
    "edit": "Editing file",
    "delete": "Deleting file",
    "move": "Moving file",
    "search": "Searching files",
    "execute": "Running command",
    "think": "Thinking",
    "fetch": "Fetching web content",
    "switch_mode": "Switching mode",
    "other": "Running tool",
}


@pytest.mark.parametrize("kind", KIND_WORDS)
def test_a_kind_alone_names_a_tool_at_most(kind: str) -> None:
    """S5.2, C18: the last resort, for kinds whose tools all read alike."""
    packet = parse_packet({"type": "tool_call_start", "toolCallId": "c", "kind": kind})
    assert packet.type == "tool_call_start"
    expected = {"read": "read", "edit": "edit", "execute": "bash"}
    assert packet.tool_name == expected.get(kind, "unknown")


def test_the_ten_kinds_of_the_protocol() -> None:
    """S5.6: kept beside the six; each has words, and foreign ones are other."""
    assert set(get_args(AcpKind)) == set(KIND_WORDS)
    assert KIND_TITLES == KIND_WORDS
    assert {kind for kind, read in ACP_KINDS.items() if kind == read} == set(KIND_WORDS)
    for kind in KIND_WORDS:
        assert read_acp_kind(kind) == kind
    assert [read_acp_kind(kind) for kind in ("write", "command", "moon")] == [
        "edit",
        "execute",
        "other",
    ]
    nothing: list[object] = ["", None, 5, []]
    assert [read_acp_kind(kind) for kind in nothing] == [None] * 4


@pytest.mark.parametrize(
    ("value", "priority"),
    [
        ("high", "high"),
        ("low", "low"),
        ("medium", "medium"),
        ("urgent", "medium"),
        (0, "high"),
        (1, "high"),
        (2, "medium"),
        (3, "low"),
        (9, "low"),
        (True, "medium"),
        (1.0, "medium"),
        (None, "medium"),
    ],
)
def test_priorities(value: object, priority: str) -> None:
    """C10."""
    assert read_priority(value) == priority
