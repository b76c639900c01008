"""The sandbox copy: it lasts as its session does, and what is kept of it is in the folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.sessions import (
    CreateSession,
    DeleteSession,
    ForkSession,
    GetSandboxes,
    SandboxesReply,
    SetConfig,
)
from acp_jupyter.api.models.turns import KeepVariant, PromptSession, RevertTurn
from acp_jupyter.errors import AcpError, BadRequest, ChangesRefused
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.sandbox.levels import Level
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Sandbox
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from tests.sessions.test_sandboxes import LEVEL, NOTEBOOK, needs_walls, server
from tests.support.agents.fake_agent import script
from tests.support.features import of_feature
from tests.support.host.checkpoints import held
from tests.support.host.killed import DiskSteps
from tests.support.host.restarts import HostFolders, Server
from tests.support.wait import eventually

pytestmark = needs_walls


@pytest.fixture
def seen() -> Iterator[Path]:
    """A folder that an agent in a sandbox can see: none for temporary files."""
    home = Path.home()
    made = Path(
        tempfile.mkdtemp(prefix="acp-copy-", dir=home if os.access(home, os.W_OK) else "/opt")
    )
    yield made
    shutil.rmtree(made, ignore_errors=True)


def opened(there: Server, sandbox: Sandbox | None = "copy", **more: object) -> Session:
    state = there.send(
        CreateSession.model_validate(
            {"agent": "own", "sandbox": sandbox, "start": "lazy", "new": True, **more}
        )
    )
    assert isinstance(state, SessionState)
    return there.woken(state.session_id)


def did(there: Server, session: Session, deeds: str, **more: Any) -> str:
    """Let the agent do something; return the turn once it is known what it changed."""
    turn_id = there.prompt(session, deeds, **more)
    assert there.done(session, turn_id).stop_reason == "end_turn"
    there.result(session.turn_files.settled(turn_id))
    return turn_id


def turn_of(there: Server, turn_id: str) -> TurnState:
    there.result(there.host.sessions.wake_turn(turn_id))
    session: Session = there.run(lambda: there.host.sessions.of_turn(turn_id))
    return session.transcript.turns[turn_id]


def files(there: Server, turn_id: str) -> dict[str, bool]:
    """Return what a turn changed, and whether that is in the folder."""
    changes = turn_of(there, turn_id).changes
    return {} if changes is None else {f.path: not f.reverted for f in changes.files}


def fill(root: Path) -> None:
    (root / "a.py").write_text("one\ntwo\n")
    (root / "gone.txt").write_text("x")
    (root / "old.txt").write_text("a text that is long enough to be known again\n" * 5)
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o750)
    (root / "data.bin").write_bytes(b"\0\1\2")
    (root / "sub").mkdir()
    (root / "sub" / "c.txt").write_text("c\n")


DEEDS = (
    "append a.py three\\n\ndelete gone.txt\nrename old.txt new.txt\nwrite sub/new/d.txt d\\n",
    "append a.py four\\n\nappend new.txt more\\n\nbytes data.bin 000102ff\n"
    "write pyproject.toml [project]\\n",
    "write run.sh #!/bin/bash\\n\nlink sub/beside ../a.py\ndelete sub/c.txt",
)


@pytest.mark.parametrize("order", ["each", "last"])
def test_what_is_kept_makes_of_the_folder_what_off_makes_of_it(tmp_path: Path, order: str) -> None:
    found = {}
    for sandbox in ("off", "copy"):
        place = tmp_path / sandbox
        place.mkdir()
        with server(place) as there:
            fill(there.root)
            before = held(there.root)
            session = opened(there, sandbox)
            turns = [did(there, session, each) for each in DEEDS]
            if sandbox == "copy":
                assert held(there.root) == before
                assert all(not kept for t in turns for kept in files(there, t).values())
                for turn_id in turns if order == "each" else reversed(turns):
                    if not all(files(there, turn_id).values()):
                        there.send(KeepVariant(turn_id=turn_id))
                assert all(kept for t in turns for kept in files(there, t).values())
            found[sandbox] = held(there.root)
    assert found["off"] == found["copy"]


def test_a_later_turn_of_a_file_takes_the_earlier_ones_along(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        fill(there.root)
        session = opened(there)
        first = did(there, session, "append a.py three\\n\nwrite b.txt b\\n")
        second = did(there, session, "append a.py four\\n")
        there.send(KeepVariant(turn_id=second))
        assert (there.root / "a.py").read_text() == "one\ntwo\nthree\nfour\n"
        assert files(there, first) == {"a.py": True, "b.txt": False}
        assert not (there.root / "b.txt").exists()
        # Undo goes step by step, the last one first.
        with pytest.raises(ChangesRefused, match=r"Nothing was undone: a\.py .* by a later turn"):
            there.send(KeepVariant(turn_id=first, undo=True))
        there.send(KeepVariant(turn_id=second, undo=True))
        there.send(KeepVariant(turn_id=first, undo=True))
        assert (there.root / "a.py").read_text() == "one\ntwo\n"
        assert files(there, first) == {"a.py": False, "b.txt": False}


def test_one_file_is_kept_and_the_other_is_not(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        fill(there.root)
        turn_id = did(there, opened(there), "append a.py three\\n\nwrite b.txt b\\n")
        there.send(RevertTurn(turn_id=turn_id, paths=("b.txt",), undo=True))
        assert files(there, turn_id) == {"a.py": False, "b.txt": True}
        assert (there.root / "a.py").read_text() == "one\ntwo\n"


def test_what_a_person_changes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        fill(there.root)
        turn_id = did(there, opened(there), "append a.py three\\n\nwrite b.txt b\\n")
        (there.root / "a.py").write_text("mine\n")
        with pytest.raises(ChangesRefused, match=r"Nothing was kept: a\.py was changed since"):
            there.send(KeepVariant(turn_id=turn_id))
        assert (there.root / "a.py").read_text() == "mine\n"
        assert not (there.root / "b.txt").exists()
        there.send(KeepVariant(turn_id=turn_id, paths=("b.txt",)))
        assert (there.root / "b.txt").read_text() == "b\n"


def test_the_next_server_goes_on_in_the_same_copy(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    fill(root)
    folders = HostFolders(root, tmp_path / "data", ("resume",), others={"own": script("own_tools")})
    with folders.server() as there:
        session = opened(there)
        copy = session.state.cwd
        first = did(there, session, "append a.py three\\n")
    with folders.server() as there:
        session = there.woken(session.session_id)
        assert (session.state.cwd, session.state.copied_folder) == (copy, str(root))
        second = did(there, session, "append a.py four\\n")
        assert files(there, first) == {"a.py": False}
        assert (root / "a.py").read_text() == "one\ntwo\n"
        there.send(KeepVariant(turn_id=second))
        assert (root / "a.py").read_text() == "one\ntwo\nthree\nfour\n"
        there.send(DeleteSession(session_id=session.session_id))
        assert not Path(copy).exists()


def test_an_agent_that_resumes_finds_its_session_in_the_copy(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    store = tmp_path / "ws-agent"
    folders = HostFolders(
        root,
        tmp_path / "data",
        ("resume",),
        entry={"sandbox": {"writable": [str(store)], "use": "copy"}},
    )
    with folders.server() as there:
        session = opened(there, None, agent="keeper")
        assert session.state.sandbox == "copy"
        there.done(session, there.prompt(session, "Hello"))
    with folders.server() as there:
        session = there.woken(session.session_id)
        there.done(session, there.prompt(session, "how"))
        assert "resume" in there.text(session)
        assert session.state.history == "whole"


@pytest.mark.parametrize("when", ["in a turn", "after it"])
def test_a_killed_server_loses_nothing(tmp_path: Path, when: str) -> None:
    picture = DiskSteps(tmp_path / "picture", tmp_path / "ws", tmp_path / "data")
    with server(tmp_path) as there:
        fill(there.root)
        session = opened(there)
        if when == "after it":
            turn_id = did(there, session, "append a.py three\\n")
        else:
            turn_id = there.prompt(session, "append a.py three\\n\nsay Go\nwait")
            eventually(lambda: there.text(session).endswith("Go"))
        there.run(session.journal.flush)
        there.result(session.journal.flushed())
        picture.take()
    picture.put_back()
    with server(tmp_path) as there:
        there.result(there.host.sessions.wake_turn(turn_id))
        session = there.run(lambda: there.host.sessions.of_turn(turn_id))
        there.result(session.turn_files.settled(turn_id))
        assert files(there, turn_id) == {"a.py": False}
        there.send(KeepVariant(turn_id=turn_id))
        assert (there.root / "a.py").read_text() == "one\ntwo\nthree\n"


def test_what_a_server_left_that_was_killed_while_it_copied_is_removed(tmp_path: Path) -> None:
    begun = tmp_path / "data" / "sessions" / ("f" * 32)
    (begun / "copy" / "ws").mkdir(parents=True)
    (begun / "copy" / "ws").chmod(0o500)
    with server(tmp_path):
        eventually(lambda: not begun.exists())


def test_nothing_is_left_of_a_copy_that_could_not_be_made(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        fill(there.root)
        with pytest.raises(AcpError):
            opened(there, agent="unknown")
        shutil.rmtree(there.root)
        with pytest.raises(AcpError):
            opened(there)
        sessions = tmp_path / "data" / "sessions"
        assert not sessions.exists() or os.listdir(sessions) == []


HOSTILE = (
    "run echo x > '{root}/planted.py' || true",
    "run rm -rf '{root}'/* || true",
    "run mv '{copy}' '{copy}.moved' || true",
    "run rm -rf '{copy}' && ln -s '{root}' '{copy}' || true",
    "run ln -s '{root}' out && echo x > out/planted.py || true",
    "run ln '{root}/a.py' hard && echo x >> hard || true",
    "run mkdir -p .git/hooks && printf '#!/bin/sh\\ntouch {root}/hooked' > .git/hooks/pre-commit",
    "run cat '{root}/.env' > stolen.txt || true",
    "run kill -9 $PPID $$ || true",
)


@pytest.mark.parametrize("deed", HOSTILE)
def test_an_agent_does_not_get_out_of_its_copy(seen: Path, deed: str) -> None:
    with server(seen) as there:
        fill(there.root)
        (there.root / ".env").write_text("KEY=secret-of-the-folder")
        (there.root / ".gitignore").write_text(".env\n")
        before = held(there.root)
        session = opened(there)
        copy = Path(session.state.cwd)
        turn_id = there.prompt(session, deed.format(root=there.root, copy=copy))
        there.done(session, turn_id)
        there.result(session.turn_files.settled(turn_id))
        assert held(there.root) == before
        assert copy.is_dir()
        assert not copy.is_symlink()
        changed = files(there, turn_id)
        assert not [path for path in changed if path.startswith(".git/")]
        if changed:
            there.send(KeepVariant(turn_id=turn_id))
        for path in ("planted.py", "hooked", "out", ".git"):
            assert not os.path.lexists(there.root / path)
        stolen = there.root / "stolen.txt"
        assert not stolen.exists() or "secret" not in stolen.read_text()


def test_the_card_of_a_wall_offers_nothing_outside_of_the_copy(seen: Path) -> None:
    with server(seen, {"own": script("runs_commands")}) as there:
        fill(there.root)
        session = opened(there)
        did(there, session, f"echo x >> {there.root}/a.py")
        items = session.transcript.items
        (wall,) = [item.wall for item in items if item.kind == "tool_call" and item.wall]
        assert "keeps what is outside the agent's copy from changes" in wall.words
        assert wall.offers == ""


def test_a_session_stays_in_its_copy_or_out_of_one(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        copy, plain = opened(there), opened(there, "folder")
        wrong: tuple[tuple[Session, Sandbox], ...] = (
            (copy, "folder"),
            (copy, "off"),
            (plain, "copy"),
        )
        for session, sandbox in wrong:
            sent = (
                PromptSession(session_id=session.session_id, prompt="Hi", sandbox=sandbox),
                SetConfig(session_id=session.session_id, sandbox=sandbox),
            )
            for command in sent:
                with pytest.raises(BadRequest, match="Start a new session"):
                    there.send(command)
        did(there, copy, "say Hi")
        first = copy.transcript.turn_order[0]
        if back := of_feature("rewind_session", session_id=copy.session_id, turn_id=first):
            with pytest.raises(BadRequest, match="can't go back"):
                there.send(back)
        with pytest.raises(BadRequest, match="can't be forked"):
            there.send(ForkSession(session_id=copy.session_id))


def test_cells_that_name_the_copy_have_a_session_of_their_own(tmp_path: Path) -> None:
    def found(sandbox: Sandbox | None) -> str:
        return opened(there, sandbox, new=False, notebook_path=NOTEBOOK).session_id

    with server(tmp_path) as there:
        plain = found("off")
        copy = found("copy")
        assert plain != copy
        assert (found("off"), found("folder"), found("copy")) == (plain, plain, copy)
        assert found(None) == copy  # the newest


def test_a_policy_that_changes_nothing_holds_in_a_copy(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session = opened(there)
        turn_id = there.prompt(session, "run touch within.txt || true", policy="read-only")
        there.done(session, turn_id)
        assert session.state.walls is not None
        assert session.state.walls.sandbox == "read-only"
        assert not (Path(session.state.cwd) / "within.txt").exists()


def test_without_walls_there_is_no_copy(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        there.host.sessions.sandboxes._level = Level("none", "", "Nothing is here.")
        with pytest.raises(BadRequest, match=r"can't work in the sandbox copy.*Nothing is here"):
            opened(there)
        assert there.host.sessions == {}


def test_a_recording_is_played_in_a_copy_too(tmp_path: Path) -> None:
    prompt = "append a.py three\\n\ndelete gone.txt"
    found = []
    for mode in ("record", "replay"):
        with server(tmp_path) as there:
            fill(there.root)
            before = held(there.root)
            session = opened(there, notebook_path=NOTEBOOK, record={"mode": mode})
            turn_id = did(there, session, prompt, policy="allow-all")
            assert held(there.root) == before
            there.send(KeepVariant(turn_id=turn_id))
            found.append((files(there, turn_id), held(there.root / "sub")))
            assert (there.root / "a.py").read_text() == "one\ntwo\nthree\n"
            assert not (there.root / "gone.txt").exists()
            shutil.rmtree(there.root / "sub")
    assert found[0] == found[1]


def test_what_the_administrator_allows_by_now_takes_nobody_in_or_out(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    others = {"own": script("own_tools")}
    with HostFolders(root, tmp_path / "data", (), others=others).server() as there:
        plain, copy = opened(there, "off"), opened(there)
    for allowed in ("copy", "folder"):
        bounds = Bounds.of({"allowed_sandboxes": [allowed]})
        folders = HostFolders(root, tmp_path / "data", (), bounds=bounds, others=others)
        with folders.server() as there:
            session = there.woken((plain if allowed == "copy" else copy).session_id)
            did(there, session, "run touch within.txt || true")
            assert session.state.walls is not None
            assert session.state.walls.sandbox == "read-only"


def test_where_the_copy_is_configured_new_sessions_have_one(tmp_path: Path) -> None:
    with server(tmp_path, sandbox="copy") as there:
        assert opened(there, None).state.copied_folder == str(there.root)
        here = there.send(GetSandboxes())
        assert isinstance(here, SandboxesReply)
        assert here.allowed == ("off", "folder", "copy", "read-only")
        assert here.level == LEVEL.level
