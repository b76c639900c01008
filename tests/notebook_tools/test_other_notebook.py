"""Another notebook, which the user's prompt names: the tools take it, and no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.protocol.host_events.notes import Origin
from tests.notebook_tools.in_process import KERNEL, Dictionary, write_notebook
from tests.notebook_tools.talk import answers, calls_of, cells_of, using
from tests.support.host.driver import Driver

_EDIT = {"cell_id": "cell-0", "fingerprint": fingerprint("b = 1"), "source": "b = 2"}


@pytest.fixture
def other(driver: Driver) -> Path:
    path = driver.root / "deep" / "other.ipynb"
    write_notebook(path, "b = 1", "key = 'hush'")
    read = json.loads(path.read_text())
    read["cells"][1]["metadata"] = {"acp": {"context": "left-out"}}
    path.write_text(json.dumps(read))
    return path


def begin(
    driver: Driver, session: Session, paths: tuple[Path, ...], *steps: dict[str, Any], **more: Any
) -> str:
    """Send a prompt that links to these files."""
    links = [{"type": "resource_link", "uri": path.as_uri(), "name": path.name} for path in paths]
    origin = Origin(kernel_id=KERNEL, notebook_path="work/n.ipynb", cell_id="cell-0")
    text = {"type": "text", "text": json.dumps(steps)}
    return driver.prompt(session, (text, *links), origin=origin, **more)  # type: ignore[arg-type]


def play(
    driver: Driver, session: Session, paths: tuple[Path, ...], *steps: dict[str, Any], **more: Any
) -> list[dict[str, Any]]:
    return answers(driver, session, begin(driver, session, paths, *steps, **more))


def test_it_is_taken_by_each_of_its_names_in_this_turn(
    driver: Driver, session: Session, other: Path
) -> None:
    names = ("other.ipynb", "./deep/other.ipynb", "work/deep/other.ipynb", other.as_uri())
    calls = [using("list_cells", {"notebook": name}) for name in (*names, str(other))]
    own = using("list_cells", {"notebook": "n.ipynb"})
    *told, mine = play(driver, session, (other,), *calls, own)
    for each in told:
        assert not each["failed"], each
        assert "deep/other.ipynb: 2 cells" in each["text"]
    assert mine["text"].startswith("n.ipynb: 3 cells")
    # The next prompt does not name it.
    read = using("read_cells", {"cell_ids": ["cell-0"], "notebook": "other.ipynb"})
    *_, later = play(driver, session, (), read)
    assert later["failed"]
    assert "does not name the notebook 'other.ipynb'. It names no other notebook." in later["text"]


def test_the_permission_names_it(driver: Driver, session: Session, other: Path) -> None:
    edit = using("edit_cell", {**_EDIT, "notebook": "other.ipynb"})
    turn_id = begin(driver, session, (other,), edit)
    request_id = driver.asked(session)
    (call,) = calls_of(session)
    assert call.permission is not None
    assert call.permission.title.endswith("wants to change deep/other.ipynb")
    assert call.title == "Edit cell 1 of deep/other.ipynb"
    driver.answer(session, request_id, "allow")
    (told,) = answers(driver, session, turn_id)
    assert not told["failed"], told
    assert cells_of(other)[0]["source"] == "b = 2"
    assert cells_of(driver.root / "n.ipynb")[0]["source"] == "%%acp demo\nDo it."


def test_what_it_leaves_out_stays_there_and_it_has_its_own_kernel(
    driver: Driver, session: Session, kernel: Dictionary, other: Path
) -> None:
    kernel.names["mine"] = 1
    at = {"notebook": "other.ipynb"}
    read, hidden, variables, code = play(
        driver,
        session,
        (other,),
        using("read_cells", {"cell_ids": ["cell-0", "cell-1"], **at}),
        using("delete_cell", {"cell_id": "cell-1", "fingerprint": "x", **at}),
        using("list_variables", at),
        using("run_code", {"code": "mine", **at}),
        policy="allow-all",
    )
    assert "b = 1" in read["text"]
    assert "left out by the user" in hidden["text"]
    assert not any("hush" in each["text"] for each in (read, hidden))
    for each in (variables, code):
        assert each["text"] == (
            "no_kernel: no kernel runs for deep/other.ipynb. Ask the user to start one."
        )
    assert kernel.ran == []


def test_what_is_not_in_the_folder_or_no_notebook_or_not_clear_is_refused(
    driver: Driver, session: Session, other: Path
) -> None:
    outside = driver.root.parent / "outside.ipynb"
    write_notebook(outside, "a")
    text = driver.root / "notes.txt"
    text.write_text("a")
    twin = driver.root / "other.ipynb"
    write_notebook(twin, "a")
    names = ("outside.ipynb", str(outside), "notes.txt", "../outside.ipynb", "", "\0")
    calls = [using("list_cells", {"notebook": name}) for name in (*names, "other.ipynb")]
    *refused, ambiguous = play(driver, session, (outside, text, other, twin), *calls)
    assert all("does not name the notebook" in each["text"] for each in refused)
    assert "It names deep/other.ipynb, other.ipynb." in refused[0]["text"]
    assert "is one of deep/other.ipynb, other.ipynb" in ambiguous["text"]
