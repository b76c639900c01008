"""What the administrator tells all agents: as a system prompt, else before the first prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.api.models.sessions import AgentSessions, ListAgentSessions, OpenAgentSession
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import SessionState
from tests.sessions.test_opened_with import opened_with
from tests.support.host.restarts import HostFolders, Server

BOUNDS = Bounds.of({"instructions": "Data of patients stays here."})
BLOCK = (
    '<instructions from="the administrator of this server">\n'
    "Data of patients stays here.\n</instructions>\n"
)
NOTICE = (
    "The administrator of this server gives these instructions to all agents:\n\n"
    "Data of patients stays here."
)


def kept(folder: Path, *abilities: str, **entry: str) -> HostFolders:
    root = folder / "ws"
    root.mkdir()
    return HostFolders(root, folder / "data", abilities, dict(entry), BOUNDS)


def say(server: Server, session: Session, words: str) -> str:
    """Send a prompt; return what the agent has got."""
    server.done(session, server.prompt(session, words))
    return server.said(session)[-1].partition(": ")[2]


def prompts(session: Session) -> list[str]:
    state = session.transcript
    return [state.turns[turn_id].prompt for turn_id in state.turn_order]


def test_an_agent_that_takes_a_system_prompt_gets_them_there(tmp_path: Path) -> None:
    lasting = kept(tmp_path, "resume", "systemPrompt", system_prompt="Use polars.")
    words = ("Data of patients stays here.", "Use polars.")
    prompt = {"mode": "append", "content": [{"type": "text", "text": each} for each in words]}
    with lasting.server() as server:
        session = server.open("keeper")
        assert opened_with(server, session) == ("session/new", None, prompt)
        assert say(server, session, "Go") == "Go"
        assert server.notices(session) == [NOTICE]
        session_id = session.session_id
    with lasting.server() as server:
        session = server.woken(session_id)
        assert opened_with(server, session) == ("session/resume", None, prompt)
        assert server.notices(session) == [NOTICE]


@pytest.mark.parametrize("again", ["resume", "load"])
def test_another_gets_them_before_its_first_prompt(tmp_path: Path, again: str) -> None:
    lasting = kept(tmp_path, again)
    with lasting.server() as server:
        session = server.open("keeper")
        assert say(server, session, "Go") == f"{BLOCK}Go"
        assert say(server, session, "On") == "On"
        session_id = session.session_id
    with lasting.server() as server:
        session = server.woken(session_id)
        assert say(server, session, "More") == f"{BLOCK}More"
        assert server.notices(session) == [NOTICE]
        # They are nobody's words.
        items = session.transcript.window(0, len(session.transcript.items))
        assert [i.text for i in items if i.kind == "user_message"] == ["Go", "On", "More"]
        assert prompts(session) == ["Go", "On", "More"]


def test_an_agent_that_tells_them_again_does_not_make_them_the_users(tmp_path: Path) -> None:
    lasting = kept(tmp_path, "list", "load")
    with lasting.server() as server:
        say(server, server.open("keeper"), "Go")
    elsewhere = HostFolders(lasting.root, tmp_path / "other", lasting.abilities, {}, BOUNDS)
    with elsewhere.server() as server:
        page = server.send(ListAgentSessions(agent="keeper", cwd=str(lasting.root)))
        assert isinstance(page, AgentSessions)
        (known,) = page.sessions
        command = OpenAgentSession(agent="keeper", agent_session_id=known.agent_session_id)
        state = server.send(command)
        assert isinstance(state, SessionState)
        session = server.woken(state.session_id)
        items = session.transcript.window(0, len(session.transcript.items))
        assert [i.text for i in items if i.kind == "user_message"] == ["Go"]
        assert prompts(session) == ["Go"]
