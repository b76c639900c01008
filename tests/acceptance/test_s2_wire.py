"""What goes over the wire between a session and its agent."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.log_reader import read_traffic
from acp_jupyter.protocol.traffic import TrafficEntry
from tests.support.agents.connection import FAST, RecordedConnection
from tests.support.agents.fake_agent import AGENTS, fake_agent, script
from tests.support.agents.recording_client import RecordingClient
from tests.support.host.driver import Driver, driving
from tests.support.host.sent_messages import SentMessages, watch_sent
from tests.support.wait import eventually, eventually_async

SCRIPTS = ("hello", "slow_stream", "speaks_first", "two_permissions")
HTTP = {"type": "http", "name": "docs", "url": "https://mcp.example/", "headers": []}
SSE = {"type": "sse", "name": "news", "url": "https://mcp.example/sse", "headers": []}
STDIO = {"name": "files", "command": "/bin/files", "args": ["-q"], "env": []}


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {name: script(name) for name in SCRIPTS}) as driver:
        yield driver


def log_of(driver: Driver, session: Session) -> list[TrafficEntry]:
    assert driver.run(session.journal.flush)
    return list(read_traffic(driver.host.traffic_path(session.session_id)))


def test_both_sides_ask_and_tell_at_once(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.1: JSON-RPC 2.0; the agent's requests are answered in any order while ours waits."""
    sent: SentMessages = watch_sent(monkeypatch)
    session = driver.open("two_permissions")
    turn_id = driver.prompt(session)
    eventually(lambda: len(session.transcript.request_items) == 2)
    first, second = sorted(session.transcript.request_items, key=lambda name: int(name[1:]))
    driver.answer(session, second, "no")
    driver.answer(session, first, "yes")
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert driver.text(session) == "call-1 yes, call-2 no"
    assert sent.lines
    assert {line["jsonrpc"] for line in sent.lines} == {"2.0"}
    entries = log_of(driver, session)
    asked = {entry.seq: entry.message.get("method") for entry in entries}
    answered = [asked[e.re] for e in entries if e.re is not None]
    ask = "session/request_permission"
    assert answered == ["initialize", "session/new", ask, ask, "session/prompt"]
    told = [e for e in entries if "method" in e.message and "id" not in e.message]
    assert {e.direction for e in told} == {"<"}


def test_a_stop_is_told_and_not_answered(driver: Driver) -> None:
    """S2.10: session/cancel has no id, so there is nothing to answer."""
    session = driver.open("slow_stream")
    turn_id = driver.prompt(session)
    eventually(lambda: "word2" in driver.text(session))
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    entries = log_of(driver, session)
    (stop,) = [e for e in entries if e.message.get("method") == "session/cancel"]
    assert (stop.direction, sorted(stop.message["params"])) == (">", ["sessionId"])
    assert "id" not in stop.message
    assert stop.seq not in {e.re for e in entries}


@pytest.mark.parametrize(
    ("can", "passed"),
    [
        ({"http": True, "sse": True}, [HTTP, SSE, STDIO]),
        ({"http": True}, [HTTP, STDIO]),
        ({}, [STDIO]),
    ],
)
def test_servers_of_tools_are_passed_on(
    tmp_path: Path, can: dict[str, bool], passed: list[Any]
) -> None:
    """S2.3: folder, and the servers that the agent takes; those on stdio it always does."""
    program = tmp_path / "agent.py"
    program.write_text(
        "import _wire\n"
        "told = _wire.initialize_result\n"
        "def result(name):\n"
        f"    can = {{'mcpCapabilities': {can!r}}}\n"
        "    return {**told(name), 'agentCapabilities': can}\n"
        "_wire.initialize_result = result\n"
        "_wire.serve(lambda *_: 'end_turn')\n"
    )
    agent = {"command": sys.executable, "args": [str(program)], "env": {"PYTHONPATH": str(AGENTS)}}
    with driving(tmp_path, {"a": agent}) as driver:
        session = driver.open("a")
        session.agent.mcp_servers = (HTTP, SSE, STDIO)
        driver.done(session, driver.prompt(session))
        (opened,) = [e for e in log_of(driver, session) if e.message.get("method") == "session/new"]
        assert opened.message["params"] == {"cwd": str(driver.root), "mcpServers": passed}


def test_modes_and_models_are_chosen(driver: Driver) -> None:
    """S2.6: by their ids; the answer may be null."""
    session = driver.open("speaks_first")
    driver.done(session, driver.prompt(session))
    assert session.state.current_mode_id == "ask"
    driver.result(session.set_mode("code"))
    driver.result(session.set_config("model", "large"))
    eventually(lambda: session.state.current_mode_id == "code")
    (model,) = [option for option in session.state.config_options if option.category == "model"]
    assert model.current_value == "large"
    entries = log_of(driver, session)
    for method, params in (
        ("session/set_mode", {"modeId": "code"}),
        ("session/set_model", {"modelId": "large"}),
    ):
        (asked,) = [e for e in entries if e.message.get("method") == method]
        named = {"sessionId": session.state.agent_session_id, **params}
        assert asked.message["params"] == named
        (answer,) = [e for e in entries if e.re == asked.seq]
        assert answer.message["result"] is None


def test_what_an_agent_says_beyond_the_protocol(driver: Driver) -> None:
    """S2.11: a request gets -32601; a notification is in the log, and nothing else is of it."""
    session = driver.open("speaks_first")
    driver.done(session, driver.prompt(session))
    assert driver.text(session) == "-32601"
    shown = [item.kind for item in session.transcript.items]
    assert shown == ["user_message", "agent_message", "turn_end"]
    methods = [e.message.get("method") for e in log_of(driver, session)]
    assert methods.count("_ada/told") == methods.count("_ada/asked") == 1


def codes(entries: Iterable[TrafficEntry]) -> list[int]:
    """Return the codes of the errors with which the agent's requests were answered."""
    sent = [entry.message for entry in entries if entry.direction == ">"]
    return [message["error"]["code"] for message in sent if "error" in message]


@pytest.mark.asyncio
async def test_each_side_has_its_peer_before_any_message(tmp_path: Path) -> None:
    """S2.12, S2.11: also where the agent speaks first; extensions are asked of it too."""
    talk = RecordedConnection(RecordingClient())
    connection = await AgentConnection.open(
        fake_agent("speaks_first"),
        cwd=tmp_path,
        client_of=lambda _: talk.client,
        log_router=talk.lines,
        limits=FAST,
    )
    try:
        await eventually_async(lambda: len(codes(talk.entries)) == 1)
        assert codes(talk.entries) == [-32601]
        methods = [entry.message.get("method") for entry in talk.entries]
        assert {"_ada/hello", "_ada/early"} <= {*methods}
        assert await connection.request("_ada/echo", {"a": 1}) == {"heard": {"a": 1}}
        with pytest.raises(AgentRequestError) as caught:
            await connection.request("_ada/nobody", {})
        assert caught.value.code == -32601
    finally:
        await connection.close()
