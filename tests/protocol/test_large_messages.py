"""Of a large message, as much is read as costs little; what is left out is marked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.protocol.large import long_json
from acp_jupyter.protocol.large.long_json import TooManyParts, read_long_json
from acp_jupyter.protocol.large.messages import (
    MAX_CHARS,
    MAX_PARTS,
    MAX_VALUES,
    cut_message,
    is_whole_chunk,
)
from acp_jupyter.protocol.traffic import is_plain
from acp_jupyter.protocol.version_2.meta_keys import CUT
from tests.support.patterns.largest import LARGEST, largest


def values_of(message: Any) -> int:
    """Count the values of all objects and lists, and look at the size of each."""
    count, rest = 0, [message]
    while rest:
        value = rest.pop()
        if isinstance(value, dict | list):
            assert len(value) <= MAX_PARTS
            count += len(value)
            rest += value.values() if isinstance(value, dict) else value
    return count


@pytest.mark.parametrize("name", LARGEST)
def test_of_the_largest_messages_no_more_is_read_than_costs_little(name: str) -> None:
    message = json.loads(largest(name, 1.5))
    read = cut_message(message)
    assert values_of(read) <= MAX_VALUES
    assert cut_message(read) is read, "a log that is read again gives the same"
    assert read is message or CUT in json.dumps(read) or "params" not in message


def update(**fields: Any) -> dict[str, Any]:
    return {"method": "session/update", "params": {"sessionId": "a", "update": fields}}


def test_what_is_outermost_is_kept() -> None:
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawOutput": [[[1] * 9] * 1999]}
    read = cut_message(update(**call, status="completed"))["params"]["update"]
    assert read["status"] == "completed"
    assert read["_meta"] == {CUT: True}
    assert 0 < len(read["rawOutput"][0]) < MAX_PARTS


@pytest.mark.parametrize("name", ["text", "oldText", "new_text", "data", "blob"])
def test_texts_that_are_shown_whole_are_kept_whole(name: str) -> None:
    message = update(sessionUpdate="tool_call", content=[{name: "a" * (MAX_CHARS + 1)}])
    assert cut_message(message) is message


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_thought_chunk"])
def test_a_chunk_is_whole_unless_its_id_is_cut(kind: str) -> None:
    content = {"type": "text", "text": "a" * (MAX_CHARS + 1)}
    chunk = update(sessionUpdate=kind, content=content, messageId="m") | {"jsonrpc": "2.0"}
    assert is_plain(chunk)
    assert is_whole_chunk(chunk)
    assert cut_message(chunk) is chunk
    chunk["params"]["update"]["messageId"] = "m" * (MAX_CHARS + 1)
    assert is_plain(chunk)
    assert not is_whole_chunk(chunk)
    assert cut_message(chunk) is not chunk


def test_other_long_texts_say_that_they_are_cut() -> None:
    message = update(sessionUpdate="tool_call", title="a" * MAX_CHARS, rawInput="b")
    assert cut_message(message) is message
    message["params"]["update"]["title"] += "a"
    title = cut_message(message)["params"]["update"]["title"]
    assert len(title) == MAX_CHARS
    assert title.endswith("aaa … the rest is in the session's traffic")


def test_the_text_of_a_file_that_is_written_is_kept_whole() -> None:
    params = {"sessionId": "a", "path": "b", "content": "a" * (MAX_CHARS + 1), "c": [1] * 2001}
    read = cut_message({"id": 1, "method": "fs/write_text_file", "params": params})
    assert read["params"]["content"] == params["content"]
    assert read["params"]["_meta"] == {CUT: True}


# -- reading in steps ----------------------------------------------------------

ESCAPES = ("\\", '"', "\n", "\x01", "\U0001f600", "\ud83d", "é", "\\u", '\\"')


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_string_is_read_in_steps_and_no_escape_is_torn(
    escape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_json, "_STRING_CHARS", 16)
    for before in range(40):
        said = {"x" * before + escape * 3: "y" * before + escape * 9 + "z"}
        for ascii_only in (True, False):
            text = json.dumps(said, ensure_ascii=ascii_only)
            text = text.encode("utf-8", "replace").decode()
            expected = json.loads(text)
            assert json.dumps(read_long_json(text)) == json.dumps(expected).replace(
                "\\ud83d\\ude00", "PAIR"
            ).replace("\\ud83d", "\\ufffd").replace("PAIR", "\\ud83d\\ude00")


@pytest.mark.parametrize(
    "text",
    [
        *("[1,]", "[,1]", '{"a":1,}', '{"a" 1}', '{"a":}', "{1:2}", "[1 2]", "01", "-", "1.", "+1"),
        *("tr", '"\x01"', '"\\x"', '"\\u12"', "[1]]", "{}{}", "[}", "{]", '{"a":1]', '"a', ":"),
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    with pytest.raises(json.JSONDecodeError):
        read_long_json(text)


def test_nesting_that_no_stack_holds_is_read() -> None:
    value = read_long_json('{"a":' * 5_000 + "1" + "}" * 5_000)
    for _ in range(64):
        value = value["a"]
    assert value == "[nested too deeply]"


def test_too_many_values_are_refused() -> None:
    text = "[" + "1," * 200_000 + "1]"
    with pytest.raises(TooManyParts):
        read_long_json(text)
