"""The models that page and server exchange, and the frames of recorded sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from acp_jupyter.api.models.frames import EventsFrame
from acp_jupyter.api.packet_stream import DIALECTS, PacketStream
from acp_jupyter.api.subscription import Subscription
from scripts.gen_types import wire_schema
from tests.contract.golden import check, schema_lines
from tests.support.log.recorded import recording

SESSIONS = ("claude-write_file", "opencode-many_tools")
"""An edit that is asked about; calls of every kind, one of which fails."""

EVENTS_A_FLUSH = 7
"""So that some merge and some do not."""


def test_the_schemas_of_all_wire_models() -> None:
    check("wire.txt", schema_lines(wire_schema()["$defs"]))


@pytest.mark.parametrize("name", SESSIONS)
def test_the_frames_of_a_recorded_session(name: str) -> None:
    check(f"frames_{name}.ndjson", _frames(name))


def _frames(name: str) -> Iterator[str]:
    events = recording(name).script.events
    subscription = Subscription("s1", lambda: None)
    for start in range(0, len(events), EVENTS_A_FLUSH):
        subscription.push(events[start : start + EVENTS_A_FLUSH])
        frame = EventsFrame(session_id="s1", events=subscription.take())
        yield frame.model_dump_json()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_packets_of_a_recorded_session(dialect: Any) -> None:
    script = recording(SESSIONS[0]).script
    stream = PacketStream("s1", dialect, 0)
    packets = (packet for entry in script.entries for packet in stream.read(entry))
    check(f"stream_{dialect}.txt", (f"{packet.seq} {packet.data.decode()}" for packet in packets))
