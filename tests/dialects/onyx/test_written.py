"""What is written of packets in every form that calls of tools and sessions have.

The packets are those of ``tests/golden/foreign/tool_calls.json``. ``ACP_WRITE_GOLDEN=1`` writes
``written.txt`` and ``between.txt`` beside it anew, to be read.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.dialects.onyx.tool_call_writer import write_block
from acp_jupyter.packets import Packet, ParseState, parse_packet
from acp_jupyter.protocol.content import read_block
from acp_jupyter.protocol.packets import (
    OptionPacket,
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
)
from acp_jupyter.protocol.parse.elicitation import elicitation_request
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    CancelSent,
    CurrentModelUpdate,
    SessionSetup,
)
from tests.acceptance import golden
from tests.support.transcript.outcomes import check, cut, said
from tests.support.transcript.wire import acp, text

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


def _questions() -> Iterator[tuple[str, Any]]:
    """Yield questions of agents, and one for each field that a form may have."""
    for name in json.loads((FOLDER / "questions.json").read_text()):
        yield name, json.loads(name)
    for name in json.loads((FOLDER / "fields.json").read_text()):
        field = json.loads(name)
        called = field.pop("name", "a_field")
        if isinstance(called, str):
            schema = {"type": "object", "properties": {called: field}, "required": [called]}
            yield name, {"message": "m", "requestedSchema": schema}


def _without_words(packet: Packet) -> Any:
    """Leave out what is said of a field whose kind nobody knows: it names the kind."""
    told = packet.model_dump()
    for field in told["fields"]:
        field["words"] = field["words"] * (field["type"] != "unknown")
    return told


def test_a_question_is_read_as_it_was_written() -> None:
    lines = []
    for name, raw in _questions():
        question = elicitation_request(raw, "e")
        written = write_packet(question)
        read = parse_packet(json.loads(json.dumps(written)))
        assert _without_words(read) == _without_words(question), name
        lines.append(f"{cut(name, 200)}: {said(written, 600)}")
    check(FOLDER, "written_questions", lines)


BLOCKS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("data", "mimeType", "uri"),
    "audio": ("data", "mimeType", "uri"),
    "resource_link": ("uri", "name", "mimeType", "size"),
    "resource": ("uri", "mimeType", "text"),
    "embedded_resource": ("uri", "mimeType", "blob"),
    "hologram": ("text",),
}


def test_a_content_block_is_read_as_it_was_written() -> None:
    """Each kind with and without each of its fields."""
    lines = []
    for kind, names in BLOCKS.items():
        for some in itertools.product((True, False), repeat=len(names)):
            fields: Any = {
                n: 5 if n == "size" else f"a/{n}" for n in itertools.compress(names, some)
            }
            raw = {"type": kind, **({"resource": fields} if kind.endswith("resource") else fields)}
            block = read_block(raw)
            assert block is not None
            written = write_block(block)
            assert read_block(json.loads(json.dumps(written))) == block, raw
            lines.append(f"{json.dumps(raw)}: {json.dumps(written)}")
    check(FOLDER, "written_blocks", lines)


def test_the_oldest_of_very_many_is_forgotten() -> None:
    """Of calls their names, of requests their options, of subagents that they have begun."""
    for extra, kept in ((0, True), (1, False)):
        stream = BuildModeStream()
        for number in range(1000 + extra):
            stream.write(acp("tool_call", toolCallId=f"c{number}", title="grep", kind="search"))
            stream.write(_asked(f"r{number}"))
            stream.write(_said_by(f"c{number}"))
        more = acp("tool_call_update", toolCallId="c0", status="in_progress")
        assert [each.type for each in stream.write(more)] == (
            ["tool_progress"] if kept else ["tool_start", "tool_progress"]
        )
        (answer,) = stream.write(PermissionResponse(request_id="r0", option_id="yes"))
        assert answer.model_dump()["approved"] is kept
        begun = [each.type for each in stream.write(_said_by("c0"))]
        assert begun == (["step_delta"] if kept else ["step_start", "step_delta"])


def _asked(request_id: str) -> Packet:
    option = OptionPacket(option_id="yes", name="Yes", kind="allow_once")
    call = ToolCallProgress(tool_call_id="c")
    return PermissionRequest(request_id=request_id, tool_call=call, options=(option,))


def _said_by(call_id: str) -> Packet:
    return acp("agent_message_chunk", content=text("a"), _meta={"parentToolCallId": call_id})
