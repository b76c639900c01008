"""Going back: all of it or nothing, whatever ends the server in between."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.sessions import RewindReply
from acp_jupyter.errors import ChangesRefused
from acp_jupyter.features.history.commands import RewindSession, UndoRewind
from tests.sessions.test_operations import DEEDS, Killed, Start, reverted, say, start
from tests.support.generated import TIMES
from tests.support.host.checkpoints import State, held
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["start"]


def test_a_refused_going_back_changes_nothing(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turns = [say(server, session, deed) for deed in DEEDS[:2]]
        (server.root / "new" / "c.py").unlink()  # put back by hand
        (server.root / "a.py").write_text("mine")
        mine = held(server.root)
        back = RewindSession(session_id=session.session_id, turn_id=turns[0])
        with pytest.raises(ChangesRefused, match=r"a\.py was changed since"):
            server.send(back)
        assert held(server.root) == mine
        assert list(server.host.sessions.values()) == [session]
        (server.root / "a.py").write_text("one")
        mine = held(server.root)
        reply = server.send(back)
        assert isinstance(reply, RewindReply)
        child = reply.session.session_id
        gone_back = held(server.root)
        (server.root / "a.py").write_text("mine")
        with pytest.raises(ChangesRefused, match=r"a\.py was changed since"):
            server.send(UndoRewind(session_id=child))
        (server.root / "a.py").write_text("zero")
        assert held(server.root) == gone_back
        server.send(UndoRewind(session_id=child))
        assert held(server.root) == mine


@pytest.mark.parametrize("undo", [False, True], ids=["back", "undo"])
def test_a_killed_going_back_is_done_or_was_not_begun(
    tmp_path: Path, start: Start, undo: bool
) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        states: list[State] = [held(server.root)]
        turns = [say(server, session, deed) for deed in DEEDS]
        states.append(held(server.root))
        parent = session.session_id
        back = RewindSession(session_id=parent, turn_id=turns[0])
        command: Command = back
        if undo:
            reply = server.send(back)
            assert isinstance(reply, RewindReply)
            command = UndoRewind(session_id=reply.session.session_id)
    for number, server in enumerate(Killed(tmp_path, start).ends(command, 5 * TIMES)):
        session = server.woken(parent)
        child = session.state.continues_in
        assert held(server.root) == states[not child]
        assert [bool(reverted(server, each)) for each in turns] == [bool(child)] * 3
        if number == 0:
            assert bool(child) is not undo  # it was answered
        stored = server.result(server.host.sessions.stored())
        known = {*server.host.sessions, *(meta.session_id for meta in stored)}
        assert known == ({parent, child} if child else known - {child})
        if not undo and not child:
            assert known == {parent}
        if not child:
            reply = server.send(back)
            assert isinstance(reply, RewindReply)
            child = reply.session.session_id
            assert held(server.root) == states[0]
        server.send(UndoRewind(session_id=child))
        assert held(server.root) == states[1]
        assert [reverted(server, each) for each in turns] == [[]] * 3


def test_an_operation_is_finished_before_the_host_stops(start: Start) -> None:
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        before = held(server.root)
        turns = [say(server, session, deed) for deed in DEEDS]
        back = RewindSession(session_id=session.session_id, turn_id=turns[0])
        going = server.submit(back)
        eventually(lambda: session.turns.queue.going_back or going.done())
    reply = going.result(PATIENCE_SECONDS)
    assert isinstance(reply, RewindReply)
    with start() as server:
        assert held(server.root) == before
        assert server.woken(session.session_id).state.continues_in == reply.session.session_id
        assert os.path.exists(server.host.traffic_path(reply.session.session_id))
