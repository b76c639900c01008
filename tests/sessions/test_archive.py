"""Sessions that their user puts into the archive, and takes out of it again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from acp_jupyter.api.models.sessions import (
    AgentSessions,
    ArchiveReply,
    ArchiveSession,
    ListAgentSessions,
    ListSessions,
    OpenAgentSession,
    UnarchiveSession,
)
from acp_jupyter.errors import UnknownSession
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import SessionState
from tests.support.host.restarts import HostFolders, Server
from tests.support.wait import PATIENCE_SECONDS, eventually


def kept_by(tmp_path: Path, *abilities: str) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ("list", *abilities))


def talked(server: Server) -> Session:
    session = server.open("keeper")
    server.done(session, server.prompt(session, "hello"))
    return session


def archive(server: Server, session_id: str) -> str:
    reply = server.send(ArchiveSession(session_id=session_id))
    assert isinstance(reply, ArchiveReply)
    return reply.message


def unarchive(server: Server, session_id: str) -> str:
    reply = server.send(UnarchiveSession(session_id=session_id))
    assert isinstance(reply, ArchiveReply)
    return reply.message


def listed(server: Server) -> list[tuple[str, bool, bool]]:
    states = server.send(ListSessions())
    assert isinstance(states, list)
    shown = [state for state in states if isinstance(state, SessionState)]
    return [(state.session_id, state.archived, state.stored) for state in shown]


def theirs(server: Server, *, archived: bool) -> list[tuple[str, bool]]:
    page = server.send(ListAgentSessions(agent="keeper", archived=archived))
    assert isinstance(page, AgentSessions)
    return [(entry.agent_session_id, entry.archived) for entry in page.sessions]


def test_a_session_and_its_agents_copy_are_archived_and_come_back(tmp_path: Path) -> None:
    """Whether its agent runs or not; the archive outlives the server."""
    kept = kept_by(tmp_path, "archive", "resume")
    with kept.server() as server:
        session_id = talked(server).session_id
        assert archive(server, session_id) == ""
        assert listed(server) == [(session_id, True, True)]
        assert theirs(server, archived=False) == []
        assert theirs(server, archived=True) == [("s1", True)]
    with kept.server() as server:
        assert listed(server) == [(session_id, True, True)]
        assert unarchive(server, session_id) == ""
        assert theirs(server, archived=False) == [("s1", False)]
        assert server.woken(session_id).state.archived is False
        assert archive(server, session_id) == ""
        assert archive(server, session_id) == ""  # once more does no harm
        assert theirs(server, archived=False) == []


def test_a_turn_that_runs_is_ended(tmp_path: Path) -> None:
    kept = kept_by(tmp_path, "archive", "resume")
    with kept.server() as server:
        session = talked(server)
        turn_id = server.prompt(session, "wait")
        eventually(lambda: session.state.active_turn_id == turn_id)
        assert archive(server, session.session_id) == ""
        turn = server.woken(session.session_id).transcript.turns[turn_id]
        assert (turn.status, turn.stop_reason) == ("done", "cancelled")


def test_it_is_archived_before_its_agent_has_started(tmp_path: Path) -> None:
    """An agent that does not run is started to be told, which may take long."""
    kept = kept_by(tmp_path, "archive", "resume")
    with kept.server() as server:
        session_id = talked(server).session_id
    pipe = kept.store.with_suffix(".held")
    os.mkfifo(pipe)
    with kept.server() as server:
        told = server.host.submit(server.host.sessions.archive(session_id, archived=True))
        eventually(lambda: listed(server) == [(session_id, True, False)])
        pipe.write_text("go")
        assert told.result(PATIENCE_SECONDS) == ""
        pipe.unlink()
        assert listed(server) == [(session_id, True, True)]
        assert theirs(server, archived=False) == []


def test_a_message_takes_a_session_out_of_the_archive(tmp_path: Path) -> None:
    """Reading it does not."""
    kept = kept_by(tmp_path, "archive", "resume")
    with kept.server() as server:
        session_id = talked(server).session_id
        archive(server, session_id)
        session = server.woken(session_id)
        before = session.state
        server.done(session, server.prompt(session, "more"))
        assert server.said(session)[-1] == "After 1: more"
        assert (before.archived, session.state.archived) == (True, False)
        assert theirs(server, archived=False) == [("s1", False)]


def test_cells_do_not_go_on_with_a_session_in_the_archive(tmp_path: Path) -> None:
    kept = kept_by(tmp_path, "archive", "resume")
    with kept.server() as server:
        session = server.open("keeper", notebook_path="a.ipynb")
        server.done(session, server.prompt(session, "hello"))
        find = server.host.sessions.find_stored
        archive(server, session.session_id)
        assert server.result(find("keeper", "a.ipynb", "")) is None
        server.woken(session.session_id)  # somebody reads it
        assert server.run(lambda: server.host.sessions.find("keeper", "a.ipynb", "")) is None
        unarchive(server, session.session_id)
        assert server.run(lambda: server.host.sessions.find("keeper", "a.ipynb", "")) is not None


def test_an_agent_without_an_archive_is_not_asked(tmp_path: Path) -> None:
    kept = kept_by(tmp_path, "resume")
    with kept.server() as server:
        session_id = talked(server).session_id
        assert archive(server, session_id) == ""
        assert listed(server) == [(session_id, True, True)]
        assert theirs(server, archived=True) == [("s1", False)]
        assert unarchive(server, session_id) == ""
        assert listed(server)[0][1] is False


def test_a_session_that_nobody_knows(tmp_path: Path) -> None:
    """Nobody here; then its agent alone has forgotten it: it is archived here."""
    kept = kept_by(tmp_path, "archive", "resume")
    with kept.server() as server:
        for command in (ArchiveSession(session_id="nope"), UnarchiveSession(session_id="nope")):
            with pytest.raises(UnknownSession, match="There is no session 'nope'"):
                server.send(command)
        session_id = talked(server).session_id
        kept.store.write_text("{}")
        words = "Keeper has not changed its own copy: it does not know this session any more."
        assert archive(server, session_id) == words
        assert listed(server) == [(session_id, True, True)]
        assert unarchive(server, session_id) == words
        assert listed(server)[0][1] is False


def test_an_agent_that_announces_an_archive_and_has_none(tmp_path: Path) -> None:
    kept = kept_by(tmp_path, "lying-archive", "resume")
    with kept.server() as server:
        session = talked(server)
        words = "Keeper has not changed its own copy: Method not found."
        assert archive(server, session.session_id) == words
        session = server.woken(session.session_id)
        server.done(session, server.prompt(session, "more"))
        assert server.said(session)[-1] == "After 1: more"


def test_a_session_in_the_agents_own_archive_is_opened(tmp_path: Path) -> None:
    kept = kept_by(tmp_path, "archive", "load")
    kept.store.write_text(json.dumps({"s1": ["hi"]}))
    kept.store.with_suffix(".archived").write_text("s1")
    with kept.server() as server:
        assert theirs(server, archived=False) == []
        state = server.send(OpenAgentSession(agent="keeper", agent_session_id="s1"))
        assert isinstance(state, SessionState)
        assert state.archived is False
        assert theirs(server, archived=False) == [("s1", False)]
