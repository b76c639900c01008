"""The sandbox of a cell, of a notebook's cells and of Python, in a kernel without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.host.sandbox.levels import find_level
from tests.support.kernel.cells import Kernel

LEVEL = find_level()
needs_walls = pytest.mark.skipif(LEVEL.level == "none", reason=LEVEL.why_not_more)


def written(folder: Path) -> set[str]:
    """Return where the agent's file came, and take it away."""
    places = {"within": folder / "file.txt", "beside": folder.parent / "file.txt"}
    found = {name for name, path in places.items() if path.exists()}
    for path in places.values():
        path.unlink(missing_ok=True)
    return found


def deed(folder: Path) -> str:
    return f"run touch file.txt '{folder.parent}/file.txt' || true"


@needs_walls
def test_a_cell_a_notebook_and_python_choose_it(kernel: Kernel, folder: Path) -> None:
    do = deed(folder)
    kernel.run(f"%%acp own_tools --new\n{do}").ok()
    assert written(folder) == {"within", "beside"}
    kernel.run(f"%%acp own_tools --new --sandbox folder\n{do}").ok()
    assert written(folder) == {"within"}
    told = kernel.run("%acp sandbox").ok().printed
    assert f"own_tools is in the sandbox folder, level: {LEVEL.level}." in told
    assert f"Sandboxes where agents run: {LEVEL.level}, kept by {LEVEL.kept_by}." in told
    kernel.run("%acp sandbox read-only").ok()
    kernel.run(f"%%acp own_tools --new\n{do}").ok()
    assert written(folder) == set()
    kernel.run(f"%%acp own_tools --new --sandbox folder\n{do}").ok()
    assert written(folder) == {"within"}
    kernel.run("%acp sandbox default").ok()
    made = 's = acp_jupyter.connect("own_tools", new=True, sandbox="read-only")'
    kernel.run(f"import acp_jupyter\n{made}").ok()
    kernel.run(f's.prompt("""{do}""").wait()').ok()
    assert written(folder) == set()
    assert kernel.run("print(s.turns[0]._detail.turn.sandbox)").ok().printed == "read-only\n"


@needs_walls
def test_a_cell_in_a_copy_leaves_the_folder_until_its_changes_are_kept(
    kernel: Kernel, folder: Path
) -> None:
    kernel.run("%%acp own_tools --sandbox copy\nwrite file.txt one\nwrite b.txt b").ok()
    assert not (folder / "file.txt").exists()
    kernel.run("first = _acp\nfirst.keep('b.txt')").ok()
    assert (folder / "b.txt").read_text() == "b"
    # It is a session of its own, beside the one of the other cells.
    kernel.run("%%acp own_tools --sandbox off\nwrite plain.txt x").ok()
    assert (folder / "plain.txt").exists()
    kernel.run("%%acp own_tools --sandbox copy\nappend file.txt , two").ok()
    assert not (folder / "file.txt").exists()
    kernel.run("print(_acp.keep())").ok()
    assert (folder / "file.txt").read_text() == "one, two"
    kernel.run("_acp.revert()\nfirst.revert()").ok()
    assert not (folder / "file.txt").exists()
    assert not (folder / "b.txt").exists()
    made = 's = acp_jupyter.connect("own_tools", sandbox="copy")'
    kernel.run(f"import acp_jupyter\n{made}").ok()
    kernel.run('t = s.prompt("write c.txt c").wait()\nprint(t.keep())').ok()
    assert (folder / "c.txt").read_text() == "c"
    kernel.run('t = s.prompt("write c.txt 0\\\\nc\\\\n1").wait()').ok()
    kernel.run('t.keep(hunks={"c.txt": t.hunks("c.txt")[:1]})').ok()
    assert (folder / "c.txt").read_text() == "0\nc"
    kernel.run('t.revert(hunks={"c.txt": t.hunks("c.txt")[:1]})').ok()
    assert (folder / "c.txt").read_text() == "c"
    kernel.run('t = s.prompt("write n.ipynb {}").wait()').ok()
    refused = kernel.run('t.hunks("n.ipynb")')
    assert "The changes of n.ipynb are cells." in refused.message


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "%%acp own_tools --sandbox all\nGo",
            "There is no sandbox 'all'. Type one of: off, folder",
        ),
        ('connect("own_tools", sandbox="all")', "There is no sandbox 'all'. Name one of: off,"),
        ('connect("own_tools").prompt("Go", sandbox="all")', "There is no sandbox 'all'. Name one"),
        ('connect("own_tools").prompt("Go", sandbox="copy")', "is chosen when a session begins"),
    ],
)
def test_what_is_no_sandbox(mistaken: Kernel, code: str, words: str) -> None:
    mistaken.run("from acp_jupyter import connect").ok()
    cell = mistaken.run(code)
    assert words in cell.printed + cell.message + cell.traceback
