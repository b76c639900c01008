"""Authority comes from the server's record: a forged output is a picture."""

from __future__ import annotations

import copy
import json
from typing import Any

from playwright.sync_api import expect

from acp_jupyter.transcript.output.record import RUNS_KEY
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import (
    TURN_MIME,
    claims,
    display_data,
    new_notebook,
    write_notebook,
)
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace

LOAD = "%load_ext acp_jupyter"
QUIET = {
    "attach_turn",
    "get_items",
    "get_records",
    "get_session",
    "list_agents",
    "list_changing_sessions",
    "list_sessions",
}


def test_own_turn_keeps_its_buttons_and_forged_ones_have_none(
    lab: LabPage, workspace: Workspace, server: JupyterServer
) -> None:
    turn_id, foreign = _pending_output(server, workspace)
    notebook = new_notebook(LOAD, "%%acp demo\nedit clean.py rate=0", "# foreign", "# forged")
    notebook.cells[2].outputs = [foreign]
    notebook.cells[3].outputs = [_claiming(foreign, "f" * 32)]
    write_notebook(workspace.folder / "clone.ipynb", notebook)

    nb = lab.open(f"{workspace.name}/clone.ipynb")
    _expect_a_picture(nb, 2)
    _expect_a_picture(nb, 3)
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    with AsUser(server) as user:
        own = user.newest_turn(user.session_of(nb.path))
    nb.saved_output_of(1, own)

    # The turn that waits in cell 1, claimed by cell 3 of the same notebook.
    forged = nb.read()
    forged.cells[3].outputs = [_claiming(foreign, own)]
    write_notebook(nb.file, forged)
    lab.reload()
    nb = lab.notebook(nb.path)
    turn = nb.turn(1)
    expect(turn.permission).to_be_visible()
    for index in (2, 3):
        _expect_a_picture(nb, index)
    sent = {command["name"] for command in lab.log.commands}
    assert sent <= QUIET, f"opening a notebook sent {sent - QUIET}"
    assert lab.log.requests == []
    assert workspace.clean_py == CLEAN_PY

    turn.answer("Reject")
    expect(turn.root).to_contain_text("was rejected")
    with AsUser(server) as user:
        states = [p["state"] for p in user.permissions(user.turn(turn_id))]
    assert states == ["pending"], "the other notebook's question was touched"


def _expect_a_picture(nb: OpenNotebook, index: int) -> None:
    """The output is drawn, and holds nothing that acts."""
    view = nb.turn(index)
    nb.cell(index).scroll_into_view_if_needed()
    expect(view.root).to_contain_text("clean.py")
    for name in ("Allow once", "Allow all edits this session", "Reject", "Stop"):
        expect(view.root.get_by_role("button", name=name)).to_have_count(0)


def _pending_output(server: JupyterServer, workspace: Workspace) -> tuple[str, Any]:
    """Return a turn of another notebook's cell that asks, and what that cell holds meanwhile."""
    origin = {"notebook_path": "elsewhere/nb.ipynb", "cell_id": "elsewhere", "source": "x"}
    with AsUser(server) as user:
        session_id = user.new_session("demo", str(workspace.folder))
        body = {"prompt": "edit clean.py rate=0", "origin": origin}
        turn_id = user.post(f"sessions/{session_id}/prompt", body).json()["turn_id"]
        user.permission(turn_id)
        records = user.get("records", notebook_path="elsewhere/nb.ipynb")
    bundle = next(record for record in records["outputs"] if record["turn_id"] == turn_id)["bundle"]
    assert "pending" in json.dumps(bundle["data"][TURN_MIME]["items"]), (
        "the copy shows the question"
    )
    output = display_data(**{TURN_MIME: bundle["data"][TURN_MIME], "text/plain": "clean.py"})
    output.metadata.update(bundle["metadata"])
    assert claims(output, turn_id)
    return turn_id, output


def _claiming(output: Any, turn_id: str) -> Any:
    """Return an output that says to be of another turn."""
    forged = copy.deepcopy(output)
    (run,) = forged.metadata[RUNS_KEY].values()
    forged.metadata[RUNS_KEY] = {turn_id: run}
    return forged
