"""What the seeds' documents write, through a real server: as an agent says it, and as a log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.acceptance import golden
from tests.support.agents.fake_agent import script
from tests.support.server.follower import first_packets
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn

Json = dict[str, Any]

AT = "2025-01-20T12:00:00.000Z"
BUILD_MODE: list[Json] = [
    {"type": "step_start", "step_id": "planning", "step_name": "Planning Implementation"},
    {"type": "step_delta", "step_id": "thinking", "content": "I need to first understand..."},
    {"type": "step_end", "step_id": "planning", "status": "completed"},
    {"type": "tool_start", "tool_call_id": "tc_123", "tool_name": "Bash", "title": "Testing"},
    {"type": "tool_progress", "tool_call_id": "tc_123", "progress": 0.5, "message": "Running..."},
    {"type": "tool_end", "tool_call_id": "tc_123", "status": "success", "result": "4 passed"},
    {"type": "output_start"},
    {"type": "output_delta", "content": "I've updated "},
    {"type": "output_delta", "content": "the file."},
    {"type": "output_end"},
    {"type": "plan", "plan": "1. Read", "entries": [{"id": "1", "description": "Read the file"}]},
    {"type": "mode_update", "mode": "implement", "description": "Starting implementation"},
    {"type": "file_write", "path": "outputs/file.py", "size_bytes": 1024, "operation": "create"},
    {"type": "artifact_created", "artifact": {"id": "a", "type": "csv", "name": "T", "path": "t"}},
    {"type": "permission_request", "request_id": "pr_123", "operation": "delete_file"},
    {"type": "permission_response", "request_id": "pr_123", "approved": True},
    {"type": "done", "summary": "Task completed successfully", "stop_reason": "end_turn"},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = {"plays": script("plays", "Player", "1")}
    with JupyterServer(tmp_path_factory.mktemp("documents"), agents=agents) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as client:
        yield client


def imported(user: httpx.Client, log: str) -> list[Json]:
    """Import a log and return its items."""
    answer = user.post("import", content=log.encode()).raise_for_status().json()
    assert answer["problems"] == []
    url = f"sessions/{answer['session_id']}"
    items = user.get(f"{url}/items", params={"start": 0, "end": 99}).raise_for_status().json()
    user.delete(url).raise_for_status()
    return [item for item in items["items"] if item["kind"] != "user_message"]


def test_what_an_agent_said_is_what_programs_get(server: JupyterServer, user: httpx.Client) -> None:
    """S1.3, S1.5, S1.6, S1.7, S1.8, S1.37, S1.39: the documented packets, field by field."""
    said = [
        golden.read(f"s1-{name}")
        for name in (
            "tool_call_start-glob",
            "tool_call_progress-glob",
            "tool_call_start-todowrite",
            "tool_call_progress-todowrite",
            "agent_plan_update",
            "agent_message_chunk",
        )
    ]
    folder = server.root / "said"
    folder.mkdir()
    (folder / ".scene.json").write_text(json.dumps([{"update": packet} for packet in said]))
    session_id = open_session(user, "plays", cwd=str(folder), trust=True)
    finished(user, start_turn(user, session_id, "Go"))
    got = [p for p in first_packets(user, session_id, 99) if "user" not in p["type"]]
    packets = [packet for packet in got if packet["type"] != "available_commands_update"]
    assert [packet["type"] for packet in packets] == [
        *(name for _ in range(2) for name in ("tool_call_start", "tool_call_progress")),
        "agent_plan_update",
        "agent_message_chunk",
        "prompt_response",
    ]
    for mine, packet in zip(said, packets, strict=False):
        fields = {name: packet[name] for name in mine if name not in {"type", "timestamp"}}
        assert fields == {name: mine[name] for name in fields}
    assert (packets[-1]["_meta"], packets[-1]["stopReason"]) == ({}, "end_turn")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stream_of_every_packet_is_imported(user: httpx.Client, end: str) -> None:
    """S3.1, S3.35: whatever ends its lines."""
    events = [f"event: message\ndata: {json.dumps({**p, 'timestamp': AT})}\n\n" for p in BUILD_MODE]
    items = imported(user, "".join(events).replace("\n", end))
    kinds = ["thought", "thought", "tool_call", "agent_message", "plan", "notice", "file_write"]
    assert [item["kind"] for item in items] == [*kinds, "artifact", "tool_call", "turn_end"]
    bash, permission = (item for item in items if item["kind"] == "tool_call")
    assert (bash["status"], bash["output"], bash["title"]) == ("completed", "4 passed", "Testing")
    assert permission["permission"]["state"] == "allowed"
    assert items[3]["text"] == "I've updated the file."
    assert items[-1]["summary"] == "Task completed successfully"


def test_a_log_of_the_cli_is_lines_and_nothing_else_ends_one(user: httpx.Client) -> None:
    """S4.20, S4.23, S4.24: no separator of Unicode, no form feed; blank lines are none."""
    words = "one\u2028two\u0085three\x0cfour"
    lines: list[Json] = [
        {"type": "user", "message": {"role": "user", "content": words}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": words}]},
        },
        {"type": "result", "subtype": "success", "result": words, "duration_ms": 1234},
    ]
    log = "\r\n\r\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    message, end = imported(user, f"\ufeff{log}")
    assert (message["text"], end["stop_reason"]) == (words, "end_turn")
    assert end["duration_seconds"] == 1.234
