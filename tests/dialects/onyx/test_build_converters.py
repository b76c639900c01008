"""The converters of Onyx build mode."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.dialects.onyx.build_converters import (
    convert_acp_error_to_error,
    convert_acp_message_chunk_to_output_delta,
    convert_acp_mode_update_to_mode_update,
    convert_acp_plan_to_plan,
    convert_acp_prompt_response_to_done,
    convert_acp_thought_to_step_delta,
)
from acp_jupyter.dialects.onyx.build_packets import StepDeltaPacket
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ErrorPacket,
    PromptResponse,
    PromptUsage,
)
from acp_jupyter.protocol.session_packets import CurrentModeUpdate
from tests.support.transcript.wire import acp, text, wire


def test_a_thought_becomes_a_step() -> None:
    """In the step "thinking", unless the packet names another."""
    thought = acp("agent_thought_chunk", content=text("Hm"))
    assert isinstance(thought, AgentThoughtChunk)
    delta = convert_acp_thought_to_step_delta(thought)
    assert isinstance(delta, StepDeltaPacket)
    assert wire(delta) == {"type": "step_delta", "step_id": "thinking", "content": "Hm"}
    named = thought.model_copy(update={"step_id": "planning"})
    assert convert_acp_thought_to_step_delta(named).step_id == "planning"
    assert convert_acp_thought_to_step_delta(thought, "mine").step_id == "mine"


@pytest.mark.parametrize(
    ("block", "content", "carried"),
    [
        (text("Hello"), "Hello", None),
        (
            {"type": "image", "data": "AA==", "mediaType": "image/png"},
            "",
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}},
            "",
            {"type": "embedded_resource", "uri": "file:///a", "text": "x"},
        ),
        (
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "mimeType": "a/b",
                "size": 3,
            },
            "",
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "mimeType": "a/b",
                "size": 3,
            },
        ),
        ({"type": "hologram", "text": "see"}, "", {"type": "text", "text": "see"}),
    ],
)
def test_a_message_becomes_output_delta(
    block: dict[str, Any], content: str, carried: dict[str, Any] | None
) -> None:
    """Text as text, anything else as a content block of build mode."""
    chunk = acp("agent_message_chunk", content=block)
    assert isinstance(chunk, AgentMessageChunk)
    said = wire(convert_acp_message_chunk_to_output_delta(chunk))
    assert said == {"type": "output_delta", "content": content} | (
        {"content_block": carried} if carried else {}
    )


def test_a_plan_has_numbers_and_lines() -> None:
    """Priorities are 1, 2 and 3."""
    steps = (
        ("Read", "high", "completed"),
        ("Edit", "medium", "in_progress"),
        ("Test", "low", ""),
    )
    entries = [{"content": c, "priority": p, "status": s} for c, p, s in steps]
    plan = acp("plan", entries=entries)
    assert isinstance(plan, AgentPlanUpdate)
    said = wire(convert_acp_plan_to_plan(plan))
    assert said["plan"] == "1. Read\n2. Edit\n3. Test"
    assert [tuple(entry.values()) for entry in said["entries"]] == [
        ("1", "Read", "completed", 1),
        ("2", "Edit", "in_progress", 2),
        ("3", "Test", "pending", 3),
    ]


def test_a_mode_becomes_mode_update() -> None:
    mode = acp("current_mode_update", currentModeId="plan")
    assert isinstance(mode, CurrentModeUpdate)
    said = wire(convert_acp_mode_update_to_mode_update(mode))
    assert said == {"type": "mode_update", "mode": "plan", "description": ""}


@pytest.mark.parametrize(
    ("reason", "written"),
    [
        *((word, word) for word in ("end_turn", "max_tokens", "max_turn_requests", "refusal")),
        ("cancelled", "cancelled"),
        ("stop_sequence", "end_turn"),
        ("sunset", "sunset"),
    ],
)
def test_a_prompt_response_becomes_done(reason: str, written: str) -> None:
    """Five stop reasons; an unknown one stays as it is."""
    usage = PromptUsage(input_tokens=1000, output_tokens=500)
    end = PromptResponse(stop_reason=reason, summary="Done.", usage=usage, timestamp=1.8e9)
    assert wire(convert_acp_prompt_response_to_done(end)) == {
        "type": "done",
        "summary": "Done.",
        "stop_reason": written,
        "usage": {"input_tokens": 1000, "output_tokens": 500},
    }
    total = end.model_copy(update={"usage": PromptUsage(total_tokens=3)})
    assert "usage" not in wire(convert_acp_prompt_response_to_done(total))


@pytest.mark.parametrize(
    ("code", "number"), [("-1", -1), ("-32603", -32603), ("", -1), ("agent_died", -1), ("²", -1)]
)
def test_an_error_has_a_number(code: str, number: int) -> None:
    """The code is -1 where the error has no number."""
    error = ErrorPacket(message="No such file", code=code, timestamp=1.8e9)
    said = wire(convert_acp_error_to_error(error))
    assert said == {"type": "error", "message": "No such file", "code": number}
