"""Parts of files in a copy are kept: exactly those are in the folder, beside a person's changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_jupyter.api.models.sessions import DeleteSession
from acp_jupyter.api.models.turns import KeepVariant, RevertTurn
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import ChangedFile, FileHunks, Hunk
from tests.sessions.test_copy_sandbox import did, files, opened, turn_of
from tests.sessions.test_sandboxes import needs_walls, server
from tests.support.agents.fake_agent import script
from tests.support.host.checkpoints import held
from tests.support.host.restarts import HostFolders, Server

pytestmark = needs_walls

OLD = [f"line {number}\n" for number in range(1, 13)]
FIRST, SECOND, THIRD = (
    Hunk(old_start=1, old_end=2, new_start=1, new_end=3),
    Hunk(old_start=6, old_end=7, new_start=7, new_end=7),
    Hunk(old_start=12, old_end=12, new_start=12, new_end=13),
)


def made(*parts: str) -> str:
    """Return the text with some of the first turn's changes."""
    lines = list(OLD)
    if "third" in parts:
        lines.append("end\n")
    if "second" in parts:
        del lines[6]
    if "first" in parts:
        lines[1:2] = ["two\n", "two and a half\n"]
    return "".join(lines)


ALL = made("first", "second", "third")


def begun(there: Server) -> tuple[Session, str]:
    """Let an agent change a file in three places; return its session and turn."""
    (there.root / "a.py").write_text(made())
    session = opened(there)
    return session, did(there, session, f"write a.py {escaped(ALL)}\nwrite b.txt b\\n")


def escaped(text: str) -> str:
    return text.replace("\n", "\\n")


def keep(there: Server, turn_id: str, *hunks: Hunk, path: str = "a.py", undo: bool = False) -> None:
    named = (FileHunks(path=path, hunks=hunks),)
    there.send(KeepVariant(turn_id=turn_id, hunks=named, undo=undo))


def file_of(there: Server, turn_id: str, path: str = "a.py") -> ChangedFile:
    changes = turn_of(there, turn_id).changes
    assert changes is not None
    return next(file for file in changes.files if file.path == path)


def test_the_folder_has_exactly_what_was_kept(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        _, turn_id = begun(there)
        path = there.root / "a.py"
        keep(there, turn_id, SECOND)
        assert path.read_text() == made("second")
        keep(there, turn_id, FIRST)
        assert path.read_text() == made("first", "second")
        assert (file_of(there, turn_id).reverted, file_of(there, turn_id).kept_hunks) == (
            True,
            (SECOND, FIRST),
        )
        keep(there, turn_id, SECOND, undo=True)
        assert path.read_text() == made("first")
        keep(there, turn_id, SECOND, THIRD)
        assert path.read_text() == ALL
        assert files(there, turn_id) == {"a.py": True, "b.txt": False}
        keep(there, turn_id, FIRST, undo=True)
        assert path.read_text() == made("second", "third")
        assert file_of(there, turn_id).reverted_hunks == (FIRST,)
        there.send(KeepVariant(turn_id=turn_id))
        assert path.read_text() == ALL
        assert files(there, turn_id) == {"a.py": True, "b.txt": True}
        there.send(KeepVariant(turn_id=turn_id, undo=True))
        assert path.read_text() == made()
        assert file_of(there, turn_id).is_not_kept
        assert not (there.root / "b.txt").exists()


def test_undo_of_all_takes_out_the_parts_too(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        _, turn_id = begun(there)
        keep(there, turn_id, FIRST)
        there.send(RevertTurn(turn_id=turn_id))
        assert (there.root / "a.py").read_text() == made()
        assert file_of(there, turn_id).is_not_kept


def test_what_is_so_already_or_not_there_is_refused(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        _, turn_id = begun(there)
        keep(there, turn_id, FIRST)
        with pytest.raises(ChangesRefused, match=r"This change to a\.py is kept already"):
            keep(there, turn_id, FIRST)
        with pytest.raises(ChangesRefused, match=r"This change to a\.py is not kept"):
            keep(there, turn_id, SECOND, undo=True)
        with pytest.raises(BadRequest, match="overlap"):
            keep(there, turn_id, Hunk(old_start=0, old_end=99, new_start=0, new_end=1))
        with pytest.raises(ChangesRefused, match=r"b\.txt can only be kept as a whole"):
            keep(there, turn_id, FIRST, path="b.txt")
        with pytest.raises(BadRequest, match="did not change"):
            keep(there, turn_id, FIRST, path="c.txt")
        assert (there.root / "a.py").read_text() == made("first")
        (there.root / "a.py").write_text(made("first", "second"))
        with pytest.raises(ChangesRefused, match=r"Nothing was kept: a\.py has this change"):
            keep(there, turn_id, SECOND)
        assert file_of(there, turn_id).kept_hunks == (FIRST,)


def test_what_a_person_changed_elsewhere_stays(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        _, turn_id = begun(there)
        path = there.root / "a.py"
        mine = ("line 10\n", "line 10\nmine\n")
        path.write_text(made().replace(*mine))
        keep(there, turn_id, FIRST)
        assert path.read_text() == made("first").replace(*mine)
        there.send(KeepVariant(turn_id=turn_id, paths=("a.py",)))
        assert path.read_text() == ALL.replace(*mine)
        keep(there, turn_id, SECOND, undo=True)
        assert path.read_text() == made("first", "third").replace(*mine)
        there.send(KeepVariant(turn_id=turn_id, undo=True))
        assert path.read_text() == made().replace(*mine)


@pytest.mark.parametrize("line", ["line 2\n", "line 1\n", "line 3\n"])
def test_what_a_person_changed_there_is_not_overwritten(tmp_path: Path, line: str) -> None:
    """Or in the line before or after it."""
    with server(tmp_path) as there:
        _, turn_id = begun(there)
        path = there.root / "a.py"
        mine = made().replace(line, "mine\n")
        path.write_text(mine)
        with pytest.raises(
            ChangesRefused, match=r"Nothing was kept: a\.py was changed since the copy was made"
        ):
            keep(there, turn_id, FIRST)
        assert path.read_text() == mine
        keep(there, turn_id, SECOND)
        assert path.read_text() == mine.replace("line 7\n", "")
        path.write_text(path.read_text().replace("line 8\n", "mine, too\n"))
        with pytest.raises(ChangesRefused, match=r"Nothing was undone: a\.py was changed since\."):
            keep(there, turn_id, SECOND, undo=True)


def test_a_later_turn_is_kept_without_the_earlier_ones(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session, first = begun(there)
        path = there.root / "a.py"
        later = ALL.replace("line 10\n", "ten\n")
        second = did(there, session, f"write a.py {escaped(later)}")
        ten = Hunk(old_start=9, old_end=10, new_start=9, new_end=10)
        assert (ALL.splitlines()[9], later.splitlines()[9]) == ("line 10", "ten")
        keep(there, second, ten)
        assert path.read_text() == made().replace("line 10\n", "ten\n")
        assert files(there, first) == {"a.py": False, "b.txt": False}
        assert files(there, second) == {"a.py": True}  # it was all of it
        keep(there, first, SECOND)
        assert path.read_text() == made("second").replace("line 10\n", "ten\n")
        keep(there, second, ten, undo=True)
        assert path.read_text() == made("second")
        keep(there, second, ten)
        there.send(KeepVariant(turn_id=first))
        assert path.read_text() == later


def test_a_change_of_an_earlier_change_comes_after_it(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session, first = begun(there)
        path = there.root / "a.py"
        later = ALL.replace("two\n", "zwei\n").replace("line 5\n", "five\n")
        second = did(there, session, f"write a.py {escaped(later)}")
        two, five = (
            Hunk(old_start=1, old_end=2, new_start=1, new_end=2),
            Hunk(old_start=5, old_end=6, new_start=5, new_end=6),
        )
        with pytest.raises(ChangesRefused, match=r"by an earlier turn, which is not kept"):
            keep(there, second, two)
        assert path.read_text() == made()
        keep(there, first, FIRST)
        keep(there, second, two)
        assert path.read_text() == made("first").replace("two\n", "zwei\n")
        with pytest.raises(ChangesRefused, match=r"by a later turn, which is kept"):
            keep(there, first, FIRST, undo=True)
        keep(there, second, five)
        there.send(KeepVariant(turn_id=second, undo=True))
        assert path.read_text() == made("first")
        there.send(KeepVariant(turn_id=second))
        assert path.read_text() == later
        assert files(there, first) == {"a.py": True, "b.txt": False}


def test_of_a_new_file_the_parts_come_after_the_whole(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session, first = begun(there)
        second = did(there, session, f"write b.txt {escaped(made())}")
        third = did(there, session, f"write b.txt {escaped(ALL)}")
        with pytest.raises(ChangesRefused, match=r"b\.txt is not in the folder: keep the whole"):
            keep(there, third, FIRST, path="b.txt")
        there.send(KeepVariant(turn_id=second, paths=("b.txt",)))
        keep(there, third, FIRST, path="b.txt")
        assert (there.root / "b.txt").read_text() == made("first")
        assert files(there, first) == {"a.py": False, "b.txt": True}


def test_a_protected_file_is_listed_and_kept_by_parts_too(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        project = there.root / "pyproject.toml"
        project.write_text(made())
        session = opened(there)
        turn_id = did(
            there, session, f"write pyproject.toml {escaped(ALL)}\nwrite setup.py x\nfolder .vscode"
        )
        assert files(there, turn_id) == {"pyproject.toml": False, "setup.py": False}
        keep(there, turn_id, FIRST, path="pyproject.toml")
        assert project.read_text() == made("first")
        assert not (there.root / "setup.py").exists()
        there.send(KeepVariant(turn_id=turn_id, paths=("setup.py",)))
        assert (there.root / "setup.py").read_text() == "x"


def test_cells_of_a_notebook(tmp_path: Path) -> None:
    def text(*sources: str) -> str:
        return json.dumps({"cells": [{"source": each} for each in sources], "nbformat": 4})

    old, new = text("a", "b", "c", "d", "e"), text("A", "b", "c", "new", "d", "e")
    first, second = (
        Hunk(old_start=0, old_end=1, new_start=0, new_end=1),
        Hunk(old_start=3, old_end=3, new_start=3, new_end=4),
    )
    with server(tmp_path) as there:
        notebook = there.root / "n.ipynb"
        notebook.write_text(old)
        turn_id = did(there, opened(there), f"write n.ipynb {new}")
        keep(there, turn_id, second, path="n.ipynb")
        assert notebook.read_text() == text("a", "b", "c", "new", "d", "e")
        notebook.write_text(text("a", "b", "c", "new", "d", "mine"))
        keep(there, turn_id, first, path="n.ipynb")
        assert json.loads(notebook.read_text()) == json.loads(
            text("A", "b", "c", "new", "d", "mine")
        )
        keep(there, turn_id, second, path="n.ipynb", undo=True)
        assert json.loads(notebook.read_text()) == json.loads(text("A", "b", "c", "d", "mine"))


def test_the_next_server_knows_what_was_kept(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    folders = HostFolders(root, tmp_path / "data", ("resume",), others={"own": script("own_tools")})
    with folders.server() as there:
        session, turn_id = begun(there)
        keep(there, turn_id, FIRST)
    with folders.server() as there:
        assert file_of(there, turn_id).kept_hunks == (FIRST,)
        keep(there, turn_id, THIRD)
        assert (root / "a.py").read_text() == made("first", "third")
        keep(there, turn_id, FIRST, undo=True)
        assert (root / "a.py").read_text() == made("third")
        there.send(DeleteSession(session_id=session.session_id))
        assert (root / "a.py").read_text() == made("third")


def test_a_folder_that_is_away_takes_nothing_until_it_is_back(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session, turn_id = begun(there)
        keep(there, turn_id, FIRST)
        before = held(there.root)
        away = there.root.rename(tmp_path / "away")
        for attempt in (
            lambda: keep(there, turn_id, SECOND),
            lambda: there.send(KeepVariant(turn_id=turn_id)),
            lambda: keep(there, turn_id, FIRST, undo=True),
        ):
            with pytest.raises(ChangesGone, match=r"folder is gone: .*ws\. .*put the folder back"):
                attempt()
        # Work in the copy goes on, and what a turn does there is known once the folder is back.
        second = did(there, session, "append a.py later\\n")
        assert not there.root.exists()
        away.rename(there.root)
        assert held(there.root) == before
        keep(there, turn_id, SECOND)
        assert (there.root / "a.py").read_text() == made("first", "second")
        there.send(KeepVariant(turn_id=second))
        assert (there.root / "a.py").read_text() == f"{ALL}later\n"


def test_another_folder_in_its_place_gets_nothing(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        _, turn_id = begun(there)
        there.root.rename(tmp_path / "away")
        there.root.mkdir()
        (there.root / "a.py").write_text("of another")
        with pytest.raises(ChangesRefused, match=r"a\.py was changed since"):
            keep(there, turn_id, SECOND)
        assert (there.root / "a.py").read_text() == "of another"
