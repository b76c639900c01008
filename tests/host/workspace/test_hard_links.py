"""A file of the folder that is the same as one outside: nothing is written into that."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.agents.replay.file_changes import Change, _write
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.workspace.agent_files import NoDocuments
from acp_jupyter.host.workspace.confined_files import ConfinedFiles
from tests.support.agents.fake_agent import script
from tests.support.host.checkpoints import CheckpointedFolder
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting

OLD, NEW = "outside\n", "by the agent\n"


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "ws").mkdir()
    outside = tmp_path / "outside.txt"
    outside.write_text(OLD)
    outside.chmod(0o640)
    (tmp_path / "ws/linked.txt").hardlink_to(outside)
    yield outside
    assert (outside.read_text(), outside.stat().st_nlink) == (OLD, 1)


def by_the_agents_request(root: Path) -> None:
    ConfinedFiles(root, Limits()).write_text("linked.txt", NEW)


def by_an_editor_in_place(root: Path) -> None:
    """As Jupyter saves an open document."""
    ConfinedFiles(root, Limits()).break_hard_links("linked.txt")
    (root / "linked.txt").write_text(NEW)


def by_a_replay(root: Path) -> None:
    _write(Change("linked.txt", root / "linked.txt", NEW.encode()))


def by_taking_back(root: Path) -> None:
    """The turn has made the link."""
    link, outside = root / "linked.txt", root.parent / "outside.txt"
    link.unlink()
    link.write_text(NEW)
    kept = CheckpointedFolder(root, root.parent / "git")

    def change() -> None:
        link.unlink()
        link.hardlink_to(outside)

    kept.turn(change)
    assert link.read_text() == OLD
    kept.revert()


@pytest.mark.parametrize(
    "write", [by_the_agents_request, by_an_editor_in_place, by_a_replay, by_taking_back]
)
def test_nothing_is_written_through(outside: Path, write: Callable[[Path], None]) -> None:
    root = outside.parent / "ws"
    write(root)
    assert (root / "linked.txt").read_text() == NEW


def test_what_is_parted_stays_as_it_was(outside: Path) -> None:
    root = outside.parent / "ws"
    os.utime(root / "linked.txt", ns=(10**18, 10**18))
    before = (root / "linked.txt").stat()
    ConfinedFiles(root, Limits()).break_hard_links("linked.txt")
    after = (root / "linked.txt").stat()
    assert (root / "linked.txt").read_text() == OLD
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert after.st_ino != before.st_ino
    ConfinedFiles(root, Limits()).break_hard_links("linked.txt")
    assert (root / "linked.txt").stat().st_ino == after.st_ino
    ConfinedFiles(root, Limits()).break_hard_links("missing/file.txt")


class InPlace(NoDocuments):
    """An open document, saved as Jupyter does it."""

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        path.write_text(text)  # noqa: ASYNC240 - a fake
        return True


def test_an_open_document_is_not_saved_into_what_lies_outside(outside: Path) -> None:
    folder = outside.parent
    registry = Registry({"files": script("edits_files")}, [])
    more: dict[str, Any] = {"documents": InPlace(), "trust": trusting(folder)}
    host = AgentHost(HostConfig(registry, folder / "ws", folder / "data", **more))
    host.start()
    try:
        driver = Driver(host, folder / "ws")
        session = driver.open("files", policy="allow-all")
        driver.done(session, driver.prompt(session, 'fs write linked.txt "new"'))
        assert (folder / "ws/linked.txt").read_text() == "new"
    finally:
        host.stop()
