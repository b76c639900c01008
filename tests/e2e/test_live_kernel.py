"""An agent at work in the kernel of the notebook that is open, and in what is not saved of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import TurnView
from tests.support.server.workspace import Workspace

pytestmark = pytest.mark.long

_LOAD = "%load_ext acp_jupyter\nprices = [3, 1, 2]"
_PLOT = """\
import base64
from IPython.display import Image, display
display(Image(base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)))"""
_SLOW = """\
import time
for step in range(600):
    print("step", step, flush=True)
    time.sleep(0.1)"""


def _use(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


def _ask(*steps: dict[str, Any], options: str = "") -> str:
    return f"%%acp notebook_user {options}\n{json.dumps(steps)}"


def _id(notebook: OpenNotebook, index: int) -> str:
    return str(notebook.read().cells[index].id)


def _open(lab: LabPage, workspace: Workspace, *sources: str) -> OpenNotebook:
    notebook = lab.open(workspace.notebook(_LOAD, *sources))
    notebook.wait_for_kernel()
    notebook.run_to_end(0)
    return notebook


def _says(turn: TurnView, words: str) -> None:
    expect(turn.log).to_contain_text(words)


def test_an_agent_knows_the_kernel_and_restarts_it_when_it_may(
    lab: LabPage, workspace: Workspace
) -> None:
    """Variables, an existing plot, code, and a restart while a cell has an unsaved edit."""
    notebook = _open(lab, workspace, _PLOT, "", "left = 1")
    notebook.run_to_end(1)
    notebook.save()
    turn = notebook.run(
        2,
        _ask(
            _use("list_variables", pattern="pri*"),
            _use("inspect", code="prices"),
            _use("read_cells", cell_ids=[_id(notebook, 1)]),
            _use("run_code", code="prices = sorted(prices)\nprint('sum', sum(prices))"),
        ),
    )
    expect(turn.permission).to_contain_text("run code in the notebook's kernel")
    expect(turn.permission).to_contain_text("Overwrites variables: prices.")
    _says(turn, "prices: list")
    _says(turn, '"images": ["image/png"]')
    notebook.set_source(3, "left = 2  # typed")
    turn.answer("Allow")
    notebook.wait_for_end(2)
    _says(turn, "sum 6")
    notebook.run_to_end(4, "print(prices)")
    expect(notebook.output(4)).to_contain_text("[1, 2, 3]")

    # The cell that asks can't end its own kernel; the panel's prompt can.
    panel = lab.panel
    panel.say(json.dumps([_use("restart_kernel"), _use("list_variables", pattern="pri*")]))
    expect(panel.permission).to_contain_text("restart the notebook's kernel")
    expect(panel.permission).to_contain_text("All variables are lost.")
    panel.answer("Allow")
    _says(panel, "Restarted. There are no variables now.")
    _says(panel, "0 variables.")
    notebook.run_to_end(4, "print('prices' in dir())")
    expect(notebook.output(4)).to_contain_text("False")
    expect(notebook.cell(3)).to_contain_text("# typed")


def test_an_agent_reads_its_own_writes_and_what_is_not_saved(
    lab: LabPage, workspace: Workspace
) -> None:
    notebook = _open(lab, workspace, "total = 1", "", "left = 1")
    edited = {
        "cell_id": _id(notebook, 1),
        "source": "total = 2  # by the agent",
        "fingerprint": fingerprint("total = 1"),
    }
    turn = notebook.run(
        2,
        _ask(
            _use("edit_cell", **edited),
            _use("run_code", code="'go on'"),
            _use("read_cells", cell_ids=[_id(notebook, 1), _id(notebook, 3)]),
            {"read": "nb.ipynb"},
        ),
    )
    expect(turn.permission).to_contain_text("change the notebook")
    turn.choose("Allow")
    expect(turn.permission).to_contain_text("run code in the notebook's kernel")
    expect(notebook.cell(1)).to_contain_text("# by the agent")
    notebook.set_source(3, "left = 2  # typed, not saved")
    assert notebook.read().cells[3].source == "left = 1"
    turn.answer("Allow")
    notebook.wait_for_end(2)
    # In the cells that it reads, and in the file.
    for words in ("# by the agent", "# typed, not saved"):
        assert (turn.log.text_content() or "").count(words) >= 2, words
    expect(notebook.cell(3)).to_contain_text("# typed, not saved")


def test_long_code_is_seen_moving_and_ends_when_it_shall(
    lab: LabPage, workspace: Workspace
) -> None:
    """By the turn's Stop, by the kernel's interrupt, and by its own time."""
    notebook = _open(lab, workspace, _SLOW, "")
    slow = _id(notebook, 1)
    source = _ask(_use("run_cells", cell_ids=[slow]), options="--policy allow-all")

    turn = notebook.run(2, source)
    card = turn.tool(re.compile("run_cells|Run cell")).first
    expect(card).to_contain_text("step 12")
    expect(card).to_contain_text(re.compile(r"\ds"))
    turn.stop.click()
    notebook.wait_for_end(2)
    expect(card).not_to_have_attribute("data-status", "in_progress")

    turn = notebook.run(2, source)
    expect(turn.tool(re.compile("run_cells|Run cell")).first).to_contain_text("step 12")
    notebook.interrupt()
    notebook.wait_for_end(2)
    expect(turn.root).to_contain_text("KeyboardInterrupt")

    limited = _use("run_cells", cell_ids=[slow], timeout_seconds=2)
    turn = notebook.run(2, _ask(limited, _use("list_cells"), options="--policy allow-all"))
    notebook.wait_for_end(2)
    _says(turn, "It took too long, and was interrupted.")
    _says(turn, "3 cells")  # the turn went on
    expect(notebook.output(1)).to_contain_text("step 5")
    notebook.run_to_end(3, "print('free')")
    expect(notebook.output(3)).to_contain_text("free")


def test_an_output_that_an_agent_writes_acts_in_no_page(lab: LabPage, workspace: Workspace) -> None:
    """It may edit cells; a script that runs in the page would answer and allow as the user."""
    notebook = _open(lab, workspace, "shown = 1", "")
    html = "<b>seen</b><script>window.acted = true</script>"
    shown = {"output_type": "display_data", "metadata": {}, "data": {"text/html": html}}
    plain = '"metadata": {},\n   "outputs": [],\n   "source": [\n    "shown = 1"'
    trusted = (
        f'"metadata": {{"trusted": true}}, "outputs": [{json.dumps(shown)}],'
        ' "source": ["shown = 1 # edited"'
    )
    edit = f"fs replace nb.ipynb {json.dumps(plain)} {json.dumps(trusted)}"
    notebook.run(2, f"%%acp edits_files --policy accept-edits\n{edit}")
    notebook.wait_for_end(2)
    expect(notebook.cell(1)).to_contain_text("# edited")
    expect(notebook.output(1)).to_contain_text("seen")
    assert lab.page.evaluate("window.acted ?? null") is None
