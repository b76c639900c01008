"""What a client keeps of a session, beside the SDK's own accumulator on the same updates.

Its parts here: a snapshot is a `Transcript`, applying a notification is `reduce` on a line,
subscribing is following a session's journal, and a reset is a new session.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from acp.contrib.session_state import SessionAccumulator, SessionSnapshot, ToolCallView
from acp.schema import SessionNotification

from acp_jupyter.transcript.model.events import Event, Snapshot
from acp_jupyter.transcript.model.items import AgentMessage, Plan, Thought, UserMessage
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.transcript.traffic import Script
from tests.support.wait import eventually

Json = dict[str, Any]


def said(text: str) -> Json:
    return {"type": "text", "text": text}


def plan(*texts: str) -> Json:
    entries = [{"content": text, "priority": "high", "status": "pending"} for text in texts]
    return {"sessionUpdate": "plan", "entries": entries}


def commands(*names: str) -> Json:
    listed = [{"name": name, "description": f"Does {name}"} for name in names]
    return {"sessionUpdate": "available_commands_update", "availableCommands": listed}


def progress(call_id: str, **fields: Any) -> Json:
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **fields}


OPTION: Json = {
    "id": "speed",
    "name": "Speed",
    "type": "select",
    "currentValue": "fast",
    "options": [{"value": "fast", "name": "Fast"}],
}
UPDATES: list[Json] = [
    {"sessionUpdate": "user_message_chunk", "content": said("Good ")},
    {"sessionUpdate": "user_message_chunk", "content": said("morning")},
    {"sessionUpdate": "agent_thought_chunk", "content": said("Hm, ")},
    {"sessionUpdate": "agent_thought_chunk", "content": said("well.")},
    {
        "sessionUpdate": "tool_call",
        "toolCallId": "a",
        "title": "Copy it",
        "kind": "move",
        "status": "pending",
        "locations": [{"path": "/ws/a", "line": 2}],
        "rawInput": {"to": "/ws/b"},
    },
    plan("Look", "Copy"),
    progress("never started", title="Fetch it", kind="fetch", status="completed"),
    progress("a", status="in_progress", rawInput=None, title=None),
    progress("a", content=[{"type": "content", "content": said("Half way.")}]),
    progress("a", status="completed", rawOutput={"bytes": 5}),
    plan("Rest"),
    commands("review", "plan"),
    commands("test"),
    {"sessionUpdate": "current_mode_update", "currentModeId": "code"},
    {"sessionUpdate": "config_option_update", "configOptions": [OPTION]},
    {"sessionUpdate": "session_info_update", "title": "Copies"},
    {"sessionUpdate": "agent_message_chunk", "content": said("Do")},
    {"sessionUpdate": "agent_message_chunk", "content": said("ne.")},
]


def played(updates: Iterable[Json]) -> Script:
    script = Script(cwd="/ws")
    for update in updates:
        fields = dict(update)
        script.update(fields.pop("sessionUpdate"), **fields)
    return script


def accumulated(updates: Iterable[Json]) -> SessionSnapshot:
    accumulator = SessionAccumulator()
    for update in updates:
        whole = {"sessionId": "a1", "update": update}
        accumulator.apply(SessionNotification.model_validate(whole))
    return accumulator.snapshot()


def joined(messages: Iterable[Any]) -> str:
    return "".join(message.content.text for message in messages)


def text_of(script: Script, kind: type[UserMessage | AgentMessage | Thought]) -> str:
    return "".join(item.text for item in shown(script, kind))


def test_the_ten_kinds_of_update() -> None:
    """S2.14: each is read, and each changes what it is about."""
    kinds = {update["sessionUpdate"] for update in UPDATES}
    assert len(kinds) == 10
    script = played(UPDATES)
    assert only(script, UserMessage).text == "Good morning"
    assert only(script, Thought).text == "Hm, well."
    assert only(script, AgentMessage).text == "Done."
    assert [call.title for call in shown(script, ToolCall)] == ["Copy it", "Fetch it"]
    assert [entry.content for entry in only(script, Plan).entries] == ["Rest"]
    session = script.transcript.session
    assert [command.name for command in session.commands] == ["test"]
    assert (session.current_mode_id, session.title) == ("code", "Copies")
    assert [(o.id, o.current_value) for o in session.config_options] == [("speed", "fast")]


@pytest.mark.parametrize("count", range(1, len(UPDATES) + 1))
def test_the_same_is_known_as_the_sdk_accumulates(count: int) -> None:
    """S2.44, S2.48: all fields of its snapshot, after each update."""
    theirs, script = accumulated(UPDATES[:count]), played(UPDATES[:count])
    session = script.transcript.session
    assert text_of(script, UserMessage) == joined(theirs.user_messages)
    assert text_of(script, AgentMessage) == joined(theirs.agent_messages)
    assert text_of(script, Thought) == joined(theirs.agent_thoughts)
    entries = [entry for item in shown(script, Plan) for entry in item.entries]
    assert [(e.content, e.priority, e.status) for e in entries] == [
        (e.content, e.priority, e.status) for e in theirs.plan_entries
    ]
    assert session.current_mode_id == (theirs.current_mode_id or "")
    assert [(c.name, c.description) for c in session.commands] == [
        (c.name, c.description) for c in theirs.available_commands
    ]
    calls = {call.tool_call_id: call for call in shown(script, ToolCall)}
    assert list(calls) == list(theirs.tool_calls)
    for call_id, view in theirs.tool_calls.items():
        assert_same(calls[call_id], view)


def assert_same(ours: ToolCall, theirs: ToolCallView) -> None:
    """All eight fields of a call."""
    assert len(ToolCallView.model_fields) == 8
    assert (ours.title, ours.tool_kind) == (theirs.title, theirs.kind)
    assert ours.status == (theirs.status or "pending")
    assert ours.output == "".join(part.content.text for part in theirs.content or ())
    places = [(f"/ws/{place.path}", place.line) for place in ours.locations]
    assert places == [(place.path, place.line) for place in theirs.locations or ()]
    assert (ours.raw_input, ours.raw_output) == (theirs.raw_input, theirs.raw_output)


def test_what_was_known_does_not_change() -> None:
    """S2.46: each line gives another transcript; before the first one it is empty."""
    script = Script(cwd="/ws")
    seen = [script.transcript]
    assert not seen[0].items
    assert (seen[0].seq, seen[0].session.commands) == (0, ())
    for update in UPDATES:
        fields = dict(update)
        script.update(fields.pop("sessionUpdate"), **fields)
        seen.append(script.transcript)
    again = [played(UPDATES[:count]).transcript for count in range(len(seen))]
    for then, now in zip(seen, again, strict=True):
        assert then.window(0, 99) == now.window(0, 99)
        assert then.session == now.session
    with pytest.raises(AttributeError, match="does not change"):
        seen[0].seq = 5


class Follower:
    """Remembers what it was offered."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def push(self, events: Iterable[Event]) -> None:
        self.events += events


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    agents = {"hello": script("hello"), "scripted": script("terminal_script")}
    with driving(tmp_path, agents) as driver:
        yield driver


def test_a_session_is_followed_until_one_has_had_enough(driver: Driver) -> None:
    """S2.46, S2.47: first all that is known, then each change; a new session knows nothing."""
    session, follower = driver.open("hello"), Follower()
    driver.result(driver.host.sessions.subscribe(session.session_id, follower))
    (first,) = follower.events
    assert isinstance(first, Snapshot)
    assert (first.items, first.total) == ((), 0)
    driver.done(session, driver.prompt(session, "one"))
    eventually(lambda: "turn_ended" in {event.kind for event in follower.events})
    driver.host.unsubscribe(follower)
    driver.run(lambda: None)
    heard = len(follower.events)
    driver.done(session, driver.prompt(session, "two"))
    assert len(follower.events) == heard


def test_a_follower_that_stays_hears_on(driver: Driver) -> None:
    """S2.47: to end a subscription ends that one only."""
    session, leaves, stays = driver.open("hello"), Follower(), Follower()
    for follower in (leaves, stays):
        driver.result(driver.host.sessions.subscribe(session.session_id, follower))
    driver.run(lambda: driver.host.unsubscribe(leaves))
    driver.done(session, driver.prompt(session, "one"))
    eventually(lambda: "turn_ended" in {event.kind for event in stays.events})
    assert [event.kind for event in leaves.events] == ["snapshot"]


def test_a_new_session_knows_nothing(driver: Driver) -> None:
    """S2.47: what the accumulator's reset clears, a new session never had (C34)."""
    told = [
        {"sessionUpdate": "agent_message_chunk", "content": said("Hello")},
        plan("First"),
        commands("review"),
        {"sessionUpdate": "current_mode_update", "currentModeId": "code"},
        {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Look"},
    ]
    session = driver.open("scripted")
    steps = json.dumps([{"update": update} for update in told])
    driver.done(session, driver.prompt(session, steps))
    known = session.transcript
    assert {"agent_message", "plan", "tool_call"} <= {item.kind for item in known.items}
    assert (len(known.session.commands), known.session.current_mode_id) == (1, "code")
    fresh = driver.open("scripted").transcript
    assert (len(fresh.items), len(fresh.calls), len(fresh.turns)) == (0, 0, 0)
    assert (fresh.session.commands, fresh.session.modes) == ((), ())
    assert not fresh.session.current_mode_id
