"""The private folder of a sandbox goes with it, however it ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acp_jupyter.errors import AgentStartError
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.pool import AgentPool, Member
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sandbox.sandboxes import Confined, Sandboxes
from acp_jupyter.host.sandbox.walls import Walls
from tests.host.rpc.test_pool import Log
from tests.support.agents.connection import FAST
from tests.support.agents.fake_agent import fake_agent
from tests.support.host.restarts import HostFolders
from tests.support.wait import eventually, eventually_async

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes of Linux")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files of a test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made


def environment() -> dict[str, str]:
    return agent_environment(os.environ, {})


def left(folder: Path) -> list[str]:
    return os.listdir(folder)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def walls(sandboxes: Sandboxes, spec: AgentSpec, folder: Path) -> Walls:
    if sandboxes.level.level == "none":
        pytest.skip(sandboxes.level.why_not_more)
    return sandboxes.walls("folder", spec, folder, environment())


def test_a_hundred_sandboxes_at_once_leave_nothing(temporary: Path, folder: Path) -> None:
    sandboxes = Sandboxes((), folder.parent / "home")
    spec = AgentSpec("a", "A", "true", ())
    described = walls(sandboxes, spec, folder)
    before = descriptors()
    made = [sandboxes.begin(described) for _ in range(100)]
    assert len(list(temporary.iterdir())) == 100

    def run(confined: Confined) -> int:
        command = confined.command(("true",), str(folder))
        return subprocess.run(command, cwd=folder, check=False).returncode

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(run, made)) == {0}
    for confined in made:
        confined.end()
        confined.end()
    assert list(temporary.iterdir()) == []
    assert descriptors() == before


_KILLED = """
import os, signal, sys, tempfile
from pathlib import Path
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
tempfile.tempdir = sys.argv[1]
sandboxes = Sandboxes((), Path(sys.argv[2]).parent / "home")
spec = AgentSpec("a", "A", "true", ())
kept = sandboxes.begin(sandboxes.walls("folder", spec, Path(sys.argv[2]), dict(os.environ)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_server_left_is_removed_by_the_next(temporary: Path, folder: Path) -> None:
    sandboxes = Sandboxes((), folder.parent / "home")
    living = sandboxes.begin(walls(sandboxes, AgentSpec("a", "A", "true", ()), folder))
    in_use = set(temporary.iterdir())
    others = temporary / "acp-sandbox-of-nobody"
    others.write_text("a file")
    subprocess.run([sys.executable, "-c", _KILLED, str(temporary), str(folder)], check=False)
    assert len(list(temporary.iterdir())) == 3
    with HostFolders(folder, folder.parent / "data", ()).server():
        eventually(lambda: set(temporary.iterdir()) == in_use | {others}, "the orphan is gone")
    living.end()
    assert list(temporary.iterdir()) == [others]


def test_a_server_that_starts_takes_no_folder_of_one_that_begins(
    temporary: Path, folder: Path
) -> None:
    sandboxes, others = (Sandboxes((), folder.parent / "home") for _ in range(2))
    described = walls(sandboxes, AgentSpec("a", "A", "true", ()), folder)
    ended = threading.Event()

    def remove() -> None:
        while not ended.is_set():
            others.remove_orphans()

    with ThreadPoolExecutor(2) as threads:
        removing = [threads.submit(remove) for _ in range(2)]
        try:
            made = [sandboxes.begin(described) for _ in range(300)]
        finally:
            ended.set()
    assert [each.result() for each in removing] == [None, None]
    others.remove_orphans()
    assert len([each for each in temporary.iterdir() if (each / "tmp").is_dir()]) == 300
    for confined in made:
        confined.end()
    assert list(temporary.iterdir()) == []


class Slow(Sandboxes):
    """Takes its time to begin."""

    def __init__(self, home: Path) -> None:
        super().__init__((), home)
        self.begun = threading.Event()
        self.goes_on = threading.Event()

    def begin(self, walls: Walls) -> Confined:
        self.begun.set()
        assert self.goes_on.wait(60)
        return super().begin(walls)


@pytest.mark.asyncio
async def test_a_start_that_is_cancelled_leaves_nothing(temporary: Path, folder: Path) -> None:
    sandboxes = Slow(folder.parent / "home")
    spec = fake_agent("hello")
    described = await asyncio.to_thread(walls, sandboxes, spec, folder)
    pool = AgentPool(FAST, sandboxes)
    before = descriptors()
    joining = asyncio.create_task(pool.join(Member(spec, folder, Log("1"), None, walls=described)))
    await eventually_async(sandboxes.begun.is_set, "it begins")
    joining.cancel()
    await asyncio.sleep(0)
    sandboxes.goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await joining
    await pool.close()
    assert left(temporary) == []
    assert descriptors() <= before


@pytest.mark.asyncio
async def test_a_start_that_fails_leaves_nothing(temporary: Path, folder: Path) -> None:
    sandboxes = Sandboxes((), folder.parent / "home")
    pool = AgentPool(FAST, sandboxes)
    for spec in (AgentSpec("a", "A", "no-such-program", ()), AgentSpec("b", "B", "true", ())):
        described = await asyncio.to_thread(walls, sandboxes, spec, folder)
        with pytest.raises(AgentStartError):
            await pool.join(Member(spec, folder, Log("1"), None, walls=described))
    await pool.close()
    assert left(temporary) == []


@pytest.mark.asyncio
async def test_an_agent_that_ends_leaves_nothing(temporary: Path, folder: Path) -> None:
    sandboxes = Sandboxes((), folder.parent / "home")
    spec = fake_agent("hello")
    described = await asyncio.to_thread(walls, sandboxes, spec, folder)
    pool = AgentPool(FAST, sandboxes)
    member = Member(spec, folder, Log("1"), None, walls=described)
    await pool.join(member)
    assert len(left(temporary)) == 1
    await pool.leave(member)
    await eventually_async(lambda: not left(temporary), "it is removed")
    await pool.close()


def test_no_temporary_folder_can_be_had(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandboxes = Sandboxes((), folder.parent / "home", find_level())
    described = walls(sandboxes, AgentSpec("a", "A", "true", ()), folder)
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "missing"))
    with pytest.raises(OSError, match="missing"):
        sandboxes.begin(described)
