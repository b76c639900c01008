"""Logs imported without a host: what the reading of lines gives."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from acp_jupyter.dialects.import_dialects import Dialect
from acp_jupyter.dialects.import_log import LogFacts, read_import, survey
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.packets import Unknown
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

__all__ = ["Imported", "import_lines", "timeless"]

_NEW = {"turn_id", "session_id", "request_id", "id", "origin", "tokens", "policy"}
_TIMES = {"at", "started_at", "ended_at", "asked_at", "queued_at", "duration_seconds"}


@dataclass
class Imported:
    """What came of a log."""

    facts: LogFacts
    entries: list[TrafficEntry] = field(default_factory=list)
    problems: list[LogProblem] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)

    def __post_init__(self) -> None:
        note = SessionOpened(
            session_id="s",
            agent_id="imported",
            agent_name=self.facts.agent_name or "Log",
            cwd=self.facts.cwd,
            folder=self.facts.cwd,
        )
        self.transcript = opened_transcript(note, 0.0)
        self._reader = TrafficReader()

    def enter(self, entry: TrafficEntry) -> None:
        self.entries.append(entry)
        for packet in self._reader.read(entry):
            if isinstance(packet, Unknown):
                self.unknown.append(packet)
            self.transcript, _ = reduce(self.transcript, packet, entry.t)

    def items(self) -> tuple[Item, ...]:
        return self.transcript.window(0, len(self.transcript.items))

    def kinds(self) -> list[str]:
        return [item.kind for item in self.items()]

    def text(self) -> str:
        return "".join(item.text for item in self.items() if item.kind == "agent_message")

    def calls(self) -> list[ToolCall]:
        return [item for item in self.items() if isinstance(item, ToolCall)]

    def turns(self) -> list[tuple[str, str]]:
        """Prompt and stop reason of each."""
        turns = (self.transcript.turns[turn_id] for turn_id in self.transcript.turn_order)
        return [(turn.prompt, turn.stop_reason or turn.status) for turn in turns]


def import_lines(
    lines: Iterable[bytes | str | dict[str, Any]],
    dialect: Dialect | None = None,
    session: str = "",
    start: float = 0.0,
) -> Imported:
    """Import a log that is of some kind; objects are lines too."""
    log = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    facts = survey(lambda: log, dialect, session)
    assert facts is not None
    imported = Imported(facts)
    for found in read_import(log, facts, itertools.count(2), start):
        if isinstance(found, LogProblem):
            imported.problems.append(found)
        else:
            imported.enter(found.entry)
    return imported


def timeless(value: Any) -> Any:
    """Leave out of JSON what is new in every session: ids of ours, and times."""
    if isinstance(value, dict):
        return {k: timeless(item) for k, item in value.items() if k not in _NEW | _TIMES}
    return [timeless(item) for item in value] if isinstance(value, list | tuple) else value
