"""What the ``_meta`` of a tool call says of a terminal that its agent runs."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol.objects import obj
from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.protocol.tools.outputs import TerminalPiece
from acp_jupyter.protocol.version_2.meta_keys import CAN_CANCEL, TERMINAL_ALONE

Json = dict[str, Any]


def told(meta: Json, state: ParseState | None = None) -> ToolCallProgress:
    update: Json = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": meta}
    packet = parse_packet(update, state)
    assert isinstance(packet, ToolCallProgress)
    return packet


def said(state: ParseState, terminal_id: str, raw: bytes) -> str:
    data = base64.b64encode(raw).decode()
    output = {"terminal_id": terminal_id, "data": data, "encoding": "base64"}
    terminal = told({"terminal_output_delta": output}, state).terminal
    assert terminal is not None
    return terminal.text


@pytest.mark.parametrize(
    ("meta", "piece"),
    [
        (
            {"terminalInfo": {"terminalId": "t", "command": "ls", "cwd": "/ws"}},
            TerminalPiece(terminal_id="t", command="ls", cwd="/ws"),
        ),
        (
            {"terminalOutput": {"terminalId": "t", "data": "a"}},
            TerminalPiece(terminal_id="t", text="a", may_be_whole=True),
        ),
        (
            {"terminalOutputDelta": {"terminalId": "t", "data": "a"}},
            TerminalPiece(terminal_id="t", text="a"),
        ),
        (
            {"terminalExit": {"terminalId": "t", "exitCode": 2, "signal": 9}},
            TerminalPiece(terminal_id="t", ended=True, exit_code=2, signal="signal 9"),
        ),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_camel_case_says_the_same(meta: Json, piece: TerminalPiece) -> None:
    assert told(meta).terminal == piece


def test_whether_it_may_be_cancelled_is_said_of_the_call_or_of_a_terminal_alone() -> None:
    meta: Json = {"terminal_info": {"terminal_id": "t"}, CAN_CANCEL: True}
    for alone, wanted in ((False, None), (True, True)):
        packet = told({**meta, TERMINAL_ALONE: alone})
        assert packet.terminal is not None
        assert packet.terminal.can_cancel is wanted
        assert packet.can_cancel is True


def test_half_a_character_waits_for_the_rest_even_over_a_restart() -> None:
    half, rest = "é".encode()[:1], "é".encode()[1:]
    before, after = ParseState(), ParseState()
    assert said(before, "t", half) == ""
    after.load(before.saved())
    assert said(after, "t", rest) == "é"


@pytest.mark.parametrize(("others", "text"), [(199, "é"), (200, "\ufffd")])
def test_of_very_many_terminals_the_oldest_waits_no_more(others: int, text: str) -> None:
    state = ParseState()
    said(state, "t", "é".encode()[:1])
    for n in range(others):
        said(state, f"t{n}", b"a")
    assert said(state, "t", "é".encode()[1:]) == text


@pytest.mark.parametrize("text", ["a\n", base64.b64encode(b"line one\nline two\n").decode()])
def test_what_is_written_is_read_as_the_same_text(text: str) -> None:
    """Also where it looks like base64."""
    piece = TerminalPiece(terminal_id="t", text=text)
    written = write_packet(ToolCallProgress(tool_call_id="c", terminal=piece))
    assert written is not None
    assert told(obj(written["_meta"])).terminal == piece
