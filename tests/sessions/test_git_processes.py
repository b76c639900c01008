"""A turn of many files is reverted with as many git processes as one of few."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acp_jupyter.api.models.turns import RevertTurn
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting

_COUNTS = """#!/bin/sh
echo >> {calls}
exec {git} "$@"
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each git process from now on."""
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "bin").mkdir()
    program, calls = tmp_path / "bin" / "git", tmp_path / "calls"
    program.write_text(_COUNTS.format(calls=calls, git=git))
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/local/bin:/usr/bin:/bin")
    return calls


def processes_of_revert(folder: Path, calls: Path, files: int) -> int:
    """Return how many git processes a revert of that many files starts."""
    root = folder / "ws"
    root.mkdir(parents=True)
    names = [f"{number}.txt" for number in range(files)]
    for name in names:
        (root / name).write_text("before\n")
    config = HostConfig(
        Registry({"own": script("own_tools")}, []),
        root,
        folder / "data",
        limits=FAST,
        trust=trusting(folder),
    )
    host = AgentHost(config)
    host.start()
    try:
        server = Server(host, root)
        session = server.open("own")
        turn_id = server.prompt(session, "\n".join(f"append {name} more" for name in names))
        server.done(session, turn_id)
        server.result(session.turn_files.settled(turn_id))
        calls.write_text("")
        server.send(RevertTurn(turn_id=turn_id))
        assert {(root / name).read_text() for name in names} == {"before\n"}
        return len(calls.read_text().splitlines())
    finally:
        host.stop()


def test_forty_files_take_no_more_processes_than_two(tmp_path: Path, calls: Path) -> None:
    few = processes_of_revert(tmp_path / "few", calls, 2)
    many = processes_of_revert(tmp_path / "many", calls, 40)
    assert 0 < many <= few
