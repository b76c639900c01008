"""Packets that no agent should write, for hypothesis."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from acp_jupyter.protocol.tools.table import TOOLS

__all__ = ["KEYS", "PACKETS", "PYTHON", "SLOW", "TYPES", "VALUES", "WORDS"]

TYPES = [
    *("agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "notice", "moon"),
    *("tool_call", "tool_call_update", "tool_call_start", "tool_call_progress"),
    *("tool_start", "tool_progress", "tool_end", "permission_request", "permission_response"),
    *("plan", "plan_update", "agent_plan_update", "plan_removed", "session_info_update"),
    *("available_commands_update", "current_mode_update", "mode_update", "config_option_update"),
    *("usage_update", "compaction_update", "artifact_created", "file_write", "error"),
    *("prompt_response", "done", "step_start", "step_delta", "step_end"),
    *("output_start", "output_delta", "output_end"),
]
KEYS = [
    *("content", "title", "kind", "status", "rawInput", "raw_input", "rawOutput", "locations"),
    *("path", "line", "entries", "plan", "priority", "message", "code", "data", "timestamp"),
    *("text", "type", "output", "metadata", "count", "truncated", "exit", "todos", "exists"),
    *("diagnostics", "oldText", "newText", "file_path", "pattern", "command", "description"),
    *("subagent_type", "query", "artifact", "id", "name", "preview_url", "size_bytes"),
    *("options", "request_id", "approved", "auto_approve", "progress", "result", "tool_name"),
    *("step_id", "usage", "input_tokens", "stopReason", "summary", "used", "size", "cost"),
    *("amount", "availableCommands", "currentModeId", "configOptions", "_meta", "claudeCode"),
    *("durationMs", "range", "start", "acp-jupyter/session", "questions", "update", "method"),
]
WORDS = st.sampled_from([*TYPES, *TOOLS, "completed", "failed", "high", "diff", "", "a/b", "\n"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**400)
    | st.floats()
    | WORDS
    | st.text(max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=5,
)
PACKETS = st.builds(
    lambda kind, call, rest: {**kind, "toolCallId": call, **rest},
    st.sampled_from([{key: t} for key in ("type", "sessionUpdate") for t in TYPES]),
    st.sampled_from(["a", "b", "c"]),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5),
)
PYTHON = st.recursive(
    LEAVES
    | st.binary(max_size=5)
    | st.sets(st.integers(), max_size=3)
    | st.complex_numbers()
    | st.datetimes()
    | st.characters(categories=["Cs"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from(KEYS) | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=4,
)
SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
