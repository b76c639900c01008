"""Code that an agent runs for long: what its user sees of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notebook_tools.in_a_server.calls import NOTEBOOK, steps
from tests.support.kernel.cells import Cell, Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.wait import eventually

_UNTIL = """\
import pathlib, time
print("has begun", flush=True)
while not pathlib.Path({file!r}).exists():
    time.sleep(0.05)
"""


@pytest.fixture
def go_on(tmp_path: Path) -> Path:
    """Ends the code when it is there."""
    return tmp_path / "go-on"


@pytest.fixture
def user(server: JupyterServer) -> Iterator[AsUser]:
    with AsUser(server) as user:
        yield user


def _see_it(user: AsUser, turn_id: str) -> None:
    def shown() -> bool:
        items = user.turn(turn_id)["items"]
        calls = [(i["output"], i["status"]) for i in items if i["kind"] == "tool_call"]
        return calls == [("has begun\n", "in_progress")]

    eventually(shown, "what was printed stands on the card")


def test_by_the_shell_channel(user: AsUser, kernel: Kernel, path: Path, go_on: Path) -> None:
    session_id = user.new_session("notebook_user", "work", notebook_path=NOTEBOOK)
    code = _UNTIL.format(file=str(go_on))
    turn_id = user.prompt(session_id, steps(("run_code", {"code": code})))
    user.answer(session_id, user.permission(turn_id)["request_id"], "allow")
    _see_it(user, turn_id)
    go_on.touch()
    user.ended(turn_id)


def test_in_the_cell_that_waits(user: AsUser, kernel: Kernel, path: Path, go_on: Path) -> None:
    def look(cell: Cell) -> None:
        if cell.outputs and not go_on.exists():
            session_id = user.session_of(NOTEBOOK, "notebook_user")
            _see_it(user, user.newest_turn(session_id))
            go_on.touch()

    prompt = steps(("run_code", {"code": _UNTIL.format(file=str(go_on))}))
    source = f"%%acp notebook_user --policy allow-all --new\n{prompt}"
    kernel.run(source, cell_id="cell-0", watched=True, on_progress=look).ok()
    assert go_on.exists()
