"""All that this client says to agents is valid by the protocol's schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from acp_jupyter.api.models.sessions import (
    ArchiveSession,
    DeleteSession,
    ForkSession,
    ListAgentSessions,
    Login,
    Logout,
    SetConfig,
    UnarchiveSession,
)
from acp_jupyter.errors import AcpError
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.objects import Obj
from tests.conformance.shapes import CORPORA, DEFINITIONS
from tests.support.agents.fake_agent import script
from tests.support.agents.login import login_driver
from tests.support.host.driver import Driver
from tests.support.host.restarts import HostFolders
from tests.support.host.sent_messages import SentMessages, watch_sent
from tests.support.host.trusted_folders import trusting
from tests.support.wait import eventually

OLDER_THAN_THE_SCHEMA = {"session/set_model"}
SENDS = {
    "test_a_turn_with_a_question_and_a_file": {"initialize", "session/new", "session/prompt"},
    "test_a_stop_a_mode_and_an_option": {
        "session/cancel",
        "session/set_mode",
        "session/set_config_option",
    },
    "test_sessions_that_are_taken_up_again": {
        "session/resume",
        "session/load",
        "session/list",
        "session/fork",
        "session/close",
        "session/delete",
    },
    "test_the_archive": {"session/archive", "session/unarchive", "session/list"},
    "test_a_title": {"session/set_title"},
    "test_logging_in_and_out": {"auth/status", "authenticate", "logout"},
}
"""What each test sends at least."""
SENT_WHILE_TOOLS_WORK = {"mcp/message"}
"""Is checked with the notebook tools: `tests/notebook_tools/test_over_acp.py`."""
NEVER_SENT = {
    "providers/disable",
    "providers/list",
    "providers/set",
    "session/status",
}
"""Unstable, and not supported."""


def test_every_method_of_agents_is_sent_or_is_known_to_be_never_sent() -> None:
    methods = {s["x-method"] for s in DEFINITIONS.values() if s.get("x-side") == "agent"}
    assert methods - NEVER_SENT - SENT_WHILE_TOOLS_WORK == set().union(*SENDS.values())
    assert methods >= NEVER_SENT


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[SentMessages]:
    watched = watch_sent(monkeypatch)
    yield watched
    assert methods(watched.calls) >= SENDS.get(request.function.__name__, set())
    for line in watched.lines:
        assert line["jsonrpc"] == "2.0"
    for method, params in watched.calls:
        if method not in OLDER_THAN_THE_SCHEMA:
            validate(definition(method, "Request", "Notification"), params)
    for method, answer in watched.answers:
        if "error" in answer:
            validate("Error", answer["error"])
        else:
            validate(definition(method, "Response"), answer["result"])


def definition(method: str, *ends: str) -> str:
    return next(
        name
        for name, schema in DEFINITIONS.items()
        if schema.get("x-method") == method and name.endswith(ends)
    )


def validate(name: str, value: Any) -> None:
    """Check by each schema that has it: all that is sent is valid for old and new agents."""
    for definitions in CORPORA.values():
        if name in definitions:
            schema = {"$ref": f"#/$defs/{name}", "$defs": dict(definitions)}
            jsonschema.Draft202012Validator(schema).validate(value)


Start = Callable[..., Driver]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a host with one agent: its mode and arguments."""
    hosts: list[AgentHost] = []

    def begin(mode: str, *args: str) -> Driver:
        root = tmp_path / "ws"
        root.mkdir(exist_ok=True)
        registry = Registry({"a": script(mode, *args)}, [])
        config = HostConfig(registry, root, tmp_path / "data", trust=trusting(tmp_path))
        host = AgentHost(config)
        host.start()
        hosts.append(host)
        return Driver(host, root)

    yield begin
    for host in hosts:
        host.stop()


def methods(calls: list[tuple[str, Any]]) -> set[str]:
    return {method for method, _ in calls}


def finish(driver: Driver, session: Session, turn_id: str, option: str | None = None) -> None:
    """Wait for a turn's end; questions meanwhile are answered ``option``."""

    def ended() -> bool:
        driver.answer_open(session, option)
        return session.transcript.turns[turn_id].status == "done"

    eventually(ended)


@pytest.mark.parametrize("option", ["yes", "no", None])
def test_a_turn_with_a_question_and_a_file(
    sent: SentMessages, start: Start, option: str | None
) -> None:
    driver = start("permission")
    session = driver.open("a")
    finish(driver, session, driver.prompt(session, "words"), option)
    answered = {"session/request_permission"}
    assert methods(sent.answers) == answered | (
        {"fs/write_text_file"} if option == "yes" else set()
    )


def test_what_is_refused(sent: SentMessages, start: Start) -> None:
    for mode in ("bad_params", "unknown_request", "files_outside", "permission_withdrawn"):
        driver = start(mode)
        session = driver.open("a")
        turn_id = driver.prompt(session)
        if mode == "bad_params":
            finish(driver, session, turn_id)  # one of its requests can be asked all the same
        driver.done(session, turn_id)
    codes = {answer["error"]["code"] for _, answer in sent.answers if "error" in answer}
    assert codes == {-32602, -32601, -32002, -32800}


def test_a_stop_a_mode_and_an_option(sent: SentMessages, start: Start) -> None:
    driver = start("never_answers")
    session = driver.open("a")
    turn_id = driver.prompt(session)
    eventually(lambda: driver.text(session))
    driver.run(session.cancel)
    driver.done(session, turn_id)
    for change in (
        session.set_mode("plan"),
        session.set_config("effort", "high"),
        session.set_config("fast", True),
    ):
        with pytest.raises(AcpError, match="Method not found"):
            driver.result(change)


def test_terminals(sent: SentMessages, start: Start) -> None:
    driver = start("terminal_script")
    session = driver.open("a")
    command = {"command": sys.executable, "args": ["-c", "print('hello')"]}
    long = {"command": "sleep", "args": ["60"], "env": [{"name": "A", "value": "1"}]}
    one, two = {"terminalId": "$one"}, {"terminalId": "$two"}
    steps = [
        {"ask": "terminal/create", "params": command, "as": "one"},
        {"ask": "terminal/wait_for_exit", "params": one},
        {"ask": "terminal/output", "params": one},
        {"ask": "terminal/release", "params": one},
        {"ask": "terminal/create", "params": long, "as": "two"},
        {"ask": "terminal/output", "params": two},
        {"ask": "terminal/kill", "params": two},
        {"ask": "terminal/wait_for_exit", "params": two},
        {"ask": "terminal/output", "params": {"terminalId": "nobody"}},
    ]
    finish(driver, session, driver.prompt(session, json.dumps(steps)))
    verbs = ("create", "output", "wait_for_exit", "kill", "release")
    assert methods(sent.answers) == {f"terminal/{verb}" for verb in verbs}


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_questions(sent: SentMessages, start: Start, action: Any) -> None:
    driver = start("elicit")
    session = driver.open("a")
    turn_id = driver.prompt(session, "form")
    request_id = driver.asked(session)
    content: Obj = {"colour": "red", "points": 5} if action == "accept" else {}
    driver.run(lambda: session.turns.elicitations.answer(request_id, action, content))
    driver.done(session, turn_id)
    ((method, answer),) = sent.answers
    assert (method, answer["result"]["action"]) == ("elicitation/create", action)


def test_sessions_that_are_taken_up_again(sent: SentMessages, tmp_path: Path) -> None:
    """Each with its folder and servers, valid by the schema."""
    root = tmp_path / "ws"
    root.mkdir()
    for ability in ("resume", "load"):
        kept = HostFolders(root, tmp_path / ability, (ability, "list", "fork", "close", "delete"))
        with kept.server() as server:
            session = server.open("keeper")
            server.done(session, server.prompt(session, "remember"))
            server.send(ForkSession(session_id=session.session_id))
            server.send(ListAgentSessions(agent="keeper", cwd="."))
            session_id, known = session.session_id, session.state.agent_session_id
        with kept.server() as server:
            woken = server.woken(session_id)
            server.done(woken, server.prompt(woken, "again"))
            server.send(DeleteSession(session_id=session_id))
        assert known


def test_the_archive(sent: SentMessages, tmp_path: Path) -> None:
    with HostFolders(tmp_path, tmp_path / "data", ("archive", "list")).server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "hello"))
        server.send(ArchiveSession(session_id=session.session_id))
        server.send(UnarchiveSession(session_id=session.session_id))
        server.send(ListAgentSessions(agent="keeper", archived=True))


def test_a_title(sent: SentMessages, tmp_path: Path) -> None:
    with HostFolders(tmp_path, tmp_path / "data", ("title",)).server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "hello"))
        server.send(SetConfig(session_id=session.session_id, title="Mine"))


def test_logging_in_and_out(sent: SentMessages, tmp_path: Path) -> None:
    with login_driver(tmp_path, "tells") as driver:
        session = driver.open("wants_login")
        driver.done(session, driver.prompt(session))
        driver.ask(Login(session_id=session.session_id, method_id="browser"))
        driver.settled(session)
        driver.done(session, driver.prompt(session, "again"))
        driver.ask(Logout(session_id=session.session_id))
