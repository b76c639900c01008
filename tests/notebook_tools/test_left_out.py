"""A cell that the user left out: no tool and no file request gives or changes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.kernel_runner import LastError, TracebackFrame
from tests.notebook_tools.in_process import Dictionary, write_notebook
from tests.notebook_tools.talk import cells_of, play, using
from tests.support.host.driver import Driver

_HIDDEN = "key = 'hush'"


@pytest.fixture
def path(driver: Driver) -> Path:
    path = driver.root / "n.ipynb"
    write_notebook(path, "%%acp demo\nDo it.", _HIDDEN, "print(1)")
    read = json.loads(path.read_text())
    read["cells"][1] |= {
        "metadata": {"acp": {"context": "left-out"}},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "hush"}],
        "execution_count": 5,
    }
    read["cells"][2] |= {"metadata": {"acp": {"context": "pinned"}}, "execution_count": 6}
    path.write_text(json.dumps(read))
    return path


def frame(count: int | None, code: str) -> TracebackFrame:
    return TracebackFrame(place=f"In[{count}]", function="f", code=code, execution_count=count)


def test_it_is_named_and_nothing_of_it_is_told(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    before = cells_of(path)[1]
    named = {"cell_id": "cell-1", "fingerprint": fingerprint(_HIDDEN)}
    refused = [
        using("edit_cell", {**named, "source": "x"}),
        using("edit_cell", {**named, "edits": [{"old": "key", "new": "x"}]}),
        using("delete_cell", named),
        using("move_cell", {**named, "after": "cell-2"}),
        using("run_cells", {"cell_ids": ["cell-2", "cell-1"]}),
    ]
    listed, read, inserted, file, *others = play(
        driver,
        session,
        using("list_cells", {}),
        using("read_cells", {"cell_ids": ["cell-1", "cell-2"]}),
        using("insert_cell", {"source": "b = 2", "after": "cell-1"}),
        {"read": "n.ipynb"},
        *refused,
        policy="allow-all",
    )
    told = (listed, read, inserted, file, *others)
    assert not any("hush" in each["text"] for each in told)
    assert "[1] id=cell-1 code; left out by the user" in listed["text"]
    assert "[1] id=cell-1 code: left out by the user." in read["text"]
    assert "print(1)" in read["text"]
    assert "at index 2" in inserted["text"]
    assert "This cell is left out by the user." in file["text"]
    assert all(each["failed"] for each in others)
    assert all("cell 2 (id=cell-1) is left out by the user" in each["text"] for each in others)
    assert cells_of(path)[1] == before
    assert kernel.ran == []


@pytest.mark.parametrize(
    ("cell", "frames", "told"),
    [
        (6, [frame(6, "go()"), frame(5, "hush()"), frame(None, "lib()")], ("go()", "lib()")),
        (5, [frame(5, "hush()")], ()),
        (6, [frame(6, "go()"), frame(4, "hush()")], ("go()",)),  # nobody knows which cell
        (None, [frame(None, "hush()")], ()),
    ],
)
def test_its_lines_are_not_in_the_last_error(
    driver: Driver,
    session: Session,
    kernel: Dictionary,
    path: Path,
    cell: int | None,
    frames: list[TracebackFrame],
    told: tuple[str, ...],
) -> None:
    words = "ValueError" if told else "ValueError: hush"
    kernel.failed = LastError(words=words, frames=tuple(frames), execution_count=cell)
    (answer,) = play(driver, session, using("last_error", {}), policy="deny")
    assert "hush" not in answer["text"]
    assert "left out by the user" in answer["text"]
    assert all(line in answer["text"] for line in told)


def test_an_agent_that_writes_the_file_leaves_it_as_it_is(
    driver: Driver, session: Session, path: Path
) -> None:
    before = cells_of(path)[1]
    changed, lost = play(
        driver,
        session,
        {"rewrite": ["n.ipynb", "print(1)", "print(2)"]},
        {"rewrite": ["n.ipynb", '"cell-1"', '"cell-9"']},
        policy="allow-all",
    )
    assert not changed["failed"], changed
    assert lost["failed"]
    assert "left out by the user" in lost["text"]
    assert cells_of(path)[1] == before
    assert cells_of(path)[2]["source"] == "print(2)"


def test_an_edit_keeps_what_the_user_set(driver: Driver, session: Session, path: Path) -> None:
    edit = {"cell_id": "cell-2", "fingerprint": fingerprint("print(1)"), "source": "print(3)"}
    (answer,) = play(driver, session, using("edit_cell", edit), policy="allow-all")
    assert not answer["failed"], answer
    mark = cells_of(path)[2]["metadata"]["acp"]
    assert mark["context"] == "pinned"
    assert mark["agent"] == "notebook_user"
