"""What becomes of a turn with one line lost, told twice or told late.

``tests/golden/disordered_turns`` says how the transcript differs then. ``ACP_WRITE_GOLDEN=1``
writes it anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.acceptance import golden
from tests.acceptance.test_golden_files import TURNS
from tests.support.log.recorded import recording
from tests.support.transcript.outcomes import check, outcome, said
from tests.support.transcript.traffic import Script
from tests.transcript.reduce.test_golden_turns import TURNS as ASKED_TURNS

FOLDER = golden.GOLDEN / "disordered_turns"
RECORDED = (
    "claude-write_file",
    "claude-todo_plan",
    "cline-many_tools",
    "codex-reject",
    "gemini-fail_command",
    "opencode-many_tools",
)


def disorders(entries: Sequence[TrafficEntry]) -> Iterator[tuple[str, list[TrafficEntry]]]:
    """Yield the lines in every disorder, and what it is."""
    for i, entry in enumerate(entries):
        before, after = [*entries[:i]], [*entries[i + 1 :]]
        yield f"{i} lost", before + after
        yield f"{i} twice", [*before, entry, entry, *after]
        yield f"{i} late", [*before, *after[:1], entry, *after[1:]]
        yield f"{i} last", [*before, *after, entry]


def played(script: Script, entries: Sequence[TrafficEntry]) -> Any:
    """Return the end of a session, and a digest of all its events."""
    transcript, told = opened_transcript(script.opening, 0.0), hashlib.sha256()
    reader = TrafficReader()
    for entry in entries:
        for packet in reader.read(entry):
            transcript, events = reduce(transcript, packet, entry.t)
            for event in events:
                told.update(event.model_dump_json().encode())
    items = [item.model_dump(mode="json") for item in transcript.window(0, len(transcript.items))]
    session = transcript.session.model_dump(mode="json")
    return {"events": told.hexdigest()[:8], "items": {i["id"]: i for i in items}, "is": session}


def lines_of(name: str, script: Script) -> Iterator[str]:
    right = played(script, script.entries)
    yield f"{name}: {said(right)}"
    for entry in script.entries:
        yield f"  {entry.seq} {entry.direction} {said(entry.message)}"
    for what, entries in disorders(script.entries):
        if changes := outcome(right, played(script, entries)):
            yield f"  {what}: {changes}"


def test_made_turns() -> None:
    turns = {turn.__name__: turn for turn in ASKED_TURNS} | TURNS
    check(FOLDER, "made", (line for name in turns for line in lines_of(name, turns[name]())))


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_turns(name: str) -> None:
    check(FOLDER, name, lines_of(name, recording(name).script))
