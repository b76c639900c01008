"""Content blocks of the Anthropic API, as content blocks of the protocol."""

from __future__ import annotations

import json

from pydantic import JsonValue

from acp_jupyter.packets.json_fields import Obj, obj, text

__all__ = ["acp_blocks"]


def acp_blocks(content: JsonValue) -> list[Obj]:
    """Return a string, a block or a list of them as content blocks; nothing is left out."""
    if content is None or content == "":
        return []
    if isinstance(content, list):
        return [block for item in content for block in acp_blocks(item)]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [_block(content) if isinstance(content, dict) else _as_text(content)]


def _block(block: Obj) -> Obj:
    match block:
        case {"type": "text", "text": str(words)}:
            return {"type": "text", "text": words}
        case {"type": "image", "source": {"type": "base64", "data": str(data)}}:
            kind = text(obj(block.get("source")).get("media_type"))
            return {"type": "image", "data": data, "mimeType": kind}
        case {"type": "image", "source": {"type": "url", "url": str(url)}}:
            return {"type": "resource_link", "uri": url, "name": "image"}
        case {"type": "document", "title": str(title)}:
            return {"type": "text", "text": title}
        case {"type": "web_search_result", "url": str(url)}:
            name = text(block.get("title")) or url
            return {"type": "resource_link", "uri": url, "name": name}
        case _:
            return _as_text(obj(block))


def _as_text(value: JsonValue) -> Obj:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
