from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.confined_files import ConfinedFiles

SMALL = replace(Limits(), file_bytes=1000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    return folder


@pytest.fixture
def files(root: Path) -> ConfinedFiles:
    return ConfinedFiles(root, SMALL)


def test_what_can_be_created_has_a_folder_and_is_not_there(
    files: ConfinedFiles, root: Path
) -> None:
    (root / "folder").mkdir()
    (root / "a.txt").write_text("a")
    (root / "link").symlink_to(root.parent)
    paths = ("b.txt", "folder/b.txt", "a.txt", "folder", "", "none/b.txt", "a.txt/b.txt")
    outside = ("../b.txt", "link/b.txt", str(root.parent / "b.txt"), "b\0")
    found = [path for path in (*paths, *outside) if files.can_create(path)]
    assert found == ["b.txt", "folder/b.txt"]


def test_text_is_written_and_read(files: ConfinedFiles, root: Path) -> None:
    files.write_text(str(root / "new" / "folder" / "a.txt"), "Grüße\n")
    assert files.read_text(str(root / "new/folder/a.txt")) == "Grüße\n"
    assert files.read_text("new/folder/a.txt") == "Grüße\n"


@pytest.mark.parametrize(
    ("line", "limit", "expected"),
    [
        (None, None, "1\n2\n3\n"),
        (2, None, "2\n3\n"),
        (2, 1, "2\n"),
        (None, 2, "1\n2\n"),
        (0, 1, "1\n"),
        (3, 9, "3\n"),
        (9, 1, ""),
        (1, 0, ""),
    ],
)
def test_a_window_of_lines(
    files: ConfinedFiles, root: Path, line: int | None, limit: int | None, expected: str
) -> None:
    (root / "a").write_text("1\n2\n3\n")
    assert files.read_text("a", line, limit) == expected


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "a/../../outside.txt", "/etc/passwd", "/", "..", "link", "folder/secret"],
)
def test_nothing_outside_the_root_is_touched(files: ConfinedFiles, root: Path, path: str) -> None:
    outside = root.parent / "outside.txt"
    (root / "link").symlink_to(outside)
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret").write_text("outside")
    (root / "folder").symlink_to(elsewhere)
    with pytest.raises(FileRefused, match="outside the working directory"):
        files.read_text(path)
    with pytest.raises(FileRefused, match="outside the working directory"):
        files.write_text(path, "mine")
    assert outside.read_text() == "outside"
    assert (elsewhere / "secret").read_text() == "outside"


def test_a_new_file_is_not_created_through_a_link(files: ConfinedFiles, root: Path) -> None:
    (root / "dangling").symlink_to(root.parent / "created.txt")
    with pytest.raises(FileRefused):
        files.write_text("dangling", "mine")
    assert not (root.parent / "created.txt").exists()


def test_links_within_the_root_are_followed(files: ConfinedFiles, root: Path) -> None:
    (root / "real").mkdir()
    (root / "real" / "a").write_text("text")
    (root / "link").symlink_to(root / "real")
    (root / "file").symlink_to("real/a")
    assert files.read_text("link/a") == "text"
    files.write_text("file", "new")
    assert (root / "real" / "a").read_text() == "new"
    assert (root / "file").is_symlink()


def test_a_link_put_in_after_the_check_is_not_followed(
    files: ConfinedFiles, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "folder").mkdir()
    (root / "folder" / "outside.txt").write_text("inside")
    resolve = os.path.realpath

    def resolve_then_swap(path: str) -> str:
        result = resolve(path)
        if (root / "folder").is_dir() and not (root / "folder").is_symlink():
            (root / "folder").rename(root / "moved")
            (root / "folder").symlink_to(root.parent)
        return result

    monkeypatch.setattr(os.path, "realpath", resolve_then_swap)
    with pytest.raises(FileRefused, match="link or a file"):
        files.read_text("folder/outside.txt")
    monkeypatch.undo()
    assert (root.parent / "outside.txt").read_text() == "outside"


def test_a_root_that_is_a_link_is_the_folder_it_leads_to(root: Path) -> None:
    link = root.parent / "link-to-root"
    link.symlink_to(root)
    (root / "a").write_text("text")
    files = ConfinedFiles(link, SMALL)
    assert files.read_text(str(link / "a")) == "text"
    assert files.read_text(str(root / "a")) == "text"


def test_a_neighbour_whose_name_begins_the_same_is_outside(root: Path) -> None:
    neighbour = root.parent / "root2"
    neighbour.mkdir()
    (neighbour / "a").write_text("text")
    with pytest.raises(FileRefused):
        ConfinedFiles(root, SMALL).read_text(str(neighbour / "a"))


def test_what_is_missing_is_told_apart(files: ConfinedFiles, root: Path) -> None:
    (root / "file").write_text("")
    with pytest.raises(FileMissing, match="'gone' does not exist"):
        files.read_text("gone")
    with pytest.raises(FileMissing):
        files.read_text("gone/too")
    with pytest.raises(FileRefused):
        files.read_text("file/below")
    with pytest.raises(FileRefused):
        files.write_text("file/below", "x")


def test_only_plain_files(files: ConfinedFiles, root: Path) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    for path in ("folder", ".", ""):
        with pytest.raises(FileRefused, match="is a folder"):
            files.read_text(path)
        with pytest.raises(FileRefused, match="is a folder"):
            files.write_text(path, "x")
    with pytest.raises(FileRefused, match="not a plain file"):
        files.read_text("pipe")
    with pytest.raises(FileRefused, match="not a plain file"):
        files.write_text("pipe", "x")
    assert stat.S_ISFIFO((root / "pipe").stat().st_mode)


def test_sizes_are_bounded(files: ConfinedFiles, root: Path) -> None:
    (root / "big").write_text("x" * 1001)
    with pytest.raises(FileRefused, match="too large: 1001 bytes, and the limit is 1000"):
        files.read_text("big")
    with pytest.raises(FileRefused, match="too large"):
        files.write_text("new", "ü" * 501)
    assert not (root / "new").exists()
    files.write_text("fits", "x" * 1000)
    assert len(files.read_text("fits")) == 1000


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n"),
        (b"a\r\nb\r\n", "c\r\nd\n", b"c\r\nd\n"),
        (b"a\r\nb\n", "c\nd\n", b"c\nd\n"),
        (b"\xef\xbb\xbfa\n", "ü\n", b"\xef\xbb\xbf\xc3\xbc\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffü\n", b"\xef\xbb\xbf\xc3\xbc\n"),
        (b"\xff\xfea\0", "\ufeffb", b"\xff\xfeb\0"),
        (b"a\n", "\ufeffb\n", b"\xef\xbb\xbfb\n"),
        (b"\xe9t\xe9\n", "été!\n", b"\xe9t\xe9!\n"),
        (b"\xe9t\xe9\n", "été €\n", "été €\n".encode()),
        (b"", "ü", "ü".encode()),
        (b"x", "half \ud83d", b"half ?"),
    ],
)
def test_encoding_and_line_endings_are_kept(
    files: ConfinedFiles, root: Path, before: bytes, text: str, after: bytes
) -> None:
    (root / "a").write_bytes(before)
    files.write_text("a", text)
    assert (root / "a").read_bytes() == after


def test_text_is_read_in_its_encoding(files: ConfinedFiles, root: Path) -> None:
    (root / "latin").write_bytes(b"\xe9t\xe9")
    (root / "marked").write_bytes(b"\xef\xbb\xbfa")
    assert files.read_text("latin") == "été"
    assert files.read_text("marked") == "a"


def test_a_write_keeps_the_mode_and_leaves_nothing_behind(files: ConfinedFiles, root: Path) -> None:
    script = root / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    files.write_text("run.sh", "new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert os.listdir(root) == ["run.sh"]


OTHER_GROUPS = [*({12_345} if os.geteuid() == 0 else {*os.getgroups()} - {os.getegid()})]


@pytest.mark.posix("group")
@pytest.mark.skipif(not OTHER_GROUPS, reason="this user is in one group only")
def test_a_write_keeps_the_group_of_a_shared_file(files: ConfinedFiles, root: Path) -> None:
    shared = root / "shared.py"
    shared.write_text("old")
    os.chown(shared, -1, OTHER_GROUPS[0])
    shared.chmod(0o664)
    files.write_text("shared.py", "new")
    assert shared.read_text() == "new"
    status = shared.stat()
    assert (status.st_gid, stat.S_IMODE(status.st_mode)) == (OTHER_GROUPS[0], 0o664)


def test_a_reader_sees_the_old_or_the_new_text(files: ConfinedFiles, root: Path) -> None:
    (root / "a").write_text("old")
    with (root / "a").open() as reader:
        files.write_text("a", "new text")
        assert reader.read() == "old"
    assert (root / "a").read_text() == "new text"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_not_replaced(files: ConfinedFiles, root: Path) -> None:
    (root / "a").write_text("old")
    (root / "a").chmod(0o444)
    with pytest.raises(FileRefused, match="denied"):
        files.write_text("a", "new")


@pytest.mark.parametrize("path", ["a\0b", "half \ud83d", "x" * 5000, "x/" * 3000, "loop/a"])
def test_impossible_paths_are_refused_in_words(files: ConfinedFiles, root: Path, path: str) -> None:
    (root / "loop").symlink_to("loop")
    with pytest.raises((FileRefused, FileMissing)) as caught:
        files.read_text(path)
    assert len(str(caught.value)) < 400
    with pytest.raises(FileRefused):
        files.write_text(path, "x")


def test_a_name_that_the_locale_can_not_write_is_refused_with_what_to_do(root: Path) -> None:
    code = f"""
from pathlib import Path
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.confined_files import ConfinedFiles
try:
    ConfinedFiles(Path({str(root)!r}), Limits()).write_text("name \\xe9.txt", "x")
except Exception as error:
    print(type(error).__name__, error)
"""
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command, env = [sys.executable, "-c", code], {**os.environ, **locale}
    told = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
    assert told == (
        "FileRefused 'name \\xe9.txt' has a character that the Jupyter server's locale can't write "
        "in the name of a file. Start the server with a UTF-8 locale, such as LC_ALL=C.UTF-8.\n"
    )


PIECES = st.sampled_from(
    ["..", ".", "", "a", "folder", "link", "up", "root", "outside.txt", "~", "\0", "é", "\ud83d"]
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PIECES | st.text(max_size=4), max_size=8), st.booleans())
def test_no_path_leads_out(pieces: list[str], absolute: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        root = top / "root"
        (root / "folder").mkdir(parents=True)
        (root / "link").symlink_to(top)
        (root / "folder" / "up").symlink_to("../..")
        (root / "a").write_text("inside")
        (top / "outside.txt").write_text("outside")
        path = "/".join(pieces)
        if absolute:
            path = f"{root}/{path}"
        files = ConfinedFiles(root, SMALL)
        with contextlib.suppress(FileRefused, FileMissing):
            assert files.read_text(path) == "inside"
        with contextlib.suppress(FileRefused):
            files.write_text(path, "inside")
        assert sorted(os.listdir(top)) == ["outside.txt", "root"]
        assert (top / "outside.txt").read_text() == "outside"
