"""The notebook tools as an agent uses them: by the relay, with the official SDK on our side."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.kernel_runner import (
    KernelError,
    LastError,
    TracebackFrame,
    Variable,
)
from tests.notebook_tools.in_process import Dictionary, write_notebook
from tests.notebook_tools.talk import calls_of, cells_of, play, start, using
from tests.support.host.driver import Driver
from tests.support.wait import eventually


def test_reading_needs_no_permission(driver: Driver, session: Session, kernel: Dictionary) -> None:
    kernel.names = {"df": [1, 2], "d": 3}
    listed, read, variables, inspected, completed = play(
        driver,
        session,
        using("list_cells", {}),
        using("read_cells", {"cell_ids": ["cell-2"]}),
        using("list_variables", {"pattern": "d?"}),
        using("inspect", {"code": "df"}),
        using("complete", {"code": "d"}),
        policy="deny",
    )
    assert f"id=cell-1 code fingerprint={fingerprint('a = 1')}" in listed["text"]
    assert "the cell that you are asked from" in listed["text"]
    assert 'origin="source of cell cell-2 of n.ipynb"' in read["text"]
    assert "print(a)\nplot()" in read["text"]
    assert "df: list = [1, 2]" in variables["text"]
    assert "d: int" not in variables["text"]
    assert "[1, 2]" in inspected["text"]
    assert "d\ndf" in completed["text"].replace("df\nd\n", "d\ndf\n")
    assert not any(each["failed"] for each in (listed, read, variables, inspected, completed))
    assert all(call.permission is None for call in calls_of(session))


def test_the_last_error_is_told_with_its_frames_and_without_secrets(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    (nothing,) = play(driver, session, using("last_error", {}), policy="deny")
    assert nothing["failed"]
    assert "No error of the user's code is known" in nothing["text"]

    def frame(place: str, **values: str) -> TracebackFrame:
        told = (Variable(name=name, type="str", preview=repr(v)) for name, v in values.items())
        return TracebackFrame(place=place, function="f", code="f()", variables=tuple(told), more=2)

    key = f"ghp_{'a1B2' * 9}"
    frames = (frame("Cell In[1], line 1", rows="x"), frame("lib.py, line 2", headers=key))
    kernel.failed = LastError(words="KeyError: 'a'", frames=frames, left_out=7)
    told = play(driver, session, using("last_error", {}), policy="deny")[-1]
    assert not told["failed"]
    assert 'origin="last error in the kernel of n.ipynb"' in told["text"]
    lines = ["KeyError: 'a'", "Cell In[1], line 1, in f: f()", "rows: str = 'x'"]
    places = [told["text"].index(line) for line in [*lines, "[7 frames", "lib.py, line 2"]]
    assert places == sorted(places)
    assert "[2 more variables]" in told["text"]
    assert "headers: str" in told["text"]
    assert key not in told["text"]


def test_a_cell_is_inserted_run_and_its_plot_comes_back(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    inserted, ran = play(
        driver,
        session,
        using("insert_cell", {"source": "b = 2", "after": "cell-1"}),
        using("run_cells", {"cell_ids": ["cell-1", "cell-2"]}),
        policy="allow-all",
    )
    assert "at index 2" in inserted["text"]
    assert ran["images"] == ["image/png"]
    assert 'origin="stdout of cell cell-2 of n.ipynb"' in ran["text"]
    cells = cells_of(path)
    assert [cell["source"] for cell in cells][1:3] == ["a = 1", "b = 2"]
    mark = cells[2]["metadata"]["acp"]
    turn_id = session.transcript.turn_order[0]
    written = fingerprint("b = 2")
    assert mark == {"turn": turn_id, "agent": "notebook_user", "written": written}
    assert cells[3]["outputs"][0]["text"] == "1\n"
    assert "image/png" in cells[3]["outputs"][1]["data"]
    assert kernel.ran == ["a = 1", "print(a)\nplot()"]


def test_errors_say_what_to_do(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    told = play(
        driver,
        session,
        using("read_cells", {"cell_ids": ["gone"]}),
        using("edit_cell", {"cell_id": "cell-1", "source": "x", "fingerprint": "older"}),
        using("edit_cell", {"cell_id": "cell-1"}),
        using("no_such_tool", {}),
        using("delete_cell", {"cell_id": "cell-0", "fingerprint": "any"}),
        using("run_cells", {"cell_ids": ["cell-0"]}),
        using("restart_kernel", {}),
        policy="allow-all",
    )
    texts = [each["text"] for each in told]
    assert all(each["failed"] for each in told)
    assert texts[0].startswith("cell_gone: there is no cell gone")
    assert texts[1].startswith("stale: cell cell-1 was changed")
    assert texts[2] == "edit_cell: fingerprint is missing."
    assert "There is no tool 'no_such_tool'" in texts[3]
    assert "asked from" in texts[4]
    assert "asked from" in texts[5]
    assert "asked from" in texts[6]


def test_a_kernel_in_trouble_is_told(driver: Driver, session: Session, kernel: Dictionary) -> None:
    kernel.trouble = KernelError("dead", "The kernel has died.")
    (told,) = play(driver, session, using("list_variables", {}))
    assert told == {"failed": True, "text": "dead: The kernel has died.", "images": []}


def test_an_error_stops_the_cells_after_it(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    write_notebook(path, "", "1 / 0", "z = 1")
    (told,) = play(
        driver,
        session,
        using("run_cells", {"cell_ids": ["cell-1", "cell-2"]}),
        policy="allow-all",
    )
    assert told["failed"]
    assert "division by zero" in told["text"]
    assert "\x1b" not in told["text"]
    assert "1 cells after it were not run" in told["text"]
    assert kernel.ran == ["1 / 0"]
    assert cells_of(path)[1]["outputs"][0]["ename"] == "ZeroDivisionError"


def test_a_turn_that_is_stopped_stops_its_code(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, using("run_code", {"code": "wait"}), policy="allow-all")
    eventually(lambda: kernel.ran == ["wait"])
    driver.run(lambda: session.cancel(turn_id))
    eventually(lambda: kernel.interrupted == 1, "the code is stopped")
    assert driver.done(session, turn_id).stop_reason == "cancelled"
