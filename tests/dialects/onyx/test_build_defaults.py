"""What build mode reads and writes where a field is not there, or is at its limit."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.dialects.onyx.build_content import ArtifactType, create_artifact_from_file
from acp_jupyter.dialects.onyx.build_converters import (
    convert_acp_error_to_error,
    convert_acp_prompt_response_to_done,
    convert_acp_tool_progress_to_tool_end,
    convert_acp_tool_start_to_tool_start,
)
from acp_jupyter.dialects.onyx.build_packets import (
    OutputStartPacket,
    UnknownPacket,
    read_build_packet,
)
from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.dialects.onyx.event_stream import SseDecoder
from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.dialects.onyx.tool_call_writer import content_text
from acp_jupyter.packets import Packet
from acp_jupyter.protocol.content import OtherBlock, TextBlock, ToolContentBlock
from acp_jupyter.protocol.packets import (
    ErrorPacket,
    PromptResponse,
    PromptUsage,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.session_packets import (
    AuthStatusUpdate,
    AvailableCommandsUpdate,
    CallCancel,
)
from tests.support.transcript.wire import acp, text

TIME = "2027-01-15T08:00:00.000Z"


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        (
            {"type": "tool_start", "tool_call_id": "1", "tool_name": "bash"},
            {"tool_input": {}, "title": ""},
        ),
        (
            {"type": "tool_progress", "tool_call_id": "1", "tool_name": "bash"},
            {"status": "in_progress"},
        ),
        ({"type": "tool_end", "tool_call_id": "1", "tool_name": "bash"}, {"status": "success"}),
        (
            {"type": "permission_request", "request_id": "1", "operation": "bash"},
            {"description": "", "auto_approve": False},
        ),
        ({"type": "permission_response", "request_id": "1", "approved": True}, {"reason": ""}),
        ({"type": "step_start", "step_id": "1"}, {"step_name": ""}),
        ({"type": "step_end", "step_id": "1"}, {"status": "completed"}),
        ({"type": "plan"}, {"plan": "", "entries": []}),
        ({"type": "mode_update", "mode": "ask"}, {"description": ""}),
        ({"type": "done"}, {"summary": "", "stop_reason": "end_turn"}),
        ({"type": "error", "message": "No."}, {"code": -1}),
        ({"type": "file_write", "path": "a"}, {"operation": "create"}),
    ],
)
def test_fields_that_are_not_there(given: dict[str, Any], filled: dict[str, Any]) -> None:
    read = read_build_packet({**given, "timestamp": TIME})
    assert json.loads(read.model_dump_json(by_alias=True)) == given | filled | {"timestamp": TIME}


def test_an_entry_of_a_plan_waits_unless_it_says_otherwise() -> None:
    read = read_build_packet({"type": "plan", "entries": [{"id": "1", "description": "Test"}]})
    entry = {"id": "1", "description": "Test", "status": "pending"}
    assert json.loads(read.model_dump_json())["entries"] == [entry]


def test_what_is_no_packet_is_unknown() -> None:
    read = read_build_packet({"type": "hologram"})
    assert isinstance(read, UnknownPacket)
    assert (read.type, read.raw) == ("unknown", {"type": "hologram"})


def test_a_time_without_a_zone_is_of_utc_and_one_that_is_none_is_now() -> None:
    assert OutputStartPacket(timestamp=datetime(2026, 1, 2)).timestamp == datetime(
        2026, 1, 2, tzinfo=UTC
    )
    before = datetime.now(UTC)
    read = read_build_packet({"type": "output_start", "timestamp": "soon"})
    assert isinstance(read, OutputStartPacket)
    assert before <= read.timestamp <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("-32000", -32000),
        ("9" * 15, 999_999_999_999_999),
        ("9" * 16, -1),
        ("-" + "9" * 15, -999_999_999_999_999),
        ("no_key", -1),
    ],
)
def test_the_code_of_an_error_is_a_number(code: str, written: int) -> None:
    error = ErrorPacket(message="No.", code=code, timestamp=1.8e9)
    assert convert_acp_error_to_error(error).code == written


@pytest.mark.parametrize("known", ["input_tokens", "output_tokens"])
def test_one_number_of_tokens_is_better_than_none(known: str) -> None:
    response = PromptResponse(stop_reason="end_turn", usage=PromptUsage(**{known: 5}))
    usage = convert_acp_prompt_response_to_done(response).usage
    assert usage is not None
    assert usage.model_dump() == {known: 5}


def test_a_call_that_was_cancelled() -> None:
    call = acp("tool_call_update", toolCallId="1", status="cancelled")
    assert isinstance(call, ToolCallProgress)
    end = convert_acp_tool_progress_to_tool_end(call)
    assert (end.type, end.status) == ("tool_end", "cancelled")


def test_a_title_keeps_the_paths_that_it_names() -> None:
    call = acp("tool_call", toolCallId="1", title="Look at ~/notes")
    assert isinstance(call, ToolCallStart)
    assert convert_acp_tool_start_to_tool_start(call).title == "Look at ~/notes"


@pytest.mark.parametrize(
    "packet", [AvailableCommandsUpdate(commands=()), AuthStatusUpdate(), CallCancel()]
)
def test_what_may_come_at_any_time_breaks_no_text(packet: Packet) -> None:
    stream = BuildModeStream()
    chunk = acp("agent_message_chunk", content=text("Hello"))
    assert [said.type for said in stream.write(chunk)] == ["output_start", "output_delta"]
    assert stream.write(packet) == []
    assert [said.type for said in stream.write(chunk)] == ["output_delta"]


def test_an_error_says_in_milliseconds_when_it_came() -> None:
    written = write_packet(ErrorPacket(message="No.", code="-1", duration_seconds=2.5))
    assert written is not None
    assert written["data"] == {"durationMs": 2500}


def test_the_text_of_a_call_is_not_that_of_its_resources() -> None:
    blocks = (TextBlock(text="a"), OtherBlock(type="resource", text="b"), TextBlock(text="c"))
    assert content_text(ToolContentBlock(block=block) for block in blocks) == "a\nc"


def test_a_line_end_that_is_cut_by_an_empty_piece_is_one() -> None:
    decoder = SseDecoder()
    pieces = (b"data: a\r", b"", b"\ndata: b\r\n\r\n")
    events = [event for piece in pieces for event in decoder.feed(piece)]
    assert [event.data for event in events] == ["a\nb"]


def test_comments_take_no_room_of_an_event() -> None:
    """64 million characters are the most of one event."""
    decoder = SseDecoder()
    comment = b":" + b" " * 999_998 + b"\n"
    for _ in range(68):
        assert decoder.feed(comment) == []
    words = "a" * 200_000
    assert [event.data for event in decoder.feed(f"data: {words}\n\n".encode())] == [words]


def test_a_file_is_in_the_working_directory_and_keeps_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("a\n")
    artifact = create_artifact_from_file("s1", "a.csv", ArtifactType.CSV, "Table")
    assert artifact.id == "846ea76b-c71f-592d-98f5-5775e2058a7e"
    assert artifact.size_bytes == 2


def test_a_file_that_can_not_be_looked_at_has_no_size(tmp_path: Path) -> None:
    """Its path is longer than the system takes; that of its folder is not."""
    (tmp_path / "small").write_bytes(b"1234")
    folder = tmp_path
    while len(str(folder)) < 3_900:
        folder = folder / ("f" * min(200, 3_999 - len(str(folder))))
        folder.mkdir()
    at = os.open(folder, os.O_RDONLY)
    os.close(os.open("x" * 200, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    artifact = create_artifact_from_file("s1", ".", ArtifactType.OTHER, "All", folder=tmp_path)
    assert artifact.size_bytes == 4


def test_the_size_of_a_huge_folder_is_that_of_its_first_files(tmp_path: Path) -> None:
    for number in range(10_001):
        (tmp_path / str(number)).write_bytes(b"x")
    artifact = create_artifact_from_file("s1", ".", ArtifactType.OTHER, "All", folder=tmp_path)
    assert artifact.size_bytes == 10_000
