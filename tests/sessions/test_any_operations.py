"""Any sequence of turns, operations, edits and ends of the server, against pictures of the folder.

What is right is known from pictures alone: what is refused changes nothing, Undo gives back what
was before, what somebody wrote by hand or typed into an open document stays, and after each restart
folder and log agree.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from acp_jupyter.api.models.sessions import RewindReply
from acp_jupyter.api.models.turns import KeepVariant, RevertTurn
from acp_jupyter.errors import AcpError, UnknownTurn
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.workspace.authors import changed_at
from acp_jupyter.host.workspace.running_turns import SavedFile
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from tests.support.agents.fake_agent import script
from tests.support.features import of_feature
from tests.support.generated import examples
from tests.support.host.checkpoints import State, held
from tests.support.host.killed import DiskSteps
from tests.support.host.restarts import FAST, Server
from tests.support.host.shared_file import SharedFile
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS, eventually

NAMES = st.sampled_from(["a.py", "b.py", "new/c.py"])
TEXTS = st.sampled_from(["1", "2", "3"])
HOW = st.sampled_from(["send", "set"])
"""Through the client, and by an own tool."""
DEED = st.one_of(
    st.builds("write {} {}".format, NAMES, TEXTS),
    st.builds("append {} {}".format, st.just("a.py"), TEXTS),
    st.just("delete b.py\nwrite b.py 9"),
    st.builds("write new/c.py {}\nclear new".format, TEXTS),
    st.builds("{} open.py {} {}".format, HOW, st.sampled_from("xy"), TEXTS),
)
OPEN = "x=0\n1\n2\n3\n4\n5\n6\n7\n8\ny=0\n"
"""A file that two pages have open; agents set values in it."""
TYPED = st.tuples(st.integers(0, 1), st.integers(0, 30), st.booleans(), st.booleans())
"""In which page and where, whether a new line, and whether it is saved."""
PLACE = st.integers(0, 30)


def without(text: str, words: Iterable[str]) -> str:
    """Return a text without words that were typed, and without lines of nothing else."""
    typed = frozenset(words)
    lines = ([word for word in line.split(" ") if word not in typed] for line in text.splitlines())
    return "".join(f"{' '.join(line)}\n" for line in lines if line)


def lacking(words: Iterable[str], text: str) -> list[str]:
    """Return the words that are not in a text."""
    return [word for word in words if word not in text]


def touching(text: str, words: Iterable[str]) -> bool:
    """Return whether a word was typed in a line that agents change, or beside one."""
    lines = text.splitlines()
    typed = {at for at, line in enumerate(lines) if not frozenset(words).isdisjoint(line.split())}
    return any("=" in line and typed & {at - 1, at, at + 1} for at, line in enumerate(lines))


def _undo(session_id: str) -> Any:
    return of_feature("undo_rewind", session_id=session_id)


class Operations(RuleBasedStateMachine):
    """One folder and one notebook; each server goes on from what the last one left.

    No rule has a precondition: what an agent has done by the time that its server is killed is not
    the same each time, and Hypothesis wants the same rules to choose from.
    """

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.root = self.top / "ws"
        self.root.mkdir()
        for name in ("a.py", "b.py"):
            (self.root / name).write_text("0")
        self.picture = DiskSteps(self.top / "picture", self.root, self.top / "data")
        self.ending = ExitStack()
        self.turns: list[str] = []
        self.variants: list[str] = []
        self.session_id = ""
        self.notebook = "book.ipynb"
        self.undo: tuple[Any, State, str] | None = None
        """What undoes the last operation, and what folder and document were before that."""
        self.mine: dict[str, str] = {}
        """What a person wrote into files that no agent has changed since."""
        self.written = 0
        self.server: Server
        (self.root / "open.py").write_text(OPEN)
        self.shared: SharedFile
        self.saves: list[Future[None]] = []
        self.typed: list[str] = []
        """What was typed in pages, each a word of its own."""
        self.kept: set[str] = set()
        """What of it has been on disk."""
        self.since: list[str] = []
        """What was typed since the last operation."""

    @initialize(may_save=st.booleans())
    def begin(self, may_save: bool) -> None:
        spare = self.top / "spare"
        path = self.root / "open.py"
        self.shared = SharedFile(path, spare, self.tell_saved, may_save=may_save)
        self.start()

    def start(self) -> None:
        config = HostConfig(
            Registry({"own": script("own_tools")}, []),
            self.root,
            self.top / "data",
            documents=self.shared.documents,
            limits=FAST,
            trust=trusting(self.top),
        )
        host = AgentHost(config)
        host.start()
        self.ending.callback(host.stop)
        self.server = Server(host, self.root)
        if self.session_id:
            self.server.woken(self.session_id)
        else:
            session = self.server.open("own", notebook_path=self.notebook, policy="allow-all")
            self.session_id = session.session_id

    def teardown(self) -> None:
        self.ending.close()
        shutil.rmtree(self.top, ignore_errors=True)

    def turn(self, turn_id: str) -> TurnState:
        server = self.server
        server.result(server.host.sessions.wake_turn(turn_id))
        session = server.run(lambda: server.host.sessions.of_turn(turn_id))
        server.result(session.turn_files.settled(turn_id))
        found: TurnState = session.transcript.turns[turn_id]
        return found

    def told(self) -> dict[str, list[str]]:
        """Return which files are reverted, or not kept, by turn."""
        told: dict[str, list[str]] = {}
        for turn_id in (*self.turns, *self.variants):
            changes = self.turn(turn_id).changes
            files = () if changes is None else changes.files
            told[turn_id] = [file.path for file in files if file.reverted]
        return told

    def send(self, command: Any, back: Callable[[Any], Any] | None) -> None:
        """Send a command. Refused, it has changed nothing; ``back`` makes what undoes it."""
        before, told, shown = held(self.root), self.told(), self.shared.settled
        try:
            reply = self.server.send(command)
        except AcpError:
            self.expect_as(before, shown)
            assert self.told() == told
            return
        self.expect_mine()
        self.undo = None if back is None else (back(reply), before, shown)
        self.since.clear()
        if isinstance(reply, RewindReply):
            self.session_id = reply.session.session_id

    def expect_as(self, before: State, shown: str, since: Iterable[str] = ()) -> None:
        """Folder and document are as they were, but for what was typed since, and saved."""
        now = held(self.root)
        assert without(self.shared.settled, since) == shown
        on_disk = without(now.pop("open.py")[1].decode(), since)
        others = {**before}
        assert on_disk in (others.pop("open.py")[1].decode(), shown)
        assert now == others

    def expect_mine(self) -> None:
        """What a person wrote is on disk."""
        for name, text in self.mine.items():
            assert (self.root / name).read_text() == text

    @invariant()
    def expect_typed(self) -> None:
        """What was typed is in the document, and on disk once it was saved."""
        on_disk = (self.root / "open.py").read_text()
        assert not lacking(self.typed, self.shared.text)
        assert not lacking(self.kept, on_disk)
        self.kept.update(word for word in self.typed if word in on_disk)

    def unmarked(self) -> State:
        """Return the folder, without what was typed."""
        now = held(self.root)
        kind, data, mode = now["open.py"]
        now["open.py"] = kind, without(data.decode(), self.typed).encode(), mode
        return now

    def tell_saved(self, saved: SavedFile) -> None:
        """Tell the host what a page has saved, as the contents manager does; by any thread."""
        host = self.server.host
        self.saves.append(host.submit(host.running_turns.take(saved)))

    def type(self, typed: tuple[int, int, bool, bool]) -> None:
        """Type a word in a page, and save it or not."""
        page, line, anew, saved = typed
        self.written += 1
        word = f"word{self.written:03}"
        self.typed.append(word)
        self.since.append(word)
        self.shared.type(page, line, word, anew=anew)
        if saved:
            self.save_page()

    def save_page(self) -> None:
        """Save the open document, and wait until the host knows."""
        self.shared.save()
        while self.saves:
            self.saves.pop().result(PATIENCE_SECONDS)

    def load_pages(self) -> None:
        """Have the pages take in the file, and save what they show but for words."""
        self.shared.take_in()
        texts = self.shared.text, (self.root / "open.py").read_text()
        if len({without(text, self.typed) for text in texts}) > 1:
            self.save_page()

    def open_again(self) -> None:
        """Open the document anew: of what was typed the disk has what it had before at least."""
        self.shared.open_again()
        self.typed = [word for word in self.typed if word in self.shared.text]

    def write_mine(self, name: str) -> None:
        self.written += 1
        self.mine[name] = f"mine {self.written}"
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(self.mine[name])

    def forget_mine(self, deed: str) -> None:
        """What an agent is told to write is not a person's any more.

        Told what was said before, it does second lines again.
        """
        if self.server.woken(self.session_id).state.branch is not None:
            self.mine.clear()
        self.mine = {
            name: text
            for name, text in self.mine.items()
            if name not in deed and not (name.startswith("new/") and "clear new" in deed)
        }

    def save(self, name: str) -> None:
        """Let a person save a file in a page, while a turn runs."""
        path = self.root / name
        before = (path.read_bytes(), changed_at(str(path))) if path.exists() else (None, None)
        self.write_mine(name)
        saved = SavedFile(str(path), before[0], path.read_bytes(), at=before[1])
        self.server.result(self.server.host.running_turns.take(saved))

    # -- what happens ---------------------------------------------------------

    @rule(deed=DEED)
    def prompt(self, deed: str) -> None:
        session = self.server.woken(self.session_id)
        self.forget_mine(deed)
        turn_id = self.server.prompt(session, deed)
        self.server.done(session, turn_id)
        self.server.result(session.turn_files.settled(turn_id))
        self.expect_mine()
        self.turns.append(turn_id)
        self.undo = None

    @rule(deed=DEED, name=NAMES, stops=st.booleans())
    def prompt_beside_a_person(self, deed: str, name: str, stops: bool) -> None:
        """A person saves a file while the turn waits, which ends then, or by the server's end."""
        session = self.server.woken(self.session_id)
        self.forget_mine(deed)
        self.written += 1
        said, gate = f"Go {self.written}", self.top / f"gate-{self.written}"
        turn_id = self.server.prompt(session, f"{deed}\nsay {said}\nhold {gate}")
        eventually(lambda: self.server.text(session).endswith(said))
        self.save(name)
        if stops:
            self.ending.close()
            self.start()
        else:
            gate.touch()
            self.server.done(session, turn_id)
        gate.touch()
        self.turns.append(turn_id)
        self.undo = None
        turn = self.turn(turn_id)
        assert turn.changes_unknown == ""
        files = () if turn.changes is None else turn.changes.files
        authors = {file.path: file.author for file in files}
        for path in set(authors) - {name}:
            assert authors[path] == "agent"
        # Told what was said before, it may have deleted that file, too.
        if name not in deed and session.state.branch is None:
            assert authors.get(name, "you") == "you"
        self.expect_mine()

    @rule(typed=TYPED)
    def type_in_a_page(self, typed: tuple[int, int, bool, bool]) -> None:
        self.type(typed)

    @rule(name=st.sampled_from("xy"), text=st.sampled_from(["0", "1", "2", "3"]))
    def set_in_a_page(self, name: str, text: str) -> None:
        """Put back by hand what an agent has set, or set something else, and save it."""
        self.shared.set(name, text)
        self.save_page()
        self.undo = None

    @rule(saves=st.booleans())
    def wait_for_the_pages(self, saves: bool) -> None:
        """The pages take in what is on disk, or save what they show."""
        if saves:
            self.save_page()
        else:
            self.shared.take_in()

    @rule(
        how=HOW,
        name=st.sampled_from("xy"),
        text=TEXTS,
        deed=DEED,
        all_typed=st.lists(TYPED, min_size=1, max_size=3),
        later=TYPED,
        then=st.sampled_from(["", "revert", "by hand"]),
    )
    def prompt_beside_pages(
        self,
        how: str,
        name: str,
        text: str,
        deed: str,
        all_typed: list[tuple[int, int, bool, bool]],
        later: tuple[int, int, bool, bool],
        then: str,
    ) -> None:
        """Pages type while the turn waits, and it may be taken back afterwards."""
        session = self.server.woken(self.session_id)
        self.forget_mine(deed)
        self.written += 1
        self.load_pages()
        shown = self.shared.text
        unsaved = lacking(self.typed, (self.root / "open.py").read_text())
        said, gate = f"Go {self.written}", self.top / f"gate-{self.written}"
        change = f"{how} open.py {name} {text}"
        turn_id = self.server.prompt(
            session, f"learn open.py\nsay {said}\nhold {gate}\n{change}\n{deed}"
        )
        eventually(lambda: self.server.text(session).endswith(said))
        for typed in all_typed:
            self.type(typed)
        gate.touch()
        self.server.done(session, turn_id)
        turn = self.turn(turn_id)
        self.turns.append(turn_id)
        self.undo = None
        assert turn.changes_unknown == ""
        self.expect_mine()
        files = () if turn.changes is None else turn.changes.files
        authors = {file.path: file.author for file in files}
        on_disk = (self.root / "open.py").read_text()
        is_set = without(on_disk, self.typed) != without(shown, self.typed)
        expected = {"agent" if is_set else "you"}
        if len(lacking(unsaved, on_disk)) < len(unsaved):
            expected.add("agent")  # what it wrote twice has saved what a page had not
        assert authors.pop("open.py", "you") in expected
        assert set(authors.values()) <= {"agent"}
        self.type(later)
        if then:
            self.take_back(turn_id, shown, then)

    def take_back(self, turn_id: str, shown: str, how: str) -> None:
        """Revert a turn just after its end: what was typed is left, and is no reason to refuse."""
        if how == "by hand":
            self.shared.take_in()  # all of it is put back: a part counts as the agent's after Undo
            for name, value in re.findall(r"(\w)=(\w)", shown):
                self.shared.set(name, value)
            self.save_page()
        command = RevertTurn(turn_id=turn_id)
        undo = command.model_copy(update={"undo": True})
        is_clear = not touching(self.shared.text, self.typed)
        self.send(command, lambda _: undo)
        if self.undo is not None:
            assert without(self.shared.settled, self.typed) == without(shown, self.typed)
        else:
            changes = self.turn(turn_id).changes
            assert not is_clear or changes is None or not changes.revertible
        self.undo_last()

    @rule()
    def rename(self) -> None:
        """The notebook gets another name: its session goes along."""
        old, self.notebook = self.notebook, f"book-{self.written}.ipynb"
        self.written += 1
        self.server.result(self.server.host.sessions.follow(old, self.notebook))
        assert self.server.woken(self.session_id).state.notebook_path == self.notebook

    @rule(name=NAMES, text=st.sampled_from(["", "0", "1", "2"]))
    def edit(self, name: str, text: str) -> None:
        if text:
            self.mine.pop(name, None)
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)
        else:
            self.write_mine(name)
        self.undo = None

    @rule(place=PLACE, undo=st.booleans())
    def revert(self, place: int, undo: bool) -> None:
        if not self.turns:
            return
        turn_id = self.turns[place % len(self.turns)]
        fresh = not any(self.told()[turn_id])
        back = RevertTurn(turn_id=turn_id, undo=not undo)
        self.send(
            RevertTurn(turn_id=turn_id, undo=undo), (lambda _: back) if fresh and not undo else None
        )

    @rule(place=PLACE)
    def go_back(self, place: int) -> None:
        session = self.server.woken(self.session_id)
        order = list(session.transcript.turn_order)
        if order:
            turn_id = order[place % len(order)]
            back = of_feature("rewind_session", session_id=self.session_id, turn_id=turn_id)
            if back is not None:
                self.send(back, lambda reply: _undo(reply.session.session_id))

    @rule(deed=DEED)
    def attempt(self, deed: str) -> None:
        create = of_feature("create_variant", agent="own")
        if create is None:
            return
        state = self.server.send(create)
        assert isinstance(state, SessionState)
        session = self.server.host.sessions[state.session_id]
        self.server.run(lambda: session.set_policy("allow-all"))
        turn_id = self.server.prompt(session, deed)
        self.server.done(session, turn_id)
        self.server.result(session.turn_files.settled(turn_id))
        eventually(lambda: not Path(state.cwd).exists())
        self.variants.append(turn_id)

    @rule(place=PLACE)
    def keep(self, place: int) -> None:
        if not self.variants:
            return
        turn_id = self.variants[place % len(self.variants)]
        changes = self.turn(turn_id).changes
        fresh = changes is not None and all(file.reverted for file in changes.files)
        back = KeepVariant(turn_id=turn_id, undo=True)
        for file in () if changes is None else changes.files:
            self.mine.pop(file.path, None)  # it is asked for by name
        self.send(KeepVariant(turn_id=turn_id), (lambda _: back) if fresh else None)

    @rule()
    def undo_last(self) -> None:
        if self.undo is None:
            return
        command, before, shown = self.undo
        self.undo = None
        now, shown_now = held(self.root), self.shared.settled
        try:
            reply = self.server.send(command)
        except AcpError:
            assert self.since  # somebody has typed in the same lines
            self.expect_as(now, shown_now)
            return
        if isinstance(reply, RewindReply):
            self.session_id = reply.session.session_id
        self.expect_as(before, shown, self.since)

    # -- how the server ends -----------------------------------------------------

    @rule()
    def restart(self) -> None:
        before, told = held(self.root), self.told()
        self.ending.close()
        self.start()
        assert (held(self.root), self.told()) == (before, told)
        self.expect_mine()

    def wanted(self, what: str, place: int, undo: bool) -> Any:
        """Return a command that changes the folder; None where there is nothing to be changed."""
        session = self.server.woken(self.session_id)
        order = list(session.transcript.turn_order)
        if what == "revert" and self.turns:
            return RevertTurn(turn_id=self.turns[place % len(self.turns)], undo=undo)
        if what == "keep" and self.variants:
            return KeepVariant(turn_id=self.variants[place % len(self.variants)], undo=undo)
        if what == "go back" and undo and session.state.branch is not None:
            return _undo(self.session_id)
        if what == "go back" and order:
            turn_id = order[place % len(order)]
            return of_feature("rewind_session", session_id=self.session_id, turn_id=turn_id)
        return None

    @rule(
        what=st.sampled_from(["revert", "keep", "go back"]),
        place=PLACE,
        undo=st.booleans(),
        step=st.integers(0, 60),
    )
    def kill(self, what: str, place: int, undo: bool, step: int) -> None:
        """Kill it at some step of the disk, or once it has answered."""
        command = self.wanted(what, place, undo)
        if command is None:
            return
        if what == "keep":
            self.mine.clear()
        self.load_pages()
        before, told = self.unmarked(), self.told()
        session = self.server.woken(self.session_id)
        self.server.run(session.journal.flush)
        self.server.result(self.server.host.sessions.save(session))
        went_to = self.session_id
        with self.picture.watched(step):
            try:
                reply = self.server.send(command)
            except AcpError:
                assert self.unmarked() == before
            else:
                if isinstance(reply, RewindReply):
                    went_to = reply.session.session_id
        answered = not self.picture.taken
        after, told_after = self.unmarked(), self.told()
        if answered:
            self.picture.take()
        self.ending.close()
        self.picture.put_back()
        self.start()
        is_told = self.told()
        assert (self.unmarked(), is_told) in ((before, told), (after, told_after))
        self.open_again()
        if answered:
            assert is_told == told_after
        if self.server.woken(self.session_id).state.continues_in == went_to:
            self.session_id = went_to
        self.expect_mine()
        self.undo = None

    @rule(deed=DEED, step=st.integers(0, 60))
    def kill_in_a_turn(self, deed: str, step: int) -> None:
        """What a turn has changed is known at the next start, or said to be unknown."""
        self.load_pages()
        before = self.unmarked()
        session = self.server.woken(self.session_id)
        self.server.run(session.journal.flush)
        self.server.result(self.server.host.sessions.save(session))
        self.forget_mine(deed)
        with self.picture.watched(step):
            turn_id = self.server.prompt(session, deed)
            self.server.done(session, turn_id)
            self.server.result(session.turn_files.settled(turn_id))
        if not self.picture.taken:
            self.picture.take()
        self.ending.close()
        self.picture.put_back()
        self.start()
        self.undo = None
        self.expect_mine()
        changed = self.unmarked() != before
        self.open_again()
        try:
            turn = self.turn(turn_id)
        except UnknownTurn:
            assert not changed  # the agent was never asked
            return
        self.turns.append(turn_id)
        files = () if turn.changes is None else turn.changes.files
        assert bool(files or turn.changes_unknown) >= changed


Operations.TestCase.settings = settings(examples(3), stateful_step_count=15)
TestOperations = Operations.TestCase


At = tuple[int, int, bool, bool]


def _beside(how: str, name: str, typed: list[At], later: At) -> tuple[str, dict[str, Any]]:
    given = {"how": how, "name": name, "text": "1", "all_typed": typed, "later": later}
    return "prompt_beside_pages", {**given, "deed": "write a.py 1", "then": ""}


FIRST: At = (0, 0, False, False)
STORIES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "what goes back is at the notebook's newest name": [
        ("rename", {}),
        ("prompt", {"deed": "write a.py 1"}),
        ("rename", {}),
        ("go_back", {"place": 0}),
        ("rename", {}),
    ],
    "a refused going back leaves what was reverted before": [
        _beside("set", "x", [FIRST], FIRST),
        _beside("send", "y", [FIRST], (0, 0, True, False)),
        ("kill", {"what": "go back", "place": 11, "undo": True, "step": 30}),
        _beside("send", "y", [(0, 6, False, True), (0, 1, False, True)], (0, 19, True, False)),
        ("revert", {"place": 28, "undo": True}),
        ("revert", {"place": 19, "undo": False}),
        ("go_back", {"place": 0}),
    ],
}
"""Of those that were found, what every run tries again."""


@pytest.mark.parametrize("story", STORIES)
def test_a_story_that_was_found_once(story: str) -> None:
    machine = Operations()
    try:
        machine.begin(may_save=False)
        for rule_name, given in STORIES[story]:
            getattr(machine, rule_name)(**given)
            machine.expect_typed()
    finally:
        machine.teardown()
