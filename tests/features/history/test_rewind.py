"""Going back to before a turn: files by their hashes, and the next request that the agent gets."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.sessions import (
    DeleteSession,
    ResumeSession,
    RewindReply,
)
from acp_jupyter.api.models.turns import PromptSession, RevertTurn, SendNow
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused
from acp_jupyter.features.history.commands import RewindSession, UndoRewind
from acp_jupyter.features.history.turn_order import in_order
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store import journal
from acp_jupyter.host.workspace.agent_files import NoDocuments
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.host_events.session import Rule, RuleEffect, RulesChanged
from acp_jupyter.transcript.model.items import Notice
from acp_jupyter.transcript.rule_text import read_rule
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, HostFolders, Server
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS, eventually

Start = Callable[[], AbstractContextManager[Server]]

DEEDS = (
    "write a.py one",
    "write a.py two",
    "delete gone",
    "write new/b.py three",
    "rename a.py c.py",
)


class Pages(NoDocuments):
    """Pages of which one answers late what is open in them."""

    def __init__(self) -> None:
        self._late = ""
        self._asked, self._answer = threading.Event(), threading.Event()

    @contextmanager
    def late(self, name: str, server: Server, command: Command) -> Iterator[Future[Result]]:
        """Send a command, and let a file's page answer at the end of the block."""
        self._late = name
        self._asked.clear()
        self._answer.clear()
        sent = server.submit(command)
        try:
            assert self._asked.wait(PATIENCE_SECONDS)
            yield sent
        finally:
            self._late = ""
            self._answer.set()

    async def read(self, path: Path) -> None:
        if path.name == self._late:
            self._asked.set()
            await asyncio.to_thread(self._answer.wait, 30)


@pytest.fixture
def pages() -> Pages:
    return Pages()


@pytest.fixture
def start(tmp_path: Path, pages: Pages) -> Start:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text("zero")
    (root / "gone").write_text("x")
    config = HostConfig(
        Registry({"own": script("own_tools")}, []),
        root,
        tmp_path / "data",
        limits=FAST,
        trust=trusting(tmp_path),
        documents=pages,
    )

    @contextmanager
    def started() -> Iterator[Server]:
        host = AgentHost(config)
        host.start()
        try:
            yield Server(host, root)
        finally:
            host.stop()

    return started


@pytest.fixture
def kept(tmp_path: Path) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ("resume", "load"))


def hashes(server: Server) -> dict[str, str]:
    files = (path for path in server.root.rglob("*") if path.is_file())
    return {
        path.relative_to(server.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def say(server: Server, session: Session, text: str, cell: str = "") -> str:
    origin = Origin(kernel_id="k", notebook_path="book.ipynb", cell_id=cell) if cell else None
    turn_id = server.prompt(session, text, origin=origin)
    server.done(session, turn_id)
    server.result(session.turn_files.settled(turn_id))
    return turn_id


def rewind(server: Server, session: Session, turn_id: str, *, files: bool = True) -> RewindReply:
    command = RewindSession(session_id=session.session_id, turn_id=turn_id, files=files)
    reply = server.send(command)
    assert isinstance(reply, RewindReply)
    return reply


def undo(server: Server, session_id: str) -> RewindReply:
    reply = server.send(UndoRewind(session_id=session_id))
    assert isinstance(reply, RewindReply)
    return reply


def requests(server: Server, session: Session) -> list[str]:
    """Return the text of each prompt as it was sent to the agent, by the session's own lines."""
    server.run(session.journal.flush)
    path = server.host.traffic_path(session.session_id)
    sent: list[str] = []
    for line in path.read_text().splitlines():
        message = json.loads(line)["m"]
        if message.get("note") == "session_branched":
            sent.clear()  # what was before is a copy
        elif message.get("method") == "session/prompt":
            sent.append("".join(block["text"] for block in message["params"]["prompt"]))
    return sent


def prompts(session: Session) -> list[str]:
    state = session.transcript
    return [state.turns[turn_id].prompt for turn_id in state.turn_order]


def offers(session: Session) -> list[tuple[str, str]]:
    items = session.transcript.window(0, len(session.transcript.items))
    return [(i.offers, i.target) for i in items if isinstance(i, Notice) and i.offers]


def cells(server: Server, agent: str = "own") -> Session | None:
    """Return the session that prompts of cells go to."""
    found: Session | None = server.run(lambda: server.host.sessions.find(agent, "book.ipynb", ""))
    return found


def test_an_earlier_cell_that_runs_again_says_what_the_agent_remembers(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        first = say(server, session, "say A", "a")
        say(server, session, "say A", "a")
        assert offers(session) == []  # nothing came in between
        second = say(server, session, "say B", "b")
        say(server, session, "say from the panel")
        say(server, session, "say B", "b")
        assert offers(session) == [("rewind", second)]
        say(server, session, "say A", "a")
        (_, (offer, target)) = offers(session)
        assert offer == "rewind"
        assert target not in {first, second}
        one, more = server.notices(session)
        assert "own_tools remembers that run and the turn after it." in one
        assert "own_tools remembers that run and the 3 turns after it." in more
        items = session.transcript.turn_items(session.transcript.turn_order[-1])
        assert [item.kind for item in items][:2] == ["user_message", "notice"]  # at once


@pytest.mark.parametrize("before", range(len(DEEDS)))
def test_files_and_memory_go_back_together_to_before_any_turn(start: Start, before: int) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        states, turns = [hashes(server)], list[str]()
        for number, deed in enumerate(DEEDS):
            turns.append(say(server, session, deed, f"cell-{number}"))
            states.append(hashes(server))
        reply = rewind(server, session, turns[before])
        assert hashes(server) == states[before]
        assert reply.turns == len(DEEDS) - before
        assert reply.left == ()
        child = server.host.sessions[reply.session.session_id]
        assert cells(server) is child
        assert child.state.branched_from == session.session_id
        assert prompts(child) == list(DEEDS[:before])
        say(server, child, "say next", "next")
        (sent,) = requests(server, child)
        assert sent.endswith("say next")
        assert [deed in sent for deed in DEEDS] == [n < before for n in range(len(DEEDS))]
        say(server, child, "say more", "more")
        assert requests(server, child)[1] == "say more"  # it is told once
        assert prompts(session) == list(DEEDS)


def test_a_clock_that_was_set_back_changes_no_order(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = SimpleNamespace(time=time.time)
    monkeypatch.setattr(journal, "time", times)
    with start() as server:
        session = server.open("own")
        states, turns = [hashes(server)], list[str]()
        for hours, deed in enumerate(["write a.py one", "write a.py two", "write b.py three"]):
            times.time = lambda hours=hours: time.time() - 3600 * hours
            turns.append(say(server, session, deed))
            states.append(hashes(server))
        of_session = session.transcript.turns
        ordered = in_order((session, of_session[turn_id]) for turn_id in reversed(turns))
        assert [turn.turn_id for turn in ordered] == turns

        reply = rewind(server, session, turns[1])
        assert hashes(server) == states[1]
        assert reply.turns == 2
        child = server.host.sessions[reply.session.session_id]
        say(server, child, "say next")
        say(server, child, "say more")
        assert requests(server, child)[1] == "say more"  # it was told what had been said
        undo(server, child.session_id)
        assert hashes(server) == states[3]


def test_a_message_that_is_sent_first_began_first(start: Start) -> None:
    with start() as server:
        session = server.open("own")
        running = server.prompt(session, "wait")
        second, third = server.prompt(session, "say 2"), server.prompt(session, "say 3")
        server.send(SendNow(turn_id=third))
        for turn_id in (running, second, third):
            server.done(session, turn_id)
        assert list(session.transcript.turn_order) == [running, third, second]


def test_undo_brings_back_the_files_and_the_session(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turns = [say(server, session, deed, deed) for deed in DEEDS]
        after = hashes(server)
        child = rewind(server, session, turns[1]).session.session_id
        assert hashes(server) != after
        branch = server.host.sessions[child]
        say(server, branch, "write a.py instead")
        say(server, branch, "write d.py more")
        (server.root / "d.py").write_text("mine")
        before = hashes(server)
        with pytest.raises(ChangesRefused, match=r"d\.py was changed since"):
            undo(server, child)
        assert hashes(server) == before
        assert cells(server) is branch
        (server.root / "d.py").write_text("more")
        with pytest.raises(BadRequest, match="continues in another session"):
            rewind(server, session, turns[0])
        reply = undo(server, child)
        assert hashes(server) == after
        assert reply.session.session_id == session.session_id
        assert reply.turns == len(DEEDS) - 1
        assert cells(server) is session
        with pytest.raises(BadRequest, match="continues in another session"):
            undo(server, child)
        again = rewind(server, session, turns[0])
        assert again.turns == len(DEEDS)
        server.send(DeleteSession(session_id=again.session.session_id))
        assert cells(server) is session  # what took its place is gone


def test_a_file_that_its_user_changed_since_refuses_all_of_it(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turns = [say(server, session, deed) for deed in ("write a.py one", "write b.py two")]
        (server.root / "a.py").write_text("mine")
        before = hashes(server)
        with pytest.raises(ChangesRefused, match=r"a\.py was changed since"):
            rewind(server, session, turns[0])
        assert hashes(server) == before  # b.py, which had been taken back, is there again
        assert list(server.host.sessions.values()) == [session]
        changes = [session.transcript.turns[turn_id].changes for turn_id in turns]
        assert [[file.reverted for file in each.files] for each in changes if each] == [[False]] * 2
        # In between counts, too.
        (server.root / "a.py").write_text("one")
        (server.root / "b.py").write_text("mine")
        third = say(server, session, "write b.py three")
        with pytest.raises(ChangesRefused, match=r"b\.py was changed since"):
            rewind(server, session, turns[1])
        assert (server.root / "b.py").read_text() == "three"
        reply = rewind(server, session, third)
        assert (server.root / "b.py").read_text() == "mine"
        assert reply.paths == ("b.py",)


def test_what_the_agent_remembers_can_go_back_alone(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turns = [say(server, session, deed) for deed in DEEDS[:3]]
        (server.root / "a.py").write_text("mine")
        before = hashes(server)
        reply = rewind(server, session, turns[0], files=False)
        assert hashes(server) == before
        assert "Files were left as they are." in reply.words
        undo(server, reply.session.session_id)
        assert hashes(server) == before


def test_what_was_reverted_before_stays_so_after_undo(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turn_id = say(server, session, "many 3 .txt")
        server.send(RevertTurn(turn_id=turn_id, paths=("made-001.txt",)))
        reverted = hashes(server)
        reply = rewind(server, session, turn_id)
        assert set(reply.paths) == {"made-000.txt", "made-002.txt"}
        undo(server, reply.session.session_id)
        assert hashes(server) == reverted


def test_what_was_reverted_and_edited_since_is_left_alone(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turn_id = say(server, session, "many 3 .txt")
        server.send(RevertTurn(turn_id=turn_id, paths=("made-001.txt",)))
        (server.root / "made-001.txt").write_text("mine")
        before = hashes(server)
        reply = rewind(server, session, turn_id)
        assert set(reply.paths) == {"made-000.txt", "made-002.txt"}
        assert (server.root / "made-001.txt").read_text() == "mine"
        undo(server, reply.session.session_id)
        assert hashes(server) == before


def refused_prompt(server: Server, session: Session) -> str:
    with pytest.raises(BadRequest) as refused:
        server.send(PromptSession(session_id=session.session_id, prompt="say more"))
    return str(refused.value)


def test_no_turn_begins_while_it_goes_back(start: Start, pages: Pages) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        before = hashes(server)
        turns = [say(server, session, deed) for deed in ("write a.py one", "write b.py two")]
        after = hashes(server)
        command = RewindSession(session_id=session.session_id, turn_id=turns[0])
        with pages.late("b.py", server, command) as going:
            assert "going back now" in refused_prompt(server, session)
            with pytest.raises(BadRequest, match="going back now"):
                rewind(server, session, turns[1])
        reply = going.result(PATIENCE_SECONDS)
        assert isinstance(reply, RewindReply)
        assert hashes(server) == before
        child = server.host.sessions[reply.session.session_id]
        with pages.late("a.py", server, UndoRewind(session_id=child.session_id)) as going:
            assert "going back now" in refused_prompt(server, child)
            assert "going back now" in refused_prompt(server, session)
        going.result(PATIENCE_SECONDS)
        assert hashes(server) == after
        say(server, session, "say more")
        assert len(session.transcript.turn_order) == len(turns) + 1


def test_it_goes_back_to_the_end_though_who_asked_has_hung_up(start: Start, pages: Pages) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        before = hashes(server)
        turns = [say(server, session, deed) for deed in ("write a.py one", "write b.py two")]
        command = RewindSession(session_id=session.session_id, turn_id=turns[0])
        with pages.late("a.py", server, command) as going:
            assert not (server.root / "b.py").exists()
            going.cancel()
            assert "going back now" in refused_prompt(server, session)
        child_id = eventually(lambda: session.state.continues_in)
        assert hashes(server) == before
        eventually(lambda: not session.turns.queue.going_back)
        say(server, server.host.sessions[child_id], "say more")


def test_it_goes_back_to_before_where_the_branch_began(start: Start) -> None:
    """What a copied turn changed was done by the turn that it is a copy of."""
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        origin = hashes(server)
        turns = [say(server, session, deed, deed) for deed in DEEDS[:3]]
        child = server.host.sessions[rewind(server, session, turns[2]).session.session_id]
        say(server, child, "write d.py four", "d")
        say(server, child, DEEDS[0], DEEDS[0])
        ((offer, target),) = [each for each in offers(child) if each[0] == "rewind"]
        assert offer == "rewind"
        assert target == child.transcript.turn_order[0]
        last = server.host.sessions[rewind(server, child, target).session.session_id]
        assert hashes(server) == origin
        say(server, last, "say anew", "z")
        assert requests(server, last) == ["say anew"]
        assert cells(server) is last
        undo(server, last.session_id)
        assert (server.root / "d.py").read_text() == "four"
        assert (server.root / "a.py").read_text() == "one"
        assert cells(server) is child


def test_a_turn_that_runs_is_stopped_and_taken_back(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        before = hashes(server)
        first = say(server, session, "write a.py one", "a")
        say(server, session, "say B", "b")
        running = server.prompt(session, "write a.py half\nwait")
        eventually(lambda: (server.root / "a.py").read_text() == "half")
        rewind(server, session, first)
        assert session.transcript.turns[running].stop_reason == "cancelled"
        assert hashes(server) == before


def test_messages_that_wait_and_unknown_turns_are_refused(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        first = say(server, session, "say A")
        server.prompt(session, "wait")
        waiting = server.prompt(session, "say later")
        with pytest.raises(BadRequest, match="Messages wait"):
            rewind(server, session, first)
        server.run(lambda: session.cancel(waiting))
        for unknown in (waiting, "nothing"):
            with pytest.raises(BadRequest, match="no such turn"):
                rewind(server, session, unknown)
        with pytest.raises(BadRequest, match="did not begin by going back"):
            undo(server, session.session_id)


def test_without_checkpoints_files_refuse_and_memory_goes_back(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turn_id = say(server, session, "write a.py one")
        with pytest.raises(ChangesGone):
            rewind(server, session, turn_id)
        assert rewind(server, session, turn_id, files=False).turns == 1


def test_what_is_allowed_now_counts_and_not_what_was_then(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        server.run(lambda: session.set_policy("allow-all", "ada"))
        say(server, session, "say A")
        rules = [_rule("execute:rm *", "allow"), _rule("fetch", "deny")]
        server.run(lambda: session.journal.note(RulesChanged(rules=tuple(rules))))
        third = say(server, session, "say C")
        server.run(lambda: session.journal.note(RulesChanged(rules=(rules[1],))))
        server.run(lambda: session.set_policy("deny", "bob"))
        state = rewind(server, session, third).session
        assert (state.policy, state.policy_user) == ("deny", "bob")
        assert state.rules == (rules[1],)


def test_undo_brings_back_nothing_that_is_not_allowed_any_more(start: Start) -> None:
    with start() as server:
        session = server.open("own")
        server.run(lambda: session.set_policy("allow-all", "ada"))
        rules = (_rule("execute:rm *", "allow"), _rule("fetch", "deny"))
        server.run(lambda: session.journal.note(RulesChanged(rules=rules)))
        first = say(server, session, "say one")
        branch = server.host.sessions[rewind(server, session, first).session.session_id]
        server.run(lambda: branch.set_policy("read-only", "bob"))
        server.run(lambda: branch.journal.note(RulesChanged(rules=rules[1:])))
        undo(server, branch.session_id)
        assert (session.state.policy, session.state.policy_user) == ("read-only", "bob")
        assert session.state.rules == rules[1:]


def _rule(text: str, effect: RuleEffect) -> Rule:
    return read_rule(text, effect=effect, scope="session", rule_id=text)


def test_a_server_that_comes_later_goes_on_in_the_branch(kept: HostFolders) -> None:
    """The agent could resume the session, and is told what it never heard."""
    with kept.server() as server:
        session = server.open("keeper", notebook_path="book.ipynb")
        say(server, session, "one", "a")
        second = say(server, session, "two", "b")
        # The agent keeps its memory in this folder.
        child_id = rewind(server, session, second, files=False).session.session_id
        server.send(ResumeSession(session_id=child_id))  # it starts, and is told nothing yet
    with kept.server() as server:
        found = server.result(server.host.sessions.find_stored("keeper", "book.ipynb", ""))
        assert found is not None
        assert found.session_id == child_id
        say(server, found, "three", "c")
        sent = requests(server, found)
        assert len(sent) == 1
        assert "User: one\n\nYou: After 0: one" in sent[0]
        assert "two" not in sent[0]
    with kept.server() as server:
        found = server.woken(child_id)
        say(server, found, "four", "d")
        assert requests(server, found)[-1] == "four"
        assert server.said(found)[-1] == "After 1: four"  # it was resumed
        parent = server.woken(session.session_id)
        assert parent.state.continues_in == child_id
        undo(server, child_id)
        assert parent.state.continues_in == ""
        say(server, parent, "five")
        assert server.said(parent)[-1] == "After 2: five"


def test_a_turn_that_is_stopped_before_it_is_sent_has_told_nothing(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper", notebook_path="book.ipynb")
        say(server, session, "one", "a")
        second = say(server, session, "two", "b")
        child_id = rewind(server, session, second, files=False).session.session_id
    pipe = kept.store.with_suffix(".held")
    os.mkfifo(pipe)
    with kept.server() as server:
        child = server.woken(child_id)
        stopped = server.prompt(child, "three")
        eventually(lambda: child.state.status == "starting")
        server.run(lambda: child.cancel(stopped))
        assert server.done(child, stopped).stop_reason == "cancelled"
        pipe.write_text("go")
        pipe.unlink()
        say(server, child, "four", "c")
        (sent,) = requests(server, child)
        assert "User: one" in sent
        assert sent.endswith("four")
    with kept.server() as server:
        child = server.woken(child_id)
        say(server, child, "five", "d")
        assert requests(server, child)[-1] == "five"  # it was resumed
