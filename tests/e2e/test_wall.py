"""A commit that the sandbox stops: its card says so, and it is run outside once after a yes."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from acp_jupyter.host.sandbox.levels import find_level
from tests.support.browser.accessibility import expect_accessible, expect_all_inside, picture
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.skipif(find_level().level != "full", reason="bubblewrap is needed")

LOAD = "%load_ext acp_jupyter"
WORDS = "The sandbox “folder” keeps .git from changes."
BUTTON = "Run it outside once"
COMMIT = "git -c user.name=A -c user.email=a@b.c commit --allow-empty -m Begin"


@pytest.mark.parametrize(
    "theme", ["JupyterLab Light", pytest.param("JupyterLab Dark", marks=pytest.mark.long)]
)
def test_a_commit_is_run_outside_once(lab: LabPage, workspace: Workspace, theme: str) -> None:
    subprocess.run(["git", "init", "-q", str(workspace.folder)], check=True)
    cell = f"%%acp runs_commands --policy allow-all --sandbox folder\n{COMMIT}"
    nb = lab.open(workspace.notebook(LOAD, cell))
    lab.use_theme(theme)
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    card = turn.tool("Run").first
    expect(card).to_contain_text(WORDS)
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(lab.page, f"wall met {theme}")

    button = card.get_by_role("button", name=BUTTON)
    button.focus()
    lab.page.keyboard.press("Enter")
    asks = turn.permission
    expect(asks).to_contain_text("Run this outside the sandbox, once?")
    expect(asks).to_contain_text(COMMIT)
    expect(asks).to_contain_text("with all your rights")
    expect_accessible(lab.page)
    picture(lab.page, f"wall asks {theme}")
    log = ["git", "-C", str(workspace.folder), "log", "--format=%s"]
    assert subprocess.run(log, capture_output=True, check=False).returncode != 0
    turn.answer("Allow")

    ran = turn.tool(f"Run {COMMIT}")
    expect(ran).to_contain_text("done")
    assert subprocess.check_output(log, text=True) == "Begin\n"
    expect(card).to_contain_text("Its command ran once more, for you.")
    expect(card.get_by_role("button", name=BUTTON)).to_have_count(0)
    ran.locator("summary, .line, button").first.click()
    expect(turn.root).to_contain_text("(root-commit)")
    picture(lab.page, f"wall outside {theme}")

    # What is saved says it, too.
    eventually(lambda: WORDS in nb.file.read_text() and "(root-commit)" in nb.file.read_text())


@pytest.mark.long
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_host_that_is_not_named_is_asked_about(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    """A no is the wall that the command meets."""
    code = "import urllib.request as u; u.urlopen('http://unnamed.example/')"
    command = f'{shlex.quote(sys.executable)} -c "{code}"'
    options = "--policy allow-all --sandbox folder --network hosts"
    nb = lab.open(workspace.notebook(LOAD, f"%%acp runs_commands {options}\n{command}"))
    lab.use_theme(theme)
    nb.load_extension()
    turn = nb.run(1)
    asks = turn.permission
    expect(asks).to_contain_text("unnamed.example")
    expect(asks).to_contain_text("The sandbox names other hosts.")
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(lab.page, f"host asks {theme}")
    turn.answer("Reject")
    nb.wait_for_end(1)
    refused = "The sandbox “folder” does not let the agent reach unnamed.example."
    expect(turn.tool("Run").first).to_contain_text(refused)
    picture(lab.page, f"host refused {theme}")
