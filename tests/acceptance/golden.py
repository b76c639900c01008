"""Golden packets: what an agent wrote, and what it means."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from acp_jupyter.packets import Packet, ParseState, parse_packet

__all__ = ["PACKETS", "TURNS", "check", "load", "packet", "read"]

Json = dict[str, Any]

GOLDEN = Path(__file__).parents[1] / "golden"
PACKETS = GOLDEN / "packets"
TURNS = GOLDEN / "turns"


def read(name: str) -> Json:
    """Return the raw packet of a golden file."""
    packet: Json = load(name)["packet"]
    return packet


def packet(name: str) -> Packet:
    """Parse a golden packet, after those that its file says came before it."""
    state = ParseState()
    earlier, names = load(name).get("after"), []
    while earlier:
        names.append(earlier)
        earlier = load(earlier).get("after")
    for before in reversed(names):
        parse_packet(read(before), state)
    return parse_packet(read(name), state)


def check(file: Path, golden: Json) -> None:
    """Compare with a golden file; ``ACP_WRITE_GOLDEN=1`` writes it anew."""
    known = json.loads(file.read_text()) if file.exists() else None
    if os.environ.get("ACP_WRITE_GOLDEN") and known != golden:
        file.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")
    assert json.loads(file.read_text()) == golden


def load(name: str) -> Json:
    """Return a golden file."""
    loaded: Json = json.loads((PACKETS / f"{name}.json").read_text())
    return loaded
