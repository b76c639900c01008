"""What a turn changed is taken back byte for byte, where nobody has changed it since."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_jupyter.errors import ChangesRefused
from tests.support.host.checkpoints import CheckpointedFolder, held


@pytest.fixture
def kept(tmp_path: Path) -> CheckpointedFolder:
    return CheckpointedFolder(tmp_path / "ws", tmp_path / "store" / "one")


def _files(kept: CheckpointedFolder) -> None:
    kept.write("a.txt", "one\r\ntwo\n")
    kept.write("run.sh", "#!/bin/sh\n", 0o755)
    kept.write("data/x.bin", bytes(range(256)))
    kept.write("latin", b"\xe9t\xe9\n")
    kept.write("folder/deep/file", "x")
    (kept.root / "link").symlink_to("a.txt")
    (kept.root / "dangling").symlink_to("/nowhere")


def _clear(kept: CheckpointedFolder, path: str) -> Path:
    target = kept.root / path
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink()
    return target


def _link(kept: CheckpointedFolder, path: str, to: str) -> None:
    _clear(kept, path).symlink_to(to)


def _replace(kept: CheckpointedFolder, path: str, *below: str) -> None:
    _clear(kept, path)
    for name in below:
        kept.write(f"{path}/{name}", "new")
    if not below:
        kept.write(path, "new")


DEEDS: dict[str, Callable[[CheckpointedFolder], object]] = {
    "changed": lambda k: k.write("a.txt", "one\n2\nthree\n"),
    "not utf-8": lambda k: k.write("latin", b"\xe9t\xe9s\n"),
    "bytes": lambda k: k.write("data/x.bin", b"\0\0"),
    "mode": lambda k: (k.root / "run.sh").chmod(0o644),
    "deleted": lambda k: (k.root / "run.sh").unlink(),
    "folder deleted": lambda k: shutil.rmtree(k.root / "folder"),
    "added": lambda k: k.write("new/deep/file.txt", "new\n"),
    "renamed": lambda k: (k.root / "a.txt").rename(k.root / "data" / "b.txt"),
    "file to folder": lambda k: _replace(k, "a.txt", "x", "deep/y"),
    "folder to file": lambda k: _replace(k, "folder"),
    "file to link": lambda k: _link(k, "a.txt", "/etc/passwd"),
    "link to file": lambda k: _replace(k, "link"),
    "link to folder": lambda k: _replace(k, "link", "x"),
    "link elsewhere": lambda k: _link(k, "dangling", "run.sh"),
    "link to a folder in its place": lambda k: _link(k, "folder", "data"),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_everything_is_as_it_was(kept: CheckpointedFolder, deed: str) -> None:
    _files(kept)
    before = held(kept.root)
    kept.turn(lambda: DEEDS[deed](kept))
    assert held(kept.root) != before
    new = {path for path, (kind, _, _) in held(kept.root).items() if kind == "folder"}
    done = kept.revert(made_folders=new - before.keys())
    assert held(kept.root) == before
    assert done.refused == {}
    # Again is no error: it is as it was.
    kept.revert()
    assert held(kept.root) == before


@pytest.mark.parametrize("deed", DEEDS)
def test_git_applies_the_patch(kept: CheckpointedFolder, deed: str) -> None:
    _files(kept)
    copy = kept.root.parent / "copy"
    shutil.copytree(kept.root, copy, symlinks=True)
    kept.turn(lambda: DEEDS[deed](kept))
    patch = kept.patch()
    apply = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(apply, cwd=copy, input=patch.encode(), check=True)
    # Empty folders are nothing to git.
    plain = {p: v[:2] for p, v in held(copy).items() if v[0] != "folder"}
    assert plain == {p: v[:2] for p, v in held(kept.root).items() if v[0] != "folder"}


def test_a_file_changed_since_is_refused_and_nothing_is_changed(kept: CheckpointedFolder) -> None:
    _files(kept)
    kept.turn(lambda: [kept.write("a.txt", "turn"), kept.write("new", "turn")])
    kept.write("a.txt", "user")
    now = held(kept.root)
    with pytest.raises(ChangesRefused, match=r"a\.txt was changed since the turn") as caught:
        kept.revert()
    assert caught.value.detail == "a.txt was changed since"
    assert held(kept.root) == now
    done = kept.revert(partial=True)
    assert (done.paths, done.refused) == (("new",), {"a.txt": "was changed since"})
    assert not (kept.root / "new").exists()
    assert (kept.root / "a.txt").read_text() == "user"


def test_a_later_turn_stands_in_the_way(kept: CheckpointedFolder) -> None:
    kept.write("a", "0")
    kept.turn(lambda: kept.write("a", "1"))
    first = kept.before, kept.after
    kept.turn(lambda: kept.write("a", "2"))
    second = kept.before, kept.after
    kept.before, kept.after = first
    with pytest.raises(ChangesRefused):
        kept.revert()
    kept.before, kept.after = second
    kept.revert()
    kept.before, kept.after = first
    kept.revert()
    assert (kept.root / "a").read_text() == "0"


@pytest.mark.parametrize(
    "since",
    [
        lambda k: (k.root / "run.sh").chmod(0o644),
        lambda k: (k.root / "run.sh").unlink(),
        lambda k: _link(k, "run.sh", "a.txt"),
        lambda k: _clear(k, "run.sh").mkdir(),
        lambda k: os.mkfifo(_clear(k, "run.sh")),
    ],
)
def test_whatever_changed_since_is_refused(
    kept: CheckpointedFolder, since: Callable[[CheckpointedFolder], object]
) -> None:
    _files(kept)
    kept.turn(lambda: kept.write("run.sh", "turn"))
    since(kept)
    now = _here(kept.root / "run.sh")
    with pytest.raises(ChangesRefused):
        kept.revert()
    assert _here(kept.root / "run.sh") == now


def _here(path: Path) -> tuple[int, int, int] | None:
    """Return what a look at a file does not change."""
    if not os.path.lexists(path):
        return None
    status = path.lstat()
    return status.st_ino, status.st_mode, status.st_mtime_ns


def test_nothing_is_written_through_a_link(kept: CheckpointedFolder) -> None:
    outside = kept.root.parent / "outside"
    outside.mkdir()
    (outside / "x.bin").write_bytes(b"turn")
    _files(kept)
    kept.turn(lambda: kept.write("data/x.bin", b"turn"))
    shutil.rmtree(kept.root / "data")
    (kept.root / "data").symlink_to(outside)
    with pytest.raises(ChangesRefused):
        kept.revert()
    assert (outside / "x.bin").read_bytes() == b"turn"
    # A file that was deleted in the turn is not made again beyond a link either.
    (kept.root / "data").unlink()
    kept.write("data/gone", "x")
    kept.turn(lambda: shutil.rmtree(kept.root / "data"))
    (kept.root / "data").symlink_to(outside)
    with pytest.raises(ChangesRefused):
        kept.revert()
    assert sorted(os.listdir(outside)) == ["x.bin"]


def test_the_mode_of_a_deleted_file_comes_back(kept: CheckpointedFolder) -> None:
    kept.write("secret", "x", 0o600)
    kept.turn(lambda: (kept.root / "secret").unlink())
    kept.revert(modes={"secret": 0o600})
    assert (kept.root / "secret").stat().st_mode & 0o777 == 0o600


def test_a_made_folder_goes_only_when_it_is_empty(kept: CheckpointedFolder) -> None:
    kept.write("empty/x", "")
    (kept.root / "empty/x").unlink()
    kept.turn(lambda: [kept.write("empty/a", "1"), kept.write("made/b", "1")])
    kept.write("made/mine", "user")
    kept.revert(made_folders={"made"})
    assert sorted(os.listdir(kept.root)) == ["empty", "made"]
    assert os.listdir(kept.root / "made") == ["mine"]


def test_what_fails_halfway_is_undone(
    kept: CheckpointedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    _files(kept)
    kept.turn(lambda: [kept.write("a.txt", "1"), kept.write("latin", "1"), kept.write("new", "1")])
    now = held(kept.root)
    replace = os.replace

    def full(source: str, target: str, **more: int) -> None:
        if os.path.basename(target) == "latin":
            raise OSError(28, "No space left on device")
        replace(source, target, **more)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ChangesRefused, match="latin could not be reverted: No space left"):
        kept.revert()
    assert held(kept.root) == now


NAMES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/c", "é"])
CONTENT = st.binary(max_size=12) | st.sampled_from([b"x\n" * 20, b"\r\n", b"\0"])
STEP = st.tuples(NAMES, st.none() | CONTENT, st.sampled_from([0o644, 0o755]))


def _do(kept: CheckpointedFolder, steps: list[tuple[str, bytes | None, int]]) -> None:
    for path, data, mode in steps:
        if data is None:
            _remove(kept.root / path)
        else:
            kept.write(path, data, mode)


def _remove(path: Path) -> None:
    if path.exists():
        path.unlink()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(STEP, max_size=6), st.lists(STEP, max_size=6))
def test_any_turn_can_be_taken_back(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[tuple[str, bytes | None, int]],
    second: list[tuple[str, bytes | None, int]],
) -> None:
    top = tmp_path_factory.mktemp("any")
    kept = CheckpointedFolder(top / "ws", top / "store")
    _do(kept, first)
    before = {path: each for path, each in held(kept.root).items() if each[0] == "file"}
    kept.turn(lambda: _do(kept, second))
    kept.revert()
    after = {path: each for path, each in held(kept.root).items() if each[0] == "file"}
    assert after == before
