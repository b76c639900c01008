"""Messages that need no repair: by far the most of what agents write."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from acp_jupyter.packets.vocabulary import ACP_KINDS

__all__ = ["is_plain"]

_CALL_FIELDS = frozenset(
    {
        "sessionUpdate",
        "toolCallId",
        "title",
        "kind",
        "status",
        "content",
        "rawInput",
        "rawOutput",
        "_meta",
    }
)
_STATUSES = frozenset({"pending", "in_progress", "completed", "failed"})


def is_plain(message: Mapping[str, Any]) -> bool:
    """Tell a well-formed piece of text or tool call update, so that it is read as it stands.

    Whatever is only a little out of the ordinary says no: then it is normalised.
    """
    match message:
        case {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": str(),
                "update": {"sessionUpdate": str(kind)} as update,
            } as params,
        } if len(message) == 3 and len(params) == 2:
            if kind in {"agent_message_chunk", "agent_thought_chunk"}:
                known = 3 if isinstance(update.get("messageId"), str) else 2
                return len(update) == known and _is_text(update.get("content"))
            return kind == "tool_call_update" and _is_call(update)
        case _:
            return False


def _is_text(block: object) -> bool:
    return (
        isinstance(block, dict)
        and len(block) == 2
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    )


def _is_call(update: Mapping[str, Any]) -> bool:
    return (
        update.keys() <= _CALL_FIELDS
        and isinstance(update.get("toolCallId"), str)
        and isinstance(update.get("title", ""), str)
        and ("kind" not in update or _is_one_of(update["kind"], ACP_KINDS))
        and ("status" not in update or _is_one_of(update["status"], _STATUSES))
        and isinstance(update.get("_meta", {}), dict)
        and _is_content(update.get("content", []))
    )


def _is_one_of(value: object, words: Container[str]) -> bool:
    return isinstance(value, str) and value in words  # a list has no hash to be found by


def _is_content(content: object) -> bool:
    return isinstance(content, list) and all(
        isinstance(item, dict)
        and len(item) == 2
        and item.get("type") == "content"
        and _is_text(item.get("content"))
        for item in content
    )
