"""Every packet of every dialect: which model it is, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet

Json = dict[str, Any]

BLOCK = {"content": {"type": "text", "text": "t"}}
CALL = {"toolCallId": "c", "title": "glob"}
MODELS: dict[str, tuple[str, Json]] = {
    "user_message_chunk": ("user_message_chunk", BLOCK),
    "agent_message_chunk": ("agent_message_chunk", BLOCK),
    "agent_thought_chunk": ("agent_thought_chunk", BLOCK),
    "tool_call": ("tool_call_start", CALL),
    "tool_call_start": ("tool_call_start", CALL),
    "tool_start": ("tool_call_start", CALL),
    "tool_call_update": ("tool_call_progress", CALL),
    "tool_call_progress": ("tool_call_progress", CALL),
    "tool_progress": ("tool_call_progress", CALL),
    "tool_end": ("tool_call_progress", CALL),
    "permission_request": ("permission_request", {"request_id": "r"}),
    "permission_response": ("permission_response", {"request_id": "r"}),
    "plan": ("agent_plan_update", {"entries": []}),
    "plan_update": ("agent_plan_update", {"plan": {"planId": "p"}}),
    "agent_plan_update": ("agent_plan_update", {"entries": []}),
    "plan_removed": ("plan_removed", {"planId": "p"}),
    "available_commands_update": ("available_commands_update", {"availableCommands": []}),
    "current_mode_update": ("current_mode_update", {"currentModeId": "m"}),
    "mode_update": ("current_mode_update", {"mode": "m"}),
    "config_option_update": ("config_option_update", {"configOptions": []}),
    "session_info_update": ("session_info_update", {"title": "t"}),
    "usage_update": ("usage_update", {"used": 1, "size": 2}),
    "notice": ("notice", {"title": "t"}),
    "compaction_update": ("notice", {"status": "completed"}),
    "artifact_created": ("artifact_created", {"artifact": {"id": "a"}}),
    "file_write": ("file_write", {"path": "p"}),
    "prompt_response": ("prompt_response", {"stopReason": "end_turn"}),
    "done": ("prompt_response", {"stop_reason": "end_turn"}),
    "error": ("error", {"message": "m"}),
    "step_start": ("step_start", {"step_id": "s"}),
    "step_delta": ("agent_thought_chunk", {"step_id": "s", "content": "c"}),
    "step_end": ("step_end", {"step_id": "s"}),
    "output_start": ("output_start", {}),
    "output_delta": ("agent_message_chunk", {"content": "c"}),
    "output_end": ("output_end", {}),
    "moon": ("unknown", {}),
}


@pytest.mark.parametrize("key", ["type", "sessionUpdate", "session_update"])
@pytest.mark.parametrize("name", MODELS)
def test_each_type_has_its_model(name: str, key: str) -> None:
    """S3.35, C27: by either key; what is unknown is kept raw."""
    model, fields = MODELS[name]
    raw = {key: name, **fields}
    packet = parse_packet(raw)
    assert packet.type == model
    if packet.type == "unknown":
        assert packet.raw is raw


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "agent_message_chunk"},
        {"type": "agent_thought_chunk", "content": None},
        {"type": "user_message_chunk", "content": 5},
        {"type": "tool_call", "title": "glob"},
        {"type": "tool_call_update", "toolCallId": ""},
        {"type": "tool_end", "tool_call_id": 5},
        {"type": "permission_request"},
        {"type": "permission_response", "request_id": None},
        {"type": "current_mode_update"},
        {"type": "usage_update", "used": 1},
        {"type": "usage_update", "used": -1, "size": 5},
        {"type": "artifact_created", "artifact": []},
        {"type": "file_write"},
    ],
    ids=str,
)
def test_a_packet_without_what_makes_it_one_is_unknown(raw: Json) -> None:
    """S3.35: and nothing of it is lost."""
    packet = parse_packet(raw)
    assert packet.type == "unknown"
    assert packet.raw is raw


def says(raw: Json) -> Json:
    """Return what a packet says, without what it does not."""
    packet = parse_packet(raw).model_dump(exclude_defaults=True)
    return {key: value for key, value in packet.items() if key != "type"}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            {"type": "step_start", "step_id": "s", "step_name": "n"},
            {"step_id": "s", "step_name": "n"},
        ),
        (
            {"type": "step_end", "step_id": "s", "status": "failed"},
            {"step_id": "s", "status": "failed"},
        ),
        ({"type": "step_end", "step_id": "s"}, {"step_id": "s"}),
        ({"type": "step_end", "step_id": "s", "status": "completed"}, {"step_id": "s"}),
        (
            {"type": "mode_update", "mode": "m", "description": "d"},
            {"mode_id": "m", "description": "d"},
        ),
        ({"type": "current_mode_update", "current_mode_id": "m"}, {"mode_id": "m"}),
        ({"type": "plan_removed", "planId": "p"}, {"plan_id": "p"}),
        ({"type": "plan_removed", "plan_id": "p"}, {"plan_id": "p"}),
        (
            {"type": "plan_update", "plan": {"planId": "p", "content": "c"}},
            {"plan_id": "p", "text": "c"},
        ),
        ({"type": "plan_update", "plan_id": "p", "markdown": "c"}, {"plan_id": "p", "text": "c"}),
        ({"type": "plan", "text": "c", "entries": {}}, {"text": "c"}),
        ({"type": "file_write", "path": "p", "sizeBytes": 5}, {"path": "p", "size_bytes": 5}),
        (
            {"type": "file_write", "path": "p", "size_bytes": -1, "operation": "edit"},
            {"path": "p", "operation": "edit"},
        ),
        ({"type": "file_write", "path": "p", "operation": "create"}, {"path": "p"}),
    ],
    ids=str,
)
def test_steps_modes_plans_and_files(raw: Json, expected: Json) -> None:
    """S3.4, S3.6, S3.15, S3.17, S3.22: field by field, in either spelling."""
    assert says(raw) == expected


USAGE = {"total_tokens": 15, "input_tokens": 10, "output_tokens": 5}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"stopReason": "refusal"}, {"stop_reason": "refusal"}),
        ({"stop_reason": "refusal"}, {"stop_reason": "refusal"}),
        ({}, {"stop_reason": "end_turn"}),
        ({"summary": "s"}, {"stop_reason": "end_turn", "summary": "s"}),
        ({"usage": USAGE}, {"stop_reason": "end_turn", "usage": USAGE}),
        (
            {"usage": {"totalTokens": 15, "inputTokens": 10, "outputTokens": 5.0}},
            {"stop_reason": "end_turn", "usage": USAGE},
        ),
        ({"usage": {"input_tokens": "many"}}, {"stop_reason": "end_turn"}),
        (
            {"_meta": {"claudeCode": {"subtype": "success", "durationMs": 1500}}},
            {"stop_reason": "end_turn", "detail": "success", "duration_seconds": 1.5},
        ),
    ],
    ids=str,
)
def test_ends_of_turns(raw: Json, expected: Json) -> None:
    """S3.18, S1.39: why, with what summary, at what cost."""
    assert says({"type": "done", **raw}) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"message": "m", "code": -1}, {"message": "m", "code": "-1"}),
        ({"message": "m", "code": [1]}, {"message": "m"}),
        ({}, {"message": "The agent reported an error."}),
        ({"message": "m", "data": {"details": "d"}}, {"message": "m", "detail": "d"}),
        ({"message": "m", "data": {"detail": "d"}}, {"message": "m", "detail": "d"}),
        ({"message": "m", "data": {"message": "d"}}, {"message": "m", "detail": "d"}),
        ({"message": "m", "data": "d"}, {"message": "m", "detail": "d"}),
        ({"message": "m", "data": "m"}, {"message": "m"}),
        ({"message": '{"error": {"message": "m"}}'}, {"message": "m"}),
        ({"message": '{"message": "m"}'}, {"message": "m"}),
        ({"message": '{"other": "m"}'}, {"message": '{"other": "m"}'}),
        ({"message": "{broken"}, {"message": "{broken"}),
    ],
    ids=str,
)
def test_errors(raw: Json, expected: Json) -> None:
    """S3.21, S1.40, C16: in words, with the lines behind them."""
    assert says({"type": "error", **raw}) == expected


WEB = {"id": "a", "type": "web_app", "name": "n", "path": "p"}
MORE = {"preview_url": "v", "download_url": "d", "mime_type": "text/html", "size_bytes": 4096}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({**WEB, **MORE}, {**WEB, **MORE}),
        (
            {
                **WEB,
                "previewUrl": "v",
                "downloadUrl": "d",
                "mimeType": "text/html",
                "sizeBytes": 4096,
            },
            {**WEB, **MORE},
        ),
        ({**WEB, "preview_url": None}, WEB),
        (
            {"type": "nextjs_app", "path": "p"},
            {"id": "p", "type": "web_app", "name": "p", "path": "p"},
        ),
        *(({**WEB, "type": t}, {**WEB, "type": t}) for t in ("markdown", "image", "csv", "excel")),
        *(({**WEB, "type": t}, {**WEB, "type": t}) for t in ("pptx", "docx", "pdf", "code")),
        ({**WEB, "type": "file"}, {"id": "a", "name": "n", "path": "p"}),
        ({**WEB, "type": "other"}, {"id": "a", "name": "n", "path": "p"}),
    ],
    ids=str,
)
def test_artifacts(raw: Json, expected: Json) -> None:
    """S3.23, S3.24, S1.41, C15: every field, every type; a file is other."""
    assert says({"type": "artifact_created", "artifact": raw}) == {"artifact": expected}
