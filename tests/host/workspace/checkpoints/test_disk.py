"""A folder's files, as they lie on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.host.workspace.checkpoints.disk import Disk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    return tmp_path


def blocked(root: Path, *paths: str, gone: tuple[str, ...] = ()) -> list[str]:
    return [*Disk(root, 1000).without_room(paths, gone)]


def test_a_file_blocks_what_would_lie_below_it(root: Path) -> None:
    assert blocked(root, "file/a", "folder/a", "none/a") == ["file/a"]
    assert blocked(root, "file/a", gone=("file",)) == []


@pytest.mark.parametrize("kind", ["file", "link", "link to a folder"])
def test_a_folder_that_holds_something_blocks_its_own_path(root: Path, kind: str) -> None:
    assert blocked(root, "folder") == []
    inside = root / "folder" / "deep" / "a"
    if kind == "file":
        inside.write_text("x")
    else:
        inside.symlink_to(root / "file" if kind == "link" else root)
    assert blocked(root, "folder") == ["folder"]
    assert blocked(root, "folder", gone=("folder/deep/a",)) == []
