"""The demo agent at work in a notebook, by the tools that its session has."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.notebook_tools.in_process import KERNEL, Dictionary, write_notebook
from tests.support.host.driver import Driver
from tests.support.processes import family
from tests.support.wait import eventually


@pytest.fixture
def path(driver: Driver) -> Path:
    return driver.root / "n.ipynb"


def _session(driver: Driver) -> Session:
    session = driver.open("demo", notebook_path="work/n.ipynb", kernel_id=KERNEL)
    driver.run(session.attach)
    return session


def _ask(driver: Driver, session: Session, prompt: str, policy: str = "allow-all") -> str:
    """Ask from the first cell; return the answer."""
    origin = Origin(kernel_id=KERNEL, notebook_path="work/n.ipynb", cell_id="cell-0")
    before = len(driver.text(session))
    driver.done(session, driver.prompt(session, prompt, origin=origin, policy=policy))
    return driver.text(session)[before:]


def _calls(session: Session) -> list[ToolCall]:
    state = session.transcript
    items = state.window(0, len(state.items))
    return [item for item in items if isinstance(item, ToolCall)]


def _fail(path: Path, index: int, error: str) -> None:
    """Let a cell have failed, as its page has saved it."""
    content = json.loads(path.read_text())
    name, _, value = error.partition(": ")
    content["cells"][index]["outputs"] = [
        {"output_type": "error", "ename": name, "evalue": value, "traceback": ["…", error]}
    ]
    path.write_text(json.dumps(content))


def _sources(path: Path) -> list[str]:
    cells: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells]


def test_it_says_what_a_variable_is(driver: Driver, kernel: Dictionary, path: Path) -> None:
    write_notebook(path, "%%acp demo")
    kernel.names |= {"prices": [1, 2, 3], "other": "x"}
    session = _session(driver)
    assert _ask(driver, session, "look at prices", "deny") == (
        "`prices` is a `list`.\n\n```python\n[1, 2, 3]\n```\n"
    )
    assert "no variable `pricse`. There are `prices`, `other`." in _ask(
        driver, session, "look at pricse"
    )
    assert {call.status for call in _calls(session)} == {"completed"}


class DataFrame:
    """As much of a table as is looked at."""

    class _Column:
        def to_string(self) -> str:
            return "price  float64"

    dtypes = _Column()

    def isna(self) -> DataFrame:
        return self

    def sum(self) -> _Column:
        return self._Column()


def test_it_runs_code_to_look_into_a_table(driver: Driver, kernel: Dictionary, path: Path) -> None:
    write_notebook(path, "%%acp demo")
    kernel.names["df"] = DataFrame()
    session = _session(driver)
    origin = Origin(kernel_id=KERNEL, notebook_path="work/n.ipynb", cell_id="cell-0")
    turn_id = driver.prompt(session, "look at df", origin=origin)
    driver.answer(session, driver.asked(session), "allow")
    driver.done(session, turn_id)
    assert "Columns:\nprice  float64\nMissing values:" in driver.text(session)
    looked = _calls(session)[-1]
    # Asked once, on the agent's own card.
    assert looked.permission is not None
    assert looked.permission.state == "allowed"
    assert looked.tool_name == "mcp__notebook__run_code"
    assert len(_calls(session)) == 2


def test_it_mends_the_last_cell_that_failed(driver: Driver, kernel: Dictionary, path: Path) -> None:
    write_notebook(path, "%%acp demo", "1 / 0", "x = total / cuont", "y = 2")
    _fail(path, 1, "ZeroDivisionError: division by zero")
    _fail(path, 2, "NameError: name 'cuont' is not defined")
    kernel.names |= {"total": 6, "count": 3}
    session = _session(driver)
    answer = _ask(driver, session, "fix")
    assert "`cuont` is not known; `count` was meant. It ran again without an error." in answer
    assert _sources(path)[2] == "x = total / count"
    assert kernel.names["x"] == 2
    edit = next(call for call in _calls(session) if call.tool_name == "mcp__notebook__edit_cell")
    assert edit.diffs, "what was changed stays on the card"
    assert "division by zero" in _ask(driver, session, "fix")
    assert _sources(path)[1] == "1 / 0", "there is no mend for this one"


def test_a_refusal_ends_it_in_words(driver: Driver, kernel: Dictionary, path: Path) -> None:
    write_notebook(path, "%%acp demo", "x = count")
    _fail(path, 1, "NameError: name 'cuont' is not defined")
    session = _session(driver)
    assert "does not know how to fix that" in _ask(driver, session, "fix the last failing cell")
    write_notebook(path, "%%acp demo", "n = 3")
    assert "It went no further" in _ask(driver, session, "edit the notebook", "deny")
    assert _sources(path)[1] == "n = 3"


def test_it_edits_one_cell(driver: Driver, path: Path) -> None:
    write_notebook(path, "%%acp demo", "# a\nn = 3", "m = n")
    answer = _ask(driver, _session(driver), "edit the notebook")
    assert answer == "Cell 3: Added a comment that says what the cell makes. It was not run.\n"
    assert _sources(path)[1:] == ["# a\nn = 3", "# Makes m.\nm = n"]


@pytest.mark.parametrize("prompt", ["look at df", "plot df", "fix", "edit the notebook"])
def test_without_tools_it_says_so(driver: Driver, path: Path, prompt: str) -> None:
    session = driver.open("demo")
    driver.run(session.attach)
    driver.done(session, driver.prompt(session, prompt))
    assert driver.text(session).startswith("There are no notebook tools in this session")
    assert "--no-tools" in driver.text(session)
    assert _calls(session) == []


def test_the_relay_is_started_when_it_is_needed_and_ends_with_the_agent(
    driver: Driver, path: Path
) -> None:
    write_notebook(path, "%%acp demo")
    of_others = _relays()  # servers of other tests may run
    session = _session(driver)
    _ask(driver, session, "plan")
    assert _relays() <= of_others
    _ask(driver, session, "fix")
    (relay,) = _relays() - of_others
    driver.result(driver.host.sessions.close(session.session_id))
    eventually(lambda: relay not in _relays())


def _relays() -> set[int]:
    return {pid for pid, command in family(os.getpid()).items() if "relay.py" in command}


def test_what_can_not_be_plotted_is_said(driver: Driver, kernel: Dictionary, path: Path) -> None:
    write_notebook(path, "%%acp demo")
    session = _session(driver)
    words = "only tables and lists of numbers are plotted. Nothing was changed.\n"
    assert _ask(driver, session, "/plot") == f"There is nothing, and {words}"
    kernel.names["other"] = "x"
    assert _ask(driver, session, "/plot other") == f"`other` is a `str`, and {words}"
    assert _sources(path) == ["%%acp demo"]
