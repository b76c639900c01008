"""What several turns made of one file, shown and taken back as one change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.api.models.turns import ChangesReply, GetChanges, RevertTurn
from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import ChangedFile, FileHunks, Hunk
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting

OLD = "".join(f"line {number}\n" for number in range(30))
ONE = OLD.replace("line 1\n", "LINE 1\n")
TWO = ONE.replace("line 20\n", "LINE 20\nmore\n").replace("LINE 1\n", "Line one\n")
TOP = Hunk(old_start=1, old_end=2, new_start=1, new_end=2)
BELOW = Hunk(old_start=20, old_end=21, new_start=20, new_end=22)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text(OLD)
    (root / "gone").write_text("x\n" * 9)
    registry = Registry({"own": script("own_tools")}, [])
    trust = trusting(tmp_path)
    host = AgentHost(HostConfig(registry, root, tmp_path / "data", limits=FAST, trust=trust))
    host.start()
    try:
        yield Server(host, root)
    finally:
        host.stop()


def turn(server: Server, session: Session, *deeds: str) -> str:
    text = "\n".join(deed.replace("\n", "\\n") for deed in deeds)
    turn_id = server.prompt(session, text)
    server.done(session, turn_id)
    server.result(session.turn_files.settled(turn_id))
    return turn_id


def file(server: Server, turn_id: str, path: str = "a.py") -> ChangedFile:
    changes = server.host.sessions.of_turn(turn_id).transcript.turns[turn_id].changes
    assert changes is not None
    return next(each for each in changes.files if each.path == path)


def two_turns(server: Server) -> tuple[str, str]:
    """Return turns of two sessions that changed one file, one after the other."""
    first = turn(server, server.open("own"), f"write a.py {ONE}", "write new/b.py x\n")
    return first, turn(server, server.open("own"), f"write a.py {TWO}", "delete gone")


def parts(server: Server, turns: tuple[str, str], *hunks: Hunk, undo: bool = False) -> None:
    named = (FileHunks(path="a.py", hunks=hunks),)
    server.send(RevertTurn(turn_id=turns[1], earlier=turns[:1], hunks=named, undo=undo))


def whole(server: Server, turns: tuple[str, str], *paths: str, undo: bool = False) -> None:
    server.send(RevertTurn(turn_id=turns[1], earlier=turns[:1], paths=paths, undo=undo))


def test_a_file_is_compared_with_what_it_was_before_the_first_turn(server: Server) -> None:
    first, second = two_turns(server)
    assert file(server, first).new_text_id == file(server, second).old_text_id != ""
    reply = server.send(GetChanges(turn_id=second, earlier=(first,), path="a.py"))
    assert isinstance(reply, ChangesReply)
    (found,) = reply.files
    assert (found.old_text, found.new_text) == (OLD, TWO)


def test_parts_of_both_turns_are_taken_back_and_put_back(server: Server) -> None:
    turns = two_turns(server)
    path = server.root / "a.py"
    parts(server, turns, TOP)
    assert path.read_text() == TWO.replace("Line one\n", "line 1\n")
    assert file(server, turns[1]).together == turns[:1]
    with pytest.raises(ChangesRefused, match="review of other turns"):
        server.send(RevertTurn(turn_id=turns[1], paths=("a.py",)))
    with pytest.raises(ChangesRefused, match="review of other turns"):
        server.send(RevertTurn(turn_id=turns[1]))
    parts(server, turns, BELOW)
    assert path.read_text() == OLD
    parts(server, turns, TOP, undo=True)
    parts(server, turns, BELOW, undo=True)
    assert path.read_text() == TWO
    assert file(server, turns[1]).together == ()
    server.send(RevertTurn(turn_id=turns[1], paths=("a.py",)))
    assert path.read_text() == ONE


def test_the_rest_of_a_file_goes_with_all_turns(server: Server) -> None:
    turns = two_turns(server)
    path = server.root / "a.py"
    parts(server, turns, BELOW)
    some = path.read_text()
    whole(server, turns, "a.py")
    assert path.read_text() == OLD
    assert [file(server, each).reverted for each in turns] == [True, True]
    assert (server.root / "new" / "b.py").exists()  # they were not named
    assert not (server.root / "gone").exists()
    whole(server, turns, "a.py", undo=True)
    assert path.read_text() == some
    assert [file(server, each).reverted for each in turns] == [False, False]


def test_what_was_changed_since_or_in_between_stays(server: Server) -> None:
    session = server.open("own")
    path = server.root / "a.py"
    first = turn(server, session, f"write a.py {ONE}")
    path.write_text(ONE + "mine\n")
    second = turn(server, session, f"write a.py {TWO}")
    with pytest.raises(ChangesRefused, match="turn by turn"):
        whole(server, (first, second), "a.py")
    third = turn(server, session, f"write a.py {OLD}")
    path.write_text(OLD + "mine\n")
    with pytest.raises(ChangesRefused, match="changed since"):
        whole(server, (second, third), "a.py")
    assert path.read_text() == OLD + "mine\n"


def test_a_file_that_looks_moved_over_two_turns_comes_back_alone(server: Server) -> None:
    session = server.open("own")
    text = "x\n" * 9
    turns = (
        turn(server, session, f"write moved {text}y\n"),
        turn(server, session, f"write moved {text}", "delete gone"),
    )
    whole(server, turns, "moved")
    assert not (server.root / "moved").exists()
    assert not (server.root / "gone").exists()
