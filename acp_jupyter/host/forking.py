"""The log of a session that goes on from another's."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acp_jupyter.host.traffic_log import read_traffic
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.traffic import TrafficEntry

__all__ = ["copy_log"]

_LEFT_OUT = {"session_opened", "session_attached"}


def copy_log(parent: Path, child: Path, opening: SessionOpened, at: float) -> None:
    """Write the log of a fork: all that was said so far, under an opening of its own. Blocks.

    Turns get ids of their own: an id names one turn of one session.

    Raises
    ------
    OSError
        The disk is full.
    """
    child.parent.mkdir(mode=0o700, parents=True)
    try:
        with child.open("x", encoding="utf-8") as file:
            child.chmod(0o600)
            for entry in _entries(parent, opening, at):
                file.write(_line(entry))
    except BaseException:
        shutil.rmtree(child.parent, ignore_errors=True)
        raise


def _entries(parent: Path, opening: SessionOpened, at: float) -> Iterator[TrafficEntry]:
    yield TrafficEntry(0, at, "!", opening.model_dump(mode="json"))
    names: dict[str, str] = {}
    for entry in read_traffic(parent):
        if entry.direction != "!":
            yield entry
            continue
        note = dict(entry.message)
        if note.get("note") in _LEFT_OUT:
            continue
        turn_id = note.get("turn_id")
        if isinstance(turn_id, str):
            note["turn_id"] = names.setdefault(turn_id, uuid.uuid4().hex)
        # A cell's output belongs to the turn of the parent.
        note.pop("origin", None)
        yield TrafficEntry(entry.seq, entry.t, "!", note)


def _line(entry: TrafficEntry) -> str:
    record: dict[str, Any] = {"seq": entry.seq, "t": entry.t, "d": entry.direction}
    if entry.re is not None:
        record["re"] = entry.re
    record["m"] = entry.message
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
