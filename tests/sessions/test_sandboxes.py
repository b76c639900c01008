"""What holds a session's agent goes with the session: branches, forks, variants, replays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.sessions import (
    ForkSession,
    SetConfig,
)
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Sandbox
from acp_jupyter.transcript.model.session_state import SessionState
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, HostFolders, Server
from tests.support.host.trusted_folders import trusting

LEVEL = find_level()
needs_walls = pytest.mark.skipif(LEVEL.level == "none", reason=LEVEL.why_not_more)
NOTEBOOK = "book.ipynb"
AGENTS = {"own": script("own_tools"), "chooses": script("chooses")}


@contextmanager
def server(
    folder: Path, agents: Mapping[str, Mapping[str, Any]] = AGENTS, **more: Any
) -> Iterator[Server]:
    root = folder / "ws"
    root.mkdir(exist_ok=True)
    (root / NOTEBOOK).write_text("{}")
    config = HostConfig(
        Registry(agents, []),
        root,
        folder / "data",
        limits=FAST,
        trust=trusting(folder),
        **more,
    )
    host = AgentHost(config)
    host.start()
    try:
        yield Server(host, root)
    finally:
        host.stop()


def can_write(there: Server, session: Session, **more: Any) -> set[str]:
    """Let the agent write within the folder and beside it; return where something came."""
    within, beside = Path(session.state.cwd) / "within.txt", there.root.parent / "beside.txt"
    turn_id = there.prompt(session, f"run touch '{within}' '{beside}' || true", **more)
    turn = there.done(session, turn_id)
    assert turn.stop_reason == "end_turn"
    there.result(session.turn_files.settled(turn_id))
    changes = session.transcript.turns[turn_id].changes
    changed = set() if changes is None else {file.path for file in changes.files}
    found = {path.stem for path in (within, beside) if path.exists() or path.name in changed}
    for path in (within, beside):
        path.unlink(missing_ok=True)
    return found


def opened(there: Server, session_id: str) -> Session:
    return there.woken(session_id)


@needs_walls
@pytest.mark.parametrize(
    ("sandbox", "written"),
    [("off", {"within", "beside"}), ("folder", {"within"}), ("read-only", set())],
)
def test_each_sandbox_lets_an_agent_write_where_it_says(
    tmp_path: Path, sandbox: Sandbox, written: set[str]
) -> None:
    with server(tmp_path) as there:
        session = there.open("own", sandbox=sandbox)
        assert can_write(there, session) == written


@needs_walls
def test_a_fork_is_in_its_parents_sandbox(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    with HostFolders(root, tmp_path / "data", ("resume", "fork")).server() as there:
        parent = there.open("keeper", notebook_path=NOTEBOOK)
        there.send(SetConfig(session_id=parent.session_id, sandbox="folder"))
        there.done(parent, there.prompt(parent, "Hello"))
        state = there.send(ForkSession(session_id=parent.session_id))
        assert isinstance(state, SessionState)
        fork = opened(there, state.session_id)
        there.done(fork, there.prompt(fork, "And you?"))
        assert fork.state.sandbox == "folder"
        assert fork.state.walls is not None
        assert (fork.state.walls.sandbox, fork.state.walls.level) == ("folder", LEVEL.level)


@needs_walls
def test_what_was_chosen_before_the_first_turn_is_chosen_in_the_sandbox_too(
    tmp_path: Path,
) -> None:
    with server(tmp_path) as there:
        session = there.open("chooses")
        config: dict[str, str | bool] = {"model": "large-1"}
        there.send(SetConfig(session_id=session.session_id, config=config, mode="plan"))
        there.done(session, there.prompt(session, "go", sandbox="folder"))
        assert session.state.walls is not None
        assert there.text(session) == "plan, large-1, False: go"
