"""All that other modes send, in one turn."""

from __future__ import annotations

from _wire import Json, Wire

from hazards import lines, requests, updates
from hazards.mode import Mode

__all__ = ["MODES"]

SENT = (
    *("unknown_update", "odd_kind_and_status", "content_bare_block", "content_of_unknown_type"),
    *("snake_case", "places_of_any_shape", "media_type", "plan_without_priority"),
    *("usage_of_nothing", "usage_as_floats", "commands_incomplete", "options_of_any_shape"),
    *(
        "content_string",
        "mode_of_nobody",
        "notice",
        "content_list",
        "extra_fields",
        "bare_chunk",
        "lone_surrogate",
    ),
    *("invalid_utf8", "other_names", "meta_collisions", "update_as_request", "unknown_request"),
    *("permission_unknown_kind", "permission_without_call_id", "permission_options_as_text"),
    "permission_meta",
)
OTHERS = {**updates.MODES, **lines.MODES, **requests.MODES}


def dialects(wire: Wire, session_id: str, text: str) -> str:
    for mode in SENT:
        OTHERS[mode].prompt(wire, session_id, text)
    wire.update(session_id, "tool_call_update", toolCallId=7)
    created = wire.ask("terminal/create", {"sessionId": session_id, "command": "ls"})
    wire.text(session_id, f"terminal {created.get('error', {}).get('code')} ")
    wire.send({"method": "$/cancel_request", "params": {"requestId": 99}})
    wire.send({"method": "auth/status", "params": {}})
    words: Json = {"sessionUpdate": "agent_message_chunk"}
    words["content"] = {"type": "text", "text": "batched "}
    params = {"sessionId": session_id, "update": words}
    both = [{"jsonrpc": "2.0", "method": "session/update", "params": params}] * 2
    lines.send_line(wire, both)
    return "stop_sequence"


MODES = {"dialects": Mode(dialects)}
