"""What it takes to revert a turn that changed many files, beside git, which puts back the same."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.api.models.turns import RevertTurn
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting

__all__ = ["ManyReverted", "measure_reverts"]

_IN_A_FOLDER = 100
_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class ManyReverted:
    """Seconds of each round, by turns: of the clock, and of the processor."""

    files: int
    file_bytes: int
    reverted: list[tuple[float, float]]
    git: list[tuple[float, float]]
    """``git read-tree -u`` of the same files."""


def measure_reverts(
    folder: Path, rounds: int, files: int = 2_000, file_bytes: int = 40
) -> ManyReverted:
    """Revert a turn of many files, by turns with git."""
    root = folder / "ws"
    names = [f"{number // _IN_A_FOLDER:03}/{number:05}.txt" for number in range(files)]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(os.urandom(file_bytes // 2).hex())
    trust = trusting(folder)
    agents = Registry({"own": script("own_tools")}, [])
    host = AgentHost(HostConfig(agents, root, folder / "data", limits=FAST, trust=trust))
    host.start()
    reverted, git = list[tuple[float, float]](), list[tuple[float, float]]()
    try:
        server = Server(host, root)
        session = server.open("own")
        deeds = "\n".join(f"append {name} {name}" for name in names)
        turn_id = server.prompt(session, deeds)
        server.done(session, turn_id)
        server.result(session.turn_files.settled(turn_id))
        checkpoints = host.checkpoints.of(root)
        moments = checkpoints.moments(turn_id)
        before, after = moments["before"], moments["after"]
        environment = {
            **os.environ,
            "GIT_DIR": str(checkpoints.git.folder),
            "GIT_WORK_TREE": str(root),
            "GIT_INDEX_FILE": str(folder / "index"),
        }

        def run(*words: str) -> None:
            command = ("git", *words)
            subprocess.run(command, env=environment, cwd=root, check=True, capture_output=True)

        for _ in range(rounds):
            back = RevertTurn(turn_id=turn_id)
            reverted.append(_timed(lambda back=back: server.send(back, _SECONDS)))  # type: ignore[misc]
            size = sum((root / name).stat().st_size for name in names)
            assert size == files * (file_bytes // 2 * 2)
            server.send(RevertTurn(turn_id=turn_id, undo=True), _SECONDS)
            run("read-tree", after)
            run("update-index", "--refresh")
            git.append(_timed(lambda: run("read-tree", "-u", "-m", after, before)))
            run("read-tree", "-u", "-m", before, after)
    finally:
        host.stop()
    return ManyReverted(files, file_bytes, reverted, git)


def _timed(deed: Callable[[], object]) -> tuple[float, float]:
    begun, used = time.perf_counter(), _processor_seconds()
    deed()
    return time.perf_counter() - begun, _processor_seconds() - used


def _processor_seconds() -> float:
    """Return what this process and those that have ended have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
