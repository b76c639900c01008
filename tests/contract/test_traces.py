"""Logs with what features leave in them read the same, also where the feature is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.output.bundle import build_bundle
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.contract.golden import check

TRACES = Path(__file__).parents[1] / "golden/traces"


@pytest.mark.parametrize("name", [path.stem for path in sorted(TRACES.glob("*.ndjson"))])
def test_a_log_reads_the_same(name: str) -> None:
    check(f"trace_{name}.txt", _shown(_transcript(TRACES / f"{name}.ndjson")))


def _transcript(log: Path) -> Transcript:
    with log.open("rb") as lines:
        entries = [each for each in read_log(lines) if isinstance(each, TrafficEntry)]
    opening = {name: value for name, value in entries[0].message.items() if name != "note"}
    state = opened_transcript(SessionOpened.model_validate(opening), entries[0].t)
    reader = TrafficReader()
    for entry in entries[1:]:
        for packet in reader.read(entry):
            state, _ = reduce(state, packet, entry.t)
    return state


def _shown(state: Transcript) -> Iterator[str]:
    """Yield the session's state, and what a notebook saves of each turn."""
    yield from json.dumps(state.session.model_dump(mode="json"), indent=1).splitlines()
    for turn_id in state.turn_order:
        items = state.turn_items(turn_id)
        bundle = build_bundle(state.turns[turn_id], items, state.session)
        yield from json.dumps(bundle.model_dump(mode="json"), indent=1).splitlines()
