"""What is written of packets in every form that calls of tools and sessions have.

The packets are those of ``tests/golden/foreign/tool_calls.json``. ``ACP_WRITE_GOLDEN=1`` writes
``written.txt`` and ``between.txt`` beside it anew, to be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.packets import Packet, ParseState, parse_packet
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    CancelSent,
    CurrentModelUpdate,
    SessionSetup,
)
from tests.acceptance import golden
from tests.support.outcomes import check, cut, said
from tests.support.wire import acp, text

FOLDER = golden.GOLDEN / "foreign"


def _rows() -> Iterator[tuple[str, list[Packet]]]:
    for number, row in enumerate(json.loads((FOLDER / "tool_calls.json").read_text())):
        state = ParseState()
        yield str(number), [parse_packet(raw, state) for raw in json.loads(row)]


def _built(stream: BuildModeStream, packet: Packet) -> str:
    shown = (each.model_dump_json(by_alias=True) for each in stream.write(packet))
    # Without the time of now, which a packet has that does not say its own.
    return " ".join(cut(re.sub(r'"timestamp":"[^"]*",?', "", each), 400) for each in shown)


def test_what_is_written_of_a_packet() -> None:
    lines = []
    for name, packets in _rows():
        stream = BuildModeStream()
        for packet in packets:
            written = said(write_packet(packet), 400)
            lines.append(f"{name} {written}; in build mode: {_built(stream, packet)}")
    check(FOLDER, "written", lines)


def test_what_a_packet_does_to_text() -> None:
    """Between two pieces of a message, of a thought, and of another message."""
    packets: dict[str, Packet] = {p.type: p for _, row in _rows() for p in row}
    made = (SessionSetup(), AgentInfoPacket(), CancelSent(), CurrentModelUpdate(model_id="m"))
    lines = []
    for packet in (*packets.values(), *made):
        stream = BuildModeStream()
        says = acp("agent_message_chunk", content=text("a"))
        thinks = acp("agent_thought_chunk", content=text("b"))
        other = acp("agent_message_chunk", content=text("c"), messageId="m")
        parts = (says, packet, says, thinks, packet, thinks, other, packet, other, says)
        kinds = (" ".join(each.type for each in stream.write(part)) for part in parts)
        lines.append(f"{packet.type}: {' | '.join(kinds)}")
    check(FOLDER, "between", lines)
