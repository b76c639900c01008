"""Golden packets of build mode: read, typed, and written again as they were.

``ACP_WRITE_GOLDEN=1`` writes what they mean anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from acp_jupyter.dialects.onyx.build_packets import UnknownPacket, read_build_packet
from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.protocol.content import OtherBlock, TextBlock
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ErrorPacket,
    PermissionRequest,
    PermissionResponse,
    PromptResponse,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
)
from acp_jupyter.protocol.session_packets import (
    CurrentModeUpdate,
    MessageEnd,
    MessageStart,
    StepEnd,
    StepStart,
)
from acp_jupyter.protocol.tools.inputs import ReadInput
from tests.acceptance import golden

NAMES = sorted(file.stem for file in Path(golden.PACKETS).glob("build-*.json"))
KNOWN = [name for name in NAMES if name != "build-hologram"]
NOON = 1737374400.0


@pytest.mark.parametrize("name", NAMES)
def test_a_packet_means_what_its_golden_file_says(name: str) -> None:
    parsed = golden.packet(name).model_dump(mode="json", by_alias=False)
    golden.check(golden.PACKETS / f"{name}.json", {**golden.load(name), "parsed": parsed})


@pytest.mark.parametrize("name", KNOWN)
def test_every_packet_is_a_typed_model(name: str) -> None:
    """The models write the JSON that they have read."""
    raw = golden.read(name)
    packet = read_build_packet(raw)
    assert packet.type == raw["type"]
    written = json.loads(packet.model_dump_json(by_alias=True))
    assert written == {key: value for key, value in raw.items() if value is not None}
    assert packet.model_config["frozen"]


@pytest.mark.parametrize("name", KNOWN)
def test_there_and_back_again(name: str) -> None:
    """From the wire to the packets of all dialects and back, nothing is lost."""
    raw = golden.read(name)
    if raw.get("content_block", {}).get("type") == "text":
        del raw["content_block"]  # the content says it
    stream = BuildModeStream()
    if raw["type"] == "output_end":
        stream.write(MessageStart())
    written = [json.loads(p.model_dump_json(by_alias=True)) for p in _write(stream, name)]
    assert raw in written


def _write(stream: BuildModeStream, name: str) -> list[Any]:
    packet = golden.packet(name)
    if isinstance(packet, ToolCallProgress):
        stream.write(ToolCallStart(tool_call_id=packet.tool_call_id, name=packet.name))
    return list(stream.write(packet))


def test_a_packet_of_another_kind_is_kept_raw() -> None:
    """By both readers, also where a field that must be there is not."""
    raw = golden.read("build-hologram")
    odds: list[JsonValue] = [raw, {"type": "tool_start"}, {"type": 3}, {}, [raw], "text", None, 1.5]
    for odd in odds:
        packet = read_build_packet(odd)
        assert isinstance(packet, UnknownPacket)
        assert packet.raw == odd
    parsed = golden.packet("build-hologram")
    assert isinstance(parsed, Unknown)
    assert parsed.raw == raw


@pytest.mark.parametrize("name", KNOWN)
def test_a_time_is_read_and_written_with_milliseconds_and_z(name: str) -> None:
    """Every packet has a time; it is parsed, kept, and written in the one form."""
    assert golden.packet(name).timestamp == NOON
    raw = {**golden.read(name), "timestamp": "2025-01-20T14:00:00.123456+02:00"}
    written = json.loads(read_build_packet(raw).model_dump_json())
    assert written["timestamp"] == "2025-01-20T12:00:00.123Z"
    for odd in ({}, {"timestamp": "yesterday"}, {"timestamp": 1e300}, {"timestamp": [1]}):
        fresh = {key: value for key, value in raw.items() if key != "timestamp"} | odd
        stamped = json.loads(read_build_packet(fresh).model_dump_json())["timestamp"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stamped)
        assert stamped > "2025-02"


def test_steps() -> None:
    """The packets of steps are read with their step."""
    start, delta = golden.packet("build-step_start"), golden.packet("build-step_delta")
    end = golden.packet("build-step_end")
    assert isinstance(start, StepStart)
    assert (start.step_id, start.step_name) == ("planning", "Planning Implementation")
    assert isinstance(delta, AgentThoughtChunk)
    assert (delta.step_id, delta.text[:12]) == ("thinking", "I need to fi")
    assert isinstance(end, StepEnd)
    assert (end.step_id, end.status) == ("planning", "completed")


def test_tool_packets() -> None:
    """Names, titles, shares and results are read."""
    start = golden.packet("build-tool_start")
    assert isinstance(start, ToolCallStart)
    assert (start.tool_name, start.name, start.title) == ("read", "Read", "Reading file.py")
    assert start.input == ReadInput(file_path="/path/to/file.py")
    progress = golden.packet("build-tool_progress")
    assert isinstance(progress, ToolCallProgress)
    assert (progress.status, progress.progress, progress.message) == (
        "in_progress",
        0.5,
        "Running tests...",
    )
    end, failed = golden.packet("build-tool_end"), golden.packet("build-tool_end-error")
    assert isinstance(end, ToolCallProgress)
    assert isinstance(failed, ToolCallProgress)
    assert (end.status, end.raw_output) == ("completed", "File contents here...")
    assert failed.status == "failed"


def test_messages_plans_and_modes() -> None:
    """Read as the protocol's updates of the same kind."""
    assert isinstance(golden.packet("build-output_start"), MessageStart)
    assert isinstance(golden.packet("build-output_end"), MessageEnd)
    delta = golden.packet("build-output_delta")
    assert isinstance(delta, AgentMessageChunk)
    assert delta.text == "I've updated the file to include..."
    plan, words = golden.packet("build-plan"), golden.packet("build-plan-text")
    assert isinstance(plan, AgentPlanUpdate)
    assert [(e.content, e.status, e.priority) for e in plan.entries] == [
        ("Read the file", "pending", "high")
    ]
    assert isinstance(words, AgentPlanUpdate)
    assert (words.entries, words.text.splitlines()[2]) == ((), "3. Run tests")
    mode = golden.packet("build-mode_update")
    assert isinstance(mode, CurrentModeUpdate)
    assert (mode.mode_id, mode.description) == ("implement", "Starting implementation")


def test_ends() -> None:
    """Summary, usage and the five stop reasons; an error's number."""
    done = golden.packet("build-done")
    assert isinstance(done, PromptResponse)
    assert done.usage is not None
    assert (done.summary, done.usage.input_tokens, done.usage.output_tokens) == (
        "Task completed successfully",
        1000,
        500,
    )
    reasons = {golden.packet(n).stop_reason for n in NAMES if n.startswith("build-done")}  # type: ignore[union-attr]
    assert reasons == {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"}
    error = golden.packet("build-error")
    assert isinstance(error, ErrorPacket)
    assert (error.message, error.code) == ("Failed to read file: File not found", "-1")


def test_what_was_made() -> None:
    """Files and all fields of artifacts, of ten types."""
    file = golden.packet("build-file_write")
    assert isinstance(file, FileWrite)
    assert (file.path, file.size_bytes, file.operation) == ("outputs/file.py", 1024, "create")
    types = set()
    for name in NAMES:
        if name.startswith("build-artifact_created"):
            made = golden.packet(name)
            assert isinstance(made, ArtifactCreated)
            types.add(made.artifact.type)
    names = "web_app markdown image csv excel pptx docx pdf code other"
    assert types == set(names.split())
    full = golden.packet("build-artifact_created")
    assert isinstance(full, ArtifactCreated)
    assert full.artifact.model_dump() == {
        **golden.read("build-artifact_created")["artifact"],
    }


def test_permissions() -> None:
    """Operation and description are title and content."""
    asked = golden.packet("build-permission_request")
    assert isinstance(asked, PermissionRequest)
    assert (asked.request_id, asked.tool_call.title) == ("pr_123", "delete_file")
    assert "Delete test.py?" in asked.tool_call.model_dump_json()
    assert [option.kind for option in asked.options] == ["allow_once", "reject_once"]
    told = golden.packet("build-permission_request-auto_approve")
    assert isinstance(told, PermissionRequest)
    assert (asked.auto_approve, told.auto_approve) == (False, True)
    answer = golden.packet("build-permission_response")
    assert isinstance(answer, PermissionResponse)
    assert (answer.approved, answer.reason) == (True, "User approved")


def test_content_blocks() -> None:
    """Blocks beside the text, or in its place."""
    found = {}
    for name in NAMES:
        packet = golden.packet(name)
        if isinstance(packet, AgentMessageChunk | AgentThoughtChunk) and "-" in name[6:]:
            found[name.rpartition("-")[2]] = packet.block
    assert found == {
        "text": TextBlock(text="Hello world"),
        "image": OtherBlock(type="image", data="base64-encoded-image-data", mime_type="image/png"),
        "audio": OtherBlock(type="audio", data="base64-encoded-audio-data", mime_type="audio/wav"),
        "embedded_resource": OtherBlock(
            type="resource",
            uri="file:///path/to/file",
            name="file",
            text="Resource contents...",
            mime_type="text/plain",
        ),
        "resource_link": OtherBlock(
            type="resource_link",
            uri="file:///path/to/file",
            name="file.txt",
            mime_type="text/plain",
            size=1024,
        ),
    }
