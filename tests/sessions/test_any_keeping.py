"""Any sequence of turns in a copy, edits of the folder, Keep, Undo and restarts.

What is right follows from sets of lines, as no line is written twice: what was kept of each turn,
and what a person wrote and removed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from difflib import SequenceMatcher
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.turns import KeepVariant
from acp_jupyter.errors import BadRequest, ChangesRefused
from acp_jupyter.protocol.host_events.session import FileHunks, Hunk
from tests.sessions.test_copy_sandbox import did, opened, turn_of
from tests.sessions.test_sandboxes import needs_walls
from tests.support.agents.fake_agent import script
from tests.support.generated import examples
from tests.support.host.restarts import HostFolders, Server

PATHS = ("a.py", "new.py")
BASE = {"a.py": 20}
"""Files of the folder, and how many lines they have; the other one is the agent's."""
PLACE = st.integers(0, 20)
EDIT = st.tuples(PLACE, st.sampled_from(["replace", "insert", "delete"]))
EDITS = st.lists(EDIT, min_size=2, max_size=4)
SELDOM = st.integers(0, 5).map(lambda number: number == 5)


class FileOfTurn:
    """What a turn made of a file, and which of its changes are kept."""

    def __init__(self, path: str, old: list[str] | None, new: list[str]) -> None:
        self.path, self.is_new = path, old is None
        self.old, self.new = old or [], new
        matcher = SequenceMatcher(None, self.old, new, autojunk=False)
        self.hunks = [
            Hunk(old_start=a, old_end=b, new_start=c, new_end=d)
            for tag, a, b, c, d in matcher.get_opcodes()
            if tag != "equal"
        ]
        self.kept: set[int] = set()

    @property
    def is_all_kept(self) -> bool:
        return len(self.kept) == len(self.hunks)

    def lines(self, number: int) -> tuple[set[str], set[str]]:
        """Return what a change removes and adds."""
        hunk = self.hunks[number]
        removed = self.old[hunk.old_start : hunk.old_end]
        return set(removed), set(self.new[hunk.new_start : hunk.new_end])


class Keeping(RuleBasedStateMachine):
    """One folder, and one session in a copy of it; each server goes on from the last one."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.root = self.top / "ws"
        self.root.mkdir()
        self.written = 0
        self.base = {
            path: [self.line("base") for _ in range(count)] for path, count in BASE.items()
        }
        for path, lines in self.base.items():
            (self.root / path).write_text("".join(lines))
        self.order = {path: list(lines) for path, lines in self.base.items()}
        """All lines that agents have made, in the order that they were in."""
        self.mine: dict[str, set[str]] = {path: set() for path in PATHS}
        self.removed: dict[str, set[str]] = {path: set() for path in PATHS}
        self.turns: dict[str, dict[str, FileOfTurn]] = {}
        self.ending = ExitStack()
        others = {"own": script("own_tools")}
        self.folders = HostFolders(self.root, self.top / "data", ("resume",), others=others)
        self.server: Server

    @initialize()
    def begin(self) -> None:
        self.server = self.ending.enter_context(self.folders.server())
        session = opened(self.server)
        self.session_id = session.session_id
        self.copy = Path(session.state.cwd)

    def teardown(self) -> None:
        self.ending.close()
        shutil.rmtree(self.top, ignore_errors=True)

    def line(self, what: str) -> str:
        self.written += 1
        return f"{what} {self.written}\n"

    def shown(self, path: str) -> list[str]:
        return (self.root / path).read_text().splitlines(keepends=True)

    def edited(self, lines: list[str], edits: list[tuple[int, str]], who: str) -> list[str]:
        made = list(lines)
        for place, how in edits:
            at = place % (len(made) + 1)
            if how == "insert" or at == len(made):
                made.insert(at, self.line(who))
            else:
                made[at : at + 1] = [self.line(who)] if how == "replace" else []
        return made

    def touched(self, path: str) -> bool:
        """Return whether a person has changed a file."""
        return bool(self.mine[path] or self.removed[path])

    def files_of(self, path: str) -> Iterator[FileOfTurn]:
        return (files[path] for files in self.turns.values() if path in files)

    def expected(self, path: str) -> set[str] | None:
        """Return the lines that the folder's file has; None where it has no such file."""
        files = list(self.files_of(path))
        changes = [file.lines(number) for file in files for number in file.kept]
        if path not in self.base and not any(file.is_new and file.kept for file in files):
            return None
        lines = set(self.base.get(path, ()))
        for _, added in changes:
            lines |= added
        for removed, _ in changes:
            lines -= removed
        return (lines | self.mine[path]) - self.removed[path]

    @invariant()
    def folder_has_what_was_kept(self) -> None:
        for path in PATHS:
            expected, there = self.expected(path), (self.root / path).exists()
            assert there == (expected is not None)
            if expected is None:
                continue
            lines = self.shown(path)
            assert sorted(lines) == sorted(expected)
            if not self.touched(path):
                order = self.order[path]
                assert lines == sorted(lines, key=order.index)

    @invariant()
    def turns_say_what_was_kept(self) -> None:
        for turn_id, files in self.turns.items():
            changes = turn_of(self.server, turn_id).changes
            told = () if changes is None else changes.files
            assert {file.path for file in told} == set(files)
            for file in told:
                known = files[file.path]
                kept = {known.hunks[number] for number in known.kept}
                if file.reverted:
                    assert set(file.kept_hunks) == kept
                else:
                    assert set(known.hunks) - set(file.reverted_hunks) == kept

    # -- what happens ---------------------------------------------------------

    @rule(own=EDITS, more=st.one_of(st.none(), EDITS))
    def prompt(self, own: list[tuple[int, str]], more: list[tuple[int, str]] | None) -> None:
        session = self.server.woken(self.session_id)
        edits = {"a.py": own} if more is None else {"a.py": own, "new.py": more}
        found: dict[str, FileOfTurn] = {}
        deeds = []
        for path, each in edits.items():
            there = self.copy / path
            old = there.read_text().splitlines(keepends=True) if there.exists() else None
            new = self.edited(old or [self.line("agent") for _ in range(5)], each, "agent")
            if new in (old, []):
                continue
            found[path] = FileOfTurn(path, old, new)
            self.order[path] = _ordered(self.order.get(path, []), old or [], new)
            deeds.append(f"write {path} {''.join(new)}".replace("\n", "\\n"))
        if deeds:
            self.turns[did(self.server, session, "\n".join(deeds))] = found

    @rule(path=st.sampled_from(PATHS), edits=st.lists(EDIT, min_size=1, max_size=1))
    def edit(self, path: str, edits: list[tuple[int, str]]) -> None:
        """Let a person edit a file of the folder."""
        if not (self.root / path).exists():
            return
        old = self.shown(path)
        new = self.edited(old, edits, "mine")
        (self.root / path).write_text("".join(new))
        self.removed[path] |= set(old) - set(new)
        self.mine[path] = (self.mine[path] | (set(new) - set(old))) - self.removed[path]

    def send(self, command: Command, paths: list[str]) -> bool:
        """Return whether it was done; what is refused has changed nothing."""
        before = {path: self.shown(path) for path in PATHS if (self.root / path).exists()}
        try:
            self.server.send(command)
        except (ChangesRefused, BadRequest) as error:
            assert before == {
                path: self.shown(path) for path in PATHS if (self.root / path).exists()
            }
            others = any(len(list(self.files_of(path))) > 1 for path in paths)
            states = any(word in str(error) for word in ("already", "not kept", "as a whole"))
            assert others or states or any(map(self.touched, paths))
            return False
        return True

    @rule(place=st.integers(0, 50), again=SELDOM)
    def keep_hunk(self, place: int, again: bool) -> None:
        """Keep a change, or take it out; or try what is done already."""
        known = [
            (turn_id, file, at)
            for turn_id, files in self.turns.items()
            for file in files.values()
            for at in range(len(file.hunks))
        ]
        if not known:
            return
        turn_id, file, at = known[place % len(known)]
        undo = (at in file.kept) is not again
        hunks = (FileHunks(path=file.path, hunks=(file.hunks[at],)),)
        if self.send(KeepVariant(turn_id=turn_id, hunks=hunks, undo=undo), [file.path]):
            assert not file.is_new
            assert not again
            file.kept ^= {at}

    @rule(place=PLACE, part=st.one_of(st.none(), PLACE), undo=SELDOM)
    def keep(self, place: int, part: int | None, undo: bool) -> None:
        """Keep one file of a turn, or all; with what earlier turns did to the same files."""
        if not self.turns:
            return
        turn_id = list(self.turns)[place % len(self.turns)]
        named = list(self.turns[turn_id])
        if part is not None:
            named = [named[part % len(named)]]
        paths = tuple(named) if part is not None else None
        if not self.send(KeepVariant(turn_id=turn_id, paths=paths, undo=undo), named):
            return
        if paths is None and not undo:
            # What is kept already takes no earlier turn along.
            named = [path for path in named if not self.turns[turn_id][path].is_all_kept]
        for each, files in self.turns.items():
            for path in named:
                if path in files and (not undo or each == turn_id):
                    file = files[path]
                    file.kept = set() if undo else set(range(len(file.hunks)))
            if each == turn_id:
                break
        if not undo:
            self.expect_shown(turn_id, named)

    def expect_shown(self, turn_id: str, paths: list[str]) -> None:
        """Check that what was kept is what was shown, where nobody else changed the file."""
        later = list(self.turns)[list(self.turns).index(turn_id) + 1 :]
        for path in paths:
            kept_later = any(
                self.turns[each][path].kept for each in later if path in self.turns[each]
            )
            if not kept_later and not self.touched(path):
                assert self.shown(path) == self.turns[turn_id][path].new

    @rule()
    def keep_everything(self) -> None:
        """Nothing is in the way of it where no person has changed these files."""
        for turn_id, files in self.turns.items():
            for path, file in files.items():
                if file.is_all_kept or self.touched(path):
                    continue
                self.server.send(KeepVariant(turn_id=turn_id, paths=(path,)))
                file.kept = set(range(len(file.hunks)))
        for path in PATHS:
            if list(self.files_of(path)) and not self.touched(path):
                assert (self.root / path).read_bytes() == (self.copy / path).read_bytes()

    @rule()
    def restart(self) -> None:
        self.ending.close()
        self.server = self.ending.enter_context(self.folders.server())


def _ordered(order: list[str], old: list[str], new: list[str]) -> list[str]:
    """Return all lines so far in order, with those that a turn added where it added them."""
    made = list(order)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, _, first, last in matcher.get_opcodes():
        if tag != "equal":
            at = made.index(old[start - 1]) + 1 if start else 0
            made[at:at] = new[first:last]
    return made


Keeping.TestCase.settings = settings(examples(5), stateful_step_count=25)
TestKeeping = needs_walls(Keeping.TestCase)
