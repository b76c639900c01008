"""Captures of event streams."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.dialects.onyx.event_stream import is_framed, unframed
from tests.support.log.imported import import_lines

PACKETS = [
    {"type": "output_delta", "content": "Hello"},
    {"type": "output_delta", "content": " there"},
    {"type": "done", "stop_reason": "end_turn", "summary": ""},
]


def capture(*packets: dict[str, Any], end: str = "\n", between: str = "\n") -> list[bytes]:
    text = "".join(
        f"event: message{end}data: {json.dumps(packet)}{end}{between}" for packet in packets
    )
    return text.encode().splitlines(keepends=True)


@pytest.mark.parametrize(
    "log",
    [
        capture(*PACKETS),
        capture(*PACKETS, end="\r\n", between="\r\n"),
        capture(*PACKETS, between=""),
        [b": connected\n", b"\n", *capture(*PACKETS), b": ping\n"],
        [b"\xef\xbb\xbfid: 1\n", b"retry: 10\n", *capture(*PACKETS)[:-1]],
        [line.replace(b"data: ", b"data:") for line in capture(*PACKETS)],
    ],
    ids=["as written", "crlf", "no empty lines", "comments", "bom, fields, no end", "no space"],
)
def test_a_capture_gives_its_packets(log: list[bytes]) -> None:
    """Comments, CRLF and lost lines change nothing."""
    imported = import_lines(log)
    assert imported.facts.dialect == "build-mode"
    assert imported.text() == "Hello there"
    assert imported.turns() == [("", "end_turn")]
    assert imported.problems == []


def test_data_over_several_lines_is_one_value() -> None:
    """Multi-line data."""
    printed = json.dumps(PACKETS[0], indent=2).splitlines()
    log = [b"event: message", *(f"data: {line}".encode() for line in printed), b""]
    log += capture(PACKETS[2])
    assert import_lines(log).text() == "Hello"


def test_a_problem_names_the_line_of_the_capture() -> None:
    log = capture(*PACKETS)
    log[4] = b'data: {"type": "output\n'
    (problem,) = import_lines(log).problems
    assert problem.line == 5
    assert import_lines([*capture(*PACKETS), "what is this\n"]).problems[0].line == 10


def test_the_protocol_in_a_capture_is_read_as_traffic() -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
    params = {"sessionId": "s", "update": update}
    log = capture({"jsonrpc": "2.0", "method": "session/update", "params": params})
    imported = import_lines(log)
    assert (imported.facts.dialect, imported.text()) == ("traffic", "Hi")


def test_what_a_capture_is_of_is_seen_though_its_data_is_on_several_lines() -> None:
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]}
    message = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}
    printed = json.dumps(message, indent=2).splitlines()
    facts = import_lines([b"event: x", *(f"data: {line}".encode() for line in printed), b""]).facts
    assert (facts.dialect, facts.session) == ("traffic", "s")


def test_lines_of_json_are_no_capture() -> None:
    assert not is_framed(['{"data": 1}', '{"event": "data: "}'])
    assert not is_framed([])


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"data: {", b"data: }", b"", b"x"])))
def test_every_line_keeps_its_number(lines: list[bytes]) -> None:
    whole = [line.replace(b"\n", b"").replace(b"\r", b"") for line in lines]
    assert len(list(unframed(whole))) == len(whole)
