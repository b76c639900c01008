"""What a repository holds is read from its files, and by git where they are packed."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.host.workspace.checkpoints.git import GitError, ShadowGit
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects

_SECONDS = 60.0


@pytest.fixture
def git(tmp_path: Path) -> ShadowGit:
    (tmp_path / "ws").mkdir()
    made = ShadowGit(tmp_path / "ws", tmp_path / "repository")
    made.prepare(_SECONDS)
    return made


def tree(git: ShadowGit, text: str) -> str:
    """Keep a folder whose files end in a text."""
    for path in ("a.txt", "b/c.txt", "b/d/e.txt"):
        (git.root / path).parent.mkdir(exist_ok=True, parents=True)
        (git.root / path).write_text(f"{path}\0{text}")
    git.run("add", "-A", seconds=_SECONDS)
    return git.run("write-tree", seconds=_SECONDS).decode().strip()


def read(git: ShadowGit, before: str, after: str) -> dict[str, tuple[bytes, bytes]]:
    """Return what the files that differ hold, before and after."""
    with GitObjects(git, _SECONDS) as objects:
        changes = objects.changes(before, after)
        old = [*objects.blobs(change.old.blob for change in changes)]
        new = [*objects.blobs(change.new.blob for change in changes)]
    paths = [change.path for change in changes]
    return dict(zip(paths, zip(old, new, strict=True), strict=True))


def test_what_is_not_packed_is_read_without_a_process(
    git: ShadowGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = tree(git, "one"), tree(git, "two")
    monkeypatch.setenv("PATH", "")
    found = read(ShadowGit(git.root, git.folder), before, after)
    assert [*found] == ["a.txt", "b/c.txt", "b/d/e.txt"]
    assert found["b/c.txt"] == (b"b/c.txt\0one", b"b/c.txt\0two")


@pytest.mark.parametrize("packed", ["all", "some", "torn"])
def test_what_is_packed_is_read_beside_what_is_not(git: ShadowGit, packed: str) -> None:
    before, after = tree(git, "one"), tree(git, "two")
    loose = read(git, before, after)
    files = [path for path in (git.folder / "objects").glob("??/*") if path.is_file()]
    kept = [(path, path.read_bytes()) for path in sorted(files)]
    names = "".join(f"{path.parent.name}{path.name}\n" for path in files).encode()
    pack = str(git.folder / "objects" / "pack" / "pack")
    git.run("pack-objects", "-q", pack, stdin=names, seconds=_SECONDS)
    git.run("prune-packed", seconds=_SECONDS)
    assert not any(path.exists() for path in files)
    for path, data in kept[::2] if packed != "all" else ():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data if packed == "some" else data[:5])  # as after a loss of power
    assert read(git, before, after) == loose


def test_what_is_no_object_is_no_file_of_the_repository(git: ShadowGit) -> None:
    before = tree(git, "one")
    (git.folder / "objects" / "pa" / ("x" * 38)).parent.mkdir()
    (git.folder / "objects" / "pa" / ("x" * 38)).write_bytes(b"no object")
    with GitObjects(git, _SECONDS) as objects:
        for name in (f"pa{'x' * 38}", "0" * 40, before):
            with pytest.raises(GitError, match="no longer kept"):
                [*objects.blobs([name])]
