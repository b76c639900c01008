"""Sessions that outlive their agent and their server."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.sessions import CloseSession, CreateSession, DeleteSession, ListSessions
from acp_jupyter.errors import NotAllowed, PermissionGone, SessionImported, UnknownSession
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.ownership import Ownership
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.failing_disk import FailingDisk, failing_disk
from tests.support.host.full_disk import full_disk
from tests.support.host.restarts import FAST, HostFolders, Server
from tests.support.wait import eventually

WITHOUT = "The agent was started again without history: it does not remember what is above."


@pytest.fixture
def kept(tmp_path: Path) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ())


def able(kept: HostFolders, *abilities: str) -> HostFolders:
    kept.abilities = abilities
    return kept


def say(server: Server, session: Session, text: str) -> None:
    server.done(session, server.prompt(session, text))


@pytest.mark.parametrize(
    ("abilities", "remembers"),
    [
        (("resume",), True),
        (("load",), True),
        (("late-load",), True),
        (("lying-resume", "load"), True),
        (("lying-resume",), False),
        ((), False),
    ],
)
def test_a_prompt_goes_on_with_the_conversation_where_the_agent_can(
    kept: HostFolders, abilities: tuple[str, ...], remembers: bool
) -> None:
    """Resume, else load, else a new session that says so; nothing is shown twice."""
    with able(kept, *abilities).server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        say(server, session, "two")
        session_id = session.session_id
    with kept.server() as server:
        session = server.woken(session_id)
        before = ["one", "After 0: one", "two", "After 1: two"]
        assert server.said(session) == before
        assert session.state.status == "stopped"
        say(server, session, "three")
        count = 2 if remembers else 0
        assert server.said(session) == [*before, "three", f"After {count}: three"]
        assert server.notices(session) == ([] if remembers else [WITHOUT])
        assert session.state.history == ("whole" if remembers else "without")


def test_the_list_is_there_at_once_and_transcripts_open(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper", label="My talk")
        say(server, session, "one")
        session_id = session.session_id
    with kept.server() as server:
        (state,) = server.send(ListSessions())
        assert isinstance(state, SessionState)
        assert (state.session_id, state.title, state.stored) == (session_id, "My talk", True)
        assert server.run(lambda: list(server.host.sessions)) == []
        assert server.said(server.woken(session_id)) == ["one", "After 0: one"]


def test_a_killed_server_leaves_a_session_that_says_so(kept: HostFolders) -> None:
    """The log is all there is then: a turn in its middle, a question, a torn line."""
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        asked = server.prompt(session, "ask")
        request = server.asked(session)
        queued = server.prompt(session, "later")
        server.run(session.journal.flush)
        session_id = session.session_id
        folder = kept.data / "sessions" / session_id
        eventually((folder / "meta.json").exists)
        shutil.copytree(folder, kept.data / "copy")
    shutil.rmtree(folder)
    shutil.move(kept.data / "copy", folder)
    (folder / "owner").unlink(missing_ok=True)
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "turn_ids": [], "log_bytes": 0}))
    with (folder / "traffic.ndjson").open("a") as log:
        log.write('{"seq": 999, "t": 1.0, "d": "<", "m": {"jsonrpc"')
    with kept.server() as server:
        server.result(server.host.sessions.wake_turn(asked))
        session = server.run(lambda: server.host.sessions.of_turn(asked))
        turns = session.transcript.turns
        failure = turns[asked].failure
        assert failure is not None
        assert failure.reason == "server_restarted"
        assert "Send it again" in turns[queued].words
        (call,) = (i for i in session.transcript.items if isinstance(i, ToolCall))
        assert call.permission is not None
        assert call.permission.state == "expired"
        with pytest.raises(PermissionGone):
            server.answer(session, request, "yes")
        say(server, session, "two")
        assert server.said(session)[-1] == "After 0: two"


def test_an_agent_that_died_is_taken_up_again(kept: HostFolders) -> None:
    with able(kept, "resume").server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        died = server.done(session, server.prompt(session, "die"))
        assert died.failure is not None
        assert died.failure.reason == "agent_died"
        say(server, session, "two")
        assert server.said(session)[-1] == "After 2: two"
        assert server.notices(session) == []


def test_a_notebook_goes_on_with_its_session_if_the_agent_remembers(kept: HostFolders) -> None:
    command = CreateSession(agent="keeper", notebook_path="a.ipynb", label="x", start="lazy")
    for abilities, same in ((("resume",), True), ((), False)):
        with able(kept, *abilities).server() as server:
            first = server.send(command.model_copy(update={"new": True}))
            assert isinstance(first, SessionState)
            say(server, server.woken(first.session_id), "one")
        with kept.server() as server:
            second = server.send(command)
            assert isinstance(second, SessionState)
            assert (first.session_id == second.session_id) is same


def test_two_servers_on_one_folder(kept: HostFolders) -> None:
    """A session that another server has can be read here, and not written."""
    with kept.server() as first:
        session = first.open("keeper")
        say(first, session, "one")
        first.run(session.journal.flush)
        meta = kept.data / "sessions" / session.session_id / "meta.json"
        eventually(meta.exists)
        with kept.server() as second:
            other = second.woken(session.session_id)
            assert "open in another server" in other.state.read_only
            assert second.said(other) == ["one", "After 0: one"]
            with pytest.raises(SessionImported, match="open in another server"):
                second.prompt(other, "two")
            with pytest.raises(NotAllowed, match="open in another server"):
                second.result(second.host.sessions.delete(session.session_id))
        say(first, session, "two")
        lines = (meta.parent / "traffic.ndjson").read_text().splitlines()
    assert all(json.loads(line) for line in lines)


def ids(server: Server) -> list[str]:
    states = server.send(ListSessions())
    assert isinstance(states, list)
    return [state.session_id for state in states if isinstance(state, SessionState)]


def test_the_list_follows_the_folders(kept: HostFolders) -> None:
    """Whoever makes or deletes them; each session is in it once, also one that is closed here."""
    with kept.server() as server:
        assert ids(server) == []
        with kept.server() as other:
            opened = [other.open("keeper") for _ in range(3)]
            for session in opened:
                other.result(other.host.sessions.save(session))
            made = [session.session_id for session in opened]
            assert sorted(ids(server)) == sorted(made)
            other.send(DeleteSession(session_id=made.pop()))
            assert sorted(ids(server)) == sorted(made)
            own = server.open("keeper").session_id
            assert sorted(ids(server)) == sorted([*made, own])
            server.send(CloseSession(session_id=own))
            assert sorted(ids(server)) == sorted([*made, own])
        woken = server.woken(made[0])
        assert not woken.state.read_only
        server.done(woken, server.prompt(woken, "mine now"))
        assert sorted(ids(server)) == sorted([*made, own])
        server.send(DeleteSession(session_id=own))
        assert sorted(ids(server)) == sorted(made)
        server.send(CloseSession(session_id=made[0]))
        states = server.send(ListSessions())
        assert isinstance(states, list)
        assert "mine now" in {state.title for state in states if isinstance(state, SessionState)}


def test_a_server_whose_session_another_machine_took_only_reads_it(kept: HostFolders) -> None:
    """It slept for too long. What it still has goes into no log."""
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        session_id = session.session_id
        folder = kept.data / "sessions" / session_id
        eventually((folder / "owner").exists)
        server.run(session.journal.flush)
        lines = (folder / "traffic.ndjson").read_text()
        sign = {"pid": 1, "host": "elsewhere"}
        (kept.data / "servers" / "another.json").write_text(json.dumps(sign))
        later = time.time() + 60
        os.utime(kept.data / "servers" / "another.json", (later, later))  # it goes on to live
        (folder / "owner").write_text("another")

        def read_only() -> str:
            return server.woken(session_id).state.read_only

        eventually(read_only, what="it is seen")
        assert read_only() == "This session is open in another server. You can read it here."
        with pytest.raises(SessionImported, match="open in another server"):
            server.prompt(server.woken(session_id), "two")
    assert (folder / "traffic.ndjson").read_text() == lines
    assert (folder / "owner").read_text() == "another"


def test_a_data_folder_that_is_deleted_is_made_anew(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        eventually((kept.data / "sessions" / session.session_id / "owner").exists)
        shutil.rmtree(kept.data)
        eventually(
            lambda: [text for text in server.notices(session) if "was deleted" in text],
            what="it is said",
        )
        say(server, session, "two")
        said = server.said(session)
    with kept.server() as server:
        woken = server.woken(session.session_id)
        assert woken.state.read_only == ""
        assert server.said(woken) == said


def test_a_dead_server_owns_nothing(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        session_id = session.session_id
    folder = kept.data / "sessions" / session_id
    (folder / "owner").write_text("of-a-server-that-was-killed")
    with kept.server() as server:
        session = server.woken(session_id)
        assert session.state.read_only == ""
        say(server, session, "two")


def test_a_folder_of_before_there_were_lists_is_listed(kept: HostFolders) -> None:
    """Migration: the log's first line says all that a list needs."""
    with kept.server() as server:
        session = server.open("keeper", label="Old")
        say(server, session, "one")
        session_id = session.session_id
    (kept.data / "sessions" / session_id / "meta.json").unlink()
    with kept.server() as server:
        (state,) = server.send(ListSessions())
        assert isinstance(state, SessionState)
        assert (state.title, state.agent) == ("Old", "keeper")


def test_a_newer_version_is_read_and_not_written(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        session_id = session.session_id
    path = kept.data / "sessions" / session_id / "meta.json"
    meta = json.loads(path.read_text())
    path.write_text(json.dumps({**meta, "version": 99, "unheard_of": [1]}))
    with kept.server() as server:
        session = server.woken(session_id)
        assert "newer version" in session.state.read_only
        assert server.said(session) == ["one", "After 0: one"]
    assert json.loads(path.read_text())["version"] == 99


@pytest.mark.parametrize("damage", ["", "{", '{"session_id": 5}', "null", "[" * 5000])
def test_a_broken_list_entry_loses_no_session(kept: HostFolders, damage: str) -> None:
    with kept.server() as server:
        session = server.open("keeper", label="Whole")
        say(server, session, "one")
        session_id = session.session_id
    (kept.data / "sessions" / session_id / "meta.json").write_text(damage)
    with kept.server() as server:
        assert server.said(server.woken(session_id)) == ["one", "After 0: one"]


def test_foreign_folders_are_no_sessions(kept: HostFolders) -> None:
    (kept.data / "sessions" / "empty").mkdir(parents=True)
    odd = kept.data / "sessions" / "odd"
    odd.mkdir()
    (odd / "traffic.ndjson").write_text('{"seq":1,"t":1,"d":"!","m":{"note":"session_opened"}}\n')
    with kept.server() as server:
        assert server.send(ListSessions()) == []
        with pytest.raises(UnknownSession):
            server.woken("odd")


def test_sessions_are_for_their_user_alone(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        say(server, session, "one")
        session_id = session.session_id
    folder = kept.data / "sessions" / session_id
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_what_nobody_uses_makes_room(kept: HostFolders) -> None:
    with able(kept, "resume").server(replace(FAST, sessions=2)) as server:
        for number in range(4):
            session = server.open("keeper", label=f"talk {number}")
            say(server, session, "one")
            server.result(session.agent.drop())
        states = server.send(ListSessions())
        assert isinstance(states, list)
        assert len(states) == 4
        assert server.run(lambda: len(server.host.sessions)) <= 2


def test_after_a_crash_only_the_end_of_a_log_is_read_for_the_list(kept: HostFolders) -> None:
    """What the list has known already is not looked for again, however long the log is."""
    with kept.server() as server:
        session = server.open("keeper")
        first = server.prompt(session, "one")
        server.done(session, first)
        folder = kept.data / "sessions" / session.session_id
        meta = eventually(lambda: _listed(folder, first))
        second = server.prompt(session, "two")
        server.done(session, second)
        server.run(session.journal.flush)
        log = (folder / "traffic.ndjson").read_bytes()
    known = meta["log_bytes"]
    assert 0 < known < log.index(second.encode())
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "traffic.ndjson").write_bytes(b"x" * known + log[known:])
    os.utime(folder / "traffic.ndjson", (0, 0))  # the clock was put back, or was that of another
    assert _turns_of_the_only_stored(kept) == (first, second)
    # A log that is shorter than it was is another: it is read from its start.
    (folder / "traffic.ndjson").write_bytes(log)
    (folder / "meta.json").write_text(json.dumps({**meta, "log_bytes": 10 * len(log)}))
    assert _turns_of_the_only_stored(kept) == (first, second)


def _listed(folder: Path, turn_id: str) -> dict[str, Any]:
    """Return what the list has of a session, once it has a turn that is done."""
    try:
        meta: dict[str, Any] = json.loads((folder / "meta.json").read_text())
    except FileNotFoundError:
        return {}
    return meta if turn_id in meta["turn_ids"] and meta["log_bytes"] else {}


def _turns_of_the_only_stored(kept: HostFolders) -> tuple[str, ...]:
    with kept.server() as server:
        (meta,) = server.result(server.host.sessions.stored())
        return meta.turn_ids


@pytest.mark.parametrize("policy", ["ask", "allow-all", "deny"])
def test_an_answer_is_in_the_log_before_the_agent_has_it(tmp_path: Path, policy: Policy) -> None:
    """A server that is killed after it still knows what it had allowed."""
    agents = {"reads_log": script("reads_log", str(tmp_path / "data" / "sessions"))}
    with driving(tmp_path, agents) as driver:
        session = driver.open("reads_log", policy=policy)
        turn_id = driver.prompt(session)
        if policy == "ask":
            driver.answer(session, driver.asked(session), "yes")
        driver.done(session, turn_id)
        assert driver.text(session) == "logged"


def ask_on(driver: Driver, disk: FailingDisk, spoil: Callable[[], None]) -> Session:
    """Have the agent ask, spoil the disk, and allow."""
    session = driver.open("reads_log")
    turn_id = driver.prompt(session)
    request_id = driver.asked(session)
    assert session.journal.flush()
    spoil()
    driver.answer(session, request_id, "yes")
    driver.run(lambda: None)  # others are not held up
    eventually(lambda: driver.text(session), what="the agent has its answer")
    assert driver.text(session) == "not logged"
    state = session.transcript
    items = state.window(0, len(state.items))
    shown = [item.text for item in items if item.kind in {"notice", "agent_message"}]
    assert "Not kept" in shown[0]
    assert "your answers" in shown[0]
    assert shown[1] == "not logged"  # it was said before
    disk.answers.set()
    disk.room = None
    driver.done(session, turn_id)
    return session


@pytest.mark.parametrize("trouble", ["full", "hangs"])
def test_the_agent_has_its_answer_also_where_it_can_not_be_kept(
    tmp_path: Path, trouble: str
) -> None:
    """And the session says so."""
    agents = {"reads_log": script("reads_log", str(tmp_path / "data" / "sessions"))}
    with (
        driving(tmp_path, agents) as driver,
        failing_disk("acp_jupyter.host.store.traffic_log") as disk,
    ):

        def spoil() -> None:
            if trouble == "hangs":
                disk.answers.clear()
            else:
                disk.room, disk.error = 0, errno.ENOSPC

        session = ask_on(driver, disk, spoil)
        assert session.journal.flush()
        log = session.journal.log.path.read_text()
        assert log.count('"permission_settled"') == 1


def test_an_agent_that_takes_its_question_back_is_answered_after_the_log(tmp_path: Path) -> None:
    agents = {"reads_log": script("reads_log", str(tmp_path / "data" / "sessions"), "withdraws")}
    with driving(tmp_path, agents) as driver:
        session = driver.open("reads_log")
        driver.done(session, driver.prompt(session))
        assert driver.text(session) == "logged"


def test_a_stopped_turn_answers_its_question_after_the_log(tmp_path: Path) -> None:
    agents = {"reads_log": script("reads_log", str(tmp_path / "data" / "sessions"))}
    with driving(tmp_path, agents) as driver:
        session = driver.open("reads_log")
        turn_id = driver.prompt(session)
        driver.answer(session, driver.asked(session), None)
        driver.done(session, turn_id)
        assert driver.text(session) == "logged"


def test_a_new_session_whose_folder_another_server_took_is_not_listed_over_it(
    kept: HostFolders,
) -> None:
    with kept.server() as server:

        def take() -> Session:
            session = server.host.open("keeper", kept.root)
            folder = kept.data / "sessions" / session.session_id
            (folder / "owner").write_text("another")
            (kept.data / "servers").mkdir()
            sign = kept.data / "servers" / "another.json"
            sign.write_text(json.dumps({"pid": 1, "host": "elsewhere"}))
            later = time.time() + 60
            os.utime(sign, (later, later))  # it goes on to live
            (folder / "meta.json").write_text("theirs")
            return session

        session_id = server.run(take).session_id
        eventually(lambda: server.woken(session_id).state.read_only, what="it is seen")
    assert (kept.data / "sessions" / session_id / "meta.json").read_text() == "theirs"


def test_a_server_signs_again_after_its_folder_was_deleted(tmp_path: Path) -> None:
    """Else its sessions would be free for servers of other machines."""
    ownership = Ownership(tmp_path / "data", replace(Limits(), heartbeat_seconds=0.05))
    (tmp_path / "data" / "session").mkdir(parents=True)
    assert ownership.take(tmp_path / "data" / "session") == ""
    shutil.rmtree(tmp_path / "data")
    (sign,) = eventually(
        lambda: [path for path in tmp_path.glob("data/servers/*.json") if path.read_text()],
        what="a sign",
    )
    assert json.loads(sign.read_text())["pid"] == os.getpid()
    ownership.close()


def test_a_full_disk_leaves_a_server_its_sign_of_life(tmp_path: Path) -> None:
    """Else another machine would take its sessions."""
    limits = replace(Limits(), heartbeat_seconds=0.05)
    ownership = Ownership(tmp_path, limits)
    (tmp_path / "session").mkdir()
    assert ownership.take(tmp_path / "session") == ""
    (sign,) = (tmp_path / "servers").glob("*.json")
    told = sign.read_text()
    with full_disk():
        os.utime(sign, (0, 0))
        eventually(lambda: sign.stat().st_mtime > 0, what="a beat")
        assert sign.read_text() == told
    ownership.close()
