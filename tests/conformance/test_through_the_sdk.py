"""One turn with all that can happen in it goes through the models of the protocol's SDK."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from acp_jupyter.host.rpc import sdk
from acp_jupyter.host.rpc.unmodelled import FIELDS, METHODS
from acp_jupyter.host.session.session import Session
from acp_jupyter.protocol.objects import Obj
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.sent_messages import SentMessages, watch_sent
from tests.support.wait import eventually

Read = Callable[[str, Any], Any]


@dataclass
class Models:
    """What went through the SDK, by method."""

    sent: list[tuple[str, Any, BaseModel | None]] = field(default_factory=list)
    result: list[tuple[str, Any, BaseModel | None]] = field(default_factory=list)
    asked: list[tuple[str, Any, BaseModel | None]] = field(default_factory=list)
    answer: list[tuple[str, Any, Any]] = field(default_factory=list)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Watch the four functions that read and write by the SDK's models."""
    seen = Models()

    def watch(read: Read, kept: list[tuple[str, Any, Any]]) -> Read:
        def watched(method: str, value: Any) -> Any:
            model = read(method, value)
            kept.append((method, value, model))
            return model

        return watched

    for name, kept in vars(seen).items():
        monkeypatch.setattr(sdk, name, watch(getattr(sdk, name), kept))
    return seen


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"a": script("terminal_script")}) as driver:
        yield driver


CALL: Obj = {"toolCallId": "c1", "title": "Write notes", "kind": "edit", "status": "pending"}
OPTION: Obj = {"optionId": "allow", "name": "Allow", "kind": "allow_once"}
SCHEMA: Obj = {"type": "object", "properties": {"n": {"type": "integer", "title": "How many"}}}
FORM: Obj = {"mode": "form", "message": "How many?", "requestedSchema": SCHEMA}


def steps(root: Path) -> list[dict[str, Any]]:
    file = str(root / "notes.md")
    one: Obj = {"terminalId": "$one"}
    return [
        {"ask": "session/request_permission", "params": {"toolCall": CALL, "options": [OPTION]}},
        {"ask": "fs/write_text_file", "params": {"path": file, "content": "Notes\n"}},
        {"ask": "fs/read_text_file", "params": {"path": file, "line": 1, "limit": 1}},
        {"ask": "terminal/create", "params": {"command": "echo", "args": ["hi"]}, "as": "one"},
        {"ask": "terminal/wait_for_exit", "params": one},
        {"ask": "terminal/output", "params": one},
        {"ask": "terminal/kill", "params": one},
        {"ask": "terminal/release", "params": one},
        {"ask": "elicitation/create", "params": FORM},
        {"ask": "session/request_permission", "params": {"toolCall": CALL, "options": [OPTION]}},
    ]


def play(driver: Driver, session: Session) -> None:
    """Answer all that is asked, but for the last permission: there the turn is cancelled."""
    turn_id = driver.prompt(session, json.dumps(steps(driver.root)))

    elicitations = session.turns.elicitations

    def answered() -> bool:
        for request_id in tuple(session.transcript.request_items):
            if request_id.startswith("e"):
                driver.run(partial(elicitations.answer, request_id, "accept", {"n": 3}))
                return True
            driver.answer(session, request_id, "allow")
        return False

    eventually(answered, what="the form is answered")
    eventually(lambda: session.transcript.request_items, what="it asks again")
    driver.run(session.cancel)
    driver.done(session, turn_id)


def test_all_of_a_turn_goes_through_the_models(
    models: Models, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire: SentMessages = watch_sent(monkeypatch)
    session = driver.open("a")
    play(driver, session)

    modelled = Counter(method for method, _, model in models.sent if model is not None)
    assert modelled == Counter(method for method, _ in wire.calls if method not in METHODS)
    assert modelled.keys() == {"initialize", "session/new", "session/prompt", "session/cancel"}

    asked = [each["ask"] for each in steps(driver.root)]
    assert [method for method, _, model in models.asked if model is not None] == asked
    answers = [(method, model) for method, _, model in models.answer]
    assert answers == [(method, answer["result"]) for method, answer in wire.answers]
    assert [method for method, _ in answers] == asked

    results = [method for method, _, model in models.result if model is not None]
    assert results == ["initialize", "session/new", "session/prompt"]


def test_what_a_model_does_not_know_is_listed(models: Models, driver: Driver) -> None:
    driver.open("a")
    play(driver, driver.open("a"))
    unknown = {
        f"{method} {path}"
        for method, params, model in models.sent
        if model is not None
        for path in lost(params, model.model_dump(mode="json", by_alias=True, exclude_unset=True))
    }
    assert unknown <= FIELDS.keys()


def lost(value: Any, kept: Any) -> Iterator[str]:
    """Yield the fields of ``value`` that are not in ``kept``."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in kept:
                yield name
            else:
                yield from (f"{name}.{path}" for path in lost(inner, kept[name]))
    elif isinstance(value, list):
        for inner, other in zip(value, kept, strict=True):
            yield from lost(inner, other)
    else:
        assert value == kept
