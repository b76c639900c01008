"""Forks, agents' own sessions, ends, restarts, silence."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import tracemalloc
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from acp_jupyter.api.models.sessions import (
    AgentSessions,
    CloseSession,
    DeleteSession,
    ForkSession,
    ListAgentSessions,
    ListSessions,
    OpenAgentSession,
    RestartAgent,
    ResumeSession,
)
from acp_jupyter.errors import BadRequest, UnknownSession
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.session_state import SessionState
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, HostFolders, Server
from tests.support.wait import PATIENCE_SECONDS, eventually


@pytest.fixture
def kept(tmp_path: Path) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(
        root, tmp_path / "data", ("resume", "load", "list", "fork", "close", "delete")
    )


def say(server: Server, session: Session, text: str) -> None:
    server.done(session, server.prompt(session, text))


def agents() -> list[psutil.Process]:
    """Return the processes of the fake agent, without their supervisors."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if "keeps_sessions" in words and "-I" not in words and not _supervises(words):
            found.append(process)
    return found


def _supervises(words: list[str]) -> bool:
    return any("supervise" in word for word in words)


def sent(kept: HostFolders, session_id: str) -> list[str]:
    """Return the methods that went to the agent, by the session's own log."""
    lines = (kept.data / "sessions" / session_id / "traffic.ndjson").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    return [e["m"]["method"] for e in entries if e["d"] == ">" and "method" in e["m"]]


def test_one_process_serves_many_sessions_and_each_log_is_whole(kept: HostFolders) -> None:
    """An update changes its own session and no other."""
    with kept.server() as server:
        sessions = [server.open("keeper") for _ in range(5)]
        turns = [server.prompt(session, "wait") for session in sessions]
        eventually(lambda: all(server.said(s)[-1:] == ["After 0: wait"] for s in sessions))
        assert len(agents()) == 1
        for session, turn in zip(sessions, turns, strict=True):
            server.run(session.cancel)
            assert server.done(session, turn).stop_reason == "cancelled"
        for session in sessions:
            say(server, session, "go on")
            server.run(session.journal.flush)
            assert sent(kept, session.session_id) == [
                "initialize",
                "session/new",
                "session/prompt",
                "session/cancel",
                "session/prompt",
            ]
            assert server.said(session) == ["wait", "After 0: wait", "go on", "After 1: go on"]
            assert session.state.agent_info.version == "1.0"
        for session in sessions[1:]:
            server.send(CloseSession(session_id=session.session_id))
        say(server, sessions[0], "still here")
        server.send(CloseSession(session_id=sessions[0].session_id))
        eventually(lambda: not agents())


@pytest.mark.parametrize(("policy", "deny"), [("read-only", ()), ("deny", ()), ("ask", ("edit",))])
def test_a_session_that_forbids_things_moves_to_a_process_of_its_own(
    kept: HostFolders, policy: Policy, deny: tuple[str, ...]
) -> None:
    """Its conversation goes with it; other sessions stay where they are."""
    with kept.server() as server:
        other, session = server.open("keeper"), server.open("keeper")
        for each in (other, session):
            say(server, each, "hello")
        (shared,) = agents()
        turn = server.prompt(session, "again", policy=policy, rules=turn_rules((), deny))
        server.done(session, turn)
        assert len(agents()) == 2
        assert shared in agents()
        assert server.said(session) == ["hello", "After 0: hello", "again", "After 1: again"]
        assert not any("history" in notice for notice in server.notices(session))
        say(server, session, "and on")  # it stays there
        say(server, server.open("keeper"), "a third")
        assert len(agents()) == 2


def test_an_agent_that_dies_takes_each_of_its_sessions_turns_with_it(kept: HostFolders) -> None:
    with kept.server() as server:
        first, second = server.open("keeper"), server.open("keeper")
        say(server, second, "hello")
        waiting = server.prompt(first, "wait")
        eventually(lambda: server.said(first)[-1:] == ["After 0: wait"])
        agents()[0].kill()
        turn = server.done(first, waiting)
        assert turn.failure is not None
        assert turn.failure.reason == "agent_died"
        eventually(lambda: second.state.status == "stopped")
        say(server, second, "again")
        assert server.said(second)[-1] == "After 1: again"


def test_a_fork_goes_on_from_where_its_parent_is(kept: HostFolders) -> None:
    """Shown only if advertised; what the agent replays is not shown twice."""
    with kept.server() as server:
        parent = server.open("keeper", label="Talk")
        say(server, parent, "one")
        state = server.send(ForkSession(session_id=parent.session_id))
        assert isinstance(state, SessionState)
        assert state.title == "Fork of Talk"
        child = server.woken(state.session_id)
        assert server.said(child) == ["one", "After 0: one"]
        say(server, child, "two")
        say(server, parent, "other")
        assert server.said(child) == ["one", "After 0: one", "two", "After 1: two"]
        assert server.said(parent)[-1] == "After 1: other"
        assert not set(child.transcript.turn_order) & set(parent.transcript.turn_order)
    kept.abilities = ()
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        with pytest.raises(BadRequest, match="can't fork"):
            server.send(ForkSession(session_id=session.session_id))


def test_sessions_of_the_agent_itself_are_listed_and_opened(kept: HostFolders) -> None:
    """The list is paged; a loaded session is shown as turns."""
    told = {f"s{n}": ["hi", "there"] for n in range(1, 4)}
    kept.store.write_text(json.dumps(told))
    with kept.server() as server:
        page = server.send(ListAgentSessions(agent="keeper", cwd=str(kept.root)))
        assert isinstance(page, AgentSessions)
        assert [entry.title for entry in page.sessions] == ["Talk s1", "Talk s2"]
        rest = server.send(ListAgentSessions(agent="keeper", cursor=page.next_cursor))
        assert isinstance(rest, AgentSessions)
        assert [entry.agent_session_id for entry in rest.sessions] == ["s3"]
        assert rest.next_cursor == ""
        (kept.root / "sub").mkdir()
        elsewhere = server.send(ListAgentSessions(agent="keeper", cwd=str(kept.root / "sub")))
        assert isinstance(elsewhere, AgentSessions)
        assert elsewhere.sessions == ()  # the agent is told of which folder
        eventually(lambda: not agents())
        state = server.send(OpenAgentSession(agent="keeper", agent_session_id="s2", title="Old"))
        assert isinstance(state, SessionState)
        session = server.woken(state.session_id)
        assert server.said(session) == ["hi", "You said: hi", "there", "You said: there"]
        turns = [session.transcript.turns[name] for name in session.transcript.turn_order]
        assert [(turn.prompt, turn.status) for turn in turns] == [("hi", "done"), ("there", "done")]
        say(server, session, "more")
        assert server.said(session)[-1] == "After 2: more"
        again = server.send(OpenAgentSession(agent="keeper", agent_session_id="s2"))
        assert isinstance(again, SessionState)
        assert again.session_id == state.session_id
        with pytest.raises(BadRequest, match="could not open"):
            server.send(OpenAgentSession(agent="keeper", agent_session_id="no such"))
        states = server.send(ListSessions())
        assert isinstance(states, list)
        assert len(states) == 1


def test_close_keeps_and_delete_removes(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        session_id = session.session_id
        server.send(CloseSession(session_id=session_id))
        assert sent(kept, session_id)[-1] == "session/close"
        state = server.send(ResumeSession(session_id=session_id))
        assert isinstance(state, SessionState)
        assert state.status == "idle"
        eventually(lambda: sent(kept, session_id)[-1] == "session/resume")
        server.send(DeleteSession(session_id=session_id))
        assert not (kept.data / "sessions" / session_id).exists()
        assert json.loads(kept.store.read_text()) == {}
        assert server.send(ListSessions()) == []
        with pytest.raises(UnknownSession):
            server.send(DeleteSession(session_id=session_id))


def test_an_agent_is_restarted_without_the_server(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        (before,) = agents()
        server.send(RestartAgent(agent="keeper"))
        eventually(lambda: not before.is_running())
        say(server, session, "two")
        assert server.said(session)[-1] == "After 1: two"


def test_an_agent_that_has_nothing_to_do_is_stopped_and_taken_up_again(kept: HostFolders) -> None:
    with kept.server(replace(FAST, idle_seconds=0.3)) as server:
        session = server.open("keeper")
        say(server, session, "one")
        eventually(lambda: not agents())
        eventually(lambda: session.state.status == "stopped")
        say(server, session, "two")
        assert server.said(session)[-1] == "After 1: two"
    kept.others = {"later": script("keeps_sessions", str(kept.root / "later.json"), "resume")}
    kept.abilities = ()
    with kept.server(replace(FAST, idle_seconds=0.3)) as server:
        session, later = server.open("keeper"), server.open("later")
        say(server, session, "one")
        say(server, later, "one")
        eventually(lambda: later.state.status == "stopped")
        say(server, session, "two")
        assert server.said(session)[-1] == "After 1: two", "it forgets, so it is never stopped"


def test_one_that_starts_again_while_the_idle_process_ends_is_not_said_to_be_stopped(
    kept: HostFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving, released = threading.Event(), threading.Event()
    close = AgentConnection.close

    async def close_late(connection: AgentConnection) -> None:
        leaving.set()
        await asyncio.to_thread(released.wait, PATIENCE_SECONDS)
        await close(connection)

    with kept.server(replace(FAST, idle_seconds=0.3)) as server:
        session = server.open("keeper")
        monkeypatch.setattr(AgentConnection, "close", close_late)
        say(server, session, "one")
        assert leaving.wait(PATIENCE_SECONDS)
        monkeypatch.setattr(AgentConnection, "close", close)
        turn = server.prompt(session, "wait")
        eventually(lambda: len(agents()) == 2)
        eventually(lambda: session.state.status == "running")
        released.set()
        eventually(lambda: len(agents()) == 1)
        drops = [task for task in server.run(asyncio.all_tasks) if "acp-end" in task.get_name()]
        eventually(lambda: all(task.done() for task in drops))
        assert session.state.status == "running"
        server.run(lambda: session.cancel())
        server.done(session, turn)


def test_an_agent_that_dies_again_and_again_is_started_later_each_time(kept: HostFolders) -> None:
    limits = replace(FAST, free_restarts=2, restart_seconds=1.0, longest_restart_seconds=1.0)
    with kept.server(limits) as server:
        session = server.open("keeper")
        for _ in range(3):
            server.done(session, server.prompt(session, "die"))
        (pause,) = [text for text in server.notices(session) if "several times" in text]
        assert pause.startswith("keeper has stopped several times. It is started again in 1 s.")
        assert session.state.held == ""


def test_what_waits_for_an_agent_that_keeps_dying_says_so_and_a_restart_ends_it(
    kept: HostFolders,
) -> None:
    limits = replace(FAST, free_restarts=1, restart_seconds=3600.0, longest_restart_seconds=3600.0)
    with kept.server(limits) as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "die"))
        turn = server.prompt(session, "one")
        held = eventually(lambda: session.state.held)
        assert "Restart the Agent" in held
        assert session.transcript.turns[turn].status == "running"
        server.send(RestartAgent(agent="keeper"))
        server.done(session, turn)
        assert session.state.held == ""
        assert server.said(session)[-1].endswith("one")


def test_what_a_page_may_have_missed_is_bounded_in_memory_too(kept: HostFolders) -> None:
    """The session's state goes along with each change of it."""
    with kept.server() as server:
        session = server.open("keeper")

        def rename(count: int) -> None:
            for number in range(count):
                session.rename(f"name {number}")

        server.run(lambda: rename(5))
        assert session.journal.flush()
        gc.collect()
        tracemalloc.start()
        server.run(lambda: rename(1500))
        assert session.journal.flush()
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert held < 1.5 * 1024 * 1024


def test_a_silent_agent_is_flagged_until_it_speaks(kept: HostFolders) -> None:
    with kept.server(replace(FAST, silent_seconds=0.2)) as server:
        session = server.open("keeper")
        turn = server.prompt(session, "wait")
        eventually(lambda: session.state.silent_since is not None)
        server.run(lambda: session.cancel())
        server.done(session, turn)
        assert session.state.silent_since is None
