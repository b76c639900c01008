"""Variants of a prompt: copies of the folder that nobody else sees, and what is kept of them."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.errors import (
    BadRequest,
    ChangesGone,
    ChangesRefused,
    DiskRefused,
    FolderNotTrusted,
    SessionImported,
)
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.permission_stores import TrustStore
from acp_jupyter.transcript.model.items import Notice
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.secret_patterns import REDACTED
from tests.support.agents.fake_agent import script
from tests.support.host.checkpoints import held
from tests.support.host.commands import ADAPTER, CommandSender
from tests.support.host.full_disk import full_disk
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.processes import family
from tests.support.wait import PATIENCE_SECONDS, eventually

USER = UserCaller("ada")
KERNEL = KernelCaller("k1", "book.ipynb")
AGENTS = {
    "own": script("own_tools"),
    "other": script("own_tools"),
    "asks": script("permission"),
    "dies": script("dies_mid_turn"),
}


class Try:
    """A host with a folder, in which prompts are tried several ways."""

    def __init__(
        self,
        folder: Path,
        limits: Limits | None = None,
        trust: TrustStore | None = None,
        own_folders: tuple[Path, ...] = (),
    ) -> None:
        self.folder = folder
        self.root = folder / "ws"
        self.root.mkdir(exist_ok=True)
        self.variants = folder / "data" / "variants"
        config = HostConfig(
            Registry(AGENTS, []),
            self.root,
            folder / "data",
            limits=limits or PATIENT,
            trust=trust or trusting(folder),
            own_folders=own_folders,
        )
        self.host = AgentHost(config)
        self.host.start()
        self.sender = CommandSender(self.host, self.root)

    def make(
        self, agent: str = "own", try_id: str = "", caller: Any = USER, **more: Any
    ) -> Session:
        state = self.sender.send(caller, "create_variant", agent=agent, try_id=try_id, **more)
        return self.host.sessions[state.session_id]

    def several(self, *agents: str) -> list[Session]:
        first = self.make(agents[0])
        assert first.state.variant is not None
        return [first, *(self.make(each, first.state.variant.try_id) for each in agents[1:])]

    def begin_to_make(self, **more: Any) -> Future[Any]:
        """Send the command without waiting for its reply."""
        command = ADAPTER.validate_python({"name": "create_variant", "agent": "own", **more})
        return self.host.submit(self.sender.dispatcher.handle(command, USER))

    def refs(self) -> bytes:
        return self.host.checkpoints.of(self.root).git.run("for-each-ref", seconds=PATIENCE_SECONDS)

    def start(self, session: Session, prompt: str) -> str:
        return self.sender.prompt(session, prompt)

    def ended(self, session: Session, turn_id: str) -> TurnState:
        """Wait for all that comes of a turn: its changes are noted, its copy is gone."""
        self.sender.done(session, turn_id)
        eventually(lambda: not session.agent.startable)
        eventually(lambda: not Path(session.state.cwd).exists())
        return session.transcript.turns[turn_id]

    def run(self, session: Session, prompt: str) -> str:
        turn_id = self.start(session, prompt)
        self.ended(session, turn_id)
        return turn_id

    def keep(self, turn_id: str, caller: Any = USER, **more: Any) -> tuple[str, ...]:
        kept: tuple[str, ...] = self.sender.send(
            caller, "keep_variant", turn_id=turn_id, **more
        ).paths
        return kept

    def patch(self, turn_id: str) -> str:
        reply = self.sender.send(USER, "get_changes", turn_id=turn_id, form="patch")
        return str(reply.patch)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Try]:
    found = Try(tmp_path)
    try:
        yield found
    finally:
        found.host.stop()


def fill(root: Path) -> None:
    (root / "a.py").write_bytes(b"one\r\ntwo\r\n")
    (root / "b.bin").write_bytes(b"\0\1\2")
    (root / "gone").write_text("x")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o750)
    (root / "sub").mkdir()
    (root / "sub" / "c.txt").write_text("c\n")
    (root / "sub" / "beside").symlink_to("../a.py")


def test_each_works_in_a_copy_of_its_own(there: Try) -> None:
    """What one appends in place changes neither the folder, nor the store, nor another's copy."""
    fill(there.root)
    before = held(there.root)
    one, two = there.several("own", "own")
    turns = {
        one.session_id: there.start(one, "append a.py 1\ndelete gone\nwait"),
        two.session_id: there.start(two, "append sub/beside 2\nwrite new/d.txt d\nwait"),
    }
    cwds = [Path(each.state.cwd) for each in (one, two)]
    eventually(lambda: (cwds[1] / "new" / "d.txt").exists())
    eventually(lambda: not (cwds[0] / "gone").exists())
    assert (cwds[0] / "a.py").read_bytes() == b"one\r\ntwo\r\n1"
    assert (cwds[1] / "a.py").read_bytes() == b"one\r\ntwo\r\n2"
    assert held(there.root) == before
    for cwd in cwds:
        assert cwd.name == "ws"
        assert cwd.is_relative_to(there.variants)
        assert stat.S_IMODE(cwd.parent.stat().st_mode) == 0o700
        inodes = {p.stat().st_ino for p in cwd.rglob("*") if p.is_file()}
        assert inodes.isdisjoint(p.stat().st_ino for p in there.root.rglob("*") if p.is_file())
        assert stat.S_IMODE((cwd / "run.sh").stat().st_mode) == 0o750
    for session in (one, two):
        there.sender.run(session.cancel)
        there.ended(session, turns[session.session_id])
    assert held(there.root) == before
    eventually(lambda: not list(there.variants.iterdir()))


def test_what_is_kept_is_its_patch(there: Try) -> None:
    """``git apply`` of the patch gives the same folder; undone it is as it was."""
    fill(there.root)
    before = held(there.root)
    session = there.make()
    deeds = "write a.py one\\nthree\\n\nbytes b.bin 00ff00\ndelete gone\nwrite new/d.txt d\\n"
    turn_id = there.run(session, f"{deeds}\nmode run.sh 600\nrename sub/c.txt sub/e.txt\nsay Done")
    assert held(there.root) == before
    applied = there.folder / "applied"
    subprocess.run(["cp", "-a", there.root, applied], check=True)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=applied,
        input=there.patch(turn_id).encode(),
        check=True,
    )
    there.keep(turn_id)
    kept = held(there.root)
    executable = {path: mode & 0o100 for path, (_, _, mode) in kept.items()}
    assert {path: said[:2] for path, said in kept.items()} == {
        path: said[:2] for path, said in held(applied).items()
    }
    assert executable == {path: mode & 0o100 for path, (_, _, mode) in held(applied).items()}
    with pytest.raises(ChangesRefused):
        there.keep(turn_id, paths=["a.py"])  # it is kept already
    there.keep(turn_id, undo=True)
    assert held(there.root) == before


def test_what_was_changed_since_is_not_overwritten(there: Try) -> None:
    fill(there.root)
    turn_id = there.run(there.make(), "append a.py 1\nappend sub/c.txt 1")
    (there.root / "a.py").write_text("mine\n")
    before = held(there.root)
    with pytest.raises(ChangesRefused) as refused:
        there.keep(turn_id)
    assert str(refused.value) == "Nothing was kept: a.py was changed since the copy was made."
    assert held(there.root) == before
    assert there.keep(turn_id, paths=["sub/c.txt"]) == ("sub/c.txt",)


def test_of_two_the_second_is_kept_as_far_as_it_touches_other_files(there: Try) -> None:
    fill(there.root)
    one, two, three = there.several("own", "other", "own")
    first = there.run(one, "append a.py 1\nwrite new/d.txt 1")
    second = there.run(two, "append a.py 2\nwrite new/d.txt 2")
    third = there.run(three, "append b.bin 3")
    there.keep(first)
    with pytest.raises(ChangesRefused) as refused:
        there.keep(second)
    assert "a.py, new/d.txt were changed since the copy was made" in str(refused.value)
    there.keep(third)
    assert (there.root / "a.py").read_bytes() == b"one\r\ntwo\r\n1"
    assert (there.root / "b.bin").read_bytes() == b"\0\1\x023"
    there.keep(first, undo=True)
    there.keep(second)
    assert (there.root / "a.py").read_bytes() == b"one\r\ntwo\r\n2"


def test_undo_of_keep_leaves_what_was_there(there: Try) -> None:
    """Another variant's, or their user's own."""
    fill(there.root)
    one, two = there.several("own", "other")
    first = there.run(one, "write new/d.txt same\nwrite e.txt 1")
    second = there.run(two, "write new/d.txt same\nwrite f.txt 2")
    (there.root / "e.txt").write_text("1")
    there.keep(first)
    before = held(there.root)
    there.keep(second)
    there.keep(second, undo=True)
    assert held(there.root) == before
    there.keep(first, undo=True)
    assert (there.root / "e.txt").read_text() == "1"
    assert not (there.root / "new").exists()


def test_of_two_that_are_kept_at_once_one_is(there: Try) -> None:
    fill(there.root)
    one, two = there.several("own", "other")
    names = [f"x{number}.txt" for number in range(20)]
    turns = [
        there.run(session, "\n".join(f"write {name} {text}" for name in names))
        for session, text in ((one, "1"), (two, "2"))
    ]
    command = [ADAPTER.validate_python({"name": "keep_variant", "turn_id": t}) for t in turns]
    keeping = [there.host.submit(there.sender.dispatcher.handle(c, USER)) for c in command]
    errors = [each.exception(PATIENCE_SECONDS) for each in keeping]
    assert sum(error is None for error in errors) == 1
    assert all(
        error is None or "was changed since" in str(error) or "were changed since" in str(error)
        for error in errors
    )
    kept = "1" if errors[0] is None else "2"
    assert {(there.root / name).read_text() for name in names} == {kept}


def test_all_begin_with_the_files_of_one_moment(there: Try) -> None:
    """Also where the folder has changed, and lost a file, before the next copy is made."""
    fill(there.root)
    first = there.make()
    (there.root / "a.py").write_text("later\n")
    (there.root / "gone").unlink()
    (there.root / "late").write_text("late\n")
    assert first.state.variant is not None
    second = there.make("other", first.state.variant.try_id)
    assert held(Path(first.state.cwd)) == held(Path(second.state.cwd))


def test_what_is_left_out_is_said_and_no_link_leads_out(there: Try) -> None:
    fill(there.root)
    (there.folder / "outside.txt").write_text("mine\n")
    (there.root / ".gitignore").write_text("ignored/\n")
    (there.root / "ignored").mkdir()
    (there.root / "ignored" / "x").write_text("x")
    (there.root / "__pycache__").mkdir()
    (there.root / "__pycache__" / "x.pyc").write_text("x")
    (there.root / "out").symlink_to("../outside.txt")
    (there.root / "absolute").symlink_to(there.root / "a.py")
    (there.root / "by-way-of").symlink_to("away/outside.txt")
    (there.root / "away").symlink_to("..")
    (there.root / "own" / ".git").mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=there.root / "own", check=True)
    (there.root / "own" / "y").write_text("y")
    with (there.root / "huge").open("wb") as file:
        file.truncate(11 * 1024 * 1024)
    session = there.make()
    cwd = Path(session.state.cwd)
    assert session.state.variant is not None
    words = session.state.variant.left_out
    for name in ("absolute", "away", "by-way-of and 1 more"):
        assert name in words
    assert "(a link that leads out of the folder)" in words
    assert "ignored (ignored by git)" in words
    assert "own (a repository of its own)" in words
    assert "__pycache__" not in words
    assert ("huge (too large, or can't be read)" in words) is not (cwd / "huge").exists()
    links = {p.name: os.readlink(p) for p in cwd.rglob("*") if p.is_symlink()}
    assert links == {"beside": "../a.py"}
    assert (cwd / ".git").is_dir()  # git finds none above it
    turn_id = there.run(session, "write out mine\\n\nappend absolute 1")
    assert (there.folder / "outside.txt").read_text() == "mine\n"
    with pytest.raises(ChangesRefused):
        there.keep(turn_id)  # the links are in the way
    assert (there.root / "a.py").read_bytes() == b"one\r\ntwo\r\n"


def test_one_that_dies_leaves_nothing_and_the_others_go_on(there: Try) -> None:
    fill(there.root)
    dies, goes_on = there.several("dies", "own")
    died = there.start(dies, "Go")
    done = there.run(goes_on, "append a.py 1")
    assert there.ended(dies, died).stop_reason == "error"
    with pytest.raises(BadRequest, match="has changed no file"):
        there.keep(died)
    there.keep(done)
    assert not list(there.variants.iterdir())


def test_one_that_asks_waits_alone(there: Try) -> None:
    fill(there.root)
    asks, goes_on = there.several("asks", "own")
    there.sender.run(asks.attach)
    asked = there.start(asks, "Go")
    there.sender.asked(asks)
    assert asks.state.title == "Variant 1"
    there.run(goes_on, "append a.py 1")
    assert asks.state.waiting == 1
    there.sender.answer_open(asks, None)
    there.ended(asks, asked)


def test_a_variant_has_one_turn(there: Try) -> None:
    before = family(os.getpid(), without="git")
    session = there.make()
    turn_id = there.run(session, "write a.py 1")
    with pytest.raises(SessionImported, match="one of several variants"):
        there.start(session, "More")
    eventually(lambda: family(os.getpid(), without="git").keys() <= before.keys())
    # As it is saved: the next server can put it into the folder.
    there.host.stop()
    again = Try(there.folder)
    try:
        assert again.keep(turn_id) == ("a.py",)
        assert (again.root / "a.py").read_text() == "1"
        with pytest.raises(SessionImported):
            again.start(again.host.sessions[session.session_id], "More")
    finally:
        again.host.stop()


def test_a_folder_may_have_any_name(there: Try) -> None:
    folder = there.root / "owner"
    folder.mkdir()
    turn_id = there.run(there.make(cwd=str(folder)), "write a.py 1")
    assert there.keep(turn_id) == ("a.py",)
    assert (folder / "a.py").read_text() == "1"


def test_what_never_got_a_prompt_goes_with_its_session_or_server(tmp_path: Path) -> None:
    there = Try(tmp_path)
    closed, deleted, left = there.several("own", "own", "own")
    there.sender.send(USER, "close_session", session_id=closed.session_id)
    there.sender.send(USER, "delete_session", session_id=deleted.session_id)
    assert [each.name for each in there.variants.iterdir()] == [Path(left.state.cwd).parent.name]
    there.host.stop()
    assert not list(there.variants.iterdir())


def test_what_a_killed_server_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "data" / "variants" / "left"
    (left / "ws" / "closed").mkdir(parents=True)
    (left / "ws" / "closed" / "x").write_text("x")
    (left / "ws" / "closed").chmod(0o500)
    (left / "owner").write_text("0123456789abcdef")
    there = Try(tmp_path)
    try:
        eventually(lambda: not left.exists())
    finally:
        there.host.stop()


def test_what_another_server_uses_stays(there: Try) -> None:
    session = there.make()
    other = Try(there.folder)
    other.make()
    other.host.stop()
    assert Path(session.state.cwd).is_dir()


def test_a_full_disk_is_said_and_leaves_nothing(there: Try) -> None:
    (there.root / "a.bin").write_bytes(os.urandom(300_000))
    first = there.make()  # its checkpoint is kept
    assert first.state.variant is not None
    with full_disk(100_000), pytest.raises(DiskRefused):
        there.make("own", first.state.variant.try_id)
    assert len(list(there.variants.iterdir())) == 1
    assert there.make("own", first.state.variant.try_id).state.variant is not None


def test_one_that_fills_the_disk_does_not_end_the_others(there: Try) -> None:
    fill(there.root)
    fills, goes_on = there.several("own", "other")
    there.run(fills, "write big.bin " + "x" * 200_000 + "\nfail")
    there.keep(there.run(goes_on, "append a.py 1"))
    assert not (there.root / "big.bin").exists()


def test_what_a_deleted_variant_changed_is_kept_no_longer(there: Try) -> None:
    fill(there.root)
    session = there.make()
    with pytest.raises(BadRequest, match="can't be forked"):
        there.sender.send(USER, "fork_session", session_id=session.session_id)
    there.run(session, "append a.py 1")
    there.sender.send(USER, "delete_session", session_id=session.session_id)
    git = there.host.checkpoints.of(there.root).git
    assert git.run("for-each-ref", seconds=PATIENCE_SECONDS) == b""
    assert [each.name for each in git.folder.glob("index*")] == ["index"]


def test_limits(tmp_path: Path) -> None:
    there = Try(tmp_path, replace(PATIENT, copy_bytes=1000, variants=2))
    try:
        (there.root / "a.bin").write_bytes(bytes(2000))
        with pytest.raises(BadRequest, match=r"the limit is 1\.0 kB"):
            there.make()
        assert not list(there.variants.iterdir())
        (there.root / "a.bin").write_bytes(bytes(200))
        one, _ = there.several("own", "own")
        assert one.state.variant is not None
        with pytest.raises(BadRequest, match="can have 2 variants"):
            there.make("own", one.state.variant.try_id)
        with pytest.raises(BadRequest, match="have ended"):
            there.make("own", "unknown")
    finally:
        there.host.stop()


def test_a_copy_is_trusted_as_its_folder_is(tmp_path: Path) -> None:
    there = Try(tmp_path, trust=TrustStore(tmp_path / "trust.json"))
    try:
        with pytest.raises(FolderNotTrusted):
            there.make()
        with pytest.raises(FolderNotTrusted):
            there.make(caller=KERNEL)
        assert not there.variants.exists()
        session = there.make(trust=True)
        trusted = there.sender.send(USER, "list_trust")
        assert [each.path for each in trusted] == [str(there.root)]
        there.run(session, "write a.py 1")
    finally:
        there.host.stop()


def test_a_kernel_keeps_what_its_own_cell_asked_for(there: Try) -> None:
    session = there.make(caller=KERNEL)
    assert not session.tools_on
    sent = there.sender.send(
        KERNEL,
        "prompt",
        session_id=session.session_id,
        prompt="write a.py 1",
        origin={"cell_id": "c"},
    )
    there.ended(session, sent["turn_id"])
    assert there.keep(sent["turn_id"], KERNEL) == ("a.py",)


def test_two_turns_at_once_are_told_apart(there: Try) -> None:
    """In one folder they are not, and say so; in copies of it each says what it has done."""
    fill(there.root)
    one, two = there.several("own", "own")
    beside = there.sender.open("other")
    turns = [
        there.start(one, "append a.py 1\nsay " + "x" * 50),
        there.start(two, "append b.bin 2\nsay " + "x" * 50),
        there.start(beside, "append gone 3\nsay " + "x" * 50),
    ]
    changed = [there.ended(s, t).changes for s, t in zip((one, two), turns, strict=False)]
    assert [c and [f.path for f in c.files] for c in changed] == [["a.py"], ["b.bin"]]
    assert all(c is not None and not c.words for c in changed)
    there.sender.done(beside, turns[2])
    eventually(lambda: beside.transcript.turns[turns[2]].changes)
    found = beside.transcript.turns[turns[2]].changes
    assert found is not None
    assert found.words == ""


def test_a_turn_in_place_has_nothing_to_keep(there: Try) -> None:
    session = there.sender.open("own")
    turn_id = there.sender.prompt(session, "write a.py 1")
    there.sender.done(session, turn_id)
    with pytest.raises(BadRequest, match="nothing to keep"):
        there.keep(turn_id)


REPOSITORY = (
    "write mine/.git/HEAD ref: refs/heads/main\nfolder mine/.git/objects\nfolder mine/.git/refs"
)


@pytest.mark.parametrize(
    ("deeds", "named"),
    [
        ("write a.py 1\nwrite out/x.txt mine", "x.txt"),
        ("write large.txt " + "x" * 2000, "large.txt"),
        (f"{REPOSITORY}\nwrite mine/y.txt mine", "y.txt"),
        ("write out/x.txt mine\nwrite large.txt " + "x" * 2000, "large.txt, x.txt"),
    ],
)
@pytest.mark.parametrize("scan_files", [20_000, 3])
def test_a_copy_stays_while_it_has_what_is_not_stored(
    tmp_path: Path, deeds: str, named: str, scan_files: int
) -> None:
    there = Try(tmp_path, replace(PATIENT, checkpoint_file_bytes=1000, scan_files=scan_files))
    try:
        fill(there.root)
        (there.root / ".gitignore").write_text("out/\n")
        session = there.make()
        cwd = Path(session.state.cwd)
        turn_id = there.start(session, deeds)
        there.sender.done(session, turn_id)
        eventually(lambda: str(cwd) in notices(session))
        if scan_files > 3:
            assert f"could be stored: {named}. It is in {cwd} until" in notices(session)
        assert {path.name for path in cwd.rglob("*")}.issuperset(named.split(", "))
        assert not session.dormant
        there.sender.send(USER, "close_session", session_id=session.session_id)
        assert not cwd.exists()
    finally:
        there.host.stop()


def notices(session: Session) -> str:
    items = session.transcript.window(0, len(session.transcript.items))
    return " ".join(item.text for item in items if item.kind == "notice")


@pytest.mark.parametrize("scan_files", [20_000, 3])
def test_no_copy_stays_for_a_cache_or_what_was_deleted(tmp_path: Path, scan_files: int) -> None:
    there = Try(tmp_path, replace(PATIENT, scan_files=scan_files))
    try:
        fill(there.root)
        session = there.make()
        there.run(session, "write __pycache__/x.pyc 1\ndelete gone\nsay Done")
        assert str(there.variants) not in notices(session)
    finally:
        there.host.stop()


class HeldGit:
    """Holds up the commands of git that have a word, until `go_on`."""

    def __init__(self, folder: Path, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._reached, self._go_on = folder / "reached", folder / "go on"
        git = folder / "bin" / "git"
        git.parent.mkdir()
        waits = (
            f"echo \"$*\" >> '{self._reached}'; until [ -e '{self._go_on}' ]; do sleep 0.01; done"
        )
        git.write_text(
            f'#!/bin/sh\ncase "$*" in *{word}*) {waits};; esac\n'
            f"exec '{shutil.which('git')}' \"$@\"\n"
        )
        git.chmod(0o755)
        monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")

    @property
    def commands(self) -> str:
        return self._reached.read_text() if self._reached.exists() else ""

    def go_on(self) -> None:
        self._go_on.touch()


def test_one_that_is_cancelled_while_the_folder_is_stored_leaves_nothing(
    there: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = HeldGit(there.folder, "update-ref", monkeypatch)
    fill(there.root)
    making = there.begin_to_make()
    eventually(lambda: git.commands)
    making.cancel()
    git.go_on()
    eventually(lambda: " -d " in git.commands)
    eventually(lambda: there.refs() == b"")
    assert not there.variants.exists() or not list(there.variants.iterdir())


def test_one_that_is_cancelled_while_its_place_is_made_leaves_nothing(
    there: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = there.make()
    assert first.state.variant is not None
    git = HeldGit(there.folder, "read-tree", monkeypatch)
    making = there.begin_to_make(try_id=first.state.variant.try_id)
    eventually(lambda: git.commands)
    assert len(list(there.variants.iterdir())) == 2
    making.cancel()
    git.go_on()
    eventually(lambda: len(list(there.variants.iterdir())) == 1)
    there.sender.send(USER, "close_session", session_id=first.session_id)
    assert there.refs() == b""


def test_one_that_is_cancelled_while_it_is_saved_leaves_no_session(there: Try) -> None:
    making: list[Future[Any]] = []
    opened: list[str] = []

    def cancel() -> None:
        opened.extend(there.host.sessions)
        for each in making:
            each.cancel()

    stop = there.host.sessions.on_change(cancel)
    making.append(there.begin_to_make())
    eventually(lambda: opened)
    eventually(lambda: not there.host.sessions)
    stop()
    eventually(lambda: not list(there.variants.iterdir()))
    eventually(lambda: there.refs() == b"")
    assert not there.sender.send(USER, "list_sessions")


def test_secrets_of_the_folder_are_known_in_its_copies(there: Try) -> None:
    (there.root / ".gitignore").write_text(".env\n")
    (there.root / ".env").write_text("DB_PASSWORD=correct-horse\n")
    (there.root / ".envrc").write_text("OTHER_PASSWORD=battery-staple\n")
    session = there.make()
    assert not (Path(session.state.cwd) / ".env").exists()
    there.run(session, "tell correct-horse battery-staple Done")
    assert there.sender.text(session) == f"{REDACTED} {REDACTED} Done"


def test_folders_of_jupyter_are_its_own_in_a_copy_too(tmp_path: Path) -> None:
    own = tuple(tmp_path / "ws" / name for name in ("conf", "edited.txt"))
    there = Try(tmp_path, own_folders=own)
    try:
        (there.root / "conf").mkdir()
        (there.root / "conf" / "a.json").write_text("{}")
        own_tools, asks = there.several("own", "asks")
        assert not (Path(own_tools.state.cwd) / "conf").exists()
        turn_id = there.run(own_tools, "write conf/b.json 1\nwrite a.py 1\nsay Done")
        assert there.keep(turn_id) == ("a.py",)
        # Elsewhere this policy allows it without a question.
        there.sender.run(asks.attach)
        turn_id = there.sender.prompt(asks, "Go", policy="accept-edits")
        there.sender.asked(asks)
        there.sender.answer_open(asks, None)
        there.ended(asks, turn_id)
    finally:
        there.host.stop()


def test_no_checkpoint_is_deleted_while_a_copy_is_in_use(tmp_path: Path) -> None:
    there = Try(tmp_path, replace(PATIENT, checkpoint_store_bytes=1))
    try:
        fill(there.root)
        one, two = there.several("own", "own")
        first = there.run(one, "append a.py 1\nsay Done")
        beside = there.sender.open("own")
        there.sender.done(beside, there.sender.prompt(beside, "say Done"))
        second = there.run(two, "append b.bin 2\nsay Done")
        assert there.keep(first) == ("a.py",)
        there.sender.done(beside, there.sender.prompt(beside, "say Done"))
        with pytest.raises(ChangesGone, match="can't be kept: they were deleted") as gone:
            there.keep(second)
        assert "reverted" not in str(gone.value)
        reply = there.sender.send(USER, "get_changes", turn_id=second)
        assert reply.words == str(gone.value)
    finally:
        there.host.stop()


def test_what_can_not_be_kept_as_its_folder_was_moved_is_not_called_deleted(there: Try) -> None:
    fill(there.root)
    turn_id = there.run(there.make(), "append a.py 1")
    moved = there.root.rename(there.folder / "moved")
    there.root.symlink_to(moved)
    with pytest.raises(ChangesGone, match=r"can't be kept: the folder was moved") as gone:
        there.keep(turn_id)
    assert "too large" not in str(gone.value)
    assert there.sender.send(USER, "get_changes", turn_id=turn_id).words == str(gone.value)
    there.root.unlink()
    there.host.checkpoints.of(there.root).git.discard()
    with pytest.raises(ChangesGone, match="the folder is gone: ") as gone:
        there.keep(turn_id)
    assert "too large" not in str(gone.value)


def test_what_can_not_be_stored_of_a_copy_can_not_be_kept(tmp_path: Path) -> None:
    """Nobody asked to revert anything."""
    there = Try(tmp_path, replace(PATIENT, checkpoint_files=8))
    try:
        fill(there.root)
        deeds = "\n".join(f"write {number}.txt x" for number in range(10))
        session = there.make()
        turn_id = there.start(session, f"append a.py 1\n{deeds}")
        there.sender.done(session, turn_id)
        with pytest.raises(ChangesGone) as gone:
            there.keep(turn_id)
        assert str(gone.value) == "The folder has more than 8 files, so changes can't be kept."
        changes = session.transcript.turns[turn_id].changes
        assert changes is not None
        assert changes.words.startswith(str(gone.value))
    finally:
        there.host.stop()


ODD = os.fsdecode(b"caf\xe9.txt")
READABLE = r"caf\xe9.txt"
"""The same, with the byte written out."""


def changed(session: Session, turn_id: str) -> dict[str, tuple[str, bool, str]]:
    """Return what is told of each changed file; all of it must be JSON."""
    turn = session.transcript.turns[turn_id]
    assert turn.model_dump_json()
    assert turn.changes is not None
    return {file.path: (file.change, file.kept, file.words) for file in turn.changes.files}


def test_a_file_whose_name_is_not_utf_8_is_copied_and_told_of(there: Try) -> None:
    fill(there.root)
    (there.root / ODD).write_text("one\n")
    (there.root / os.fsdecode(b"d\xe9r")).mkdir()
    (there.root / os.fsdecode(b"d\xe9r") / "huge").write_bytes(b"")
    os.truncate(there.root / os.fsdecode(b"d\xe9r") / "huge", 11 * 1024 * 1024)
    session = there.make()
    assert session.state.variant is not None
    cwd = Path(session.state.cwd)
    assert (cwd / ODD).read_text() == "one\n"
    shared = (cwd / os.fsdecode(b"d\xe9r") / "huge").exists()
    assert (r"d\xe9r/huge (too large" in session.state.variant.left_out) is not shared
    turn_id = there.start(session, "append a.py 1\nwait")
    eventually(lambda: (cwd / "a.py").read_bytes().endswith(b"1"))
    (cwd / ODD).write_text("two\n")
    there.sender.run(session.cancel)
    there.sender.done(session, turn_id)
    there.sender.send(USER, "get_changes", turn_id=turn_id)
    assert changed(session, turn_id) == {
        "a.py": ("modified", True, ""),
        READABLE: ("modified", False, "Its name is not in UTF-8."),
    }
    with pytest.raises(ChangesRefused) as refused:
        there.keep(turn_id, paths=[READABLE])
    assert str(refused.value) == f"{READABLE} can't be kept. Its name is not in UTF-8."
    assert there.keep(turn_id) == ("a.py",)
    assert (there.root / ODD).read_text() == "one\n"
    eventually(lambda: READABLE in notices(session))  # its copy stays
    assert (cwd / ODD).read_text() == "two\n"


def test_changes_of_files_whose_names_are_not_utf_8_are_told_in_the_folder_itself(
    there: Try,
) -> None:
    fill(there.root)
    (there.root / ".gitignore").write_text("*.log\n")
    folder = there.root / os.fsdecode(b"d\xe9r")
    folder.mkdir()
    for path in (there.root / ODD, folder / "x.txt", there.root / os.fsdecode(b"\xe9.log")):
        path.write_text("one\n")
    session = there.sender.open("own")
    turn_id = there.start(session, "append a.py 1\nwork go")
    eventually(lambda: (there.root / "a.py").read_bytes().endswith(b"1"))
    (there.root / ODD).unlink()
    (folder / "x.txt").write_text("two\n")
    (there.root / os.fsdecode(b"new\xe9.txt")).write_text("two\n")
    (there.root / os.fsdecode(b"\xe9.log")).write_text("two\n")
    (there.root / "go").touch()
    there.sender.done(session, turn_id)
    there.sender.send(USER, "get_changes", turn_id=turn_id)
    told = changed(session, turn_id)
    told.pop("go", None)
    odd = "Its name is not in UTF-8."
    assert told == {
        "a.py": ("modified", True, ""),
        READABLE: ("deleted", False, odd),
        r"d\xe9r/x.txt": ("modified", False, odd),
        r"new\xe9.txt": ("added", False, odd),
    }
    with pytest.raises(ChangesRefused) as refused:
        there.sender.send(USER, "revert_turn", turn_id=turn_id, paths=[READABLE])
    assert str(refused.value) == f"{READABLE} can't be reverted. {odd}"
    there.sender.send(USER, "revert_turn", turn_id=turn_id)
    assert (there.root / "a.py").read_bytes() == b"one\r\ntwo\r\n"


def test_empty_folders_are_in_a_copy_and_undo_of_keep_leaves_them(there: Try) -> None:
    fill(there.root)
    (there.root / ".gitignore").write_text("ignored/\n")
    for name in ("empty", "sub/deep/er", "kept/out", "ignored/a", "__pycache__", "own/.git/x"):
        (there.root / name).mkdir(parents=True)
    (there.root / "ignored" / "x").write_text("x")
    subprocess.run(["git", "init", "-q"], cwd=there.root / "own", check=True)
    (there.root / "away").symlink_to("sub/deep")
    before = held(there.root)
    session = there.make()
    cwd = Path(session.state.cwd)
    folders = {p.relative_to(cwd).as_posix() for p in cwd.rglob("*") if p.is_dir()}
    mine = {each for each in folders if not each.startswith(".git")}
    assert mine == {"sub", "empty", "sub/deep", "sub/deep/er", "kept", "kept/out", "away"}
    turn_id = there.run(session, "write kept/out/x.txt x\nwrite new/y.txt y")
    assert set(there.keep(turn_id)) == {"kept/out/x.txt", "new/y.txt"}
    assert (there.root / "kept" / "out" / "x.txt").read_text() == "x"
    assert (there.root / "empty").is_dir()
    there.keep(turn_id, undo=True)
    assert held(there.root) == before


def test_no_more_folders_are_copied_than_a_checkpoint_may_have_files(tmp_path: Path) -> None:
    there = Try(tmp_path, replace(PATIENT, checkpoint_files=8))
    try:
        for number in range(20):
            (there.root / f"{number}").mkdir()
        cwd = Path(there.make().state.cwd)
        assert sum(path.name != ".git" for path in cwd.iterdir()) == 8
    finally:
        there.host.stop()


@pytest.mark.parametrize("paths", [None, ["out"]], ids=["all", "by name"])
def test_a_link_that_leads_out_is_not_kept(there: Try, paths: list[str] | None) -> None:
    fill(there.root)
    (there.root / "up").symlink_to("sub")
    session = there.make()
    deeds = "link out ../../outside\nlink far /etc/passwd\nlink in sub/c.txt\nappend a.py 1"
    turn_id = there.run(session, deeds)
    reply = there.sender.send(USER, "keep_variant", turn_id=turn_id, paths=paths)
    left_out = ["far", "out"] if paths is None else paths
    assert reply.refused == dict.fromkeys(left_out, "is a link that leads out of the folder")
    assert set(reply.paths) == ({"a.py", "in"} if paths is None else set())
    assert not any(os.path.lexists(there.root / name) for name in ("out", "far"))
    assert os.path.lexists(there.root / "in") == (paths is None)
    notices = [item.text for item in session.transcript.items if isinstance(item, Notice)]
    assert any("Not kept: " in text and "out is a link that leads out" in text for text in notices)


def test_a_link_that_leads_out_by_another_link_of_the_folder_is_not_kept(there: Try) -> None:
    fill(there.root)
    there.root.joinpath("later").mkdir()
    there.root.joinpath("later/x").touch()
    session = there.make()
    turn_id = there.run(session, "link new later/outside")
    (there.root / "later/x").unlink()
    (there.root / "later").rmdir()
    (there.root / "later").symlink_to("..")  # since
    assert there.sender.send(USER, "keep_variant", turn_id=turn_id).refused == {
        "new": "is a link that leads out of the folder"
    }
