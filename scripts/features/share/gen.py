"""Write ``docs/shared-turn.html``: a recorded turn of the demo agent, as *Share* gives it.

``make gen`` does it after a build. The turn and its words must be current, which a test checks; the
view that is packed in the file may be an older one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from acp_jupyter.features.share.shared_page import shared_page
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "docs/shared-turn.html"
_RECORDING = ROOT / "notebooks/record_and_replay.acp/demo.ndjson"


def page() -> str:
    """Return the page of the recorded turn."""
    with _RECORDING.open("rb") as lines:
        entries = [each for each in read_log(lines) if isinstance(each, TrafficEntry)]
    opening = {name: value for name, value in entries[0].message.items() if name != "note"}
    state = opened_transcript(SessionOpened.model_validate(opening), entries[0].t)
    reader = TrafficReader()
    for entry in entries[1:]:
        for packet in reader.read(entry):
            state, _ = reduce(state, packet, entry.t)
    turns = [state.turns[turn_id] for turn_id in state.turn_order]
    items = state.window(0, len(state.items))
    scrubber = Scrubber.of_session(state.session, Redactor())
    return shared_page(state.session, turns, items, scrubber, thoughts=True)


def main() -> int:
    """Write the file."""
    TARGET.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
