"""Version 2 of the protocol: whatever an agent may say is read, and all that is sent is valid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from acp_jupyter.api.models.sessions import (
    DeleteSession,
    ForkSession,
    ListAgentSessions,
    Login,
    Logout,
    OpenAgentSession,
)
from acp_jupyter.api.models.turns import CancelToolCall
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.protocol.packets import Unknown
from acp_jupyter.transcript.model.session_state import SessionState
from tests.conformance.reading import read
from tests.conformance.shapes import VERSION_2, Message, messages_of_agents
from tests.conformance.test_received import GENERATED, named
from tests.conformance.values import values_of
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, Server
from tests.support.host.sent_messages import SentMessages, watch_sent
from tests.support.host.trusted_folders import trusting
from tests.support.wait import eventually

MESSAGES = messages_of_agents(version=2)
UPDATES = [message for message in MESSAGES if message.method == "session/update"]
NEVER_SENT = {
    "auth/status",
    "mcp/message",
    "providers/disable",
    "providers/list",
    "providers/set",
    "session/archive",
    "session/set_title",
    "session/status",
    "session/unarchive",
}


@named(UPDATES)
def test_no_update_of_the_protocol_is_unknown(message: Message) -> None:
    @GENERATED
    @given(values_of(message.schema).filter(lambda body: says_something(body["update"])))
    def check(body: Any) -> None:
        assert not any(isinstance(packet, Unknown) for packet in read(message, body))

    check()


def says_something(update: dict[str, Any]) -> bool:
    """Tell what the schema lets pass and nobody can use: ids without a character."""
    return all(update.get(name) != "" for name in ("toolCallId", "terminalId", "compactionId"))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> SentMessages:
    return watch_sent(monkeypatch)


def validate(method: str, ends: tuple[str, ...], value: Any) -> None:
    """Check by each schema that has it."""
    found = [
        (name, definitions)
        for definitions in VERSION_2.values()
        for name, schema in definitions.items()
        if schema.get("x-method") == method and name.endswith(ends)
    ]
    assert found, method
    for name, definitions in found:
        schema = {"$ref": f"#/$defs/{name}", "$defs": dict(definitions)}
        jsonschema.Draft202012Validator(schema).validate(value)


def test_all_that_is_sent_is_valid(sent: SentMessages, tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    registry = Registry({"two": {**script("version_2"), "protocol_version": 2}}, [])
    config = HostConfig(
        registry,
        root,
        tmp_path / "data",
        limits=FAST,
        trust=trusting(tmp_path),
        mcp_servers=[{"name": "tool", "command": "/bin/tool", "args": [], "env": []}],
    )
    host = AgentHost(config)
    host.start()
    try:
        _say_all(Server(host, root))
    finally:
        host.stop()
    called = {method for method, _ in sent.calls}
    agents = {
        schema["x-method"]
        for definitions in VERSION_2.values()
        for schema in definitions.values()
        if schema.get("x-side") == "agent"
    }
    assert agents - NEVER_SENT == called
    for method, params in sent.calls:
        validate(method, ("Request", "Notification"), params)
    assert {method for method, _ in sent.answers} == {"session/request_permission"}
    for method, answer in sent.answers:
        validate(method, ("Response",), answer["result"])


def _say_all(server: Server) -> None:
    """Let the host send all that it sends to an agent of version 2."""
    session = server.open("two")
    for text in ("turn", "command"):
        turn_id = server.prompt(session, text)
        while session.transcript.turns[turn_id].status != "done":
            server.answer_open(session, "yes")
    for text, call in (("background", "server"), ("terminal", "start")):
        server.done(session, server.prompt(session, text))
        server.send(CancelToolCall(session_id=session.session_id, tool_call_id=call))
        eventually(lambda: not session.state.background)
    turn_id = server.prompt(session, "long")
    eventually(lambda: server.text(session).endswith("working"))
    server.run(session.cancel)
    server.done(session, turn_id)
    server.result(session.set_mode("plan"))
    child = server.send(ForkSession(session_id=session.session_id))
    assert isinstance(child, SessionState)
    server.send(ListAgentSessions(agent="two", cwd="."))
    kept = server.send(OpenAgentSession(agent="two", agent_session_id="kept", cwd="."))
    assert isinstance(kept, SessionState)
    assert server.said(server.host.sessions.require(kept.session_id)) == [
        "what was asked",
        "what was answered",
    ]
    server.send(DeleteSession(session_id=session.session_id))
    other = server.host.sessions.require(kept.session_id)
    server.send(Login(session_id=kept.session_id, method_id="browser"))
    eventually(lambda: other.state.login is None or other.state.login.state != "running")
    server.send(Logout(session_id=kept.session_id))
