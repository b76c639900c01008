"""docs/revert.md says what Revert does: one real case for each row of its table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.models.turns import RevertTurn
from acp_jupyter.errors import ChangesGone, ChangesRefused
from acp_jupyter.protocol.host_events.notes import Origin
from tests.support.agents.fake_agent import script
from tests.support.host.driver import driving
from tests.support.host.restarts import Server
from tests.support.wait import eventually

PAGE = Path(__file__).resolve().parents[4] / "docs" / "revert.md"
PLAIN = "plain.py"
"""Another file that every turn here changes."""


def _nothing(root: Path) -> None:
    pass


@dataclass(frozen=True)
class Case:
    """A turn, and what of it the row is about."""

    path: str
    deeds: str
    before: Callable[[Path], Any] = _nothing
    since: Callable[[Path], Any] = _nothing
    """What its user does between the turn and Revert."""
    notebook: str = ""
    """Where the prompt comes from."""
    meanwhile: str = ""
    """What another turn does at the same time."""


def write(path: str, text: str = "before\n", mode: int = 0o644) -> Callable[[Path], Any]:
    def deed(root: Path) -> None:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    return deed


def both(*deeds: Callable[[Path], Any]) -> Callable[[Path], Any]:
    return lambda root: [deed(root) for deed in deeds]


def repository(path: str) -> Callable[[Path], Any]:
    def deed(root: Path) -> None:
        for name in ("objects", "refs"):
            (root / path / ".git" / name).mkdir(parents=True)
        (root / path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    return deed


def large(root: Path) -> None:
    with (root / "big.bin").open("wb") as file:
        file.truncate(10 * 1024 * 1024 + 1)


def _in_place_of_a_folder(root: Path) -> None:
    (root / "a").rmdir()
    (root / "a").write_text("mine\n")


def very_many(root: Path) -> None:
    for folder in range(21):
        (root / str(folder)).mkdir()
        for number in range(1000):
            (root / str(folder) / str(number)).touch()


CASES = {
    "the text of a file": Case("a.py", "write a.py after", write("a.py")),
    "a file that is no text": Case("a.bin", "bytes a.bin 00ff", write("a.bin")),
    "a file that was made": Case("a.py", "write a.py after"),
    "a file that was deleted": Case("a.py", "delete a.py", write("a.py", mode=0o600)),
    "a file that was renamed or moved": Case("a.py", "rename a.py b.py", write("a.py")),
    "a folder that was made for new files": Case("new", "write new/a.py after"),
    "an empty folder that was made": Case("new", "folder new"),
    "a file and its permission bits": Case(
        "a.py", "delete a.py\nwrite a.py after", write("a.py", mode=0o600)
    ),
    "whether a file can be executed": Case("a.sh", "mode a.sh 755", write("a.sh")),
    "other permission bits alone": Case("a.py", "mode a.py 600", write("a.py")),
    "a symbolic link": Case(
        "a", "link a two", both(write("one"), write("two"), lambda r: (r / "a").symlink_to("one"))
    ),
    "a file in another folder, through a symbolic link": Case(
        "../x/a.py",
        "write there/a.py after",
        both(write("../x/a.py"), lambda root: (root / "there").symlink_to("../x")),
    ),
    "a file ignored by git": Case(
        "a.log", "show a.log after", both(write("a.log"), write(".gitignore", "*.log\n"))
    ),
    "a file that was there and ignored, and is not ignored any more": Case(
        "a.log",
        "write .gitignore x\nshow a.log after",
        both(write("a.log"), write(".gitignore", "*.log\n")),
    ),
    "a file ignored by git that was moved over another": Case(
        "a.py",
        "rename a.log a.py",
        both(write("a.py"), write("a.log", "log\n"), write(".gitignore", "*.log\n")),
    ),
    "a file moved in from another folder, or from a virtual environment": Case(
        "a.py", "rename ../x/a.py a.py", write("../x/a.py")
    ),
    "a file replaced by one that was moved in from there": Case(
        "a.py",
        "rename env/a.py a.py",
        both(write("a.py"), write("env/a.py", "of env\n"), write("env/pyvenv.cfg")),
    ),
    "a repository inside the folder": Case(
        "sub/a.py", "show sub/a.py after", both(write("sub/a.py"), repository("sub"))
    ),
    "an environment, `node_modules`, a cache": Case(
        "env/a.py", "show env/a.py after", both(write("env/a.py"), write("env/pyvenv.cfg"))
    ),
    "`.git` itself: commits, branches, settings": Case(
        ".git/HEAD", "write .git/HEAD after", repository("")
    ),
    "a file over 10 MB": Case("big.bin", "show big.bin after", large),
    "a file that you have changed since": Case(
        "a.py", "write a.py after", write("a.py"), since=write("a.py", "mine\n")
    ),
    "a file that was deleted, and you have put another where its folder was": Case(
        "a", "delete a/a.py", write("a/a.py"), since=_in_place_of_a_folder
    ),
    "the notebook that the prompt was sent from": Case(
        "nb.ipynb", "show nb.ipynb {1}", write("nb.ipynb", "{}"), notebook="nb.ipynb"
    ),
    "a file outside the folder": Case("../x", "show ../x after", write("../x")),
    "a folder with more than 20,000 files": Case(
        "a.py", "show a.py after", both(write("a.py"), very_many)
    ),
    "what another turn changed at the same time": Case(
        "a.py", "wait", write("a.py"), meanwhile="write a.py after"
    ),
}


def state(path: Path) -> object:
    """Return what lies there: its kind, content and permission bits."""
    if path.is_symlink():
        return os.readlink(path)
    if path.is_dir():
        return {each.name: state(each) for each in path.iterdir()}
    return (path.read_bytes(), path.stat().st_mode) if path.exists() else None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with driving(tmp_path, {"own": script("own_tools"), "other": script("own_tools")}) as driver:
        yield Server(driver.host, driver.root)


def rows() -> dict[str, tuple[str, str]]:
    """Return the table: what Revert does, and what is said of it."""
    page = PAGE.read_text(encoding="utf-8").partition("## Whose change it is")[0]
    lines = [line for line in page.splitlines() if line[:2] == "| "]
    cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    assert cells[0] == ["What changed", "Revert", "What the card says"]
    return {what: (revert, said) for what, revert, said in cells[2:]}


ROWS = rows()


def run(server: Server, case: Case) -> str:
    """Run the turn; return its id."""
    session = server.open("own")
    origin = Origin(notebook_path=case.notebook, cell_id="c") if case.notebook else None
    turn_id = server.prompt(session, f"write {PLAIN} after\n{case.deeds}", origin=origin)
    if case.meanwhile:
        eventually(lambda: (server.root / PLAIN).read_text() == "after")
        other = server.open("other")
        server.done(other, server.prompt(other, case.meanwhile))
        server.run(session.cancel)
    server.done(session, turn_id)
    server.result(session.turn_files.settled(turn_id))
    return turn_id


def test_each_row_has_a_case() -> None:
    assert ROWS.keys() == CASES.keys()


@pytest.mark.parametrize("row", CASES)
def test_revert_does_what_the_page_says(server: Server, row: str) -> None:
    case = CASES[row]
    root = server.root
    write(PLAIN)(root)
    case.before(root)
    before = state(root / case.path)
    turn_id = run(server, case)
    case.since(root)
    since = state(root / case.path)
    assert since != before
    changes = server.host.sessions.of_turn(turn_id).transcript.turns[turn_id].changes
    assert changes is not None
    said = changes.words
    try:
        server.send(RevertTurn(turn_id=turn_id))
    except (ChangesRefused, ChangesGone) as error:
        did = "refused"
        said += str(error)
        assert (state(root / case.path), (root / PLAIN).read_text()) == (since, "after")
    else:
        did = {True: "reverted", False: "left"}[state(root / case.path) == before]
        assert state(root / case.path) == (before if did == "reverted" else since)
        assert (root / PLAIN).read_text() == "before\n"
    revert, words = ROWS[row]
    assert revert.startswith(did)
    quoted = re.findall("“([^”]+)”", words)
    assert bool(quoted) == bool(said), said
    assert [each for each in quoted if each not in said] == []
