"""What a turn changed in whose middle the server ended: unknown is never taken for none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.api.models.turns import ChangesReply, GetChanges, RevertTurn
from acp_jupyter.errors import ChangesGone
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import TurnState
from tests.support.agents.fake_agent import script
from tests.support.features import of_feature
from tests.support.host.checkpoints import held
from tests.support.host.killed import DiskSteps
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting
from tests.support.wait import eventually

Start = Callable[..., AbstractContextManager[Server]]
LATE = "What was changed in the folder after that may be among these."


@pytest.fixture
def start(tmp_path: Path) -> Start:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text("zero")

    @contextmanager
    def started(limits: Limits = FAST) -> Iterator[Server]:
        config = HostConfig(
            Registry({"own": script("own_tools")}, []),
            root,
            tmp_path / "data",
            limits=limits,
            trust=trusting(tmp_path),
        )
        host = AgentHost(config)
        host.start()
        try:
            yield Server(host, root)
        finally:
            host.stop()

    return started


def begun(server: Server, session: Session, deed: str = "write a.py one") -> str:
    turn_id = server.prompt(session, f"{deed}\nsay Go\nwait")
    eventually(lambda: server.text(session) == "Go")
    return turn_id


def said(server: Server, session: Session, deed: str) -> str:
    turn_id = server.prompt(session, deed)
    server.done(session, turn_id)
    server.result(session.turn_files.settled(turn_id))
    return turn_id


def settled(server: Server, turn_id: str) -> TurnState:
    server.result(server.host.sessions.wake_turn(turn_id))
    session: Session = server.run(lambda: server.host.sessions.of_turn(turn_id))
    server.result(session.turn_files.settled(turn_id))
    return session.transcript.turns[turn_id]


def paths(turn: TurnState) -> list[str]:
    return [] if turn.changes is None else [file.path for file in turn.changes.files]


def killed(tmp_path: Path) -> DiskSteps:
    return DiskSteps(tmp_path / "picture", tmp_path / "ws", tmp_path / "data")


def test_a_server_that_stops_finds_out_what_the_turn_changed(start: Start) -> None:
    with start() as server:
        before = held(server.root)
        turn_id = begun(server, server.open("own"))
    (server.root / "mine.py").write_text("mine")
    with start() as server:
        turn = settled(server, turn_id)
        assert (turn.stop_reason, paths(turn)) == ("error", ["a.py"])
        assert turn.changes is not None
        assert turn.changes.words == ""
        server.send(RevertTurn(turn_id=turn_id))
        (server.root / "mine.py").unlink()
        assert held(server.root) == before


@pytest.mark.parametrize("deed", ["write a.py one", "say Nothing"])
def test_a_killed_one_leaves_that_to_the_next(tmp_path: Path, start: Start, deed: str) -> None:
    picture = killed(tmp_path)
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        first = said(server, session, "write b.py 1")
        turn_id = server.prompt(session, f"{deed}\nsay Go\nwait")
        eventually(lambda: server.text(session).endswith("Go"))
        server.run(session.journal.flush)
        picture.take()
    picture.put_back()
    with start() as server:
        turn = settled(server, turn_id)
        changed = ["a.py"] if "write" in deed else []
        assert (paths(turn), turn.changes_unknown) == (changed, "")
        if turn.changes is not None:
            assert LATE in turn.changes.words
        # Nobody saw who wrote it before the kill: it goes back by its name.
        if changed:
            server.send(RevertTurn(turn_id=turn_id, paths=("a.py",)))
        back = of_feature("rewind_session", session_id=session.session_id, turn_id=first)
        server.send(back or RevertTurn(turn_id=first))
        assert [path.name for path in server.root.iterdir()] == ["a.py"]
        assert (server.root / "a.py").read_text() == "zero"
        assert not any((tmp_path / "data" / "open_turns").iterdir())


def test_what_is_not_known_yet_is_waited_for(tmp_path: Path, start: Start) -> None:
    """Nobody is told that there is nothing to revert."""
    picture = killed(tmp_path)
    with start() as server:
        session = server.open("own")
        turn_id = begun(server, session)
        server.run(session.journal.flush)
        picture.take()
    picture.put_back()
    with start() as server:
        server.send(RevertTurn(turn_id=turn_id, paths=("a.py",)))
        assert (server.root / "a.py").read_text() == "zero"


def test_a_file_whose_name_is_not_utf_8_is_compared_too(tmp_path: Path, start: Start) -> None:
    picture = killed(tmp_path)
    odd = os.fsdecode(b"caf\xe9.txt")
    with start() as server:
        (server.root / odd).write_text("zero")
        session = server.open("own")
        turn_id = begun(server, session)
        (server.root / odd).write_text("other")
        server.run(session.journal.flush)
        picture.take()
    picture.put_back()
    with start() as server:
        turn = settled(server, turn_id)
        assert turn.changes is not None
        told = {file.path: (file.change, file.kept) for file in turn.changes.files}
        assert told == {"a.py": ("modified", True), r"caf\xe9.txt": ("modified", False)}


def test_what_can_not_be_known_is_refused(tmp_path: Path, start: Start) -> None:
    picture = killed(tmp_path)
    with start() as server:
        session = server.open("own", notebook_path="book.ipynb")
        turn_id = begun(server, session)
        server.run(session.journal.flush)
        picture.take()
    picture.put_back()
    for repository in (tmp_path / "data" / "checkpoints").iterdir():
        if repository.is_dir():
            (repository / "HEAD").unlink()  # nothing can be read there
    with start() as server:
        turn = settled(server, turn_id)
        assert turn.changes is None or not turn.changes.revertible
        with pytest.raises(ChangesGone):
            server.send(RevertTurn(turn_id=turn_id))
        assert (server.root / "a.py").read_text() == "one"
        session_id = session.session_id
        if back := of_feature("rewind_session", session_id=session_id, turn_id=turn_id):
            with pytest.raises(ChangesGone):
                server.send(back)
            assert (server.root / "a.py").read_text() == "one"
            server.send(back.model_copy(update={"files": False}))


def test_a_folder_with_too_many_files_has_unknown_changes(start: Start) -> None:
    limits = replace(FAST, scan_files=3, checkpoint_files=3)
    with start(limits) as server:
        for number in range(5):
            (server.root / f"{number}.txt").write_text("x")
        before = held(server.root)
        session = server.open("own", notebook_path="book.ipynb")
        turn_id = said(server, session, "write a.py one")
        turn = session.transcript.turns[turn_id]
        assert turn.changes is None
        assert "The folder has more than 3 files" in turn.changes_unknown
        reply = server.send(GetChanges(turn_id=turn_id))
        assert isinstance(reply, ChangesReply)
        assert reply.words == turn.changes_unknown
        back = of_feature("rewind_session", session_id=session.session_id, turn_id=turn_id)
        for command in filter(None, (RevertTurn(turn_id=turn_id), back)):
            with pytest.raises(ChangesGone, match="The folder has more than 3 files"):
                server.send(command)
        assert held(server.root) == {**before, "a.py": ("file", b"one", before["a.py"][2])}


def test_a_folder_that_gets_too_many_files_in_a_turn_has_unknown_changes(start: Start) -> None:
    """The session itself says so, and all that is written of it."""
    with start(replace(FAST, scan_files=3, checkpoint_files=3)) as server:
        session = server.open("own", notebook_path="book.ipynb")
        deeds = "\n".join(f"write {number}.txt x" for number in range(5))
        turn_id = said(server, session, deeds)
        turn = session.transcript.turns[turn_id]
        words = "The folder has more than 3 files, so changes can't be reverted."
        assert (turn.changes, turn.changes_unknown) == (None, words)
        assert server.notices(session) == [words]
        said(server, session, "write a.py one")
        assert server.notices(session) == [words]  # once is enough


def test_what_a_killed_server_could_not_see_is_said_by_the_next(
    tmp_path: Path, start: Start
) -> None:
    few = replace(FAST, scan_files=5)
    picture = killed(tmp_path)
    with start(few) as server:
        (server.root / ".gitignore").write_text("data/\n")
        (server.root / "data").mkdir()
        for number in range(10):
            (server.root / "data" / f"{number}.txt").write_text("x")
        session = server.open("own", notebook_path="book.ipynb")
        turn_id = begun(server, session, "append data/5.txt 1")
        server.run(session.journal.flush)
        picture.take()
    picture.put_back()
    with start(few) as server:
        turn = settled(server, turn_id)
        assert (turn.changes, turn.changes_unknown) == (None, "")
        session = server.run(lambda: server.host.sessions.of_turn(turn_id))
        assert any(
            words.endswith("A change of a file that git ignores is not listed.")
            for words in server.notices(session)
        )


def test_changes_in_a_folder_that_git_ignores_may_be_too_many_to_see(start: Start) -> None:
    with start(replace(FAST, scan_files=5)) as server:
        (server.root / ".gitignore").write_text("data/\n")
        (server.root / "data").mkdir()
        for number in range(10):
            (server.root / "data" / f"{number}.txt").write_text("x")
        session = server.open("own", notebook_path="book.ipynb")
        for _ in range(2):
            turn_id = said(server, session, "append data/5.txt 1")
            turn = session.transcript.turns[turn_id]
            assert (turn.changes, turn.changes_unknown) == (None, "")
        (words,) = server.notices(session)
        assert words.endswith("A change of a file that git ignores is not listed.")
        turn_id = said(server, session, "write a.py one")
        assert paths(session.transcript.turns[turn_id]) == ["a.py"]
