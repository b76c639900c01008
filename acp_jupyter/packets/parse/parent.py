"""Which tool call an update belongs to, where a subagent made it."""

from __future__ import annotations

from acp_jupyter.packets.json_fields import Obj, first, obj, text

__all__ = ["PARENT_ID", "parent_id"]

PARENT_ID = "parentToolCallId"
"""In ``_meta``, as Qwen Code spells it; it is also what we write."""


def parent_id(raw: Obj) -> str:
    """Return the id of the tool call whose subagent made this; empty where none is named.

    Two conventions: ``_meta.claudeCode.parentToolUseId`` and ``_meta.parentToolCallId``.
    """
    meta = raw.get("_meta")
    if not isinstance(meta, dict):
        return ""
    return text(first(obj(meta.get("claudeCode")), "parentToolUseId")) or text(meta.get(PARENT_ID))
