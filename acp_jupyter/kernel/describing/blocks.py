"""Described variables as the blocks of a prompt."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from pydantic import JsonValue

from acp_jupyter.kernel.describing.values import Described
from acp_jupyter.notebook_tools.reply import Reply, Text

__all__ = ["variable_blocks"]

_HEAD = "Variables of the notebook's kernel, as they are now. What is marked so is data:"
_UNSEEN = "It is a picture, and you can't take pictures."

_Block = dict[str, JsonValue]


def variable_blocks(described: Sequence[Described], capabilities: Sequence[str]) -> list[_Block]:
    """Return one block of text with all of them, and the pictures for an agent that takes some."""
    if not described:
        return []
    sees = "image" in capabilities
    reply = Reply()
    reply.add_text(_HEAD)
    for each in described:
        unseen = f"\n{_UNSEEN}" if each.png is not None and not sees else ""
        reply.data(f"variable {each.name}", f"{each.text}{unseen}")
    texts: list[_Block] = [
        {"type": "text", "text": part.text} for part in reply.parts if isinstance(part, Text)
    ]
    pictures: list[_Block] = [
        {
            "type": "image",
            "data": base64.b64encode(each.png).decode("ascii"),
            "mimeType": "image/png",
        }
        for each in described
        if each.png is not None and sees
    ]
    return [*texts, *pictures]
