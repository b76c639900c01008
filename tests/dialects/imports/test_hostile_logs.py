"""Evil of every kind, in each dialect: the rest of the log is imported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.dialects.import_log import survey
from tests.support.log.imported import import_lines
from tests.support.log.recorded import TRAFFIC

TRAFFIC_LOG = (TRAFFIC / "claude-write_file.jsonl").read_bytes().splitlines()


def packet(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def update(kind: str, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def said(words: str) -> dict[str, Any]:
    return {"content": {"type": "text", "text": words}}


@pytest.mark.parametrize("make", [packet, update], ids=["packets", "traffic"])
class TestEvil:
    """What the issue of hostile logs lists."""

    def test_ten_megabytes_of_text(self, make: Any) -> None:
        imported = import_lines([make("agent_message_chunk", **said("x" * 10_000_000))])
        assert len(imported.text()) == 10_000_000

    def test_half_characters(self, make: Any) -> None:
        line = json.dumps(make("agent_message_chunk", **said("a\ud83d")))
        assert import_lines([line]).text() == "a\ufffd"

    def test_deep_nesting(self, make: Any) -> None:
        deep = json.dumps(make("agent_message_chunk", **said("x"))).replace(
            '"x"', "[" * 100_000 + "]" * 100_000
        )
        imported = import_lines([deep, make("agent_message_chunk", **said("after"))])
        assert imported.text() == "after"
        assert [problem.line for problem in imported.problems] == [1]
        assert "nested too deeply" in imported.problems[0].message

    def test_an_update_for_a_call_that_nobody_made(self, make: Any) -> None:
        imported = import_lines([make("tool_call_update", toolCallId="c", status="failed")])
        assert [call.status for call in imported.calls()] == ["failed"]

    def test_ids_twice(self, make: Any) -> None:
        """A second start updates the card."""
        start = make("tool_call", toolCallId="c", title="bash", status="pending")
        assert len(import_lines([start, start, start]).calls()) == 1

    def test_negative_lines(self, make: Any) -> None:
        call = {"toolCallId": "c", "title": "read", "locations": [{"path": "x", "line": -3}]}
        (found,) = import_lines([make("tool_call", **call)]).calls()
        assert found.locations[0].line in {None, 0}

    @pytest.mark.parametrize("at", [-1, 1e308, "9999-99-99", None, {}, "1", 10**40])
    def test_absurd_times(self, make: Any, at: Any) -> None:
        line = {**make("agent_message_chunk", **said("x")), "timestamp": at}
        imported = import_lines([line], start=7.0)
        assert {entry.t for entry in imported.entries} == {7.0} or at == "1"
        assert imported.text() == "x"

    def test_content_of_the_wrong_type(self, make: Any) -> None:
        wrongs: list[Any] = [5, [], "x", None, {}]
        lines = [make("agent_message_chunk", content=wrong) for wrong in wrongs]
        imported = import_lines([*lines, make("agent_message_chunk", **said("right"))])
        assert imported.text().endswith("right")


def test_parents_that_are_their_own_children() -> None:
    def use(name: str, parent: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": name, "name": "Task", "input": {}}
        message = {"role": "assistant", "content": [block]}
        return {"type": "assistant", "message": message, "parent_tool_use_id": parent}

    imported = import_lines([use("a", "b"), use("b", "a"), use("c", "c")])
    assert [call.tool_call_id for call in imported.calls()] == ["a", "b", "c"]


def test_a_batch_with_many_wrong_messages_has_one_problem() -> None:
    right = update("agent_message_chunk", **said("x"))
    batch = {"t": 0.1, "d": "<", "m": [None, 5, [None, 5], right, "x"]}
    imported = import_lines([json.dumps(batch), json.dumps({"t": 0.2, "d": "<", "m": right})])
    assert imported.text() == "xx"
    assert [problem.line for problem in imported.problems] == [1]


def test_bytes_that_are_no_text() -> None:
    imported = import_lines([b"\xff\xfe\x00", b"\x00" * 50, *TRAFFIC_LOG])
    assert {problem.line for problem in imported.problems} == {1, 2}
    assert imported.text()


def test_what_is_no_log_at_all_is_of_no_kind() -> None:
    for lines in ([], [b""], [b"import os"], [b"{}", b"[]", b"3", b'"x"'], [b'{"a": 1}'] * 9):
        assert survey(lambda lines=lines: lines) is None  # type: ignore[misc]


def test_a_folder_that_is_none_counts_for_nothing() -> None:
    init = {"type": "system", "subtype": "init", "session_id": "s"}
    for cwd in ("", "e", ".", "x/y", 5, None, "/" * 5000):
        assert import_lines([{**init, "cwd": cwd}]).facts.cwd == ""
