"""Packets of ACP in, packets of build mode out, in the words of a test."""

from __future__ import annotations

import json
from typing import Any

from acp_jupyter.dialects.onyx.build_packets import BuildPacket
from acp_jupyter.packets import Packet, ParseState, parse_packet

__all__ = ["acp", "text", "wire"]


def acp(kind: str, state: ParseState | None = None, /, **fields: Any) -> Packet:
    return parse_packet({"sessionUpdate": kind, "timestamp": 1.8e9, **fields}, state)


def wire(packet: BuildPacket) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(packet.model_dump_json(by_alias=True))
    assert said.pop("timestamp") == "2027-01-15T08:00:00.000Z"
    return said


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}
