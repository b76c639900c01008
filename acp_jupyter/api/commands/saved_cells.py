"""What the file of a notebook says: the turns in its outputs, and the ids of its cells."""

from __future__ import annotations

import json

from acp_jupyter.protocol.objects import items, obj, text
from acp_jupyter.transcript.output.record import RUNS_KEY


def claimed_turns(notebook: bytes) -> frozenset[str]:
    """Return the ids of turns in the outputs of a notebook; the notebook may claim any."""
    if f'"{RUNS_KEY}"'.encode() not in notebook:
        return frozenset()
    try:
        read = obj(json.loads(notebook))
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(
        turn_id
        for cell in items(read.get("cells"))
        for output in items(obj(cell).get("outputs"))
        for turn_id in obj(obj(obj(output).get("metadata")).get(RUNS_KEY))
    )


def cell_ids(notebook: bytes) -> frozenset[str]:
    """Return the ids of a notebook's cells; empty if its format has none, or it is broken."""
    try:
        read = obj(json.loads(notebook))
    except (ValueError, RecursionError):
        return frozenset()
    ids = (text(obj(cell).get("id")) for cell in items(read.get("cells")))
    return frozenset(filter(None, ids))
