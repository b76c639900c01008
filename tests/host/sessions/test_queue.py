"""Prompts that wait: edited, removed, sent now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import EmptyPrompt, InvalidBlock, NotQueued
from acp_jupyter.host.sessions.prompts import Prompt, content_blocks
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.notes import StopCause
from acp_jupyter.transcript.model.items import TurnEnd, UserMessage
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.limits import PATIENT
from tests.support.wait import eventually

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"takes": script("takes", "image")}) as driver:
        yield driver


def busy(driver: Driver, *waiting: str) -> tuple[Session, str, list[str]]:
    """Return a session whose turn goes on until it is stopped, and the prompts that wait."""
    session = driver.open("takes")
    running = driver.prompt(session, "slow")
    eventually(lambda: "slow" in driver.text(session))
    return session, running, [driver.prompt(session, text) for text in waiting]


def queue(session: Session) -> list[str]:
    return [waiting.text for waiting in session.state.queue]


def test_an_edited_prompt_is_sent_as_it_is_now(driver: Driver) -> None:
    session, running, [turn_id] = busy(driver, "draw a cat")
    driver.run(lambda: session.turns.queue.edit(turn_id, "draw a dog"))
    assert queue(session) == ["draw a dog"]
    assert session.transcript.turns[turn_id].prompt == "draw a dog"
    driver.run(lambda: session.cancel(running))
    driver.done(session, turn_id)
    assert "draw a dog" in driver.text(session)
    assert "cat" not in driver.text(session)
    said = [item.text for item in session.transcript.items if isinstance(item, UserMessage)]
    assert said == ["slow", "draw a dog"]


def test_new_text_keeps_what_is_attached(driver: Driver) -> None:
    session, running, _ = busy(driver)
    blocks: Any = ({"type": "text", "text": "old"}, IMAGE)
    turn_id = driver.run(lambda: session.prompt(Prompt(blocks)))
    driver.run(lambda: session.turns.queue.edit(turn_id, "new"))
    driver.run(lambda: session.cancel(running))
    driver.done(session, turn_id)
    told = driver.text(session).partition("]")[2]
    assert json.loads(told) == [{"type": "text", "text": "new"}, IMAGE]


@pytest.mark.parametrize(
    ("causes", "words"),
    [
        (("user",), "Stopped by you."),
        (("time_limit",), "Stopped at its time limit."),
        (("user", "time_limit"), "Stopped by you."),
    ],
    ids=["user", "time limit", "user first"],
)
def test_a_turn_says_who_stopped_it(
    driver: Driver, causes: tuple[StopCause, ...], words: str
) -> None:
    session, running, _ = busy(driver)
    for cause in causes:
        driver.run(partial(session.cancel, running, cause))
    assert driver.done(session, running).stop_reason == "cancelled"
    (end,) = (item for item in session.transcript.items if isinstance(item, TurnEnd))
    assert end.words == words


def test_an_edit_must_leave_something_to_send(driver: Driver) -> None:
    session, running, [turn_id] = busy(driver, "text")
    with pytest.raises(EmptyPrompt):
        driver.run(lambda: session.turns.queue.edit(turn_id, " \n"))
    assert queue(session) == ["text"]
    driver.run(lambda: session.cancel(running))


def test_send_now_stops_the_running_turn_and_goes_first(driver: Driver) -> None:
    session, running, [first, second] = busy(driver, "first", "second")
    driver.run(lambda: session.turns.send_now(second))
    assert queue(session)[0] == "second"
    assert driver.done(session, running).stop_reason == "cancelled"
    ends = [driver.done(session, turn_id).ended_at or 0 for turn_id in (second, first)]
    assert ends == sorted(ends)
    assert driver.done(session, first).stop_reason == "end_turn"


def test_what_was_sent_or_removed_is_not_changed(driver: Driver) -> None:
    session, running, [turn_id] = busy(driver, "text")
    driver.run(lambda: session.cancel(turn_id))
    for gone in (turn_id, running, "no-such-turn"):
        with pytest.raises(NotQueued):
            driver.run(partial(session.turns.queue.edit, gone, "later"))
        with pytest.raises(NotQueued):
            driver.run(partial(session.turns.send_now, gone))
    assert session.transcript.turns[running].status == "running"
    assert "later" not in str(session.transcript.turns)
    driver.run(session.cancel)


def test_stop_stops_what_is_named_and_nothing_else(driver: Driver) -> None:
    session, running, [first, second] = busy(driver, "first", "second")
    driver.run(lambda: session.cancel(first))
    assert queue(session) == ["second"]
    assert session.transcript.turns[running].status == "running"
    driver.run(session.cancel)
    assert driver.done(session, running).stop_reason == "cancelled"
    assert driver.done(session, second).stop_reason == "end_turn"
    assert session.transcript.turns[first].stop_reason == "cancelled"


@pytest.mark.parametrize(
    "block",
    [
        {},
        {"type": "text"},
        {"type": "smell", "text": "x"},
        {"type": "image", "data": "aGk="},
        {"type": "image", "data": "aGk=", "mimeType": "text/html"},
        {"type": "image", "data": "not base64!", "mimeType": "image/png"},
        {"type": "image", "data": "", "mimeType": "image/png"},
        {"type": "audio", "data": 3, "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a"},
        {"type": "resource_link", "uri": "no address", "name": "a"},
        {"type": "resource_link", "uri": "file:///a", "name": "a" * 1001},
        {"type": "resource"},
        {"type": "resource", "resource": {"uri": "file:///a"}},
        {"type": "resource", "resource": {"uri": "file:///a", "blob": "?"}},
    ],
)
def test_a_malformed_block_is_refused_at_once(block: dict[str, Any]) -> None:
    with pytest.raises(InvalidBlock, match=r"^Part 2 of the prompt"):
        content_blocks(({"type": "text", "text": "x"}, block))


def test_a_prompt_is_bounded() -> None:
    limits = replace(PATIENT, prompt_blocks=2, prompt_bytes=10)
    text: Any = {"type": "text", "text": "x"}
    with pytest.raises(InvalidBlock, match="2 parts"):
        content_blocks((text, text, text), limits)
    with pytest.raises(InvalidBlock, match="too large"):
        content_blocks("x" * 11, limits)
    assert content_blocks("x" * 10, limits) == ({"type": "text", "text": "x" * 10},)
