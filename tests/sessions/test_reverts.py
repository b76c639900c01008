"""Changes of a turn, taken back in parts and put back, also by a server that came later."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from acp_jupyter.api.models.turns import ChangesReply, GetChanges, RevertReply, RevertTurn
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.protocol.host_events.session import ChangedFile, FileHunks, Hunk
from tests.support.agents.fake_agent import script
from tests.support.host.checkpoints import held
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting

OLD = "".join(f"line {number}\n" for number in range(12))
NEW = OLD.replace("line 1\n", "LINE 1\nmore\n").replace("line 9\n", "")
FIRST = Hunk(old_start=1, old_end=2, new_start=1, new_end=3)
SECOND = Hunk(old_start=9, old_end=10, new_start=10, new_end=10)
TURN = "write a.py " + NEW.replace("\n", "\\n") + "\nwrite new/b.py x\\n\ndelete gone\nsay Done"

Start = Callable[[], AbstractContextManager[Server]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text(OLD)
    (root / "gone").write_text("x")
    config = HostConfig(
        Registry({"own": script("own_tools")}, []),
        root,
        tmp_path / "data",
        limits=FAST,
        trust=trusting(tmp_path),
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


def turn(server: Server) -> str:
    session = server.open("own")
    turn_id = server.prompt(session, TURN)
    server.done(session, turn_id)
    server.result(session.turn_files.settled(turn_id))
    return turn_id


def files(server: Server, turn_id: str) -> dict[str, ChangedFile]:
    changes = server.host.sessions.of_turn(turn_id).transcript.turns[turn_id].changes
    assert changes is not None
    return {file.path: file for file in changes.files}


def parts(server: Server, turn_id: str, *hunks: Hunk, undo: bool = False) -> None:
    named = (FileHunks(path="a.py", hunks=hunks),)
    server.send(RevertTurn(turn_id=turn_id, hunks=named, undo=undo))


def whole(server: Server, turn_id: str, *paths: str, undo: bool = False) -> tuple[str, ...]:
    reply = server.send(RevertTurn(turn_id=turn_id, paths=paths or None, undo=undo))
    assert isinstance(reply, RevertReply)
    return reply.paths


def test_parts_are_taken_back_and_put_back(start: Start) -> None:
    with start() as server:
        turn_id = turn(server)
        path = server.root / "a.py"
        assert path.read_text() == NEW
        parts(server, turn_id, SECOND)
        assert path.read_text() == NEW.replace("line 8\n", "line 8\nline 9\n")
        parts(server, turn_id, FIRST)
        assert path.read_text() == OLD
        assert files(server, turn_id)["a.py"].reverted_hunks == (FIRST, SECOND)
        parts(server, turn_id, SECOND, undo=True)
        assert path.read_text() == OLD.replace("line 9\n", "")
        parts(server, turn_id, FIRST, undo=True)
        assert path.read_text() == NEW
        assert files(server, turn_id)["a.py"].reverted_hunks == ()


def test_the_rest_of_a_file_follows_its_parts(start: Start) -> None:
    with start() as server:
        turn_id = turn(server)
        after = held(server.root)
        path = server.root / "a.py"
        parts(server, turn_id, FIRST)
        some = path.read_text()
        assert sorted(whole(server, turn_id)) == ["a.py", "gone", "new/b.py"]
        assert {name: (server.root / name).exists() for name in ("new/b.py", "gone")} == {
            "new/b.py": False,
            "gone": True,
        }
        assert path.read_text() == OLD
        assert all(file.reverted for file in files(server, turn_id).values())
        with pytest.raises(ChangesRefused, match="as a whole"):
            parts(server, turn_id, SECOND)
        assert sorted(whole(server, turn_id, undo=True)) == ["a.py", "gone", "new/b.py"]
        assert path.read_text() == some
        parts(server, turn_id, FIRST, undo=True)
        assert held(server.root) == after
        assert not any(file.reverted for file in files(server, turn_id).values())


@pytest.mark.parametrize("since", ["", "another"])
def test_what_was_moved_over_a_file_goes_back_to_its_place(start: Start, since: str) -> None:
    """It was ignored by git, so nothing else holds it."""
    with start() as server:
        (server.root / ".gitignore").write_text("data/\n")
        (server.root / "data").mkdir()
        measured = server.root / "data" / "measured.csv"
        measured.write_text("of weeks")
        before = held(server.root)
        session = server.open("own")
        turn_id = server.prompt(session, "rename data/measured.csv a.py")
        server.done(session, turn_id)
        server.result(session.turn_files.settled(turn_id))
        assert files(server, turn_id)["a.py"].came_from == "data/measured.csv"
        if since:
            measured.write_text(since)
            with pytest.raises(ChangesRefused, match="where another file is now"):
                whole(server, turn_id)
            assert (server.root / "a.py").read_text() == "of weeks"
        else:
            whole(server, turn_id)
            assert held(server.root) == before


def test_what_was_changed_since_stays(start: Start) -> None:
    with start() as server:
        turn_id = turn(server)
        path = server.root / "a.py"
        parts(server, turn_id, FIRST)
        mine = path.read_text() + "mine\n"
        path.write_text(mine)
        for attempt in (
            lambda: parts(server, turn_id, SECOND),
            lambda: parts(server, turn_id, FIRST, undo=True),
            lambda: whole(server, turn_id, "a.py"),
            lambda: whole(server, turn_id),
        ):
            with pytest.raises(ChangesRefused, match=r"a\.py was changed since the turn"):
                attempt()
        assert path.read_text() == mine
        assert (server.root / "new/b.py").exists()
        reply = server.send(RevertTurn(turn_id=turn_id, partial=True))
        assert isinstance(reply, RevertReply)
        assert (sorted(reply.paths), dict(reply.refused)) == (
            ["gone", "new/b.py"],
            {"a.py": "was changed since"},
        )


def test_what_the_turn_did_not_do_is_refused(start: Start) -> None:
    with start() as server:
        turn_id = turn(server)
        now = held(server.root)
        with pytest.raises(BadRequest, match="overlap"):
            parts(server, turn_id, Hunk(old_start=0, old_end=99, new_start=0, new_end=1))
        with pytest.raises(ChangesRefused, match="was not reverted"):
            parts(server, turn_id, FIRST, undo=True)
        with pytest.raises(ChangesRefused, match="was not reverted"):
            whole(server, turn_id, "a.py", undo=True)
        other = (FileHunks(path="new/b.py", hunks=(FIRST,)),)
        with pytest.raises(ChangesRefused, match="can only be reverted as a whole"):
            server.send(RevertTurn(turn_id=turn_id, hunks=other))
        twice = (FileHunks(path="a.py", hunks=(FIRST,)),) * 2
        with pytest.raises(BadRequest, match="once"):
            server.send(RevertTurn(turn_id=turn_id, hunks=twice))
        assert held(server.root) == now


def test_a_later_server_takes_back_and_puts_back(start: Start) -> None:
    with start() as server:
        turn_id = turn(server)
        parts(server, turn_id, FIRST)
        some = held(server.root)
    with start() as server:
        assert sorted(whole(server, turn_id)) == ["a.py", "gone", "new/b.py"]
        assert (server.root / "a.py").read_text() == OLD
        assert not (server.root / "new").exists()
    with start() as server:
        whole(server, turn_id, undo=True)
        assert held(server.root) == some
        assert files(server, turn_id)["a.py"].reverted_hunks == (FIRST,)
        parts(server, turn_id, FIRST, undo=True)
        assert (server.root / "a.py").read_text() == NEW


def test_a_folder_that_is_away_has_its_changes_again_when_it_is_back(
    start: Start, tmp_path: Path
) -> None:
    with start() as server:
        turn_id = turn(server)
        away = server.root.rename(tmp_path / "away")
        reply = server.send(GetChanges(turn_id=turn_id, path="a.py"))
        assert isinstance(reply, ChangesReply)
        assert not reply.known
        gone = f"What this turn changed can't be read: the folder is gone: {server.root}."
        assert [file.words for file in reply.files] == [reply.words] == [gone]
        with pytest.raises(ChangesGone, match="the folder is gone"):
            whole(server, turn_id)
        away.rename(server.root)
        reply = server.send(GetChanges(turn_id=turn_id, path="a.py"))
        assert isinstance(reply, ChangesReply)
        assert (reply.known, reply.files[0].words) == (True, "")
        assert whole(server, turn_id) == ("a.py", "gone", "new/b.py")


def test_one_cell_of_a_notebook_is_taken_back_where_nobody_changed_it_since(start: Start) -> None:
    cells = '{"cells": [{"source": "x = 1"}, {"source": "y = 1", "outputs": [1.50]}]}'
    changed = cells.replace("x = 1", "x = 2").replace("y = 1", "y = 2")
    first, second = (
        FileHunks(
            path="n.ipynb",
            hunks=(Hunk(old_start=at, old_end=at + 1, new_start=at, new_end=at + 1),),
        )
        for at in (0, 1)
    )
    with start() as server:
        notebook = server.root / "n.ipynb"
        notebook.write_text(cells)
        session = server.open("own")
        turn_id = server.prompt(session, f"write n.ipynb {changed}\nsay Done")
        server.done(session, turn_id)
        server.result(session.turn_files.settled(turn_id))
        assert notebook.read_text() == changed
        server.send(RevertTurn(turn_id=turn_id, hunks=(first,)))
        assert notebook.read_text() == changed.replace("x = 2", "x = 1")
        notebook.write_text(changed.replace("x = 2", "mine"))
        with pytest.raises(ChangesRefused, match=r"n\.ipynb was changed since the turn"):
            server.send(RevertTurn(turn_id=turn_id, hunks=(second,)))
        notebook.write_text(changed.replace("x = 2", "x = 1"))
        server.send(RevertTurn(turn_id=turn_id, hunks=(second,)))
        assert notebook.read_text() == cells
        server.send(RevertTurn(turn_id=turn_id, hunks=(first,), undo=True))
        assert notebook.read_text() == changed.replace("y = 2", "y = 1")


def test_undo_gives_a_private_file_its_bits_again(start: Start) -> None:
    """Also one that the turn made."""
    with start() as server:
        path, made = server.root / "a.py", server.root / "made"
        path.chmod(0o600)
        session = server.open("own")
        turn_id = server.prompt(session, "write a.py x\nprivate made y\ndelete gone")
        server.done(session, turn_id)
        server.result(session.turn_files.settled(turn_id))
        whole(server, turn_id)
        assert not made.exists()
        path.unlink()
        path.write_text(OLD)
        path.chmod(0o644)
        whole(server, turn_id, undo=True)
        assert {stat.S_IMODE(each.stat().st_mode) for each in (path, made)} == {0o600}
