"""Texts are put in place only where nobody has changed them meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.file_steps import (
    FileNotWritten,
    FileWriter,
    FolderSteps,
)
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.hunks import TextStep, TextSteps
from tests.support.host.checkpoints import CheckpointedFolder
from tests.support.wait import PATIENCE_SECONDS

STEPS = [TextStep("a", b"old a", b"new a"), TextStep("b", b"old b", b"new b")]


class Texts:
    """Two texts in a folder."""

    def __init__(self, kept: CheckpointedFolder, objects: GitObjects) -> None:
        self.kept = kept
        disk = Disk(kept.root, kept.checkpoints.limits.checkpoint_file_bytes)
        self.planned = TextSteps(disk, objects)
        self.writer = FileWriter(disk, objects, "token")

    def now(self) -> list[str]:
        return [(self.kept.root / name).read_text() for name in ("a", "b")]


@pytest.fixture
def texts(tmp_path: Path) -> Iterator[Texts]:
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store" / "one")
    kept.write("a", "old a")
    kept.write("b", "old b")
    with GitObjects(kept.checkpoints.git, PATIENCE_SECONDS) as objects:
        yield Texts(kept, objects)


def test_all_texts_are_put_in_place_and_back(texts: Texts) -> None:
    assert texts.planned.obstacles(STEPS) == {}
    steps = FolderSteps(texts.planned.file_steps(STEPS))
    texts.writer.run(steps)
    assert texts.now() == ["new a", "new b"]
    assert texts.planned.file_steps(STEPS) == ()  # it is done
    assert texts.writer.undo(steps) == []
    assert texts.now() == ["old a", "old b"]


def test_what_was_changed_after_the_look_is_not_overwritten(texts: Texts) -> None:
    steps = FolderSteps(texts.planned.file_steps(STEPS))
    texts.kept.write("b", "theirs")
    assert list(texts.planned.obstacles(STEPS)) == ["b"]
    with pytest.raises(FileNotWritten, match="b: was changed since"):
        texts.writer.run(steps)
    assert texts.writer.undo(steps) == []
    assert texts.now() == ["old a", "theirs"]


@pytest.mark.parametrize("held", ["old b", "new b"])
def test_a_link_is_not_written_through(texts: Texts, held: str) -> None:
    steps = FolderSteps(texts.planned.file_steps(STEPS))
    texts.kept.write("c", held)
    (texts.kept.root / "b").unlink()
    (texts.kept.root / "b").symlink_to("c")
    assert list(texts.planned.obstacles(STEPS)) == ["b"]
    with pytest.raises(FileNotWritten):
        texts.writer.run(steps)
    texts.writer.undo(steps)
    assert (texts.kept.root / "b").is_symlink()
    assert texts.now() == ["old a", held]
