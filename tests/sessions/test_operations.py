"""Operations on a folder: all of one or nothing, whatever ends the server in between."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.turns import KeepVariant, RevertReply, RevertTurn
from acp_jupyter.errors import AcpError, ChangesRefused
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.operations.folder_lock import FolderLocks
from acp_jupyter.protocol.host_events.session import FileHunks, Hunk, TurnChanges
from tests.sessions.test_copy_sandbox import did, opened, turn_of
from tests.sessions.test_sandboxes import needs_walls
from tests.support.agents.fake_agent import script
from tests.support.features import of_feature
from tests.support.generated import TIMES
from tests.support.host.checkpoints import State, held
from tests.support.host.killed import DiskSteps
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS, eventually

Start = Callable[[], AbstractContextManager[Server]]
DEEDS = ("write a.py one\nwrite b.py two", "delete gone\nwrite new/c.py three", "rename a.py d.py")


@pytest.fixture
def start(tmp_path: Path) -> Start:
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


def say(server: Server, session: Session, text: str) -> str:
    turn_id = server.prompt(session, text)
    server.done(session, turn_id)
    server.result(session.turn_files.settled(turn_id))
    return turn_id


def changes(server: Server, turn_id: str) -> TurnChanges:
    server.result(server.host.sessions.wake_turn(turn_id))
    found = server.host.sessions.of_turn(turn_id).transcript.turns[turn_id].changes
    assert found is not None
    return found


def reverted(server: Server, turn_id: str) -> list[str]:
    return [file.path for file in changes(server, turn_id).files if file.reverted]


def revert(server: Server, turn_id: str, *, undo: bool = False) -> RevertReply:
    reply = server.send(RevertTurn(turn_id=turn_id, undo=undo))
    assert isinstance(reply, RevertReply)
    return reply


# -- only what was written is undone ------------------------------------------


def test_undo_leaves_what_its_user_had_put_back(start: Start) -> None:
    with start() as server:
        turn_id = say(server, server.open("own"), DEEDS[0])
        (server.root / "a.py").write_text("zero")
        mine = held(server.root)
        assert sorted(revert(server, turn_id).paths) == ["a.py", "b.py"]
        assert changes(server, turn_id).already == ("a.py",)
        revert(server, turn_id, undo=True)
        assert held(server.root) == mine
        assert reverted(server, turn_id) == []
        assert changes(server, turn_id).already == ()
        # To revert again is no Undo.
        (server.root / "a.py").write_text("one")
        revert(server, turn_id)
        revert(server, turn_id, undo=True)
        assert (server.root / "a.py").read_text() == "one"


def test_undo_removes_the_folders_that_were_made_for_what_it_undoes(start: Start) -> None:
    with start() as server:
        for path in ("old/a.py", "old/deep/b.py", "mine/c.py"):
            (server.root / path).parent.mkdir(parents=True, exist_ok=True)
            (server.root / path).write_text("x")
        all_there = held(server.root)
        turn_id = say(server, server.open("own"), "clear old\nclear mine")
        (server.root / "mine").mkdir()
        before = held(server.root)
        revert(server, turn_id)
        assert held(server.root) == all_there
        revert(server, turn_id, undo=True)
        assert held(server.root) == before
        # One file after the other.
        revert(server, turn_id)
        for paths in (("old/a.py",), ("old/deep/b.py", "mine/c.py")):
            assert changes(server, turn_id).put_folders == ("old", "old/deep")
            server.send(RevertTurn(turn_id=turn_id, paths=paths, undo=True))
        assert held(server.root) == before
        assert changes(server, turn_id).put_folders == ()
        # What somebody puts there stays.
        revert(server, turn_id)
        (server.root / "old" / "own.txt").write_text("mine")
        revert(server, turn_id, undo=True)
        assert (server.root / "old" / "own.txt").read_text() == "mine"


def test_a_refused_revert_or_undo_changes_nothing(start: Start) -> None:
    with start() as server:
        turn_id = say(server, server.open("own"), DEEDS[0])
        for undo, old, other in ((False, "zero", None), (True, "one", "two")):
            (server.root / "a.py").write_text(old)  # as it is to be
            (server.root / "b.py").write_text("mine")
            mine = held(server.root)
            with pytest.raises(ChangesRefused, match=r"b\.py was changed since"):
                revert(server, turn_id, undo=undo)
            assert held(server.root) == mine
            if other is None:
                (server.root / "a.py").write_text("one")
                (server.root / "b.py").write_text("two")
                revert(server, turn_id)


# -- one lock for a folder -----------------------------------------------------


def test_whoever_has_the_folder_is_waited_for(start: Start) -> None:
    """It may be another server. A folder above it counts, and one beside it does not."""
    with start() as server:
        turn_id = say(server, server.open("own"), DEEDS[0])
        locks = FolderLocks(server.root.parent / "data" / "checkpoints")
        beside = server.root.parent / "beside"
        for root, waits in ((server.root, True), (server.root.parent, True), (beside, False)):
            undo = bool(reverted(server, turn_id))
            with locks.hold([root], time.monotonic()):
                reverting = server.submit(RevertTurn(turn_id=turn_id, undo=undo))
                if waits:
                    server.run(lambda: None)
                    assert not reverting.done()
                else:
                    reverting.result(PATIENCE_SECONDS)
            reverting.result(PATIENCE_SECONDS)


def test_what_is_taken_back_beside_a_running_turn_is_none_of_its_changes(start: Start) -> None:
    with start() as server:
        first = say(server, server.open("own"), DEEDS[0])
        other = server.open("own")
        running = server.prompt(other, "write e.py 1\nsay Go\nwait")
        eventually(lambda: server.text(other) == "Go")
        revert(server, first)
        server.run(lambda: other.cancel(running))
        server.done(other, running)
        server.result(other.turn_files.settled(running))
        assert [file.path for file in changes(server, running).files] == ["e.py"]
        now = held(server.root)
        revert(server, running)
        assert held(server.root) == {path: said for path, said in now.items() if path != "e.py"}


def test_what_fails_once_it_is_done_takes_nothing_back(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_root: Path, _paths: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with start() as server:
        turn_id = say(server, server.open("own"), DEEDS[0])
        monkeypatch.setattr(server.host.checkpoints, "rebase_running", full)
        revert(server, turn_id)
        assert (server.root / "a.py").read_text() == "zero"
        assert reverted(server, turn_id) == ["a.py", "b.py"]


def test_a_second_server_reverts_nothing_before_the_first_has_ended(start: Start) -> None:
    with start() as second:
        with start() as first:
            session = first.open("own", notebook_path="book.ipynb")
            turn_id = say(first, session, DEEDS[0])
            assert first.result(first.host.sessions.stored()) == ()
            session_id = session.session_id
            first.result(first.host.sessions.save(session))
            mine = held(second.root)
            second.woken(session_id)
            back = of_feature("rewind_session", session_id=session_id, turn_id=turn_id)
            for command in filter(None, (RevertTurn(turn_id=turn_id), back)):
                with pytest.raises(AcpError, match="open in another server"):
                    second.send(command)
            assert held(second.root) == mine
            assert reverted(first, turn_id) == []
        # It takes over what it has shown.
        eventually(lambda: not second.woken(session_id).state.read_only)
        revert(second, turn_id)
        assert reverted(second, turn_id) == ["a.py", "b.py"]
        say(second, second.woken(session_id), "write e.py 1")


# -- a server that is killed -----------------------------------------------------


class Killed:
    """One folder in which a command is sent again and again, each time to another end.

    Parameters
    ----------
    tmp_path
        Holds all.
    start
        Starts a server.
    """

    def __init__(self, tmp_path: Path, start: Start) -> None:
        self._start = start
        folders = tmp_path / "ws", tmp_path / "data"
        self._before = DiskSteps(tmp_path / "before", *folders)
        self._at_end = DiskSteps(tmp_path / "end", *folders)

    def ends(self, command: Command, number: int) -> Iterator[Server]:
        """Yield servers: the first one has carried it out, the others come after a killed one."""
        self._before.take()
        with self._start() as server:
            steps = self._at_end
            self._wake(server, command)
            with steps.watched():
                server.send(command)
            count = steps.count
            steps.take()
        steps.put_back()  # killed as soon as it has answered
        with self._start() as server:
            yield server
        chosen = range(count) if number >= count else range(0, count, count // number)
        for step in chosen:
            self._before.put_back()
            with self._start() as server:
                self._wake(server, command)
                with steps.watched(step):
                    server.send(command)
                if not steps.taken:
                    steps.take()  # it took a step less than before
            steps.put_back()
            with self._start() as server:
                yield server

    def _wake(self, server: Server, command: Command) -> None:
        turn_id = getattr(command, "turn_id", "")
        if turn_id:
            server.result(server.host.sessions.wake_turn(turn_id))
        if session_id := getattr(command, "session_id", ""):
            server.woken(session_id)


@pytest.mark.parametrize("undo", [False, True], ids=["revert", "undo"])
def test_a_killed_revert_is_done_or_was_not_begun(tmp_path: Path, start: Start, undo: bool) -> None:
    with start() as server:
        session = server.open("own")
        turn_id = say(server, session, "\n".join(DEEDS))
        states: list[State] = [held(server.root)]
        revert(server, turn_id)
        states.append(held(server.root))
        if not undo:
            revert(server, turn_id, undo=True)
            assert held(server.root) == states[0]
    paths = ["a.py", "b.py", "d.py", "gone", "new/c.py"]
    ends = Killed(tmp_path, start).ends(RevertTurn(turn_id=turn_id, undo=undo), 5 * TIMES)
    for number, server in enumerate(ends):
        told = sorted(reverted(server, turn_id))
        assert told in ([], paths)
        assert held(server.root) == states[bool(told)]
        if number == 0:
            assert bool(told) is not undo  # it was answered
        if bool(told) is undo:
            revert(server, turn_id, undo=undo)
        assert held(server.root) == states[not undo]
        revert(server, turn_id, undo=not undo)
        assert held(server.root) == states[undo]
        assert not any((tmp_path / "data" / "operations").glob("*.ndjson"))


@needs_walls
@pytest.mark.parametrize("undo", [False, True], ids=["keep", "undo"])
def test_a_killed_keep_of_parts_is_done_or_was_not_begun(
    tmp_path: Path, start: Start, undo: bool
) -> None:
    """Of two files that an agent changed in a copy, with a person's line in one of them."""
    paths, old = ("a.py", "b.py"), "".join(f"{number}\n" for number in range(9))
    new = old.replace("1\n", "one\n").replace("7\n", "seven\n")
    for path in paths:
        (tmp_path / "ws" / path).write_text(old)
    first = Hunk(old_start=1, old_end=2, new_start=1, new_end=2)
    parts = tuple(FileHunks(path=path, hunks=(first,)) for path in paths)
    with start() as server:
        words = new.replace("\n", "\\n")
        turn_id = did(server, opened(server), "\n".join(f"write {path} {words}" for path in paths))
        (server.root / "b.py").write_text(old.replace("5\n", "five\n"))
        states: list[State] = [held(server.root)]
        server.send(KeepVariant(turn_id=turn_id, hunks=parts))
        states.append(held(server.root))
        if not undo:
            server.send(KeepVariant(turn_id=turn_id, hunks=parts, undo=True))
            assert held(server.root) == states[0]
    command = KeepVariant(turn_id=turn_id, hunks=parts, undo=undo)
    for number, server in enumerate(Killed(tmp_path, start).ends(command, 5 * TIMES)):
        changes = turn_of(server, turn_id).changes
        assert changes is not None
        told = sorted(file.path for file in changes.files if file.kept_hunks)
        assert told in ([], [*paths])
        assert held(server.root) == states[bool(told)]
        if number == 0:
            assert bool(told) is not undo  # it was answered
        if bool(told) is undo:
            server.send(command)
        assert held(server.root) == states[not undo]
        assert not any((tmp_path / "data" / "operations").glob("*.ndjson"))


@pytest.mark.parametrize("undo", [False, True], ids=["revert", "undo"])
def test_the_next_start_removes_the_unfinished_file_of_a_killed_process(
    tmp_path: Path, start: Start, undo: bool
) -> None:
    with start() as server:
        turn_id = say(server, server.open("own"), "\n".join(DEEDS[:2]))
        mine = server.root / ".a.py.0123abcd.tmp"  # named as one of ours, and none
        mine.write_text("mine")
        if undo:
            revert(server, turn_id)
        before, root = held(server.root), server.root
    for renamed in range(2):
        words = (str(tmp_path), turn_id, "undo" if undo else "", str(renamed))
        program = (sys.executable, "-m", "tests.support.host.killed_revert", *words)
        assert subprocess.run(program, check=False).returncode == -signal.SIGKILL
        assert len([*root.rglob(".*.tmp")]) == 2
        with start() as server:
            eventually(lambda: [*root.rglob(".*.tmp")] == [mine])
            eventually(lambda: held(root) == before)
            assert reverted(server, turn_id) == (
                ["a.py", "b.py", "gone", "new/c.py"] if undo else []
            )


def test_a_server_that_runs_takes_back_what_one_that_was_killed_had_not_finished(
    tmp_path: Path, start: Start
) -> None:
    """With the first of its sessions that it opens."""
    with start() as server:
        session_id = (session := server.open("own")).session_id
        turn_id = say(server, session, DEEDS[0])
        before = held(server.root)
    with start() as server:
        words = (str(tmp_path), turn_id, "", "0")
        program = (sys.executable, "-m", "tests.support.host.killed_revert", *words)
        assert subprocess.run(program, check=False).returncode == -signal.SIGKILL
        assert held(server.root) != before
        server.woken(session_id)
        assert held(server.root) == before
        assert reverted(server, turn_id) == []
