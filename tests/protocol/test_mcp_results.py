"""Results of MCP tools that an agent has in ``rawOutput`` alone, as codex-acp 2.6.0 sends them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.content import ToolContentBlock
from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.protocol.parse.packet import parse_packet

IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "answer: int = 42"}


def result(*blocks: Any) -> dict[str, Any]:
    return {"result": {"content": list(blocks), "structuredContent": None}, "error": None}


@pytest.mark.parametrize(
    ("update", "types"),
    [
        ({"rawOutput": result(TEXT, IMAGE)}, ["text", "image"]),
        ({"rawOutput": result(TEXT, 5, {"type": "x"}), "content": []}, ["text", "other"]),
        ({"rawOutput": {"result": None, "error": {"message": "No such tool"}}}, ["text"]),
        (
            {"rawOutput": result(TEXT), "content": [{"type": "content", "content": IMAGE}]},
            ["image"],
        ),
        ({"rawOutput": {**result(TEXT), "more": 1}}, None),
        ({"rawOutput": {"result": "x", "error": ["y"]}}, None),
        ({"rawOutput": {"result": {"content": "x"}, "error": {"message": 5}}, "content": []}, []),
    ],
)
def test_they_are_the_content_of_the_call(update: dict[str, Any], types: list[str] | None) -> None:
    whole = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    packet = parse_packet({**whole, **update})
    assert isinstance(packet, ToolCallProgress)
    if types is None:
        assert packet.content is None
    else:
        blocks = [each for each in packet.content or () if isinstance(each, ToolContentBlock)]
        assert [each.block.type for each in blocks] == types
