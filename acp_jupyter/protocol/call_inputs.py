"""The parts of a message that say what a tool call would do: what a user is asked to allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_INPUTS = ("title", "rawInput", "locations")


def with_call_inputs(message: Any, source: Any) -> Any:
    """Return a message with the tool call inputs of ``source``.

    Parameters
    ----------
    source
        The same one with other texts. Of it are the titles, inputs, locations and diffs of tool
        calls (ACP: ``ToolCall``); results are not.
    """
    if isinstance(message, list) and isinstance(source, list) and len(message) == len(source):
        return [with_call_inputs(*pair) for pair in zip(message, source, strict=True)]
    if not (isinstance(message, Mapping) and isinstance(source, Mapping)):
        return message
    if "toolCallId" not in source:
        return {key: with_call_inputs(value, source.get(key)) for key, value in message.items()}
    inputs = {name: source[name] for name in _INPUTS if name in source}
    parts, others = message.get("content"), source.get("content")
    if isinstance(parts, list) and isinstance(others, list) and len(parts) == len(others):
        pairs = zip(parts, others, strict=True)
        inputs["content"] = [other if _is_diff(other) else part for part, other in pairs]
    return {**message, **inputs}


def _is_diff(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "diff"
