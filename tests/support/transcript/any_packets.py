"""Hypothesis: packets as agents send them, with any text and values in their fields."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from acp_jupyter.packets import Packet, parse_packet

__all__ = ["AGENT_PACKETS", "AGENT_UPDATES", "MADE_PACKETS"]

_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_NAMES = st.sampled_from(["read", "Bash", "todowrite", "delete_file", "A title", "/a/b"])
_PLACES = st.lists(st.just({"path": "/a/b"}), max_size=2)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=6,
)
_TIMES = st.none() | st.integers(1_000_000_000, 1_900_000_000)

_BLOCKS = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": _WORDS}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["image", "audio"]), "data": _WORDS, "mimeType": _WORDS}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("resource"),
            "resource": st.fixed_dictionaries({"uri": _WORDS, "text": _WORDS}),
        }
    ),
    st.fixed_dictionaries({"type": st.just("resource_link"), "uri": _WORDS, "name": _WORDS}),
)
_CONTENT = st.one_of(
    st.fixed_dictionaries({"type": st.just("content"), "content": _BLOCKS}),
    st.fixed_dictionaries(
        {"type": st.just("diff"), "path": _WORDS, "oldText": st.none() | _WORDS, "newText": _WORDS}
    ),
    st.fixed_dictionaries({"type": st.just("terminal"), "terminalId": _WORDS}),
)


_ID = {"terminal_id": st.sampled_from("xt")}
_DATA = {"data": _WORDS | st.sampled_from(["aGVsbG8KIQ==", "a\nb"])}
_PARENTS = {
    "parentToolCallId": st.sampled_from("xyz"),
    "claudeCode": st.fixed_dictionaries({"parentToolUseId": st.sampled_from("xyz") | _WORDS}),
}
_TERMINALS = st.fixed_dictionaries(
    {},
    optional=_PARENTS
    | {
        "terminal_info": st.fixed_dictionaries({**_ID, "command": _WORDS, "cwd": _WORDS}),
        "terminal_output": st.fixed_dictionaries(_ID | _DATA),
        "terminal_output_delta": st.fixed_dictionaries(_ID | _DATA),
        "terminal_exit": st.fixed_dictionaries(
            {**_ID, "exit_code": st.none() | st.integers(0, 255), "signal": st.none() | _WORDS}
        ),
    },
)


def _update(kind: str, /, fields: dict[str, Any], **optional: Any) -> st.SearchStrategy[Any]:
    required = {"sessionUpdate": st.just(kind), **fields}
    return st.fixed_dictionaries(required, optional={"timestamp": _TIMES, **optional})


_CHUNKS = [
    _update(
        f"{who}_chunk",
        {"content": _BLOCKS},
        messageId=st.sampled_from("ab"),
        _meta=st.fixed_dictionaries({}, optional=_PARENTS),
    )
    for who in ("agent_message", "agent_thought", "user_message")
]
_CALLS = [
    _update(
        kind,
        {"toolCallId": st.sampled_from("xyz")},
        title=_NAMES,
        status=st.sampled_from(["pending", "in_progress", "completed", "failed", None]),
        kind=st.sampled_from(["read", "edit", "execute", "fetch", "other"]),
        content=st.none() | st.lists(_CONTENT, max_size=2),
        rawInput=st.none() | st.dictionaries(_WORDS, _VALUES, max_size=2),
        rawOutput=_VALUES,
        locations=st.none() | _PLACES,
        progress=st.floats(0, 1),
        message=_WORDS,
        _meta=_TERMINALS,
    )
    for kind in ("tool_call", "tool_call_update")
]
_ENTRY = st.fixed_dictionaries(
    {
        "content": _WORDS,
        "priority": st.sampled_from(["high", "medium", "low"]),
        "status": st.sampled_from(["pending", "in_progress", "completed"]),
    }
)
_OTHERS = [
    _update("plan", {"entries": st.lists(_ENTRY, max_size=3)}),
    _update("current_mode_update", {"currentModeId": st.sampled_from(["ask", "code"])}),
    _update("usage_update", {"used": st.integers(0, 9), "size": st.integers(0, 9)}),
    _update("session_info_update", {"title": st.none() | _WORDS}),
    _update("notice", {"severity": st.sampled_from(["info", "warning"]), "description": _WORDS}),
    _update("available_commands_update", {"availableCommands": st.just([{"name": "explore"}])}),
    _update("config_option_update", {"configOptions": st.just([{"id": "speed"}])}),
    _update("plan_removed", {"planId": _WORDS}),
    _update("hologram", {"depth": _VALUES}),
]


def _packet(kind: str, /, fields: dict[str, Any], **optional: Any) -> st.SearchStrategy[Any]:
    required = {"type": st.just(kind), **fields}
    return st.fixed_dictionaries(required, optional={"timestamp": _TIMES, **optional})


_MADE = [
    _packet(
        "prompt_response",
        {"stopReason": st.sampled_from(["end_turn", "refusal", "sunset"])},
        summary=_WORDS,
        usage=st.fixed_dictionaries({"inputTokens": st.integers(0, 9)}),
    ),
    _packet("error", {"message": _WORDS}, code=st.integers(-9, 9)),
    _packet("file_write", {"path": _WORDS}, size_bytes=st.integers(0, 9), operation=_WORDS),
    _packet(
        "artifact_created",
        {"artifact": st.fixed_dictionaries({"id": _WORDS, "type": _WORDS, "path": _WORDS})},
    ),
    _packet("step_start", {"step_id": _WORDS, "step_name": _WORDS}),
    _packet("step_delta", {"step_id": _WORDS, "content": _WORDS}),
    _packet("step_end", {"step_id": _WORDS}),
    _packet("output_start", {}),
    _packet("output_end", {}),
    _packet(
        "permission_request",
        {"request_id": st.sampled_from("pq"), "operation": _WORDS, "description": _WORDS},
        auto_approve=st.booleans(),
    ),
    _packet(
        "permission_response",
        {"request_id": st.sampled_from("pq"), "approved": st.booleans()},
    ),
]

AGENT_UPDATES: st.SearchStrategy[dict[str, Any]] = st.one_of(_CHUNKS + _CALLS + _OTHERS)
"""As they are on the wire."""

AGENT_PACKETS: st.SearchStrategy[Packet] = AGENT_UPDATES.map(parse_packet)
"""Updates of the protocol."""

MADE_PACKETS: st.SearchStrategy[Packet] = st.one_of(_MADE).map(parse_packet)
"""Fields that only Onyx packets and Onyx build mode have."""
