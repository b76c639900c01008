"""The notebook tools as an agent uses them: by the relay, with the official SDK on our side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from acp_jupyter.delivery.notebook_cells import fingerprint
from acp_jupyter.host.session import Session
from acp_jupyter.notebook.kernel_runner import KernelTrouble
from acp_jupyter.packets.notes import Origin
from acp_jupyter.transcript.items import ToolCall
from tests.notebook_tools.in_process import KERNEL, Dictionary, host_with_tools, write_notebook
from tests.support.driver import Driver
from tests.support.wait import eventually


@pytest.fixture
def kernel() -> Dictionary:
    return Dictionary()


@pytest.fixture
def driver(tmp_path: Path, kernel: Dictionary) -> Iterator[Driver]:
    with host_with_tools(tmp_path, kernel) as driver:
        yield driver


@pytest.fixture
def path(driver: Driver) -> Path:
    path = driver.root / "n.ipynb"
    write_notebook(path, "%%acp demo\nDo it.", "a = 1", "print(a)\nplot()")
    return path


@pytest.fixture
def session(driver: Driver, path: Path) -> Session:
    session = driver.open("notebook_user", notebook_path="work/n.ipynb", kernel_id=KERNEL)
    driver.run(session.attach)
    return session


def _step(tool: str, args: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args, **more}


def _start(driver: Driver, session: Session, *steps: dict[str, Any], **more: Any) -> str:
    origin = Origin(kernel_id=KERNEL, notebook_path="work/n.ipynb", cell_id="cell-0")
    return driver.prompt(session, json.dumps(steps), origin=origin, **more)


def _told(driver: Driver, session: Session, turn_id: str) -> list[dict[str, Any]]:
    """Wait for the turn's end; return what the tools answered."""
    driver.done(session, turn_id)
    lines = driver.text(session).splitlines()
    return [json.loads(line) for line in lines]


def _play(
    driver: Driver, session: Session, *steps: dict[str, Any], **more: Any
) -> list[dict[str, Any]]:
    return _told(driver, session, _start(driver, session, *steps, **more))


def _calls(session: Session) -> list[ToolCall]:
    state = session.transcript
    items = state.window(0, len(state.items))
    return [item for item in items if isinstance(item, ToolCall)]


def _cells(path: Path) -> list[Any]:
    cells: list[Any] = nbformat.read(path, 4)["cells"]  # type: ignore[no-untyped-call]
    return cells


def test_reading_needs_no_permission(driver: Driver, session: Session, kernel: Dictionary) -> None:
    kernel.names = {"df": [1, 2], "d": 3}
    listed, read, variables, inspected, completed = _play(
        driver,
        session,
        _step("list_cells", {}),
        _step("read_cells", {"cell_ids": ["cell-2"]}),
        _step("list_variables", {"pattern": "d?"}),
        _step("inspect", {"code": "df"}),
        _step("complete", {"code": "d"}),
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
    assert all(call.permission is None for call in _calls(session))


def test_a_cell_is_inserted_run_and_its_plot_comes_back(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    inserted, ran = _play(
        driver,
        session,
        _step("insert_cell", {"source": "b = 2", "after": "cell-1"}),
        _step("run_cells", {"cell_ids": ["cell-1", "cell-2"]}),
        policy="allow-all",
    )
    assert "at index 2" in inserted["text"]
    assert ran["images"] == ["image/png"]
    assert 'origin="stdout of cell cell-2 of n.ipynb"' in ran["text"]
    cells = _cells(path)
    assert [cell["source"] for cell in cells][1:3] == ["a = 1", "b = 2"]
    mark = cells[2]["metadata"]["acp"]
    assert mark == {"turn": session.transcript.turn_order[0], "agent": "notebook_user"}
    assert cells[3]["outputs"][0]["text"] == "1\n"
    assert "image/png" in cells[3]["outputs"][1]["data"]
    assert kernel.ran == ["a = 1", "print(a)\nplot()"]


def test_the_user_sees_the_code_and_what_it_overwrites(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    kernel.names = {"df": 1, "x": 2}
    code = "df = 5\nnew = 1"
    turn_id = _start(driver, session, _step("run_code", {"code": code}))
    request = driver.asked(session)
    (call,) = _calls(session)
    assert call.permission is not None
    assert call.tool_call_id == "call-0", "it stands on the agent's own card"
    assert call.tool_kind == "execute"
    assert call.raw_input == {"code": code}
    assert "Overwrites variables: df." in call.permission.reason
    assert [place.path for place in call.locations] == ["n.ipynb"]
    assert kernel.ran == []
    driver.answer(session, request, "allow")
    (told,) = _told(driver, session, turn_id)
    assert not told["failed"]
    assert kernel.names["df"] == 5
    (call,) = _calls(session)
    assert (call.status, call.permission and call.permission.outcome) == (
        "completed",
        "Allowed once",
    )


def test_what_the_agent_asked_for_itself_is_not_asked_again(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = _start(driver, session, _step("run_code", {"code": "q = 1"}, ask=True))
    driver.answer(session, driver.asked(session), "yes")
    (told,) = _told(driver, session, turn_id)
    assert not told["failed"]
    assert kernel.ran == ["q = 1"]
    assert len(_calls(session)) == 1


@pytest.mark.parametrize("more", [{"shown": {"code": "print(1)"}}, {"hide": True}])
def test_another_call_than_was_allowed_is_asked_about(
    driver: Driver, session: Session, kernel: Dictionary, more: dict[str, Any]
) -> None:
    """What an agent shows is not what counts: the user is asked about what will run."""
    step = _step("run_code", {"code": "bad = 1"}, ask="shown" in more, **more)
    turn_id = _start(driver, session, step)
    first = driver.asked(session)
    if "shown" in more:
        driver.answer(session, first, "yes")
        eventually(lambda: first not in session.transcript.request_items, 10)
    second = driver.asked(session)
    assert kernel.ran == []
    call = _calls(session)[-1]
    assert call.raw_input == {"code": "bad = 1"}
    driver.answer(session, second, "reject")
    (told,) = _told(driver, session, turn_id)
    assert told["failed"]
    assert "rejected" in told["text"]
    assert kernel.ran == []
    assert call.tool_call_id.startswith("notebook-")
    assert _calls(session)[-1].status == "failed"


@pytest.mark.parametrize("policy", ["read-only", "deny"])
def test_under_a_policy_that_forbids_nothing_is_asked_nor_done(
    driver: Driver, session: Session, kernel: Dictionary, path: Path, policy: Any
) -> None:
    before = path.read_bytes()
    told = _play(
        driver,
        session,
        _step("run_code", {"code": "x = 1"}),
        _step("run_cells", {"cell_ids": ["cell-1"]}),
        _step("insert_cell", {"source": "x"}),
        _step("delete_cell", {"cell_id": "cell-1", "fingerprint": fingerprint("a = 1")}),
        policy=policy,
    )
    assert all(each["failed"] and f"policy {policy}" in each["text"] for each in told)
    assert (path.read_bytes(), kernel.ran) == (before, [])


def test_accepted_edits_are_of_cells_and_not_of_the_kernel(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    edit = {"cell_id": "cell-1", "source": "a = 2", "fingerprint": fingerprint("a = 1")}
    turn_id = _start(
        driver,
        session,
        _step("edit_cell", edit),
        _step("run_code", {"code": "a = 3"}),
        policy="accept-edits",
    )
    driver.answer(session, driver.asked(session), "reject")
    edited, ran = _told(driver, session, turn_id)
    assert (edited["failed"], ran["failed"]) == (False, True)
    assert _cells(path)[1]["source"] == "a = 2"
    (diff,) = _calls(session)[0].diffs
    assert (diff.old_text, diff.new_text) == ("a = 1", "a = 2")
    assert kernel.ran == []


def test_a_rule_for_commands_never_runs_code(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    """Code in the kernel is no command, whatever a rule for commands says."""
    rules = session.turns.asking.rules
    assert rules is not None
    rule = rules.read("execute:git status", "allow", "session")
    driver.run(lambda: rules.add(rule))
    step = _step("run_code", {"code": "git status"}, shown={"command": "git status"})
    turn_id = _start(driver, session, step)
    driver.answer(session, driver.asked(session), "reject")
    _told(driver, session, turn_id)
    assert kernel.ran == []


def test_where_nobody_can_be_asked_it_is_refused(
    tmp_path: Path, driver: Driver, path: Path, kernel: Dictionary
) -> None:
    session = driver.open("notebook_user", notebook_path="work/n.ipynb", kernel_id=KERNEL)
    turn_id = _start(driver, session, _step("run_code", {"code": "x = 1"}), can_ask=False)
    turn = driver.done(session, turn_id)
    assert turn.failure is not None
    assert turn.failure.reason == "nobody_to_ask"
    assert kernel.ran == []


def test_errors_say_what_to_do(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    told = _play(
        driver,
        session,
        _step("read_cells", {"cell_ids": ["gone"]}),
        _step("edit_cell", {"cell_id": "cell-1", "source": "x", "fingerprint": "older"}),
        _step("edit_cell", {"cell_id": "cell-1"}),
        _step("no_such_tool", {}),
        _step("delete_cell", {"cell_id": "cell-0", "fingerprint": "any"}),
        _step("run_cells", {"cell_ids": ["cell-0"]}),
        _step("restart_kernel", {}),
        policy="allow-all",
    )
    texts = [each["text"] for each in told]
    assert all(each["failed"] for each in told)
    assert texts[0].startswith("cell_gone: there is no cell gone")
    assert texts[1].startswith("stale: cell cell-1 was changed")
    assert texts[2] == "edit_cell: source: Field required."
    assert "There is no tool 'no_such_tool'" in texts[3]
    assert "asked from" in texts[4]
    assert "asked from" in texts[5]
    assert "asked from" in texts[6]


def test_a_kernel_in_trouble_is_told(driver: Driver, session: Session, kernel: Dictionary) -> None:
    kernel.trouble = KernelTrouble("dead", "The kernel has died.")
    (told,) = _play(driver, session, _step("list_variables", {}))
    assert told == {"failed": True, "text": "dead: The kernel has died.", "images": []}


def test_an_error_stops_the_cells_after_it(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    write_notebook(path, "", "1 / 0", "z = 1")
    (told,) = _play(
        driver,
        session,
        _step("run_cells", {"cell_ids": ["cell-1", "cell-2"]}),
        policy="allow-all",
    )
    assert told["failed"]
    assert "division by zero" in told["text"]
    assert "\x1b" not in told["text"]
    assert "1 cells after it were not run" in told["text"]
    assert kernel.ran == ["1 / 0"]
    assert _cells(path)[1]["outputs"][0]["ename"] == "ZeroDivisionError"


def test_a_turn_that_is_stopped_stops_its_code(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = _start(driver, session, _step("run_code", {"code": "wait"}), policy="allow-all")
    eventually(lambda: kernel.ran == ["wait"], 20)
    driver.run(lambda: session.cancel(turn_id))
    eventually(lambda: kernel.interrupted == 1, 10, "the code is stopped")
    assert driver.done(session, turn_id).stop_reason == "cancelled"
