"""The golden files say what the code does; the page's tests read the same files.

``ACP_WRITE_GOLDEN=1 pytest tests/acceptance/test_golden_files.py`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_jupyter.packets import Packet
from tests.acceptance import golden
from tests.acceptance.change_turns import MADE_TURNS
from tests.acceptance.turns_and_ends import ENDED_TURNS
from tests.acceptance.turns_of_calls import CALL_TURNS
from tests.acceptance.turns_of_seeds import SEED_TURNS
from tests.acceptance.turns_of_tools import TOOL_TURNS
from tests.support.transcript.event_view import View
from tests.support.transcript.traffic import Script

TURNS = TOOL_TURNS | SEED_TURNS | MADE_TURNS | ENDED_TURNS | CALL_TURNS
DIALECTS = ("s1-", "s4-", "acp-")
PACKETS = sorted(f.stem for f in golden.PACKETS.glob("*.json") if f.name.startswith(DIALECTS))


@pytest.mark.parametrize("name", PACKETS)
def test_a_packet_means_what_its_golden_file_says(name: str) -> None:
    packet: Packet = golden.packet(name)
    parsed = packet.model_dump(mode="json", by_alias=False)
    file = golden.PACKETS / f"{name}.json"
    golden.check(file, {**golden.load(name), "parsed": parsed})


@pytest.mark.parametrize(("name", "turn"), TURNS.items(), ids=TURNS)
def test_a_turn_gives_its_golden_events(name: str, turn: Callable[[], Script]) -> None:
    script = turn()
    state = script.transcript
    items = [item.model_dump(mode="json") for item in state.window(0, len(state.items))]
    session = state.session.model_dump(mode="json")
    events = [event.model_dump(mode="json") for event in script.events]
    file = golden.TURNS / f"{name}.json"
    golden.check(file, {"events": events, "session": session, "items": items})
    assert View().take(script.events).state()[1] == items


def test_every_file_of_a_turn_has_its_turn() -> None:
    assert sorted(file.stem for file in Path(golden.TURNS).glob("*.json")) == sorted(TURNS)
