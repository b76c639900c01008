"""The other side of the demo agent's pipes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from tests.support.agents.peer import Json, Peer, Turn

__all__ = ["COMMAND", "FILES", "LOOP", "client_files", "permission", "said_all"]

COMMAND = [sys.executable, "-m", "acp_jupyter.agents.demo"]
FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}
LOOP = """import pandas as pd


def total(df: pd.DataFrame) -> float:
    result = 0.0
    for _, row in df.iterrows():
        result += row["price"] * row["count"]
    return result
"""


def client_files(peer: Peer) -> list[Json]:
    """Let the peer serve fs/*; return the list that writes are put on."""
    writes: list[Json] = []

    def read(params: Json) -> Json:
        return {"content": Path(params["path"]).read_text()}

    def write(params: Json) -> Json:
        writes.append(params)
        Path(params["path"]).write_text(params["content"])
        return {}

    peer.handlers |= {"fs/read_text_file": read, "fs/write_text_file": write}
    return writes


def said_all(messages: Iterable[Json]) -> bool:
    """Return whether a long answer has come to its end."""
    return any(last in str(message) for message in messages for last in ("That was all.", "END"))


def permission(turn: Turn) -> Json:
    (request,) = turn.asked("session/request_permission")
    return request
