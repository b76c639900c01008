"""An agent that acts without asking: its user is asked, in the cell and after the turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"


@pytest.mark.long
def test_who_writes_a_protected_file_unasked_waits_for_the_user(
    lab: LabPage, workspace: Workspace, tmp_path: Path
) -> None:
    hook, late = workspace.folder / "conftest.py", workspace.folder / "late.txt"
    go, answers = tmp_path / "go", tmp_path / "answers.json"
    write = {"ask": "fs/write_text_file"}
    steps = [{**write, "params": {"path": str(hook), "content": "import os\n"}}]
    order = {
        "steps": [{**write, "params": {"path": str(late), "content": "late\n"}}],
        "go": str(go),
        "answers": str(answers),
    }
    nb = lab.open(
        workspace.notebook(
            LOAD,
            f"%%acp terminal_script\n{json.dumps(steps)}",
            f"%%acp acts_late\n{json.dumps(order)}",
        )
    )
    nb.load_extension()

    turn = nb.run(1)
    expect(turn.permission).to_contain_text("wants to create a file")
    expect(turn.permission).to_contain_text("can change what runs later")
    expect(turn.root.get_by_role("region", name="Diff of conftest.py")).to_contain_text("import os")
    turn.choose("Reject")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("This was rejected. Nothing was written.")
    assert not hook.exists()

    # The turn is over, and what is left of the agent goes on.
    turn = nb.run(2)
    nb.wait_for_end(2)
    go.touch()
    expect(turn.permission).to_contain_text("Its turn is over.")
    assert not late.exists()
    turn.choose("Allow")
    eventually(late.exists, what="the file is written")
    expect(turn.root).to_contain_text("Allowed once")
