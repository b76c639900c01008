"""A prompt cell that runs again: what the agent remembers, and going back to there."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.support.browser import pictures
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"


def test_an_earlier_cell_runs_again_and_goes_back(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    a, b = workspace.folder / "a.txt", workspace.folder / "b.txt"
    nb = lab.open(
        workspace.notebook(
            LOAD,
            "count = globals().get('count', 0) + 1\nprint('count', count)",
            "%%acp own_tools\nwrite a.txt one",
            "%%acp own_tools\nwrite a.txt two",
            "%%acp own_tools\nwrite b.txt three",
        )
    )
    nb.load_extension()
    for index in (1, 1, 2, 3, 4):
        nb.run_to_end(index)
    nb.run_to_end(3, "%%acp own_tools\nwrite a.txt four")
    again = nb.turn(3).root
    expect(again).to_contain_text("remembers that run and the turn after it.")
    expect(again.get_by_role("button", name="Go back to here")).to_be_visible()
    pictures.take_both("how-to/go-back", nb.cell(3), lab)

    _expect_all_or_nothing(again, a, b)

    # It goes back, and the cell runs again from there.
    again.get_by_role("button", name="Go back to here").press("Enter")
    toast = lab.page.get_by_role("alert").filter(has_text="Went back. 2 files were restored.")
    expect(toast).to_contain_text("Variables in the kernel are unchanged.")
    eventually(lambda: a.read_text() == "four" and not b.exists(), "files are back")
    expect(nb.turn(3).root.get_by_role("button", name="Go back to here")).to_have_count(0)
    nb.wait_for_end(3)
    prompts = _prompts_of_branch(lab, nb)
    words = ("one", "two", "three", "four")
    assert [word in prompts[-1] for word in words] == [True, False, False, True]

    # The kernel is restarted only if the user wants that, and prompts are not sent again.
    expect(nb.output(1)).to_contain_text("count 2")
    toast.get_by_role("button", name="Restart Kernel…").click()
    lab.page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(nb.output(1)).to_contain_text("count 1")
    assert _prompts_of_branch(lab, nb) == prompts

    # The panel shows the new session, says where it comes from, and undoes it.
    panel = lab.panel
    panel.root.get_by_role("button", name="Undo", exact=True).click()
    eventually(lambda: b.exists() and a.read_text() == "four", "files are there again")
    expect(panel.root).to_contain_text("Going back was undone: the conversation goes on here.")


def _prompts_of_branch(lab: LabPage, nb: OpenNotebook) -> list[str]:
    """Return what the agent was sent in the session that goes on from an earlier turn."""
    with lab.server.user() as user:
        sessions = [s for s in user.get("sessions").json() if s["notebook_path"] == nb.path]
        (branch,) = [s for s in sessions if s["branch"]]
        assert [s["continues_in"] for s in sessions if s is not branch] == [branch["session_id"]]
        traffic = user.get(f"sessions/{branch['session_id']}/traffic").text
    return [line for line in traffic.splitlines() if '"session/prompt"' in line]


def _expect_all_or_nothing(again: Locator, a: Path, b: Path) -> None:
    """What the user changed since stops all of it."""
    b.write_text("mine")
    again.get_by_role("button", name="Go back to here").press("Enter")
    expect(again.get_by_role("alert")).to_contain_text("b.txt was changed since the turn.")
    expect(again.get_by_role("button", name="Go back and leave the files")).to_be_visible()
    assert (a.read_text(), b.read_text()) == ("four", "mine")
    b.write_text("three")
