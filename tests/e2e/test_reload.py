"""A turn outlives its page, its kernel and its tab; its record ends up in the file."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import TurnView
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

SLOW_EDIT = "%%acp demo\nedit clean.py rate=2"
EDIT = "%%acp demo\nedit clean.py rate=0"
LOAD = "%load_ext acp_jupyter"


@pytest.mark.parametrize(
    "restart",
    [pytest.param(False, marks=pytest.mark.long), True],
    ids=["reload", "reload-and-restart"],
)
def test_reload_in_a_notebook_that_was_never_saved(
    lab: LabPage, workspace: Workspace, restart: bool
) -> None:
    """Neither the question nor the record is lost."""
    lab.open_empty(workspace.name)
    nb = lab.create_notebook(workspace.name)
    nb.wait_for_kernel()
    nb.run_to_end(0, LOAD)
    turn = nb.run(1, SLOW_EDIT)
    expect(turn.root.get_by_role("timer")).to_have_text("0:03")
    lab.reload()

    nb = lab.notebook(nb.path)
    turn = nb.turn(1)
    if restart:
        nb.wait_for_kernel()
        nb.restart()
    expect(turn.permission).to_be_visible()
    assert workspace.clean_py == CLEAN_PY
    turn.answer("Allow once")
    _expect_the_end_and_the_record(nb, turn, workspace)


@pytest.mark.long
def test_the_tab_is_closed_for_the_end_of_the_turn(
    lab: LabPage, workspace: Workspace, visitor: Visitor, server: JupyterServer
) -> None:
    nb = lab.open(workspace.notebook(LOAD, EDIT))
    nb.load_extension()
    expect(nb.run(1).permission).to_be_visible()
    lab.close()
    with AsUser(server) as user:
        session_id = user.session_of(nb.path)
        turn_id = user.newest_turn(session_id)
        request = user.permission(turn_id)
        assert user.answer(session_id, request["request_id"], "once").status_code == 200
        assert user.ended(turn_id)["turn"]["stop_reason"] == "end_turn"

    again = LabPage(visitor, server).open(nb.path)
    _expect_the_end_and_the_record(again, again.turn(1), workspace)


def test_two_tabs_show_the_same_and_one_answer_counts(
    lab: LabPage, workspace: Workspace, visitor: Visitor, server: JupyterServer
) -> None:
    nb = lab.open(workspace.notebook(LOAD, EDIT))
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    other_nb = LabPage(visitor, server).open(nb.path)
    other = other_nb.turn(1)
    expect(other.permission).to_be_visible()
    expect(other.diff("clean.py").locator("ins").first).to_be_visible()
    with AsUser(server) as user:
        session_id = user.session_of(nb.path)
        request = user.permission(user.newest_turn(session_id))
        other.answer("Reject")
        expect(turn.permission).to_have_count(0)
        late = user.answer(session_id, request["request_id"], "once")
    assert (late.status_code, late.json()["reason"]) == (409, "permission_settled")
    for view in (turn, other):
        expect(view.root).to_contain_text("Rejected")
        expect(view.root).to_contain_text("was rejected. Nothing was changed.")
    assert workspace.clean_py == CLEAN_PY
    nb.saved_output(1)
    # Two pages of one notebook, and none of them found the file changed under its feet.
    for tab in (nb.lab, other_nb.lab):
        expect(tab.page.locator(".jp-Dialog")).to_have_count(0)


def _expect_the_end_and_the_record(nb: OpenNotebook, turn: TurnView, workspace: Workspace) -> None:
    summary = "Built kept by a list comprehension instead of a loop."
    expect(turn.root).to_contain_text(summary)
    expect(turn.permission).to_have_count(0)
    eventually(lambda: workspace.clean_py != CLEAN_PY, what="the edit is on disk")
    # Whoever holds the document saves it; nobody has pressed a key for that.
    saved = nb.saved_output(1)
    nb.wait_until_clean()
    nb.save()
    assert nb.saved_output(1) == saved
    assert "Built `kept` by a list comprehension" in saved["data"]["text/markdown"]
    assert nb.read().cells[1].source.startswith("%%acp demo\nedit clean.py")
    assert len(nb.read().cells[1].outputs) == 1
