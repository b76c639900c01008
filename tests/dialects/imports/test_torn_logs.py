"""Logs that are torn or wrong in any place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_jupyter.dialects.import_dialects import DIALECTS, Dialect
from acp_jupyter.protocol.json import read_json
from tests.support.log.imported import import_lines

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOGS: dict[Dialect, list[bytes]] = {
    "traffic": (FIXTURES / "traffic" / "claude-write_file.jsonl").read_bytes().splitlines(),
    "claude-cli": (FIXTURES / "claude_cli" / "many_tools.jsonl").read_bytes().splitlines(),
}
CALM = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

_KEYS = (
    "type sessionUpdate content toolCallId tool_call_id status timestamp message role subtype "
    "result jsonrpc method params update id d m re seq t note turn_id prompt request_id event"
)
_WORDS = (
    "agent_message_chunk tool_call tool_call_update tool_start tool_end plan done error user "
    "assistant system init stream_event control_request control_response session/update "
    "session/prompt session/request_permission > < ! turn_queued permission_settled"
)
USER = {"user_message", "user_message_chunk"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
likely_values = st.sampled_from(_WORDS.split()) | json_values
objects = st.dictionaries(st.sampled_from(_KEYS.split()), likely_values, max_size=7)
nested = st.dictionaries(st.sampled_from(_KEYS.split()), likely_values | objects, max_size=7)
logs = st.lists(nested | json_values, max_size=8)


@CALM
@given(logs, st.sampled_from(DIALECTS))
def test_any_json_is_read_as_any_kind(lines: list[Any], dialect: Dialect) -> None:
    imported = import_lines([json.dumps(line) for line in lines], dialect)
    assert len(imported.problems) <= 3 * len(lines) + 1


@CALM
@given(logs)
def test_no_packet_is_dropped_silently(lines: list[Any]) -> None:
    """Every line is kept, was part of a prompt, or is a problem."""
    imported = import_lines([json.dumps(line) for line in lines], "packets")
    told = {problem.line for problem in imported.problems}
    kept = [json.dumps(e.message.get("packet"), sort_keys=True) for e in imported.entries]
    for number, line in enumerate(lines, 1):
        if number in told or not isinstance(line, dict):
            continue
        if not USER & {repr(line.get(key)).strip("'") for key in ("type", "sessionUpdate")}:
            clean = read_json(json.dumps(line))
            assert json.dumps(clean, sort_keys=True) in kept


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Dialect, list[bytes]]:
    """A recorded log with another value in some place of some line."""
    dialect = draw(st.sampled_from(sorted(LOGS)))
    lines = list(LOGS[dialect])
    number = draw(st.integers(0, len(lines) - 1))
    line = json.loads(lines[number])
    holder: Any = line
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        inner = holder[key]
        if not isinstance(inner, dict | list) or draw(st.booleans()):
            holder[key] = draw(json_values)
            break
        holder = inner
    lines[number] = json.dumps(line).encode()
    return dialect, lines


@CALM
@given(damaged())
def test_a_wrong_value_in_any_place_harms_its_line_alone(
    found: tuple[Dialect, list[bytes]],
) -> None:
    dialect, lines = found
    whole, imported = import_lines(LOGS[dialect]), import_lines(lines)
    assert imported.facts.dialect == dialect
    assert len(imported.items()) >= len(whole.items()) - 4
    assert len(imported.problems) <= 3


@pytest.mark.parametrize("dialect", LOGS)
@CALM
@given(data=st.data())
def test_a_log_that_is_cut_anywhere_is_read_up_to_there(
    dialect: Dialect, data: st.DataObject
) -> None:
    text = b"\n".join(LOGS[dialect])
    cut = data.draw(st.integers(len(LOGS[dialect][0]), len(text)))
    lines = text[:cut].splitlines()
    imported = import_lines(lines, dialect)
    assert {problem.line for problem in imported.problems} <= {len(lines)}
