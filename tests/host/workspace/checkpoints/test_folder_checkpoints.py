"""A folder as it was: what is kept of it, and what is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointFailed
from acp_jupyter.host.workspace.checkpoints.git import GitError, GitSlow, ShadowGit
from tests.support.host.checkpoints import CheckpointedFolder, held
from tests.support.wait import PATIENCE_SECONDS, eventually

LIMITS = Limits(checkpoint_seconds=PATIENCE_SECONDS)


@pytest.fixture
def kept(tmp_path: Path) -> CheckpointedFolder:
    return CheckpointedFolder(tmp_path / "ws", tmp_path / "store" / "one")


def _told(kept: CheckpointedFolder) -> list[tuple[str, str]]:
    return [(change.path, change.change) for change in kept.changes()]


def test_what_is_being_saved_is_kept_when_it_is_whole(kept: CheckpointedFolder) -> None:
    """Jupyter empties a file, writes it, and lays what it held beside it meanwhile."""
    file, beside = kept.write("n.ipynb", ""), kept.write(".~n.ipynb", "{}")
    kept.write("left.ipynb", "{}")
    index = kept.checkpoints.git.folder / "index"

    def save() -> None:
        eventually(index.exists)  # the empty file has been read
        file.write_text("whole")
        beside.unlink()

    saving = threading.Thread(target=save)
    saving.start()
    assert kept.turn(saving.join) == []


def test_what_became_of_each_file(kept: CheckpointedFolder) -> None:
    kept.write("same", "x")
    kept.write("touched", "x")
    kept.write("changed", "1\n2\n3\n")
    kept.write("gone", "x")
    kept.write("long", "line\n" * 30)
    kept.write("runs", "#!/bin/sh\n", 0o644)
    kept.write("kind", "x")
    kept.write("nul", b"a\0b")

    def deed() -> None:
        kept.write("touched", "x")
        os.utime(kept.root / "touched", ns=(1, 1))
        kept.write("changed", "1\nzwei\n3\nvier\n")
        (kept.root / "gone").unlink()
        (kept.root / "long").rename(kept.root / "renamed")
        (kept.root / "runs").chmod(0o755)
        (kept.root / "kind").unlink()
        (kept.root / "kind").symlink_to("same")
        kept.write("nul", b"a\0c")
        kept.write("new/deep", "x\n")

    changes = {change.path: change for change in kept.turn(deed)}
    assert {path: (c.change, c.added, c.removed) for path, c in changes.items()} == {
        "changed": ("modified", 2, 1),
        "gone": ("deleted", 0, 1),
        "kind": ("type", 1, 1),
        "new/deep": ("added", 1, 0),
        "nul": ("modified", None, None),
        "renamed": ("renamed", 0, 0),
        "runs": ("modified", 0, 0),
    }
    assert changes["renamed"].old_path == "long"
    assert changes["nul"].binary


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        "new\nline",
        "tab\tand\x01",
        '"quoted"',
        "ümlaut é",
        ":(top)magic",
        "-rf",
        "*",
        "back\\slash",
        "#x",
        "!x",
    ],
)
def test_names_are_taken_as_they_are(kept: CheckpointedFolder, name: str) -> None:
    kept.write("a", "x")
    kept.write(name, "1\n")
    before = held(kept.root)
    kept.turn(lambda: kept.write(name, "2\n"))
    assert _told(kept) == [(name, "modified")]
    assert kept.patch(name).count("\n+2") == 1
    kept.revert(name)
    assert held(kept.root) == before


def test_no_attribute_filter_or_hook_touches_a_byte(
    kept: CheckpointedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes round-trip whatever the folder and the user's git say."""
    home = kept.root.parent / "home"
    home.mkdir()
    marker = kept.root.parent / "ran"
    (home / ".gitconfig").write_text(
        f'[core]\nautocrlf = true\nfsmonitor = "touch {marker}"\nhooksPath = {home}\n'
        f'[filter "evil"]\nclean = touch {marker}\nsmudge = touch {marker}\nrequired = true\n'
        f'[diff "evil"]\ntextconv = touch {marker}\ncommand = touch {marker}\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"touch {marker}")
    monkeypatch.setenv("GIT_INDEX_FILE", str(home / "index"))
    kept.write(
        ".gitattributes",
        "* text=auto eol=crlf ident filter=evil diff=evil\n*.u working-tree-encoding=UTF-16LE\n",
    )
    kept.write("sub/.gitattributes", "* crlf=input export-subst\n")
    odd = {
        "crlf": b"a\r\nb\r\n",
        "mixed": b"a\r\nb\n\r",
        "ident": b"$Id: abc $\n",
        "bytes": bytes(range(256)),
        "sub/latin": b"\xe9t\xe9\r\n",
        "text.u": b"no UTF-16",
    }
    for name, data in odd.items():
        kept.write(name, data)
    before = held(kept.root)
    kept.turn(lambda: [kept.write(name, data + b"!") for name, data in odd.items()])
    assert {path for path, _ in _told(kept)} == set(odd)
    assert kept.patch()
    kept.revert()
    assert held(kept.root) == before
    assert not marker.exists()
    assert not (home / "index").exists()


def test_many_files_at_once(kept: CheckpointedFolder) -> None:
    """They are kept in another way; every byte is the same."""
    kept.write(".gitattributes", "* text=auto eol=crlf\n")
    for number in range(1100):
        kept.write(f"d{number % 7}/{number}", bytes([number % 256]) * (number % 5) + b"\r\n\n")
    before = held(kept.root)
    kept.turn(lambda: [kept.write(f"d{n % 7}/{n}", b"\n\r") for n in range(1100)])
    assert len(_told(kept)) == 1100
    kept.revert(*(f"d{n % 7}/{n}" for n in range(0, 1100, 50)))
    now = held(kept.root)
    assert all(now[f"d{n % 7}/{n}"] == before[f"d{n % 7}/{n}"] for n in range(0, 1100, 50))
    # Nor is there a file of git for each of them.
    assert sum(1 for _ in kept.checkpoints.git.folder.rglob("*")) < 500


def test_the_users_own_repository_is_not_touched(kept: CheckpointedFolder) -> None:
    def git(*args: str) -> str:
        done = subprocess.run(["git", *args], cwd=kept.root, capture_output=True, check=True)
        return done.stdout.decode()

    git("init", "-q")
    kept.write("a", "1")
    git("add", "a")
    before = {p: p.read_bytes() for p in (kept.root / ".git").rglob("*") if p.is_file()}
    kept.turn(lambda: kept.write("a", "2"))
    kept.revert()
    assert {p: p.read_bytes() for p in (kept.root / ".git").rglob("*") if p.is_file()} == before
    assert (kept.root / "a").read_bytes() == b"1"


def test_what_is_not_kept(kept: CheckpointedFolder) -> None:
    kept.write(".gitignore", "ignored\n!node_modules/\n!kept.log\n*.log\n")
    for path in (
        "ignored",
        "a.log",
        "node_modules/x/y",
        "__pycache__/x",
        "sub/.venv/x",
        ".ipynb_checkpoints/x",
        ".jupyter_cache/x",
        ".jupyter_ystore.db",
        "nb.acp/record",
        "env/pyvenv.cfg",
        "env/bin/x",
        "kept",
    ):
        kept.write(path, "1")
    subprocess.run(["git", "init", "-q", kept.root / "nested"], check=True)
    kept.write("nested/x", "1")
    os.mkfifo(kept.root / "pipe")

    def deed() -> None:
        for path in ("ignored", "a.log", "node_modules/x/y", "env/bin/x", "nested/x", "kept"):
            kept.write(path, "2")
        for path in (".virtual_documents/x", ".jupyter_cache/x", ".jupyter_ystore.db"):
            kept.write(path, "2")

    kept.turn(deed)
    assert _told(kept) == [("kept", "modified")]
    assert kept.after.nested == ("nested/",)


def test_a_large_file_is_left_out_on_both_sides(tmp_path: Path) -> None:
    limits = replace(LIMITS, checkpoint_file_bytes=100)
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store", limits)
    kept.write("grows", "x")
    kept.write("shrinks", "x" * 101)
    kept.write("large", "x" * 101)

    def deed() -> None:
        kept.write("grows", "y" * 101)
        kept.write("shrinks", "y")
        kept.write("large", "y" * 101)
        kept.write("small", "y")

    kept.turn(deed)
    # Neither made nor gone: nothing of these could be taken back.
    assert _told(kept) == [("small", "added")]
    assert kept.before.left_out == {"shrinks", "large"}
    assert kept.after.left_out == {"grows", "shrinks", "large"}
    # From the next turn on the small ones are kept again.
    kept.turn(lambda: kept.write("shrinks", "z"))
    assert _told(kept) == [("shrinks", "modified")]


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (replace(LIMITS, checkpoint_files=3), "more than 3 files"),
        (replace(LIMITS, checkpoint_bytes=5), "more than 5 B in it"),
        (replace(LIMITS, checkpoint_seconds=0.0), "took longer than 0 s"),
    ],
)
def test_beyond_a_bound_it_says_so(tmp_path: Path, limits: Limits, words: str) -> None:
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store", limits)
    for number in range(9):
        kept.write(f"{number}", "xx")
    with pytest.raises(CheckpointFailed, match=words):
        kept.turn(lambda: None)
    # What was interrupted is no obstacle later.
    whole = CheckpointedFolder(tmp_path / "ws", tmp_path / "store")
    whole.turn(lambda: whole.write("0", "yy"))
    assert _told(whole) == [("0", "modified")]


def test_without_git_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store")
    with pytest.raises(CheckpointFailed, match="Git is not installed here"):
        kept.turn(lambda: None)


_GIT_OF_A_CHANGING_FILE = """#!/bin/sh
case " $* " in
*" update-index --add "*)
    if [ "$(cat {count})" -gt 0 ]; then
        echo $(( $(cat {count}) - 1 )) > {count}
        echo "fatal: confused by unstable object source data for e80d1549" >&2
        exit 128
    fi ;;
esac
exec {git} "$@"
"""


def test_a_file_that_was_written_to_while_git_read_it_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git, count = tmp_path / "bin" / "git", tmp_path / "count"
    git.parent.mkdir()
    git.write_text(_GIT_OF_A_CHANGING_FILE.format(git=shutil.which("git"), count=count))
    git.chmod(0o755)
    count.write_text("0")
    monkeypatch.setenv("PATH", str(git.parent), prepend=os.pathsep)
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store")
    kept.write("a", "1")

    def write() -> None:
        kept.write("a", "2")
        count.write_text("3")

    kept.turn(write)
    assert _told(kept) == [("a", "modified")]
    assert count.read_text() == "0\n"

    kept.write("a", "3")
    count.write_text("1000000")
    with pytest.raises(CheckpointFailed, match="a file was written to all the time"):
        kept.turn(lambda: None)


def test_a_broken_store_is_made_anew(kept: CheckpointedFolder) -> None:
    kept.write("a", "1")
    kept.turn(lambda: kept.write("a", "2"))
    folder = kept.checkpoints.git.folder
    (folder / "index.lock").touch()
    kept.turn(lambda: kept.write("a", "3"))
    assert _told(kept) == [("a", "modified")]
    shutil.rmtree(folder)
    folder.mkdir()
    kept.turn(lambda: kept.write("a", "4"))
    assert _told(kept) == [("a", "modified")]


def test_the_store_is_for_its_user_alone(kept: CheckpointedFolder) -> None:
    kept.turn(lambda: kept.write("a", "1"))
    assert kept.checkpoints.git.folder.stat().st_mode & 0o077 == 0


def test_what_is_forgotten_is_gone(kept: CheckpointedFolder) -> None:
    kept.turn(lambda: kept.write("a", "1"))
    assert kept.checkpoints.trees(kept.turn_id) == (kept.before.tree, kept.after.tree)
    kept.checkpoints.forget([kept.turn_id])
    assert kept.checkpoints.trees(kept.turn_id) is None
    with pytest.raises(GitError, match="not a turn"):
        kept.checkpoints.trees("../../x")


def test_old_turns_are_given_up_for_new_ones(tmp_path: Path) -> None:
    limits = replace(LIMITS, checkpoint_store_bytes=200_000)
    kept = CheckpointedFolder(tmp_path / "ws", tmp_path / "store", limits)
    kept.turn(lambda: kept.write("a", os.urandom(150_000)))
    first = kept.turn_id
    kept.turn(lambda: kept.write("a", os.urandom(150_000)))
    assert kept.checkpoints.trees(first) is not None
    kept.turn(lambda: kept.write("b", "1"))
    assert kept.checkpoints.trees(first) is None
    assert _told(kept) == [("b", "added")]


def test_git_is_not_even_started_when_no_time_is_left(tmp_path: Path) -> None:
    with pytest.raises(GitSlow, match="there was no time left"):
        ShadowGit(tmp_path, tmp_path / "kept").run("version", seconds=0)
