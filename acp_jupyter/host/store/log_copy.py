"""Copies the log of a session for a fork."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_jupyter.host.store.log_reader import read_traffic
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.objects import obj, text
from acp_jupyter.protocol.traffic import TrafficEntry

_LEFT_OUT = {
    *("session_opened", "session_attached", "session_branched", "session_continued"),
    "notebook_moved",  # the opening note has the notebook's present path
    "walls_started",  # the copy has no running agent
}
_OF_TODAY = {"policy_changed", "rules_changed", "sandbox_changed", "network_changed"}
"""Not copied into a branch, which keeps the present policy, rules, sandbox and network."""


@dataclass(frozen=True, slots=True)
class UpToTurn:
    """The place in a log at which a turn began."""

    turn_id: str
    earlier: frozenset[str]
    """The turns that began before it."""


def copy_log(
    parent: Path, child: Path, opening: SessionOpened, at: float, end: UpToTurn | None = None
) -> None:
    """Write the log of a fork: its own opening note, then the parent's entries. Blocks.

    Turns get new ids, as an id is unique across sessions. With ``end``, only the entries before
    that turn are copied.
    """
    child.parent.mkdir(mode=0o700, parents=True)
    try:
        with child.open("x", encoding="utf-8") as file:
            child.chmod(0o600)
            for entry in _entries(parent, opening, at, end):
                file.write(_line(entry))
    except BaseException:
        shutil.rmtree(child.parent, ignore_errors=True)
        raise


def _entries(
    parent: Path, opening: SessionOpened, at: float, end: UpToTurn | None
) -> Iterator[TrafficEntry]:
    yield TrafficEntry(0, at, "!", opening.model_dump(mode="json"))
    names: dict[str, str] = {}
    for entry in read_traffic(parent):
        if entry.direction != "!":
            yield entry
            continue
        note = dict(entry.message)
        name, turn_id = note.get("note"), note.get("turn_id")
        if end is not None and name == "turn_started" and turn_id == end.turn_id:
            return
        if name in _LEFT_OUT or (end is not None and name in _OF_TODAY):
            continue
        if isinstance(turn_id, str):
            if end is not None and turn_id not in end.earlier:
                continue
            note["turn_id"] = names.setdefault(turn_id, uuid.uuid4().hex)
            if name == "turn_queued" and not note.get("copy_of"):
                cell_id = text(obj(note.get("origin")).get("cell_id"))
                note["copy_of"] = {"turn_id": turn_id, "cell_id": cell_id}
        # The cell's output and its buttons belong to the parent's turn.
        for own in ("origin", "offers", "target"):
            note.pop(own, None)
        yield TrafficEntry(entry.seq, entry.t, "!", note)


def _line(entry: TrafficEntry) -> str:
    fields: dict[str, Any] = {"seq": entry.seq, "t": entry.t, "d": entry.direction}
    if entry.re is not None:
        fields["re"] = entry.re
    fields["m"] = entry.message
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"
