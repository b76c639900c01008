from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.host.workspace.folders import choose_cwd, resolve_cwd


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "root"
    (root / "repo" / "deep" / "er").mkdir(parents=True)
    (root / "plain" / "books").mkdir(parents=True)
    (root / "repo" / ".git").mkdir()
    (root / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return root


@pytest.mark.parametrize(
    ("notebook", "folder"),
    [
        ("repo/a.ipynb", "repo"),
        ("repo/deep/er/a.ipynb", "repo"),
        ("plain/books/a.ipynb", "plain/books"),
        ("a.ipynb", "."),
        ("", "."),
        ("gone/a.ipynb", "."),
        ("../../a.ipynb", "."),
        ("repo/../../a.ipynb", "."),
        ("/etc/a.ipynb", "."),
    ],
)
def test_a_session_works_in_the_git_root_or_beside_the_notebook(
    root: Path, notebook: str, folder: str
) -> None:
    assert choose_cwd(root, notebook) == (root / folder).resolve()


def test_a_git_root_above_the_server_root_does_not_count(root: Path) -> None:
    (root / "repo" / ".git").rename(root.parent / ".git")
    assert choose_cwd(root, "plain/books/a.ipynb") == root / "plain/books"


def test_an_empty_git_folder_is_no_git_root(root: Path) -> None:
    (root / "plain" / ".git").mkdir()
    assert choose_cwd(root, "plain/books/a.ipynb") == root / "plain/books"


def test_a_worktree_is_a_git_root_too(root: Path) -> None:
    (root / "plain" / ".git").write_text("gitdir: elsewhere\n")
    assert choose_cwd(root, "plain/books/a.ipynb") == root / "plain"


def test_a_link_out_of_the_root_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    assert choose_cwd(root, "link/a.ipynb") == root
    with pytest.raises(NotAllowed):
        resolve_cwd(root, "link", inside_root=True)


def test_a_named_folder_may_be_relative_or_absolute(root: Path) -> None:
    assert resolve_cwd(root, "plain", inside_root=True) == root / "plain"
    assert resolve_cwd(root, str(root / "plain"), inside_root=True) == root / "plain"
    assert resolve_cwd(root, str(root.parent), inside_root=False) == root.parent


@pytest.mark.parametrize("cwd", ["..", "/", "plain/../.."])
def test_a_kernel_stays_in_the_root(root: Path, cwd: str) -> None:
    with pytest.raises(NotAllowed):
        resolve_cwd(root, cwd, inside_root=True)


@pytest.mark.parametrize("cwd", ["gone", "nul\0byte", "~nobody-of-that-name", "x" * 5000])
def test_a_folder_that_is_not_there_is_named(root: Path, cwd: str) -> None:
    with pytest.raises(BadRequest):
        resolve_cwd(root, cwd, inside_root=False)
