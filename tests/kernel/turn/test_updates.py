"""The SDK's models of a turn's updates, from a log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from acp.schema import AgentMessageChunk

from acp_jupyter.kernel.turn.updates import updates_of


def _said(text: str, session_id: str = "s") -> dict[str, Any]:
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": text},
    }
    return _update(update, session_id)


def _update(update: dict[str, Any], session_id: str = "s") -> dict[str, Any]:
    params = {"sessionId": session_id, "update": update}
    return {"d": "<", "m": {"jsonrpc": "2.0", "method": "session/update", "params": params}}


def _note(note: str, **fields: str) -> dict[str, Any]:
    return {"d": "!", "m": {"note": note, **fields}}


def _pieces(*entries: dict[str, Any]) -> Iterator[bytes]:
    """Yield the log in pieces that end anywhere."""
    log = b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)
    for start in range(0, len(log), 7):
        yield log[start : start + 7]


def _texts(*entries: dict[str, Any]) -> list[str]:
    found = list(
        updates_of(_pieces(_note("session_attached", agent_session_id="s"), *entries), "t")
    )
    assert all(isinstance(update, AgentMessageChunk) for update in found)
    return [update.content.text for update in found]


def test_only_the_turns_own_words_are_told() -> None:
    assert _texts(
        _note("turn_started", turn_id="before"),
        _said("before"),
        _note("turn_started", turn_id="t"),
        _note("replay_started"),
        _said("told again"),
        _note("replay_ended"),
        _said("one "),
        _said("of a subagent", "child"),
        _said("two"),
        _note("turn_started", turn_id="after"),
        _said("after"),
    ) == ["one ", "two"]


def test_a_conversation_that_was_opened_anew_goes_on_under_its_new_id() -> None:
    assert _texts(
        _note("turn_started", turn_id="t"),
        _note("session_attached", agent_session_id="new"),
        _said("of the former one"),
        _said("said", "new"),
    ) == ["said"]


def test_what_no_model_takes_comes_as_it_was_written() -> None:
    odd = {"sessionUpdate": "of_a_later_version", "words": "x"}
    log = _pieces(
        _note("session_attached", agent_session_id="s"),
        _note("turn_started", turn_id="t"),
        _update(odd),
        _said("y"),
    )
    first, second = updates_of(log, "t")
    assert first == odd
    assert second.content.text == "y"


def test_nothing_is_read_before_it_is_asked_for() -> None:
    read: list[int] = []

    def log() -> Iterator[bytes]:
        lines = [
            _note("session_attached", agent_session_id="s"),
            _note("turn_started", turn_id="t"),
            _said("one"),
            _said("two"),
        ]
        for number, entry in enumerate(lines):
            read.append(number)
            yield json.dumps(entry).encode() + b"\n"

    updates = updates_of(log(), "t")
    assert read == []
    assert next(updates).content.text == "one"
    assert read == [0, 1, 2]
