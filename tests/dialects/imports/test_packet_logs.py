"""Logs of packets as sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.dialects.import_dialects import kind_of
from tests.support.log.imported import import_lines

GOLDEN = Path(__file__).parents[2] / "golden" / "packets"
SHARED = {"artifact_created", "error", "hologram", "permission_request", "permission_response"}
"""Types that Onyx packets and Onyx build mode share, or that neither has."""


def own_packets() -> list[tuple[str, Any]]:
    """Return the golden packets that only one kind of log has."""
    found = [(file.stem, json.loads(file.read_text())["packet"]) for file in GOLDEN.glob("*.json")]
    return [
        (name, packet)
        for name, packet in sorted(found, key=lambda pair: pair[0])
        if packet.get("type") not in SHARED and "method" not in packet
    ]


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "agent_message_chunk", "content": {"type": "text", "text": text}, **more}


END = {"type": "prompt_response", "stopReason": "end_turn"}
ERROR = {"type": "error", "message": "No model"}


@pytest.mark.parametrize(("name", "packet"), own_packets(), ids=[n for n, _ in own_packets()])
def test_every_golden_packet_is_of_its_kind(name: str, packet: Any) -> None:
    dialect = name.partition("-")[0]
    assert kind_of(packet) == {"build": "build-mode"}.get(dialect, "packets")


def test_a_turn_begins_with_the_first_packet_after_each_end() -> None:
    imported = import_lines([said("One"), said(" two"), END, said("Three"), ERROR, said("Four")])
    assert imported.turns() == [("", "end_turn"), ("", "error"), ("", "running")]
    assert imported.kinds() == [
        *("agent_message", "turn_end"),
        *("agent_message", "error", "turn_end"),
        "agent_message",
    ]
    assert imported.problems == []


@pytest.mark.parametrize("name", ["user_message", "user_message_chunk"])
def test_what_the_user_said_is_the_prompt(name: str) -> None:
    def user(text: str) -> dict[str, Any]:
        return {"type": name, "content": {"type": "text", "text": text}}

    log = [user("Paint"), user("the door"), said("Green?"), user("Yes"), said("Done."), END]
    imported = import_lines([*log, user("Thanks")])
    prompts = [("Paint\nthe door", "end_turn"), ("Yes", "end_turn"), ("Thanks", "running")]
    assert imported.turns() == prompts


def test_what_concerns_the_session_begins_no_turn() -> None:
    mode = {"sessionUpdate": "current_mode_update", "currentModeId": "plan"}
    commands = {"sessionUpdate": "available_commands_update", "availableCommands": []}
    imported = import_lines([mode, said("One"), END, commands])
    assert len(imported.turns()) == 1
    assert imported.transcript.session.current_mode_id == "plan"


def test_what_comes_late_belongs_to_the_turn_before() -> None:
    call = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "bash"}
    late = {"type": "tool_call_progress", "toolCallId": "c", "status": "completed"}
    made = {"type": "artifact_created", "artifact": {"id": "a", "type": "csv", "name": "x.csv"}}
    imported = import_lines([call, END, late, made])
    assert len(imported.turns()) == 1
    assert imported.calls()[0].status == "completed"
    assert imported.items()[-1].turn_id == imported.transcript.turn_order[0]


def test_an_end_without_a_turn_is_told() -> None:
    (problem,) = import_lines([said("One"), END, END]).problems
    assert (problem.line, problem.message) == (3, "This ends a turn, and none is running.")
    assert import_lines([said("One"), ERROR, END]).problems == []


@pytest.mark.parametrize(
    "timestamp", [None, "", "soon", -1, 1e300, "0001-01-01T00:00:00Z", [], {}, True]
)
def test_the_time_is_the_packets_own_if_it_makes_sense(timestamp: Any) -> None:
    first = said("One", timestamp="2025-01-20T12:00:00.500Z")
    imported = import_lines([first, said("Two", timestamp=timestamp), END], start=5.0)
    assert {entry.t for entry in imported.entries} == {1737374400.5}


def test_mixed_packets_of_both_dialects_are_read_unless_a_kind_was_named() -> None:
    log = [said("One"), {"type": "output_delta", "content": " two"}, END]
    assert import_lines(log).text() == "One two"
    (problem,) = import_lines(log, "packets").problems
    assert problem.message == "This line is of build-mode packets, not of packets."


def test_nulls_and_empty_meta_change_nothing() -> None:
    """Null, empty or absent."""
    metas: list[dict[str, Any]] = [{"_meta": None}, {"_meta": {}}, {}]
    texts = [import_lines([said("Hi", **meta), {**END, **meta}]) for meta in metas]
    assert {imported.text() for imported in texts} == {"Hi"}
    assert {tuple(imported.turns()) for imported in texts} == {(("", "end_turn"),)}


def test_a_packet_that_nobody_knows_is_kept() -> None:
    strange = {"type": "hologram", "depth": 3}
    imported = import_lines([said("One"), strange, END])
    assert [packet.raw for packet in imported.unknown] == [strange]
    assert strange in [entry.message.get("packet") for entry in imported.entries]
