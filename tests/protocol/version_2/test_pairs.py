"""One conversation of one agent, recorded in both versions of the protocol, is one transcript.

``tests/fixtures/versions`` holds Claude 0.101.0 with a model that is played: text, a file that is
written, one that is edited, commands that fail and that are rejected, eight tools in one turn, an
error of the model, and a question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.agents.replay.log_reader import build
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.protocol.version_2 import in_version_1
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

RECORDED = Path(__file__).parents[2] / "fixtures/versions"
IDS = re.compile(r"toolu_\w+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{32}\b|\b[pe]\d+\b")


def entries(version: int) -> list[TrafficEntry]:
    with (RECORDED / f"claude-v{version}.ndjson").open("rb") as file:
        return [found for found in read_log(file) if isinstance(found, TrafficEntry)]


def transcript(lines: Iterable[TrafficEntry]) -> Transcript:
    reader, state = TrafficReader(), None
    for line in lines:
        for packet in reader.read(line):
            if isinstance(packet, SessionOpened):
                state = opened_transcript(packet, 0)
            elif state is not None:
                state, _ = reduce(state, packet, 0)
    assert state is not None
    return state


def shown(state: Transcript) -> dict[str, Any]:
    """Return all that a page shows, with ids by the order in which they come."""
    raw = {
        "items": [item.model_dump(mode="json") for item in state.window(0, len(state.items))],
        "turns": [state.turns[name].model_dump(mode="json") for name in state.turn_order],
        "session": state.session.model_dump(
            mode="json", exclude={"agent_info", "prompt_capabilities"}
        ),
    }
    names: dict[str, str] = {}
    text = IDS.sub(lambda found: names.setdefault(found[0], f"#{len(names)}"), json.dumps(raw))
    result: dict[str, Any] = json.loads(text)
    for item in result["items"]:
        if item.get("terminal"):
            del item["terminal"]["command"]  # only version 2 tells it with the terminal
    return result


def test_both_versions_give_the_same_transcript() -> None:
    old, new = (shown(transcript(entries(version))) for version in (1, 2))
    assert len(old["turns"]) == 8
    for one, other in zip(old["items"], new["items"], strict=True):
        assert one == other
    assert new["turns"] == old["turns"]
    differs = {name for name, value in old["session"].items() if new["session"][name] != value}
    assert differs <= {"can", "updated_at", "usage"}


def test_what_was_translated_is_left_alone() -> None:
    once = list(in_version_1(entries(2)))
    assert shown(transcript(line for line in once if isinstance(line, TrafficEntry))) == shown(
        transcript(entries(2))
    )
    assert list(in_version_1(once)) == once


@pytest.mark.parametrize("version", [1, 2])
def test_a_recording_of_either_plays_its_turns(version: int) -> None:
    path = RECORDED / f"claude-v{version}.ndjson"
    with path.open("rb") as file:
        recording = build(path, file)
    (session,) = recording.sessions
    prompts = [part for part in session.parts if part.kind == "prompt"]
    assert len(prompts) == 8
    kinds = {type(step).__name__ for part in prompts for step in part.steps}
    assert kinds == {"AgentRequest", "Answered", "RecordedReply", "Send"}
    assert all(type(part.steps[-1]).__name__ == "RecordedReply" for part in prompts)
