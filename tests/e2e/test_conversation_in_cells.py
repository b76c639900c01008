"""The notebook as the conversation: prompts are cells, in their order, and stay in the file."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyterlab_server import stop_kernels
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace

_TELL = "%%acp keeps_sessions\nMy number is 7."
_RECALL = "%%acp keeps_sessions\nWhich number?"


@pytest.mark.long
def test_cells_of_one_session_in_order_and_read_again_without_a_kernel(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(
        workspace.notebook(
            "%load_ext acp_jupyter",
            _TELL,
            "first = _acp.text",
            _RECALL,
            "pass",
            "print(f'{first} | {_acp.text.split()[-1]}')",
        )
    )
    nb.wait_for_kernel()
    # Typed, and saved by nobody.
    nb.set_source(4, "%%acp slow_stream\nCount.")
    lab.command("notebook:run-all-cells", wait=False)
    stream = nb.turn(4)
    expect(stream.root).to_contain_text("word0")
    # Text comes while the cell runs, and what is below waits.
    nb.wait_until_running(4)
    expect(nb.prompt_mark(5)).to_contain_text("*")
    assert nb.outputs(5) == []
    assert nb.read().cells[4].source == "%%acp slow_stream\nCount."
    nb.wait_for_end(5)
    expect(nb.output(5)).to_have_text("After 0: My number is 7. | word199")
    expect(nb.turn(3).root).to_contain_text("After 1: Which number?")
    assert [nb.prompt_mark(index).inner_text() for index in range(6)] == [
        f"[{number}]:" for number in range(1, 7)
    ]
    with AsUser(lab.server) as user:
        session_id = user.session_of(nb.path, "keeps_sessions")
        agents = [s["agent"] for s in user.get("sessions") if s["notebook_path"] == nb.path]
        assert sorted(agents) == ["keeps_sessions", "slow_stream"]

        # The session outlives the kernel.
        nb.restart()
        nb.run_to_end(0)
        nb.run_to_end(3)
        expect(nb.turn(3).root).to_contain_text("After 2: Which number?")
        assert user.session_of(nb.path, "keeps_sessions") == session_id

    for index in (1, 3, 4):
        nb.saved_output(index)
    nb.wait_until_clean()
    _expect_the_talk_without_a_kernel(lab, workspace, nb)


def _expect_the_talk_without_a_kernel(lab: LabPage, workspace: Workspace, nb: OpenNotebook) -> None:
    lab.open_empty(workspace.name)
    stop_kernels(lab.server)
    without = {"autoStartDefault": False, "shouldStart": False}
    lab.command(
        "docmanager:open",
        {"path": nb.path, "factory": "Notebook", "kernelPreference": without},
        wait=False,
    )
    again = lab.notebook(nb.path)
    expect(again.turn(1).root).to_contain_text("After 0: My number is 7.")
    expect(again.turn(3).root).to_contain_text("After 2: Which number?")
    expect(again.turn(4).root).to_contain_text("word199")
    expect(again.turn(3).root.get_by_role("button")).to_have_count(0)
    with AsUser(lab.server) as user:
        kernels = user.get(f"{lab.server.url}api/sessions")
    assert [kernel for kernel in kernels if kernel["path"] == nb.path and kernel["kernel"]] == []
