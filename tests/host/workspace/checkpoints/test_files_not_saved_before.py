"""Revert and files that were there before the turn without being kept: it never removes them.

What git ignores, and what lies in a repository or an environment of its own, is not kept. An agent
can make it kept, by an edit of `.gitignore` for one; then it is new to the checkpoint only.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.revert import Revert, with_renames
from acp_jupyter.host.workspace.checkpoints.turn_checkpoints import FolderScans, TurnCheckpoints
from acp_jupyter.host.workspace.scan import birthtime_ns, changes, scan
from acp_jupyter.protocol.host_events.session import TurnChangesNote
from tests.support.generated import examples
from tests.support.host.checkpoints import State, carried_out, held
from tests.support.wait import PATIENCE_SECONDS

LIMITS = Limits(checkpoint_seconds=PATIENCE_SECONDS, scan_seconds=PATIENCE_SECONDS)
FEW = Limits(checkpoint_seconds=PATIENCE_SECONDS, scan_seconds=PATIENCE_SECONDS, scan_files=3)
"""So that looking at the folder does not show all of it."""


class Folder:
    """A session's folder in which turns run."""

    def __init__(self, top: Path, limits: Limits = LIMITS) -> None:
        self.root = top / "ws"
        self.root.mkdir(parents=True)
        self.limits = limits
        self.keeper = TurnCheckpoints(CheckpointStore(top / "data", limits), self.root)
        self.note: TurnChangesNote | None = None
        self.turn_id = ""

    def write(self, path: str, text: str = "x") -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def turn(self, deed: Callable[[], object], *edited: str) -> TurnChangesNote | None:
        self.turn_id = uuid.uuid4().hex
        before = scan(self.root, self.limits)
        self.keeper.before(self.turn_id, before)
        deed()
        after = scan(self.root, self.limits)
        looks = FolderScans(before, after, changes(before, after), edited=edited)
        note = self.keeper.after(self.turn_id, looks)
        self.note = note if isinstance(note, TurnChangesNote) else None
        return self.note

    def revert(self) -> None:
        trees = self.keeper.checkpoints.trees(self.turn_id)
        assert trees is not None
        files = () if self.note is None else self.note.files
        modes = {f.old_path or f.path: f.old_mode for f in files if f.old_mode is not None}
        made = () if self.note is None else self.note.made_folders
        came_from = {f.path: f.came_from for f in files if f.came_from}
        with GitObjects(self.keeper.checkpoints.git, PATIENCE_SECONDS) as objects:
            disk = Disk(self.root, self.limits.checkpoint_file_bytes)
            changed = with_renames(objects.changes(*trees), files)
            plan = Revert(disk, objects, modes, made, came_from).plan(changed)
            carried_out(plan, disk, objects)


def nested(folder: Folder, path: str) -> None:
    """Make a repository without any commit."""
    folder.write(f"{path}/.git/HEAD", "ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (folder.root / path / ".git" / name).mkdir()


def unhide(folder: Folder, way: str) -> None:
    """Do what makes `data/measured.csv` kept from now on."""
    root = folder.root
    match way:
        case "a line taken out":
            folder.write(".gitignore", "*.log\n")
        case "an exception":
            folder.write(".gitignore", "data/*\n!data/measured.csv\n")
        case "no file":
            (root / ".gitignore").unlink()
        case "one above it":
            folder.write("data/.gitignore", "!*\n")
            folder.write(".gitignore", "")
        case "moved out":
            (root / "data").rename(root / "kept data")
        case "a repository that goes":
            shutil.rmtree(root / "sub" / ".git")
        case _:
            (root / "env" / "pyvenv.cfg").unlink()


WAYS = (
    "a line taken out",
    "an exception",
    "no file",
    "one above it",
    "moved out",
    "a repository that goes",
    "an environment that goes",
)


@pytest.mark.parametrize("limits", [LIMITS, FEW], ids=["seen whole", "seen in part"])
@pytest.mark.parametrize("way", WAYS)
def test_what_was_there_and_not_kept_stays(tmp_path: Path, way: str, limits: Limits) -> None:
    if way == "moved out" and limits is FEW:
        limits = LIMITS  # a file's way can only be told where all was seen
    folder = Folder(tmp_path, limits)
    folder.write(".gitignore", "data/\n*.log\n")
    folder.write("plain.py", "1\n")
    for path in ("data/measured.csv", "sub/a.py", "env/lib/a.py"):
        folder.write(path, "of weeks")
    (folder.root / "data" / "link").symlink_to("measured.csv")
    nested(folder, "sub")
    folder.write("env/pyvenv.cfg", "home = /usr\n")
    before = held(folder.root)

    def deed() -> None:
        unhide(folder, way)
        folder.write("plain.py", "2\n")
        folder.write("new.py", "3\n")

    note = folder.turn(deed)
    assert note is not None
    told = {file.path for file in note.files}
    assert {"plain.py", "new.py"} <= told <= {"plain.py", "new.py", ".gitignore", "data/.gitignore"}
    folder.revert()
    after = held(folder.root)
    meant = dict(before)
    gone = {
        "a repository that goes": (),
        "an environment that goes": ("env/pyvenv.cfg",),
    }
    for path in gone.get(way, ()):
        del meant[path]
    if way == "moved out":
        moved = {p.replace("data", "kept data", 1): v for p, v in meant.items() if p[:4] == "data"}
        meant = {p: v for p, v in meant.items() if p[:4] != "data"} | moved
    if way == "one above it":
        after.pop("data/.gitignore", None)  # whether it was there can't be told from part of it
    assert after == meant


def test_it_is_said_why_it_is_not_taken_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(".gitignore", "data/\n")
    folder.write("data/measured.csv", "of weeks")

    def deed() -> None:
        (folder.root / ".gitignore").unlink()
        folder.write("data/measured.csv", "of weeks, and an agent's")

    note = folder.turn(deed, "data/measured.csv")
    assert note is not None
    assert [(f.path, f.kept) for f in note.files] == [
        (".gitignore", True),
        ("data/measured.csv", False),
    ]
    assert note.words == (
        "Not kept, so it can't be reverted: data/measured.csv (not kept before this turn)."
    )


def test_a_file_that_replaced_another_is_told_and_not_destroyed(tmp_path: Path) -> None:
    """It was moved in: where it could go back to is not known."""
    folder = Folder(tmp_path)
    folder.write("plain.py", "1\n")
    (tmp_path / "moved.py").write_text("of weeks")
    note = folder.turn(lambda: (tmp_path / "moved.py").replace(folder.root / "plain.py"))
    assert note is not None
    assert [(f.path, f.kept) for f in note.files] == [("plain.py", False)]
    assert note.words == "Not kept: plain.py (not kept before this turn)."
    assert not note.revertible
    folder.revert()
    assert (folder.root / "plain.py").read_text() == "of weeks"


def test_another_session_that_keeps_the_folder_meanwhile_changes_nothing(tmp_path: Path) -> None:
    """They share what is kept: what it brought in is not this turn's."""
    folder = Folder(tmp_path)
    folder.write(".gitignore", "data/\n")
    folder.write("data/measured.csv", "of weeks")

    def deed() -> None:
        (folder.root / ".gitignore").unlink()
        folder.keeper.checkpoints.take(uuid.uuid4().hex, "before")

    folder.turn(deed)
    folder.revert()
    assert (folder.root / "data" / "measured.csv").read_text() == "of weeks"


def test_the_next_turn_can_take_back_what_is_kept_now(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(".gitignore", "data/\n")
    folder.write("data/measured.csv", "of weeks")
    folder.turn((folder.root / ".gitignore").unlink)
    folder.turn(lambda: folder.write("data/measured.csv", "an agent's"))
    folder.revert()
    assert (folder.root / "data" / "measured.csv").read_text() == "of weeks"


def test_what_comes_to_be_ignored_is_not_deleted(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("data/measured.csv", "of weeks")

    def deed() -> None:
        folder.write(".gitignore", "data/\n")
        folder.write("data/new.csv", "ignored")

    note = folder.turn(deed)
    assert note is not None
    assert [(file.path, file.change) for file in note.files] == [(".gitignore", "added")]
    folder.revert()
    assert (folder.root / "data" / "measured.csv").read_text() == "of weeks"


def test_a_pipe_in_place_of_a_gitignore_holds_up_nothing(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("sub/a.py", "1")
    for path in (".gitignore", "sub/.gitignore"):
        os.mkfifo(folder.root / path)
    note = folder.turn(lambda: folder.write("sub/a.py", "2"))
    assert note is not None
    assert (note.revertible, note.words) == (True, "")
    folder.revert()
    assert (folder.root / "sub" / "a.py").read_text() == "1"


PATHS = st.sampled_from(
    [
        *("a", "-b", "é x", "new\nline", "data/a", "data/b", "data/deep/a", "sub/a", "sub/deep/b"),
        *("env/a", "lib/env/a", "x.log", "data/x.log", "A", "data"),
    ]
)
RULES = st.sampled_from(["", "data/\n", "*.log\n", "data/*\n!data/a\n", "sub/\nenv/\n", "*\n"])
MARKS = st.sampled_from(["sub/.git", "env/pyvenv.cfg", "lib/env/pyvenv.cfg", "data/.git"])
STEP = st.one_of(
    st.tuples(st.just("write"), PATHS, st.sampled_from(["", "one", "two\n"])),
    st.tuples(st.just("remove"), PATHS, st.just("")),
    st.tuples(st.just("mode"), PATHS, st.sampled_from(["600", "755", "644"])),
    st.tuples(st.just("move"), PATHS, PATHS),
    st.tuples(st.just("rules"), st.sampled_from(["", "data/", "sub/"]), RULES),
    st.tuples(st.just("mark"), MARKS, st.sampled_from(["make", "remove"])),
)
Step = tuple[str, str, str]


def do(folder: Folder, step: Step, number: str) -> None:  # noqa: C901 - one flat match
    """Do it where it can be done; what is written is found nowhere else."""
    what, path, more = step
    target = folder.root / path
    try:
        match what:
            case "write":
                folder.write(path, f"{number} {more}")
            case "remove" if target.is_dir():
                shutil.rmtree(target)
            case "remove":
                target.unlink()
            case "mode":
                target.chmod(int(more, 8))
            case "move":
                (folder.root / more).parent.mkdir(parents=True, exist_ok=True)
                target.rename(folder.root / more)
            case "rules":
                folder.write(f"{path}.gitignore", more)
            case "mark" if more == "make" and path.endswith(".git"):
                nested(folder, path.removesuffix("/.git"))
            case "mark" if more == "make":
                folder.write(path, "home = /usr\n")
            case "mark" if target.is_dir():
                shutil.rmtree(target)
            case _:
                target.unlink()
    except OSError:
        return


def plain(state: State) -> State:
    return {path: each for path, each in state.items() if each[0] == "file"}


def test_what_comes_from_another_folder_stays(tmp_path: Path) -> None:
    """A move keeps when a file was made, a copy and an archive do not."""
    folder = Folder(tmp_path)
    folder.write("plain.py")
    own, others = tmp_path / "measured.csv", tmp_path / "weeks"
    for path in (own, others / "1.csv"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("of weeks")
        os.utime(path, (1e9, 1e9))
    assert birthtime_ns(own), "this file system does not tell when a file was made"

    def deed() -> None:
        shutil.copy2(own, folder.root / "copy.csv")
        own.rename(folder.root / "measured.csv")
        others.rename(folder.root / "weeks")
        (folder.root / "plain.py").rename(folder.root / "renamed.py")
        (folder.root / "renamed.py").write_text("changed, too")

    note = folder.turn(deed, "measured.csv")
    folder.revert()
    assert held(folder.root).keys() == {"measured.csv", "weeks", "weeks/1.csv", "plain.py"}
    assert note is not None
    assert [f.path for f in note.files if not f.kept] == ["measured.csv"]
    assert "measured.csv, weeks/1.csv (not kept before this turn)" in note.words


@given(st.lists(STEP, max_size=10), st.lists(STEP, max_size=6))
@example([("write", "data/a", "one"), ("rules", "", "data/\n")], [("rules", "", "")])
@example(
    [("write", "a", ""), ("write", "data/a", ""), ("rules", "", "data/\n")],
    [("move", "data/a", "a")],
)
@example(
    [("write", "x.log", ""), ("rules", "", "*.log\n")],
    [("move", "x.log", "a"), ("write", "x.log", "")],
)
@example(
    [("write", "sub/a", ""), ("rules", "", "sub/\nenv/\n")],
    [("mode", "sub/a", "600"), ("move", "sub/a", "a")],
)
@example(
    [("write", "env/a", ""), ("mark", "env/pyvenv.cfg", "make")],
    [("move", "env/a", "a")],
)
@example(
    [("write", "a", ""), ("write", "env/a", ""), ("mark", "env/pyvenv.cfg", "make")],
    [("move", "env/a", "a")],
)
@example([("write", "data", "")], [("remove", "data", ""), ("mark", "data/.git", "make")])
@example(
    [("write", "env/a", "")],
    [("move", "env/a", "data/a"), ("move", "data", "env/a"), ("mark", "env/pyvenv.cfg", "make")],
)
@examples(60)
def test_no_file_that_was_there_is_lost(
    tmp_path_factory: pytest.TempPathFactory, first: list[Step], second: list[Step]
) -> None:
    """What the turn left as it was stays so; what it made goes; what was kept comes back."""
    folder = Folder(tmp_path_factory.mktemp("any"))
    for number, step in enumerate(first):
        do(folder, step, f"user's {number}")
    before = plain(held(folder.root))
    deeds = []

    def deed() -> None:
        for number, step in enumerate(second):
            do(folder, step, f"agent's {number}")
        deeds.append(plain(held(folder.root)))

    folder.turn(deed)
    (done,) = deeds
    files = () if folder.note is None else folder.note.files
    kept = {path for f in files if f.kept for path in (f.path, f.old_path) if path}
    try:
        folder.revert()
    except ChangesRefused:
        # A folder that is not saved stands where a file was, so nothing is taken back.
        assert any((folder.root / path).is_dir() for path in kept)
        kept = set()
        assert plain(held(folder.root)) == done
    now = plain(held(folder.root))
    for path, each in before.items():
        if done.get(path) == each:
            assert now.get(path) == each, f"{path} was not touched"
    contents = {each[1] for each in before.values() if each[1].startswith(b"user's")}
    for path in kept:
        assert now.get(path) == before.get(path), f"{path} was kept"
    assert done.keys() - now.keys() <= kept
    lost = contents - {each[1] for each in now.values()}
    there = {each[1] for each in done.values()}
    assert not lost & there, "what the turn left somewhere is nowhere now"
