"""Answers to what the recorded client never asked."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from typing import Any

from acp_jupyter.agents.replay.steps import Object
from acp_jupyter.agents.rpc import Json

__all__ = ["default_answer", "default_hello"]

_EMPTY = frozenset(
    {
        "authenticate",
        "logout",
        "session/close",
        "session/delete",
        "session/load",
        "session/resume",
        "session/set_mode",
        "session/set_model",
    }
)


def default_hello() -> Json:
    """Return the answer to ``initialize`` for a log that has none."""
    try:
        version = metadata.version("acp-jupyter")
    except metadata.PackageNotFoundError:
        version = "0"
    return {
        "protocolVersion": 1,
        "agentInfo": {"name": "replay", "title": "Replay", "version": version},
        "agentCapabilities": {"loadSession": False},
        "authMethods": [],
    }


def default_answer(method: str, params: Object, setup: Object) -> Json | None:
    """Return a sensible answer, None for a method that has none.

    Parameters
    ----------
    setup
        The recorded answer that opened the session.
    """
    if method in _EMPTY:
        return {}
    if method == "session/list":
        return {"sessions": []}
    if method == "session/set_config_option":
        return {"configOptions": _changed(setup.get("configOptions"), params)}
    return None


def _changed(options: Any, params: Object) -> list[object]:
    changed: list[object] = []
    for option in options if isinstance(options, list) else []:
        if isinstance(option, Mapping) and option.get("id") == params.get("configId"):
            option = {**option, "currentValue": params.get("value")}
        changed.append(option)
    return changed
