"""Reading a line at once gives what reading and then repairing it gives."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.json import camel_case, clean_json, read_json
from acp_jupyter.protocol.large.long_json import read_long_json
from acp_jupyter.protocol.normalise import normalise

_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(_values, st.booleans())
def test_reading_repairs_what_it_reads(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    if not ascii_only:
        text = text.encode("utf-8", "replace").decode()
    plain = json.loads(text, parse_constant=lambda _: None)
    assert read_json(text) == clean_json(plain)


@pytest.mark.parametrize(
    "text",
    [
        '"\\ud800"',
        '"\\uD800"',
        '{"\\udfff": 1}',
        "[1e999, -1e999]",
        "NaN",
        "[" * 90 + "1" + "]" * 90,
        f"[1{'0' * 400}, -1{'0' * 5000}]",
    ],
)
def test_what_no_json_writer_takes_is_repaired(text: str) -> None:
    value = read_json(text)
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert json.dumps(value, ensure_ascii=False).encode()
    assert value == clean_json(value)


def test_what_is_nested_deeper_than_64_levels_is_a_text() -> None:
    def depth(value: Any) -> int:
        return 1 + depth(value[0]) if isinstance(value, list) and value else isinstance(value, list)

    for levels, kept in ((64, 64), (65, 64), (66, 64)):
        assert depth(clean_json(json.loads("[" * levels + "]" * levels))) == kept


@pytest.mark.parametrize("number", [10**299, -(10**299), 10**300, -(10**300), 10**400])
def test_an_integer_that_no_float_holds_is_nothing(number: int) -> None:
    kept = number if abs(number) < 10**300 else None
    assert clean_json([number]) == [kept]
    assert read_json(f"[{number}]") == [kept]
    assert clean_json(True) is True


@pytest.mark.parametrize("value", [{}, {"a": [1, 2.5, "é", None, {"é": True}]}, [[], {}], "a", 1])
def test_what_needs_no_repair_is_not_copied(value: Any) -> None:
    assert clean_json(value) is value


@pytest.mark.parametrize("extra", [{}, {"messageId": "m1"}, {"messageId": 5}, {"odd_key": 1}])
@pytest.mark.parametrize("content", [{"annotations": []}, {}])
def test_a_piece_of_text_is_the_same_on_every_way(
    extra: dict[str, Any], content: dict[str, Any]
) -> None:
    update = {"sessionUpdate": "agent_message_chunk", **extra}
    update["content"] = {"type": "text", "text": "hi", **content}
    params = {"sessionId": "a", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    (normal,) = normalise(message)
    (slow,) = normalise({**message, "trace": 1})
    assert {**normal, "trace": 1} == slow


@given(_values, st.booleans())
def test_a_long_line_is_read_as_a_short_one_is(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    if not ascii_only:
        text = text.encode("utf-8", "replace").decode()
    assert read_long_json(text) == read_json(text)


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": 1', "[1, 2", "nope", '{"a": "b}', "[" * 5000, "[" + "[]," * 200_000 + "[]]"],
)
def test_a_long_line_that_is_no_message_is_refused(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_long_json(text)


def test_what_lies_on_the_edge_of_a_step_is_repaired_too() -> None:
    for before in range(999_990, 1_000_004):
        (text, half) = read_long_json('["' + "x" * before + '","\\ud83d"]')
        assert (len(text), half) == (before, "\ufffd")


def test_a_float_that_no_json_holds_is_nothing() -> None:
    assert clean_json([math.inf, -math.inf, math.nan, 1.5]) == [None, None, None, 1.5]


SNAKE_KEYS = """
    session_id session_update tool_call_id tool_call raw_input raw_output mime_type message_id
    old_text new_text terminal_id available_commands available_modes current_mode_id mode_id
    config_options config_id current_value updated_at option_id plan_id protocol_version
    agent_capabilities agent_info auth_methods stop_reason request_id elicitation_id
    requested_schema output_byte_limit exit_status exit_code additional_directories mcp_servers
    compaction_id method_id sender_session_id recipient_session_id sender_message_id
    recipient_message_id
"""


@pytest.mark.parametrize("key", SNAKE_KEYS.split())
def test_keys_are_spelled_as_the_protocol_spells_them(key: str) -> None:
    first, *others = key.split("_")
    camel = first + "".join(word.title() for word in others)
    assert camel_case({key: 1}) == {camel: 1}
    assert camel_case([{"a": [{key: 1}]}, key, 1]) == [{"a": [{camel: 1}]}, key, 1]
    assert camel_case({"a": {key: 1, camel: 2}}) == {"a": {key: 1, camel: 2}}


@pytest.mark.parametrize("key", ["rawInput", "rawOutput", "_meta", "raw_input", "raw_output"])
def test_keys_of_the_agents_own_stay_as_they_are(key: str) -> None:
    own = {"session_id": 1, "list": [{"tool_call": 1}]}
    (told,) = camel_case({key: own}).values()
    assert told == own


@pytest.mark.parametrize("value", ["session_id", 1, None, 1.5, True])
def test_what_has_no_keys_stays_as_it_is(value: object) -> None:
    assert camel_case(value) is value


@pytest.mark.parametrize("brackets", ["[]", "{}"])
@pytest.mark.parametrize("depth", [63, 64, 65, 130])
def test_what_is_nested_too_deeply(brackets: str, depth: int) -> None:
    """The shorter and the longer way of reading agree; a level is one array or one object."""
    inner = '"a":' * (brackets == "{}")
    text = brackets[0] + (inner + brackets[0]) * (depth - 1) + brackets[1] * depth
    value = read_json(text)
    assert value == read_long_json(text) == clean_json(json.loads(text))
    levels = 0
    while value not in ([], {}, "[nested too deeply]"):
        value = value[0] if isinstance(value, list) else value["a"]
        levels += 1
    assert levels == min(depth - 1, 64)
    assert isinstance(value, str) is (depth > 64)
