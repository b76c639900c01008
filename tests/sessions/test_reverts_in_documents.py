"""A whole turn taken back while its files are open in editors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.turns import (
    ChangingSessions,
    ListChangingSessions,
    RevertReply,
    RevertTurn,
)
from acp_jupyter.errors import ChangesRefused, DocumentConflict, FileRefused
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.workspace.agent_files import Documents, SaveResult
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.host_events.session import ChangedFile, FileHunks, Hunk
from tests.support.agents.fake_agent import script
from tests.support.host.checkpoints import held
from tests.support.host.killed import DiskSteps
from tests.support.host.restarts import FAST, Server
from tests.support.host.shared_file import SharedFile
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS, eventually

OLD, NEW = "one\ntwo\n", "ONE\ntwo\n"
FIRST = Hunk(old_start=0, old_end=1, new_start=0, new_end=1)


class Editors:
    """Texts that are open; what is typed is at their ends."""

    def __init__(self) -> None:
        self.open: dict[Path, str] = {}
        self.dirty: set[Path] = set()
        self.why_not = ""
        self.written: Callable[[], object] = bool
        """Called after each write."""

    def type(self, path: Path, words: str) -> None:
        self.open[path] = path.read_text() + words
        self.dirty.add(path)

    async def read(self, path: Path) -> str | None:
        return self.open[path] if path in self.dirty else None

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        if path not in self.open:
            return False
        if self.why_not:
            raise FileRefused(self.why_not)
        mine = self.open[path]
        if base is None or not mine.startswith(base):
            raise DocumentConflict("changed")
        self.open[path] = text + mine.removeprefix(base)
        await asyncio.to_thread(path.write_text, self.open[path])
        self.dirty.discard(path)
        self.written()
        return True

    async def save(self, root: Path) -> SaveResult:
        return SaveResult()


class Turn(Server):
    """One turn on a folder with open files."""

    editors: Editors
    turn_id: str

    def ask(self, text: str, **more: Any) -> None:
        session = self.open("own")
        self.turn_id = self.prompt(session, text, **more)
        self.done(session, self.turn_id)
        self.host.submit(session.turn_files.settled(self.turn_id)).result(PATIENCE_SECONDS)

    def revert(self, *paths: str, **more: Any) -> RevertReply:
        reply = self.send(RevertTurn(turn_id=self.turn_id, paths=paths or None, **more))
        assert isinstance(reply, RevertReply)
        return reply

    @property
    def files(self) -> dict[str, ChangedFile]:
        session = self.host.sessions.of_turn(self.turn_id)
        changes = session.transcript.turns[self.turn_id].changes
        assert changes is not None
        return {file.path: file for file in changes.files}

    def reverted(self) -> list[str]:
        return [path for path, file in self.files.items() if file.reverted]


@contextmanager
def started(tmp_path: Path, documents: Documents) -> Iterator[Turn]:
    config = HostConfig(
        *(Registry({"own": script("own_tools")}, []), tmp_path / "ws", tmp_path / "data"),
        documents=documents,
        limits=FAST,
        trust=trusting(tmp_path),
    )
    host = AgentHost(config)
    host.start()
    try:
        yield Turn(host, tmp_path / "ws")
    finally:
        host.stop()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    for name in ("a.py", "b.py"):
        (root / name).write_text(OLD)
    return root


@pytest.fixture
def turn(tmp_path: Path, root: Path) -> Iterator[Turn]:
    assert root.is_dir()
    editors = Editors()
    with started(tmp_path, editors) as made:
        made.editors = editors
        yield made


BOTH = "write a.py ONE\\ntwo\\n\nwrite b.py ONE\\ntwo\\n\nwrite new x"


def test_what_is_typed_stays_when_all_of_a_turn_goes_and_comes_again(turn: Turn) -> None:
    turn.ask(BOTH)
    a, b = turn.root / "a.py", turn.root / "b.py"
    turn.editors.type(a, "typed\n")
    assert sorted(turn.revert().paths) == ["a.py", "b.py", "new"]
    assert (a.read_text(), b.read_text()) == (OLD + "typed\n", OLD)
    assert not (turn.root / "new").exists()
    assert len(turn.reverted()) == 3
    # What was saved since is changed on disk: it goes through the editor too.
    turn.revert(undo=True)
    assert (a.read_text(), b.read_text()) == (NEW + "typed\n", NEW)
    assert turn.reverted() == []


@pytest.mark.parametrize("undo", [False, True], ids=["revert", "undo"])
def test_a_killed_revert_is_taken_back_in_what_was_saved_with_it(
    tmp_path: Path, root: Path, undo: bool
) -> None:
    picture = DiskSteps(tmp_path / "picture", root, tmp_path / "data")
    editors = Editors()
    with started(tmp_path, editors) as turn:
        turn.ask(BOTH)
        turn_id = turn.turn_id
        if undo:
            turn.revert()
        before = held(root)
        editors.type(root / "a.py", "typed\n")
        editors.written = picture.take
        turn.revert(undo=undo)
        editors.written = bool
    picture.put_back()  # killed once the first file was written
    there = OLD if undo else NEW
    assert (root / "a.py").read_text() == (NEW if undo else OLD) + "typed\n"
    with started(tmp_path, editors) as turn:
        turn.turn_id = turn_id
        turn.result(turn.host.sessions.wake_turn(turn_id))
        assert len(turn.reverted()) == (3 if undo else 0)
        assert (root / "a.py").read_text() == there + "typed\n"
        (root / "a.py").write_text(there)
        assert held(root) == before


def test_what_was_put_back_by_hand_beside_other_lines_is_left_by_undo(
    tmp_path: Path, root: Path
) -> None:
    path = root / "a.py"
    path.write_text("x=0\n\n\ny=0\n")
    shared = SharedFile(path, tmp_path / "spare", lambda _: None, may_save=True)
    with started(tmp_path, shared.documents) as turn:
        turn.ask("set a.py x 1\nwrite b.py 1")
        shared.take_in()
        shared.set("x", "0")
        shared.type(0, 3, "typed", anew=False)
        shared.save()
        for _ in range(2):
            assert sorted(turn.revert().paths) == ["a.py", "b.py"]
            assert shared.text == path.read_text() == "x=0\n\n\ny=0 typed\n"
            turn.revert(undo=True)
            assert shared.text == "x=0\n\n\ny=0 typed\n"
            assert (root / "b.py").read_text() == "1"
            assert turn.reverted() == []
        # What was not put back is done, and undone.
        shared.set("x", "1")
        turn.revert()
        assert shared.text == "x=0\n\n\ny=0 typed\n"
        turn.revert(undo=True)
        assert shared.text == path.read_text() == "x=1\n\n\ny=0 typed\n"


def test_nothing_is_taken_back_where_the_same_was_changed_since(turn: Turn) -> None:
    turn.ask(BOTH)
    a, b = turn.root / "a.py", turn.root / "b.py"
    turn.editors.type(a, "typed\n")
    turn.editors.type(b, "")
    turn.editors.open[b] = "mine\n"
    with pytest.raises(ChangesRefused, match=r"b\.py was changed since the turn"):
        turn.revert()
    assert turn.editors.open == {a: NEW + "typed\n", b: "mine\n"}
    assert (turn.root / "new").exists()
    assert turn.reverted() == []
    # What one editor has taken by then it gets back.
    del turn.editors.open[b]
    turn.editors.dirty.discard(b)
    b.write_text("mine\n")
    with pytest.raises(ChangesRefused, match=r"b\.py was changed since the turn"):
        turn.revert()
    assert turn.editors.open[a] == NEW + "typed\n"
    reply = turn.revert(partial=True)
    assert (sorted(reply.paths), list(reply.refused)) == (["a.py", "new"], ["b.py"])


def test_an_editor_that_can_not_be_changed_says_why(turn: Turn) -> None:
    turn.ask(BOTH)
    turn.editors.type(turn.root / "a.py", "typed\n")
    turn.editors.why_not = "It is read-only."
    with pytest.raises(ChangesRefused, match=r"a\.py could not be changed .*read-only"):
        turn.revert()
    turn.editors.type(turn.root / "new", "typed")
    turn.editors.why_not = ""
    with pytest.raises(ChangesRefused, match="new has changes in an editor that are not saved"):
        turn.revert("new")


def test_what_a_user_did_in_a_document_is_remembered_and_nothing_written(turn: Turn) -> None:
    turn.ask(BOTH)
    parts = (FileHunks(path="a.py", hunks=(FIRST,)),)
    turn.send(RevertTurn(turn_id=turn.turn_id, hunks=parts, in_document=True))
    # Nothing is left of the file's changes: all of it is taken back.
    assert turn.reverted() == ["a.py"]
    assert (turn.root / "a.py").read_text() == NEW
    turn.send(RevertTurn(turn_id=turn.turn_id, hunks=parts, in_document=True, undo=True))
    assert (turn.reverted(), turn.files["a.py"].reverted_hunks) == ([], ())


def test_it_is_known_which_sessions_changed_a_file(turn: Turn) -> None:
    turn.ask("write a.py 1")
    first = turn.host.sessions.of_turn(turn.turn_id).session_id
    turn.ask("write a.py 2\nwrite new x")
    second = turn.host.sessions.of_turn(turn.turn_id).session_id
    found = {}
    for path in ("a.py", "new", "b.py", ""):
        reply = turn.send(ListChangingSessions(path=path))
        assert isinstance(reply, ChangingSessions)
        found[path] = list(reply.session_ids)
    assert found == {"a.py": [first, second], "new": [second], "b.py": [], "": []}


def notebook(*cells: tuple[str, str, str]) -> str:
    made = [
        {
            **{"id": name, "cell_type": "code", "source": source, "outputs": []},
            "metadata": {"acp": {"turn": turn, "agent": "own"}} if turn else {},
        }
        for name, source, turn in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_of_the_turns_own_notebook_only_marked_cells_go(turn: Turn) -> None:
    path = turn.root / "nb.ipynb"
    path.write_text(notebook(("a", "1", ""), ("b", "2", "")))
    session = turn.open("own")
    origin = Origin(notebook_path="nb.ipynb", cell_id="a")
    turn.turn_id = turn.prompt(session, "write new x\nsay Go\nwait", origin=origin)
    eventually(lambda: turn.text(session) == "Go")
    path.write_text(notebook(("a", "typed", ""), ("b", "20", turn.turn_id)))
    turn.run(lambda: session.cancel(turn.turn_id))
    turn.done(session, turn.turn_id)
    turn.host.submit(session.turn_files.settled(turn.turn_id)).result(PATIENCE_SECONDS)
    assert turn.files["nb.ipynb"].kept
    # Nobody has it open: of all that is taken back it is left, by its name it is refused.
    assert turn.revert().paths == ("new",)
    with pytest.raises(ChangesRefused, match="the notebook of this turn: open it"):
        turn.revert("nb.ipynb")
    turn.editors.open[path] = path.read_text()
    assert turn.revert("nb.ipynb").paths == ("nb.ipynb",)
    cells = json.loads(path.read_text())["cells"]
    assert [cell["source"] for cell in cells] == ["typed", "2"]
    turn.revert("nb.ipynb", undo=True)
    assert [cell["source"] for cell in json.loads(path.read_text())["cells"]] == ["typed", "20"]
