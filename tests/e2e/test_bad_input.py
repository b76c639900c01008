"""Whatever goes wrong is said in one sentence where the user looks, and the next prompt works."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"


@pytest.mark.long
def test_agents_that_do_not_work(lab: LabPage, workspace: Workspace, server: JupyterServer) -> None:
    """Unknown, missing, leaving, babbling, silent and dying agents."""
    nb = lab.open(workspace.notebook(LOAD, ""))
    nb.load_extension()
    _fails(nb, "%%acp nobody\nhi", r"no agent called 'nobody'")
    _fails(nb, "%%acp missing\nhi", r"no-such-agent-command")
    _fails(
        nb,
        "%%acp exits_at_once\nhi",
        r"exited with code 3",
        r"cannot find the configuration in red",
    )
    _fails(nb, "%%acp garbage --timeout 3\nhi", r"took longer than 3 s")
    _fails(nb, "%%acp never_new_session\nhi", r"did not answer session/new within 3 s")
    _fails(nb, "%%acp dies_mid_turn\nhi", r"killed by signal 9", r"out of memory, maybe")
    _fails(nb, "%%acp demo\n  ", r"The prompt is empty\. Below the first line")
    _fails(nb, "%%acp demo\nerror", r"The prompt asked for an error")

    turn = nb.run(1, "%%acp never_initialize\nhi")
    expect(turn.status).to_contain_text("Starting")
    turn.stop.click()
    nb.wait_for_end(1)
    with AsUser(server) as user:
        turn_id = user.newest_turn(user.session_of(nb.path))
        assert user.turn(turn_id)["turn"]["stop_reason"] == "cancelled"
    _works(nb)


@pytest.mark.long
def test_a_flood_and_a_queue(lab: LabPage, workspace: Workspace, server: JupyterServer) -> None:
    """20,000 updates flat out; a second prompt waits for the first."""
    nb = lab.open(workspace.notebook(LOAD, "%%acp flood\ngo", "%%acp slow_stream\none"))
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("19999")
    _works(nb, 3)

    first = nb.run(2)
    expect(first.root).to_contain_text("word0")
    with AsUser(server) as user:
        session_id = user.session_of(nb.path)
        session_id = next(
            s["session_id"] for s in user.get("sessions") if s["agent"] == "slow_stream"
        )
        running = user.newest_turn(session_id)
        queued = user.prompt(session_id, "two")
        assert user.turn(queued)["turn"]["status"] == "queued"
        panel = lab.panel
        panel.show_list()
        panel.listed("slow_stream").click()
        expect(panel.root.get_by_text("two", exact=True).first).to_be_visible()
        first.stop.click()
        assert user.ended(running)["turn"]["stop_reason"] == "cancelled"
        eventually(lambda: user.turn(queued)["turn"]["status"] == "running")
        user.post(f"sessions/{session_id}/cancel", {})
        assert user.ended(queued)["turn"]["stop_reason"] == "cancelled"
    nb.wait_for_end(2)


@pytest.mark.long
@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_the_cell_changed_while_its_turn_ran(
    lab: LabPage, workspace: Workspace, server: JupyterServer, change: str
) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0", "1 + 1"))
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    with AsUser(server) as user:
        session_id = user.session_of(nb.path)
        turn_id = user.newest_turn(session_id)
        if change == "edited":
            nb.set_source(1, "something = 'else'")
        else:
            nb.delete_cell(1)
        request = user.permission(turn_id)
        user.answer(session_id, request["request_id"], "no").raise_for_status()
        user.ended(turn_id)
    if change == "edited":
        expect(lab.notices).to_contain_text("The cell has changed since this turn ran.")
        lab.notices.get_by_role("button", name="Insert").click()
        nb.final_output(1)
    else:
        expect(lab.notices).to_contain_text("The cell of this turn was deleted while it ran.")
        assert nb.outputs(1) == []
    _works(nb, 2)


def _fails(nb: OpenNotebook, source: str, *words: str) -> None:
    """The output says each of the words, and the cell raises."""
    nb.run(1, source)
    nb.wait_for_end(1)
    for word in words:
        expect(nb.output(1)).to_contain_text(re.compile(word))
    kinds = [output["output_type"] for output in nb.outputs(1)]
    assert "error" in kinds or "UsageError" in nb.output(1).inner_text(), kinds


def _works(nb: OpenNotebook, index: int = 1) -> None:
    turn = nb.run(index, "%%acp hello\nstill there?")
    nb.wait_for_end(index)
    expect(turn.root).to_contain_text("You said: still there?")
