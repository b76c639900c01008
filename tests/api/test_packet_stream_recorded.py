"""Recorded conversations, and any others, as streams of packets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.api.packet_stream import DIALECTS, PacketStream, StreamDialect
from acp_jupyter.protocol.host_events.notes import TurnQueued
from acp_jupyter.protocol.traffic import TrafficEntry
from tests.support.log.recorded import TRAFFIC, Recording
from tests.support.log.streamed import stream
from tests.support.transcript.traffic import Script

RECORDED = sorted(TRAFFIC.glob("*.jsonl"))
NAMES = [path.stem for path in RECORDED]
ENDS = {"prompt_response", "error"}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("path", RECORDED, ids=NAMES)
def test_a_stream_goes_on_after_any_packet(path: Path, dialect: StreamDialect) -> None:
    script = Recording(path).script
    whole = stream(script, dialect)
    assert [packet["seq"] for packet in whole] == list(range(1, len(whole) + 1))
    for after in range(len(whole) + 2):
        assert stream(script, dialect, after) == whole[after:]


@pytest.mark.parametrize("path", RECORDED, ids=NAMES)
def test_a_stream_says_all_that_is_shown(path: Path) -> None:
    script = Recording(path).script
    assert shown(_played(script)) == shown(script)


def _played(script: Script) -> Script:
    """Make a transcript of what the stream of another says."""
    again = Script(cwd=script.transcript.session.cwd)
    for packet in stream(script):
        if packet["type"] == "user_message_chunk":
            turn_id = packet["turn_id"]
            again.note(TurnQueued(turn_id=turn_id, prompt=(packet["content"],)))
            again.line("!", {"note": "turn_started", "turn_id": turn_id})
        else:
            again.imported(packet)
    return again


def shown(script: Script) -> Any:
    """Return the items, without times, ids of ours and the agent's name."""
    state = script.transcript
    items = [item.model_dump(mode="json") for item in state.window(0, len(state.items))]
    name = state.session.agent_info.name
    told = json.dumps(_timeless(items)).replace(f'"Question from {name}"', '"Question"')
    return json.loads(re.sub(f'"{name} (wants|answered)', r'"\1', told))


TIMES = {"id", "at", "asked_at", "started_at", "ended_at", "duration_seconds", "request_id"}


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        items = {key: _timeless(item) for key, item in value.items() if key not in TIMES}
        if "raw_input" in items:
            items["raw_input"] = items["raw_input"] or {}  # an empty input is always an object
        return items
    return [_timeless(item) for item in value] if isinstance(value, list) else value


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
_TURNS = st.sampled_from(["t1", "t2", "t3"])
_NOTES = st.one_of(
    st.fixed_dictionaries(
        {"note": st.just("turn_queued"), "turn_id": _TURNS, "prompt": st.just([{"type": "text"}])}
    ),
    st.fixed_dictionaries({"note": st.just("turn_started"), "turn_id": _TURNS}),
    st.fixed_dictionaries({"note": st.just("turn_removed"), "turn_id": _TURNS}),
    st.fixed_dictionaries({"note": st.just("turn_stopped"), "turn_id": _TURNS}),
    st.fixed_dictionaries({"note": st.just("turn_failed"), "turn_id": _TURNS, "message": _JSON}),
    st.fixed_dictionaries({"note": st.just("agent_exited"), "words": st.just("died")}),
    st.fixed_dictionaries({"note": st.just("imported_packet"), "packet": _JSON}),
    st.just({"note": "imported_packet", "packet": {"type": "done"}}),
    st.just({"note": "imported_packet", "packet": {"type": "error", "message": "x"}}),
)
_KINDS = (
    *("agent_message_chunk", "tool_call", "tool_call_update", "plan", "notice", "error", "done"),
    *("permission_request", "current_mode_update", "artifact_created", "file_write", "hologram"),
)
_FIELDS = ("content", "toolCallId", "title", "entries", "options", "request_id", "artifact")
_UPDATES = st.builds(
    lambda kind, fields: {
        "method": "session/update",
        "params": {"update": {**fields, "sessionUpdate": kind}},
    },
    st.sampled_from(_KINDS),
    st.dictionaries(
        st.sampled_from(
            [
                "content",
                "toolCallId",
                "title",
                "entries",
                "options",
                "request_id",
                "artifact",
                "path",
            ]
        ),
        _JSON,
    ),
)
_LINES = st.one_of(
    st.tuples(st.just("!"), _NOTES),
    st.tuples(st.sampled_from("<>"), _UPDATES | st.dictionaries(st.text(max_size=5), _JSON)),
)


@given(st.lists(_LINES, max_size=30))
def test_any_log_is_a_stream_with_one_end_for_each_turn(lines: list[tuple[Any, Any]]) -> None:
    readers = [PacketStream("s1", dialect) for dialect in DIALECTS]
    begun: list[str] = []
    ended: list[str] = []
    for number, (side, message) in enumerate(lines, 1):
        entry = TrafficEntry(number, 1e9 + number, side, message)
        said, _ = [[json.loads(p.data) for p in reader.read(entry)] for reader in readers]
        for packet in said:
            if packet["type"] == "user_message_chunk" and packet["turn_id"]:
                begun.append(packet["turn_id"])
            elif packet["type"] in ENDS:
                ended.append(packet["turn_id"])
            assert len(begun) - len(ended) in {0, 1}
    assert ended == begun[: len(ended)]
