"""A folder that is held open, by its descriptor and by its path alone."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_jupyter.system.open_folder import OpenFolder


@pytest.fixture(params=["by descriptor", "by path"], autouse=True)
def is_portable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether folders are used by their paths."""
    portable: bool = request.param == "by path"
    monkeypatch.setenv("ACP_JUPYTER_PORTABLE", "1" if portable else "0")
    return portable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with files, a folder and links; beside it one that nobody may reach from there."""
    root = tmp_path / "root"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "file").write_text("text")
    (root / "sub" / "deep" / "file").write_text("deep")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("outside")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "to_file").symlink_to("file")
    return root


def read(folder: OpenFolder, name: str) -> bytes:
    with os.fdopen(folder.open_file(name), "rb") as file:
        return file.read()


def test_files_are_read_made_renamed_and_removed(root: Path) -> None:
    folder = OpenFolder(str(root))
    assert read(folder, "file") == b"text"
    with os.fdopen(folder.create_file("new", 0o640), "wb") as file:
        file.write(b"a\nb")
    assert (root / "new").read_bytes() == b"a\nb"
    assert stat.S_IMODE(folder.lstat("new").st_mode) == 0o640
    assert folder.is_writable("new")
    folder.set_times("new", 10**18, 2 * 10**18)
    assert folder.lstat("new").st_mtime_ns == 2 * 10**18
    folder.rename("new", "file")
    assert read(folder, "file") == b"a\nb"
    folder.unlink("file")
    folder.mkdir("made")
    folder.symlink("sub", "made_link")
    assert folder.readlink("made_link") == "sub"
    folder.rmdir("made")
    assert sorted(folder.names()) == ["link", "made_link", "sub", "to_file"]
    below = folder.below("sub")
    assert list(below.walk()) == ["deep/file"]
    below.close()
    folder.close()


def test_no_link_is_followed(root: Path) -> None:
    folder = OpenFolder(str(root))
    with pytest.raises(NotADirectoryError):
        folder.below("link")
    with pytest.raises(OSError, match="link") as caught:
        folder.open_file("to_file")
    assert caught.value.errno == errno.ELOOP
    with pytest.raises(FileExistsError):
        folder.create_file("to_file", None)
    assert sorted(folder.walk()) == ["file", "link", "sub/deep/file", "to_file"]
    folder.close()
    with pytest.raises(NotADirectoryError):
        OpenFolder(str(root / "link"))


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    folder = OpenFolder(str(root))
    os.close(folder.open_file("pipe"))
    folder.close()


USES: dict[str, Callable[[OpenFolder], object]] = {
    "read": lambda folder: read(folder, "file"),
    "create": lambda folder: os.close(folder.create_file("new", None)),
    "mkdir": lambda folder: folder.mkdir("new"),
    "symlink": lambda folder: folder.symlink("x", "new"),
    "lstat": lambda folder: folder.lstat("file"),
    "rename": lambda folder: folder.rename("file", "new"),
    "unlink": lambda folder: folder.unlink("file"),
    "names": lambda folder: folder.names(),
    "below": lambda folder: folder.below("sub").close(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("put", ["a link", "another folder"])
def test_what_takes_the_folders_place_is_not_touched(
    root: Path, tmp_path: Path, is_portable: bool, put: str, use: Callable[[OpenFolder], object]
) -> None:
    folder = OpenFolder(str(root / "sub" / "deep"))
    (root / "sub" / "deep" / "sub").mkdir()
    (root / "sub" / "deep").rename(root / "gone")
    (tmp_path / "outside" / "sub").mkdir()
    if put == "a link":
        (root / "sub" / "deep").symlink_to(tmp_path / "outside")
    else:
        (tmp_path / "outside").rename(root / "sub" / "deep")
    before = sorted(os.listdir(root / "sub" / "deep"))
    if is_portable:
        with pytest.raises(NotADirectoryError):
            use(folder)
    else:
        use(folder)  # in the folder that was opened, wherever it is now
    assert sorted(os.listdir(root / "sub" / "deep")) == before
    folder.close()
