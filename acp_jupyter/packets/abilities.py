"""What an agent says that it can do with sessions."""

from __future__ import annotations

from typing import Literal, get_args

from acp_jupyter.packets.json_fields import Obj, first, obj

__all__ = ["Ability", "abilities"]

Ability = Literal["load", "resume", "list", "fork", "close", "delete", "logout", "http", "sse"]
"""``http`` and ``sse``: kinds of MCP servers beside stdio, which every agent takes."""

_ALL: tuple[Ability, ...] = get_args(Ability)


def abilities(capabilities: Obj) -> tuple[Ability, ...]:
    """Read ACP's ``agentCapabilities``; an empty object means yes, false, null and absence no."""
    session = obj(first(capabilities, "sessionCapabilities", "session_capabilities"))
    auth = obj(capabilities.get("auth"))
    mcp = obj(first(capabilities, "mcpCapabilities", "mcp_capabilities"))
    told: dict[Ability, object] = {
        "load": first(capabilities, "loadSession", "load_session"),
        "resume": session.get("resume"),
        "list": session.get("list"),
        "fork": session.get("fork"),
        "close": session.get("close"),
        "delete": session.get("delete"),
        "logout": auth.get("logout"),
        "http": mcp.get("http"),
        "sse": mcp.get("sse"),
    }
    return tuple(name for name in _ALL if _yes(told[name]))


def _yes(value: object) -> bool:
    return value is True or isinstance(value, dict)
