"""Which file a card names."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets import get_file_path
from acp_jupyter.protocol.content import read_tool_content
from acp_jupyter.protocol.tools.titles import ToolFacts, describe_tool


def test_a_card_names_the_first_diff_that_has_a_path() -> None:
    """As `get_file_path` does, but within the session's folder."""
    content: list[JsonValue] = [
        {"type": "diff", "path": path, "newText": "x"} for path in ("", "/ws/src/a.py")
    ]
    words = describe_tool(
        ToolFacts(
            title="",
            tool_name="edit",
            acp_kind="edit",
            raw_input={},
            content=read_tool_content(content) or (),
            paths=("/ws/other.py",),
            exists=False,
            cwd="/ws",
        )
    )
    assert words.path == "src/a.py"
    assert get_file_path({"content": content}) == "a.py"
