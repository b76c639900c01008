"""One turn with all that can happen in it goes through the protocol's SDK: models, connection."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from acp.connection import Connection
from pydantic import BaseModel

from acp_jupyter.errors import PermissionSettled
from acp_jupyter.host.rpc import sdk
from acp_jupyter.host.rpc.transport import LineTransport
from acp_jupyter.host.rpc.unmodelled import FIELDS, METHODS
from acp_jupyter.host.sessions.session import Session
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


@dataclass
class Connected:
    """What went through the SDK's `Connection`."""

    requests: list[tuple[str, Any, Any]] = field(default_factory=list)
    """Of ours: methods, parameters, results."""
    notifications: list[str] = field(default_factory=list)
    handed_on: list[str] = field(default_factory=list)
    """Methods of the agent's requests that it was given."""
    answers: list[Obj] = field(default_factory=list)
    """What it gave to be sent."""


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> Connected:
    """Watch the methods of `Connection` that are called, and the transport that it calls."""
    seen = Connected()
    request, notify = Connection.send_request, Connection.send_notification
    receive, send = LineTransport.receive, LineTransport.send

    async def watched_request(self: Connection, method: str, params: Any = None) -> Any:
        result = await request(self, method, params)
        seen.requests.append((method, params.params, result))
        return result

    async def watched_notify(self: Connection, method: str, params: Any = None) -> None:
        seen.notifications.append(method)
        await notify(self, method, params)

    async def watched_receive(self: LineTransport) -> dict[str, Any] | None:
        message = await receive(self)
        if message is not None and "method" in message:
            seen.handed_on.append(message["method"])
        return message

    async def watched_send(self: LineTransport, message: dict[str, Any]) -> None:
        if "method" not in message:
            seen.answers.append(message)
        await send(self, message)

    monkeypatch.setattr(Connection, "send_request", watched_request)
    monkeypatch.setattr(Connection, "send_notification", watched_notify)
    monkeypatch.setattr(LineTransport, "receive", watched_receive)
    monkeypatch.setattr(LineTransport, "send", watched_send)
    return seen


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"a": script("terminal_script")}) as driver:
        yield driver


CALL: Obj = {"toolCallId": "c1", "title": "Write notes", "kind": "edit", "status": "pending"}
OPTION: Obj = {"optionId": "allow", "name": "Allow", "kind": "allow_once"}
SCHEMA: Obj = {"type": "object", "properties": {"n": {"type": "integer", "title": "How many"}}}
FORM: Obj = {"mode": "form", "message": "How many?", "requestedSchema": SCHEMA}


NOT_CONNECTED = {"$/cancel_request"}
"""What ``docs/decisions/the-sdk.md`` names."""


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
            with contextlib.suppress(PermissionSettled):  # its answer is on its way
                driver.answer(session, request_id, "allow")
        return False

    def asked_again() -> bool:  # the answer to the form may still be on its way
        return any(request_id.startswith("p") for request_id in session.transcript.request_items)

    eventually(answered, what="the form is answered")
    eventually(asked_again, what="it asks again")
    driver.run(session.cancel)
    driver.done(session, turn_id)


def test_all_of_a_turn_goes_through_the_models_and_the_connection(
    models: Models, connected: Connected, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire: SentMessages = watch_sent(monkeypatch)
    session = driver.open("a")
    play(driver, session)
    asked = [each["ask"] for each in steps(driver.root)]
    eventually(lambda: len(wire.answers) == len(asked), what="the cancelled question is answered")

    modelled = Counter(method for method, _, model in models.sent if model is not None)
    assert modelled == Counter(method for method, _ in wire.calls if method not in METHODS)
    assert modelled.keys() == {"initialize", "session/new", "session/prompt", "session/cancel"}
    through = [*(method for method, _, _ in connected.requests), *connected.notifications]
    assert Counter(through) == Counter(m for m, _ in wire.calls if m not in NOT_CONNECTED)

    assert [method for method, _, model in models.asked if model is not None] == asked
    assert connected.handed_on == asked
    answers = [(method, model) for method, _, model in models.answer]
    assert answers == [(method, answer["result"]) for method, answer in wire.answers]
    assert [method for method, _ in answers] == asked
    assert [each["result"] for each in connected.answers] == [result for _, result in answers]

    results = [(method, value) for method, value, model in models.result if model is not None]
    assert [method for method, _ in results] == ["initialize", "session/new", "session/prompt"]
    assert results == [(method, result) for method, _, result in connected.requests]


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
