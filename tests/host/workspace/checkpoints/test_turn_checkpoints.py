"""Revert after any turns, in any order, with links, folders and files that are too large to keep.

What is expected comes from pictures of the disk alone: before and after each turn, and now.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.file_steps import SINCE
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.revert import IN_THE_WAY, Revert, with_renames
from acp_jupyter.host.workspace.checkpoints.turn_checkpoints import FolderScans, TurnCheckpoints
from acp_jupyter.host.workspace.scan import changes, scan
from acp_jupyter.protocol.host_events.session import ChangedFile, TurnChangesNote
from tests.support.generated import examples
from tests.support.host.checkpoints import State, carried_out, held
from tests.support.wait import PATIENCE_SECONDS

MAX = 60
LIMITS = Limits(
    checkpoint_seconds=PATIENCE_SECONDS, scan_seconds=PATIENCE_SECONDS, checkpoint_file_bytes=MAX
)
FEW = Limits(
    checkpoint_seconds=PATIENCE_SECONDS,
    scan_seconds=PATIENCE_SECONDS,
    checkpoint_file_bytes=MAX,
    listed_changes=2,
)
"""A turn changes more than it names."""

PATHS = st.sampled_from(["a", "b", "d", "d/a", "d/b", "d/e/c", "l", "l/x", "é"])
TEXTS = st.sampled_from(["", "one", "two\n" * 5, "x" * MAX, "x" * (MAX + 1)])
TARGETS = st.sampled_from(["a", "d", "l", "nowhere", "../outside/file", "../outside", "/nowhere"])
STEP = st.one_of(
    st.tuples(st.just("write"), PATHS, TEXTS),
    st.tuples(st.just("own"), PATHS, TEXTS),
    st.tuples(st.just("remove"), PATHS, st.just("")),
    st.tuples(st.just("link"), PATHS, TARGETS),
    st.tuples(st.just("folder"), PATHS, st.just("")),
    st.tuples(st.just("move"), PATHS, PATHS),
    st.tuples(st.just("mode"), PATHS, st.sampled_from(["600", "644", "755"])),
)
Step = tuple[str, str, str]
Steps = list[Step]


def do(root: Path, steps: Steps, who: str) -> None:
    """Do each where it can be done."""
    for number, (what, path, more) in enumerate(steps):
        target = root / path
        try:
            match what:
                case "write" | "own":  # the second is found nowhere else
                    if target.is_dir() and not target.is_symlink():
                        shutil.rmtree(target)
                    _make_way(root, path)
                    target.write_text(more if what == "write" else f"{who} {number} {more}")
                case "remove":
                    _remove(target)
                case "link":
                    _make_way(root, path)
                    _remove(target)
                    target.symlink_to(more)
                case "folder":
                    _remove(target)
                    target.mkdir(parents=True)
                case "move":
                    _make_way(root, more)
                    target.rename(root / more)
                case _:
                    target.chmod(int(more, 8))
        except OSError:
            continue


def _make_way(root: Path, path: str) -> None:
    """Make the folders above a path; a file where one must be goes, a link is followed."""
    for above in reversed(Path(path).parents[:-1]):
        if not (root / above).is_dir():
            (root / above).unlink(missing_ok=True)
        (root / above).mkdir(exist_ok=True)


def _remove(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    elif os.path.lexists(target):
        target.unlink()


Leaf = tuple[str, bytes, bool] | None


def leaf(state: State, path: str) -> Leaf:
    """Return a file or a link as git would tell it; folders are nothing."""
    kind, data, mode = state.get(path, ("folder", b"", 0))
    return None if kind == "folder" else (kind, data, bool(mode & 0o100))


def leaves(state: State) -> State:
    return {path: each for path, each in state.items() if each[0] != "folder"}


def too_large(found: Leaf) -> bool:
    return found is not None and found[0] == "file" and len(found[1]) > MAX


@dataclass
class Turn:
    """One that has run: what the disk was like, and what was told of it."""

    turn_id: str
    before: State
    after: State
    note: TurnChangesNote | None
    reverted: frozenset[str] = frozenset()
    """Files that count as taken back."""

    @property
    def changed(self) -> frozenset[str]:
        both = self.before.keys() | self.after.keys()
        return frozenset(p for p in both if leaf(self.before, p) != leaf(self.after, p))

    @property
    def kept(self) -> frozenset[str]:
        """Of those, what can be taken back."""
        return frozenset(
            p
            for p in self.changed
            if not too_large(leaf(self.before, p)) and not too_large(leaf(self.after, p))
        )

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        return () if self.note is None else tuple(f for f in self.note.files if f.kept)


def both_paths(file: ChangedFile) -> frozenset[str]:
    return frozenset(path for path in (file.path, file.old_path) if path)


class Folder:
    """A session's folder in which turns run."""

    def __init__(self, top: Path, limits: Limits) -> None:
        self.root = top / "ws"
        self.outside = top / "outside"
        self.root.mkdir()
        self.outside.mkdir()
        (self.outside / "file").write_text("outside")
        self.limits = limits
        self.keeper = TurnCheckpoints(CheckpointStore(top / "data", limits), self.root)
        self.turns: list[Turn] = []

    def turn(self, steps: Steps) -> None:
        turn_id = uuid.uuid4().hex
        before = scan(self.root, self.limits)
        was = held(self.root)
        self.keeper.before(turn_id, before)
        do(self.root, steps, f"agent {len(self.turns)}")
        now = held(self.root)
        turn = Turn(turn_id, was, now, None)
        after = scan(self.root, self.limits)
        looks = FolderScans(before, after, changes(before, after), edited=turn.changed)
        note = self.keeper.after(turn_id, looks)
        turn.note = note if isinstance(note, TurnChangesNote) else None
        self.turns.append(turn)

    def revert(
        self, turn: Turn, whole: list[ChangedFile], *, undo: bool, partial: bool, alone: bool
    ) -> tuple[set[str], set[str]]:
        """Do what the command does; return what it says of which files, done and refused."""
        trees = self.keeper.checkpoints.trees(turn.turn_id)
        assert trees is not None
        assert turn.note is not None
        everything = turn.note.left_out and not alone
        chosen = None if everything else {p for f in whole for p in both_paths(f)}
        omitted = {f.path for f in turn.note.files if f not in whole}
        if undo:
            modes = {f.path: f.new_mode for f in whole if f.new_mode is not None}
        else:
            modes = {f.old_path or f.path: f.old_mode for f in whole if f.old_mode is not None}
        made = () if undo else turn.note.made_folders
        came_from = {} if undo else {f.path: f.came_from for f in whole if f.came_from}
        with GitObjects(self.keeper.checkpoints.git, PATIENCE_SECONDS) as objects:
            disk = Disk(self.root, self.limits.checkpoint_file_bytes)
            wanted = [
                change
                for change in with_renames(objects.changes(*trees), turn.note.files)
                if (chosen is None or change.path in chosen) and change.path not in omitted
            ]
            reverting = Revert(disk, objects, modes, made, came_from, undo=undo)
            done = carried_out(reverting.plan(wanted, partial=partial), disk, objects)
        assert set(done.refused.values()) <= {SINCE, IN_THE_WAY}
        return set(done.paths), set(done.refused)


def check_told(turn: Turn, *, few: bool) -> None:
    """What changed is told as that, and what can't be taken back says why."""
    note = turn.note
    if note is None:
        assert not turn.changed
        return
    told = {path for file in turn.files for path in both_paths(file)}
    if not note.left_out:
        # What a large file became under another name may be told as not kept.
        large = (p for p in turn.changed if too_large(leaf(turn.before, p)))
        assert told == turn.kept or (any(large) and told < turn.kept)
        unkept = {file.path for file in note.files if not file.kept}
        assert few or unkept >= turn.changed - turn.kept
    assert told <= turn.kept
    if turn.changed - turn.kept and not note.left_out:
        assert "too large, or can't be read" in note.words


def blocked(now: State, back: Iterable[str], gone: Iterable[str]) -> set[str]:
    """Return what can't be put where it was, because something else lies there."""
    left = leaves(now).keys() - set(gone)
    there = {path for path in back for each in left if each.startswith(f"{path}/")}
    above = {path for path in back for each in Path(path).parents if str(each) in left}
    return there | above


@dataclass
class Wish:
    """To take a turn back, or to undo that, and what must come of it."""

    folder: Folder
    turn: Turn
    undo: bool
    partial: bool
    one: int | None = None
    """Which file alone; None for all."""

    def __post_init__(self) -> None:
        turn = self.turn
        self.now, self.outside = held(self.folder.root), held(self.folder.outside)
        self.wanted = turn.after if self.undo else turn.before
        self.files = [f for f in turn.files if not self.undo or f.path in turn.reverted]
        if self.one is not None and self.files:
            self.files = [self.files[self.one % len(self.files)]]
        self.groups = [both_paths(file) for file in self.files]
        """Files that go together: both halves of a rename."""
        self.all_told = turn.note is None or not turn.note.left_out or self.one is not None
        if not self.all_told and self.files:
            self.groups = [frozenset({path}) for path in turn.kept]
        self.touched = {path for group in self.groups for path in group if self._is_touched(path)}
        """What its user has changed since, or where something else lies now."""
        self.meant = self._free()
        """What must be as it was."""
        while more := blocked(self.now, *self._ways()):
            self.touched |= more
            self.meant = self._free()

    def _free(self) -> set[str]:
        free = [group for group in self.groups if not group & self.touched]
        return {path for group in free for path in group}

    def _ways(self) -> tuple[set[str], set[str]]:
        back = {path for path in self.meant if leaf(self.wanted, path) is not None}
        return back, self.meant - back

    def _is_touched(self, path: str) -> bool:
        sides = (self.turn.before, self.turn.after)
        return all(leaf(self.now, path) != leaf(side, path) for side in sides)

    def check(self) -> None:
        if not self.groups:
            return
        try:
            done, refused = self.folder.revert(
                self.turn,
                self.files,
                undo=self.undo,
                partial=self.partial,
                alone=self.one is not None,
            )
        except ChangesRefused:
            self._check_refused()
        else:
            self._check_done(done, refused)
        assert held(self.folder.outside) == self.outside

    def _check_refused(self) -> None:
        """There is a reason, and nothing was changed."""
        assert leaves(held(self.folder.root)) == leaves(self.now)
        assert self.touched
        assert not self.partial

    def _check_done(self, done: set[str], refused: set[str]) -> None:
        turn, after = self.turn, held(self.folder.root)
        assert not self.touched or self.partial
        if self.all_told:
            assert done == self.meant
            assert bool(refused) == bool(self.touched)
        told = {path for file in turn.files for path in both_paths(file)}
        for path in after.keys() | self.now.keys() | self.wanted.keys():
            if path in self.meant:
                assert leaf(after, path) == leaf(self.wanted, path), path
                if path in told and leaf(self.now, path) != leaf(after, path) is not None:
                    assert after[path] == self.wanted[path], f"the mode of {path}"
            elif self.all_told or path not in turn.changed or path in self.touched:
                assert leaves(after).get(path) == leaves(self.now).get(path), path
        paths = {file.path for file in turn.files if both_paths(file) <= self.meant}
        turn.reverted = turn.reverted - paths if self.undo else turn.reverted | paths


ONE = {"revert the first": 0, "revert the second": 1}
ROUND = st.tuples(st.lists(STEP, max_size=5), st.lists(STEP, max_size=5))
AFTERWARDS = st.one_of(
    st.tuples(st.sampled_from(["revert", "undo", *ONE]), st.integers(0, 2), st.booleans()),
    st.tuples(st.just("user"), st.lists(STEP, max_size=3), st.just(False)),
)
Afterwards = tuple[str, int, bool] | tuple[str, Steps, bool]
REVERT: list[Afterwards] = [("revert", 0, False)]
LARGE = "x" * (MAX + 1)


@given(
    st.lists(ROUND, min_size=1, max_size=3),
    st.lists(AFTERWARDS, min_size=1, max_size=6),
    st.booleans(),
)
@example([([("link", "l", "d")], [("remove", "l", ""), ("write", "l/x", "")])], REVERT, False)
@example([([("link", "l", "d")], [("move", "l", "b")])], REVERT, False)
@example([([("write", "l/x", LARGE)], [("link", "l", "a")])], REVERT, False)
@example(
    [
        ([("write", "a", "one")], [("write", "b", "")]),
        ([("write", "a", LARGE)], [("remove", "a", ""), ("write", "a/x", "one")]),
    ],
    [("revert", 1, False)],
    False,
)
@example([([("write", "a", "")], [("move", "a", "b"), ("write", "a", "")])], REVERT, False)
@example([([("write", "b", LARGE)], [("move", "b", "a"), ("write", "a", "")])], REVERT, False)
@example(
    [([("write", "l/x", "one")], [("link", "l", "a")])],
    [*REVERT, ("user", [("folder", "l/x", "")], False), ("undo", 0, False)],
    False,
)
@example([([("write", "a", "")], [("move", "a", "b"), ("link", "a", "nowhere")])], REVERT, False)
@example(
    [([("link", "d", "nowhere")], [("link", "d/a", "d")])],
    [("user", [("own", "d/e/c", ""), ("remove", "d/e/c", "")], False), *REVERT],
    False,
)
@example([([("write", "d", "")], [("write", "d/e/c", LARGE)])], [("revert", 0, True)], False)
@examples(25)
def test_any_turns_in_any_order(
    tmp_path_factory: pytest.TempPathFactory,
    rounds: list[tuple[Steps, Steps]],
    afterwards: list[Afterwards],
    few: bool,
) -> None:
    """What a turn changed is as before it; what its user touched since stays, and is told."""
    top = tmp_path_factory.mktemp("turns")
    folder = Folder(top, FEW if few else LIMITS)
    try:
        for number, (first, second) in enumerate(rounds):
            do(folder.root, first, f"user {number}")
            folder.turn(second)
            check_told(folder.turns[-1], few=few)
        for what, more, partial in afterwards:
            if isinstance(more, list):
                do(folder.root, more, "user afterwards")
            elif more < len(folder.turns):
                one = ONE.get(what)
                Wish(folder, folder.turns[more], what == "undo", partial, one).check()
    finally:
        shutil.rmtree(top)
