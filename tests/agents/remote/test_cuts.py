"""Agents that are reached over the network, whose connection breaks."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.remote import CuttingProxy, remote, serving
from tests.support.host.agent_session import AgentSession
from tests.support.host.driver import driving
from tests.support.wait import eventually


def said(store: Path) -> str:
    """Return all that the agent has said."""
    kept = [json.loads(line) for line in store.read_text().splitlines()]
    return "".join(text for kind, text in kept if kind == "agent_message_chunk")


def test_a_turn_whose_stream_is_cut_five_times_is_whole(tmp_path: Path) -> None:
    store = tmp_path / "kept"
    with (
        serving("keeps_turns", str(store)) as server,
        CuttingProxy(server) as proxy,
        driving(tmp_path, {"far": remote("http", proxy.port)}) as driver,
    ):
        agent_session = AgentSession(driver, driver.open("far"))
        proxy.cut_after(20)
        turn_id = agent_session.begin("steps 6 200")
        for step in range(1, 6):
            eventually(partial(proxy.opened_after_cut, step))
            if step < 5:
                proxy.cut_after(20)
            store.with_name(f"{store.name}.{step}").touch()
        turn = agent_session.end(turn_id)
        assert (turn.stop_reason, turn.failure) == ("end_turn", None)
        assert proxy.made == 5
        assert agent_session.text == said(store) == "".join(f"{number} " for number in range(1200))
        assert list(agent_session.calls) == ["steps 6 200 edit"]


@pytest.mark.long
def test_a_turn_whose_end_is_lost_is_ended(tmp_path: Path) -> None:
    """Half a minute after a break in which the answer was lost, if nothing else comes."""
    store = tmp_path / "kept"
    with (
        serving("keeps_turns", str(store)) as server,
        CuttingProxy(server) as proxy,
        driving(tmp_path, {"far": remote("http", proxy.port)}) as driver,
    ):
        agent_session = AgentSession(driver, driver.open("far"))
        proxy.cut_after(5)
        turn = agent_session.end(agent_session.begin("count 20"))
        assert turn.failure is not None
        assert "was lost during the turn, and is back" in turn.failure.message
        assert agent_session.text == said(store)
        assert agent_session.turn("count 12").stop_reason == "end_turn"


def test_five_turns_whose_socket_is_cut_are_whole(tmp_path: Path) -> None:
    store = tmp_path / "kept"
    with (
        serving("keeps_turns", str(store)) as server,
        CuttingProxy(server) as proxy,
        driving(tmp_path, {"far": remote("ws", proxy.port)}) as driver,
    ):
        agent_session = AgentSession(driver, driver.open("far"))
        for number in range(5):
            proxy.cut_after(100 * number + 100)
            turn = agent_session.turn(f"count {2000 + number}")
            assert turn.stop_reason == "error"
            assert turn.failure is not None
            assert "was lost during the turn, and is back" in turn.failure.message
            assert agent_session.text == said(store)
        assert proxy.made == 5
        assert agent_session.turn("count 12").stop_reason == "end_turn"
        assert agent_session.text == said(store)
        calls = [item for item in agent_session.items if isinstance(item, ToolCall)]
        assert len(calls) == 6


def test_a_request_of_a_lost_connection_is_withdrawn(tmp_path: Path) -> None:
    with (
        serving("keeps_turns", str(tmp_path / "kept")) as server,
        CuttingProxy(server) as proxy,
        driving(tmp_path, {"far": remote("ws", proxy.port)}) as driver,
    ):
        agent_session = AgentSession(driver, driver.open("far"))
        turn_id = agent_session.begin("ask 3")
        call = agent_session.asked()
        proxy.cut()
        turn = agent_session.end(turn_id)
        assert turn.failure is not None
        assert "was lost during the turn, and is back" in turn.failure.message
        after = next(item for item in agent_session.items if item.id == call.id)
        assert isinstance(after, ToolCall)
        assert after.permission is not None
        assert after.permission.outcome == "Withdrawn by the agent"
        assert agent_session.turn("count 3").stop_reason == "end_turn"
