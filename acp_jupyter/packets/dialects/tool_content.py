"""Content blocks and tool call content, written as the protocol and seed 000 have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from pydantic import JsonValue

from acp_jupyter.packets.content import (
    ContentBlock,
    TextBlock,
    ToolContent,
    ToolContentBlock,
    ToolDiff,
    ToolTerminal,
)
from acp_jupyter.packets.json_fields import Obj

__all__ = ["content_text", "write_block", "write_tool_content"]


def write_block(block: ContentBlock) -> Obj:
    """Write a content block; C9: resources in the protocol's form."""
    if isinstance(block, TextBlock):
        return {"_meta": None, "type": "text", "text": block.text, "annotations": None}
    match block.type:
        case "image" | "audio":
            media: Obj = {"type": block.type, "data": block.data, "mimeType": block.mime_type}
            return media | _said({"uri": block.uri})
        case "resource_link":
            link: Obj = {"type": "resource_link", "uri": block.uri, "name": block.name}
            return link | _said({"mimeType": block.mime_type, "size": block.size})
        case "resource":
            body: Obj = {"uri": block.uri, "mimeType": block.mime_type}
            inner: Obj = {"blob": block.data} if block.data else {"text": block.text}
            return {"type": "resource", "resource": _said(body) | inner}
        case "other":
            return {"type": block.name} | _said({"text": block.text})


def _said(fields: Obj) -> Obj:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def content_text(content: Iterable[ToolContent]) -> str:
    """Return what a tool call's content says in text."""
    blocks = (item.block for item in content if isinstance(item, ToolContentBlock))
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def write_tool_content(content: Iterable[ToolContent]) -> list[JsonValue]:
    """Write a tool call's content; S1.31: the old text of a new file is empty."""
    return [_item(item) for item in content]


def _item(item: ToolContent) -> Obj:
    match item:
        case ToolContentBlock():
            return {"_meta": None, "type": "content", "content": write_block(item.block)}
        case ToolDiff():
            return {
                "_meta": None,
                "type": "diff",
                "path": item.path,
                "oldText": item.old_text or "",
                "newText": item.new_text,
            }
        case ToolTerminal():
            return {"_meta": None, "type": "terminal", "terminalId": item.terminal_id}
        case _:
            assert_never(item)
