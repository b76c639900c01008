"""What is known of an agent elsewhere and of its sessions."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.agents.remote.sessions import RemoteSessions

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("capabilities", "able"),
    [
        ({"loadSession": True}, ["load"]),
        ({"loadSession": "yes"}, []),
        ({"sessionCapabilities": {"resume": {}}}, ["resume"]),
        ({"sessionCapabilities": {"resume": None}}, []),
        ({"sessionCapabilities": []}, []),
        (None, []),
    ],
    ids=str,
)
def test_what_an_agent_can_do_with_a_session(capabilities: Any, able: list[str]) -> None:
    sessions = RemoteSessions()
    sessions.note_initialize({"result": {"agentCapabilities": capabilities}})
    assert [ability for ability in ("load", "resume") if sessions.can(ability)] == able


def test_a_message_names_its_session() -> None:
    sessions = RemoteSessions()
    asked: Json = {"method": "session/new", "params": {"cwd": "/ws"}}
    sessions.note_answer(asked, {"result": {"sessionId": "a1"}})
    session_id, session = sessions.of({"params": {"sessionId": "a1"}})
    assert session_id == "a1"
    assert session is not None
    assert sessions.of({"params": {"sessionId": "b"}}) == ("b", None)
    unnamed: list[Json] = [{}, {"params": None}, {"params": ["a1"]}]
    for message in unnamed:
        assert sessions.of(message) == ("", None)
