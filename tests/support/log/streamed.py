"""A session that a test writes, as programs outside get it."""

from __future__ import annotations

import json
from typing import Any

from acp_jupyter.api.packet_stream import PacketStream, StreamDialect
from tests.support.transcript.traffic import Script

__all__ = ["stream"]


def stream(
    script: Script, dialect: StreamDialect = "packets", after: int = 0
) -> list[dict[str, Any]]:
    """Return the packets after ``after``."""
    reader = PacketStream("s1", dialect, after)
    return [
        {"seq": packet.seq, **json.loads(packet.data)}
        for entry in script.entries
        for packet in reader.read(entry)
    ]
