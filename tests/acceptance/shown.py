"""What a turn shows."""

from __future__ import annotations

from typing import Any, TypeVar

from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.traffic import Script

__all__ = ["calls", "only", "shown"]

_Kind = TypeVar("_Kind", bound=Item)


def shown(script: Script, kind: type[_Kind]) -> list[_Kind]:
    """Return the items of one kind."""
    state = script.transcript
    return [item for item in state.window(0, len(state.items)) if isinstance(item, kind)]


def only(script: Script, kind: type[_Kind]) -> _Kind:
    """Return the only item of a kind."""
    (item,) = shown(script, kind)
    return item


def calls(script: Script) -> dict[str, Any]:
    """Return the tool calls by their names."""
    return {call.tool_name: call for call in shown(script, ToolCall)}
