"""Every way to stop ends the turn as cancelled, and allows nothing."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import expect

from acp_jupyter.host.limits import Limits
from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace

LOAD = "%load_ext acp_jupyter"
EDIT = "%%acp demo\nedit clean.py rate=0"
PROMPT = """import acp_jupyter
turn = acp_jupyter.connect("demo").prompt("edit clean.py rate=0")
turn"""


def test_interrupt_stop_button_and_cancel_magic(
    lab: LabPage, workspace: Workspace, server: JupyterServer
) -> None:
    """Each of the three stops its turn at once, and nothing is written."""
    nb = lab.open(workspace.notebook(LOAD, EDIT, EDIT, PROMPT, "%acp cancel", "turn.status"))
    nb.load_extension()
    with AsUser(server) as user:
        turn = nb.run(1)
        expect(turn.permission).to_be_visible()
        turn_id = user.newest_turn(user.session_of(nb.path))
        start = time.time()
        nb.interrupt()
        _expect_cancelled(user.ended(turn_id), start)
        nb.wait_for_end(1)
        expect(turn.root).to_contain_text("KeyboardInterrupt")
        expect(turn.permission).to_have_count(0)

        turn = nb.run(2)
        expect(turn.permission).to_be_visible()
        turn_id = user.newest_turn(user.session_of(nb.path))
        start = time.time()
        turn.stop.click()
        _expect_cancelled(user.ended(turn_id), start)
        nb.wait_for_end(2)
        expect(turn.permission).to_have_count(0)
        expect(turn.root).to_contain_text("Stopped")

        turn = nb.run(3)
        nb.wait_for_end(3)
        expect(turn.permission).to_be_visible()
        turn_id = user.newest_turn(user.session_of(nb.path))
        start = time.time()
        nb.run(4)
        _expect_cancelled(user.ended(turn_id), start)
        nb.wait_for_end(4)
        expect(nb.output(4)).to_contain_text("Stopped 1 turn.")
        expect(turn.permission).to_have_count(0)
    assert workspace.clean_py == CLEAN_PY


def _expect_cancelled(detail: Any, start: float) -> None:
    turn = detail["turn"]
    assert turn["stop_reason"] == "cancelled"
    # Else the host would have ended it.
    assert turn["ended_at"] - start < Limits().cancel_grace_seconds
    assert [p["state"] for p in AsUser.permissions(detail)] == ["cancelled"]
