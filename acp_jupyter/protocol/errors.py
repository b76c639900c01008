"""The reason in the ``data`` of a JSON-RPC error, which every agent formats differently."""

from __future__ import annotations

from pydantic import JsonValue

_FIELDS = ("details", "detail", "message", "error", "errors", "reason", "cause")
_DEPTH = 4
_MAX = 10
_CHARS = 4000


def error_detail(data: JsonValue) -> str:
    """Return the reason as text; empty if there is none that people can read."""
    return _reason(data, _DEPTH)[:_CHARS]


def _reason(data: JsonValue, depth: int) -> str:
    if isinstance(data, str):
        return data.strip()
    if depth == 0:
        return ""
    if isinstance(data, list):
        return "; ".join(filter(None, (_reason(each, depth - 1) for each in data[:_MAX])))
    if isinstance(data, dict):
        found = (_reason(data[name], depth - 1) for name in _FIELDS if name in data)
        return next(filter(None, found), "")
    return ""
