"""Texts are put in place only where nobody has changed them meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.workspace.checkpoints.hunks import TextStep, TextSteps
from tests.support.host.checkpoints import CheckpointedFolder

STEPS = [TextStep("a", b"old a", b"new a"), TextStep("b", b"old b", b"new b")]


@pytest.fixture
def kept(tmp_path: Path) -> CheckpointedFolder:
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store" / "one")
    kept.write("a", "old a")
    kept.write("b", "old b")
    return kept


def texts(kept: CheckpointedFolder) -> list[str]:
    return [(kept.root / name).read_text() for name in ("a", "b")]


def test_all_texts_are_put_in_place_and_back(kept: CheckpointedFolder) -> None:
    steps = TextSteps(kept.checkpoints)
    assert steps.obstacles(STEPS) == {}
    steps.run(STEPS)
    assert texts(kept) == ["new a", "new b"]
    steps.undo(STEPS)
    assert texts(kept) == ["old a", "old b"]


def test_what_was_changed_after_the_look_is_not_overwritten(kept: CheckpointedFolder) -> None:
    steps = TextSteps(kept.checkpoints)
    kept.write("b", "theirs")
    assert list(steps.obstacles(STEPS)) == ["b"]
    with pytest.raises(ChangesRefused, match=r"b could not be written: .*Nothing was changed"):
        steps.run(STEPS)
    assert texts(kept) == ["old a", "theirs"]


@pytest.mark.parametrize("held", ["old b", "new b"])
def test_a_link_is_not_written_through(kept: CheckpointedFolder, held: str) -> None:
    kept.write("c", held)
    (kept.root / "b").unlink()
    (kept.root / "b").symlink_to("c")
    with pytest.raises(ChangesRefused):
        TextSteps(kept.checkpoints).run(STEPS)
    assert (kept.root / "b").is_symlink()
    assert texts(kept) == ["old a", held]
