"""The dialects that can be imported; detects the dialect of a log by its first lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, Literal, get_args

from acp_jupyter.protocol.log_envelope import open_envelope
from acp_jupyter.protocol.log_json import LogValue, read_values

Dialect = Literal["traffic", "packets", "build-mode", "claude-cli"]
"""The formats to import; all but the last can also be exported."""

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

DIALECT_WORDS: dict[Dialect, str] = {
    "traffic": "ACP traffic",
    "packets": "packets",
    "build-mode": "build-mode packets",
    "claude-cli": "the Claude CLI's stream-json",
}

_VOTES = 50
_SAMPLE_LINES = 20_000

_PACKET_NAMES = (
    "agent_message_chunk agent_thought_chunk user_message_chunk user_message tool_call "
    "tool_call_start tool_call_update tool_call_progress agent_plan_update prompt_response"
)
_BUILD_NAMES = (
    "step_start step_delta step_end tool_start tool_progress tool_end output_start output_delta "
    "output_end plan mode_update done file_write"
)
_PACKETS = frozenset(_PACKET_NAMES.split())
_BUILD = frozenset(_BUILD_NAMES.split())


def kind_of(value: Any) -> Dialect | None:
    """Return the kind of log that has such a line; None if several have it, or none."""
    if not isinstance(value, dict):
        return None
    if _is_claude(value):
        return "claude-cli"
    name = value.get("type")
    if isinstance(value.get("sessionUpdate"), str) or (isinstance(name, str) and name in _PACKETS):
        return "packets"
    if isinstance(name, str) and name in _BUILD and "jsonrpc" not in value:
        return "build-mode"
    if "d" in value and "m" in value:
        return "traffic"
    return None if open_envelope(value).message is None else "traffic"


def likely_dialect(lines: Iterable[bytes | str]) -> Dialect | None:
    """Return the kind of most of the first lines; None if no line is recognised."""
    votes: Counter[Dialect] = Counter()
    for found in islice(read_values(lines), _SAMPLE_LINES):
        kind = kind_of(found.value) if isinstance(found, LogValue) else None
        if kind is not None:
            votes[kind] += 1
        if votes.total() >= _VOTES:
            break
    return max(votes, key=lambda kind: votes[kind], default=None)


def _is_claude(value: dict[str, Any]) -> bool:
    match value:
        case {"type": "user" | "assistant", "message": {"jsonrpc": _}}:
            return False
        case {"type": "user" | "assistant", "message": dict()}:
            return True
        case {"type": "system" | "result", "subtype": str()}:
            return "jsonrpc" not in value
        case {"type": "stream_event", "event": dict()}:
            return True
        case {"type": "control_request" | "control_cancel_request", "request_id": str()}:
            return True
        case {"type": "control_response", "response": dict()}:
            return True
        case {"type": "tool_progress", "tool_use_id": str()}:
            return True
        case {"type": "rate_limit_event" | "auth_status" | "keep_alive"}:
            return True
        case _:
            return False
