"""What is left in the file: the whole turn for every reader, and nothing that leaks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import WIDGET_MIME
from tests.support.planted_secret import SECRET
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import stop_kernels
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace
from tests.support.wait import PATIENCE_SECONDS, eventually

LOAD = "%load_ext acp_jupyter"


def test_the_record_without_kernel_or_server_and_through_nbconvert(
    lab: LabPage, workspace: Workspace, server: JupyterServer, tmp_path: Path
) -> None:
    """The record is drawn, and holds no secret."""
    nb = lab.open(
        workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0", "%%acp leaky\nSay it")
    )
    nb.load_extension()
    nb.run(1).answer("Allow once")
    nb.wait_for_end(1)
    leaky = nb.run(2)
    nb.wait_for_end(2)
    expect(leaky.root).to_contain_text("My key is")
    for index in (1, 2):
        nb.saved_output(index)
    nb.save()
    # From here on nobody knows the turns but the file.
    lab.open_empty(workspace.name)
    stop_kernels(server)

    text = nb.file.read_text()
    _expect_no_leak(text, workspace)
    _expect_the_turn_without_kernel(lab, nb)
    assert "kept = [row.strip() for row in rows]" in json.dumps(nb.read().cells[1].outputs)
    html = _nbconvert("html", nb.file, tmp_path)
    markdown = _nbconvert("markdown", nb.file, tmp_path)
    _expect_no_leak(html, workspace)
    _expect_no_leak(markdown, workspace)
    words = re.sub(r"<[^>]+>", "", html)
    for converted in (words, markdown):
        assert "Here is an edit to" in converted
        assert "by a list comprehension instead of a loop." in converted
        assert "Read clean.py" in converted
        assert "Edit clean.py" in converted
        assert "+    kept = [row.strip() for row in rows]" in converted
        assert "-    kept = []" in converted


def _expect_the_turn_without_kernel(lab: LabPage, nb: OpenNotebook) -> None:
    lab.command(
        "docmanager:open",
        {
            "path": nb.path,
            "factory": "Notebook",
            "kernelPreference": {"autoStartDefault": False, "shouldStart": False},
        },
        wait=False,
    )
    again = lab.notebook(nb.path)
    eventually(lambda: _no_kernel(lab.server), "JupyterLab until 4.4 starts one all the same")
    turn = again.turn(1)
    expect(turn.root).to_contain_text("Here is an edit to clean.py.")
    expect(turn.root).to_contain_text("Allowed once")
    turn.tool(re.compile("Edit.*clean.py")).locator("summary").click()
    expect(turn.diff("clean.py").locator("ins").first).to_be_visible()
    # Other extensions may put buttons of their own beside outputs.
    expect(turn.root.locator(".acp-TurnOutput")).to_have_count(1)
    expect(turn.root.locator(".acp-TurnOutput").get_by_role("button")).to_have_count(0)


def _no_kernel(server: JupyterServer) -> bool:
    stop_kernels(server)
    with AsUser(server) as user:
        return bool(user.get(f"{server.url}api/kernels") == [])


def _expect_no_leak(text: str, workspace: Workspace) -> None:
    assert SECRET not in text
    assert WIDGET_MIME not in text
    for folder in (str(workspace.folder), str(workspace.root), str(Path.home()), sys.prefix):
        if folder != "/":
            assert folder not in text, text[text.index(folder) - 200 :][:400]


def _nbconvert(to: str, path: Path, target: Path) -> str:
    command = [sys.executable, "-m", "nbconvert", "--to", to, str(path)]
    done = subprocess.run(
        [*command, "--output-dir", str(target), "--output", f"as-{to}"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return next(target.glob(f"as-{to}.*")).read_text()
