"""*Suggest Next Cell*: one prompt gives a cell that isn't in the notebook until it is inserted."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible, picture
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.jupyterlab_server import write_settings
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

_SUGGEST = "acp-jupyter:suggest-next-cell"
_CODE = "total = sum(prices)\nprint(total)"


def _prompts(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the prompts that the agent has got, as it counts them."""
    counted = workspace.folder / "prompts.ndjson"
    lines = counted.read_text().splitlines() if counted.exists() else []
    return [json.loads(line) for line in lines]


def _open(lab: LabPage, workspace: Workspace, *sources: str, **settings: Any) -> OpenNotebook:
    write_settings(lab.server.root.parent, "acp-jupyter:plugin", {"agent": "suggests", **settings})
    nb = lab.open(workspace.notebook(*sources))
    nb.wait_for_kernel()
    return nb


def _note(nb: OpenNotebook) -> Locator:
    return nb.lab.page.get_by_role("group", name="Next cell", exact=True)


def _activate(nb: OpenNotebook, index: int) -> None:
    """Make a cell active, in command mode, with the focus."""
    nb.lab.page.evaluate(
        """([path, index]) => {
          const { content } = [...jupyterapp.shell.widgets('main')]
            .find(w => w.context?.path === path);
          content.activeCellIndex = index;
          content.mode = 'command';
          content.activate();
        }""",
        [nb.path, index],
    )


def _suggest(nb: OpenNotebook, index: int) -> Locator:
    _activate(nb, index)
    nb.lab.command(_SUGGEST, wait=False)
    return _note(nb)


def _trusted(lab: LabPage, workspace: Workspace) -> None:
    """Have the folder trusted already, as by a session before."""
    with lab.server.user() as client:
        made = client.post(
            "sessions",
            json={"agent": "suggests", "cwd": workspace.name, "trust": True, "start": "lazy"},
        ).json()
        client.delete(f"sessions/{made['session_id']}")


def _sessions(lab: LabPage, nb: OpenNotebook) -> list[tuple[str, str]]:
    """Return notebook and title of the sessions that have to do with a notebook."""
    with lab.server.user() as client:
        listed = client.get("sessions").json()
    return [
        (each["notebook_path"], each["title"])
        for each in listed
        if nb.path in (each["notebook_path"], each["title"].removeprefix("Next cells of "))
    ]


@pytest.mark.long
def test_no_prompt_is_sent_while_it_is_off_and_one_for_each_cell_that_is_asked_for(
    lab: LabPage, workspace: Workspace
) -> None:
    _trusted(lab, workspace)
    nb = _open(lab, workspace, "prices = [3, 1, 2]", "max(prices)")
    before = nb.read()
    nb.run_to_end(0)
    nb.run_to_end(1)
    expect(nb.output(1)).to_contain_text("3")
    assert _prompts(workspace) == []

    note = _suggest(nb, 0)
    expect(note).to_contain_text("costs a prompt")
    expect(note).to_contain_text("Suggested by suggests, not in the notebook. It cost a prompt.")
    expect(note.locator("pre")).to_have_text(_CODE)
    (asked,) = _prompts(workspace)
    assert "prices = [3, 1, 2]" in asked["prompt"]
    assert "max(prices)\n\n# Output:\n3" in asked["prompt"]
    assert asked["servers"] == 0, "it has no tools"
    # It is no part of the document, and saving does not write it.
    assert len(nb.cell_ids()) == 2
    nb.save()
    assert nb.read().cells[0].source == before.cells[0].source
    assert "total" not in nb.file.read_text()
    # The notebook's own conversation has nothing of it.
    assert _sessions(lab, nb) == [("", f"Next cells of {nb.path}")]


@pytest.mark.long
def test_the_demo_agent_suggests_one(lab: LabPage, workspace: Workspace) -> None:
    _trusted(lab, workspace)
    lab.page.set_viewport_size({"width": 780, "height": 600})
    nb = _open(lab, workspace, "prices = [3, 1, 2]", agent="demo")
    lab.command("filebrowser:toggle-main")
    note = _suggest(nb, 0)
    expect(note).to_contain_text("Suggested by Demo")
    expect(note.locator("pre")).to_have_text('print(f"{prices = }")')
    insert = note.get_by_role("button", name="Insert")
    expect(insert).to_have_attribute("aria-disabled", "false")
    pictures.take_both("how-to/next-cell", note, lab)
    insert.click()
    expect(nb.cell(1).locator(".cm-content")).to_contain_text("prices = ")


@pytest.mark.long
def test_it_is_inserted_by_tab_and_declined_by_escape(lab: LabPage, workspace: Workspace) -> None:
    _trusted(lab, workspace)
    nb = _open(lab, workspace, "prices = [3, 1, 2]", "max(prices)")
    note = _suggest(nb, 0)
    expect(note.locator("pre")).to_have_text(_CODE)
    insert = note.get_by_role("button", name="Insert")
    expect(insert).to_have_attribute("aria-disabled", "false")
    picture(lab.page, "next cell, suggested")
    expect_accessible(lab.page, ".acp-fix")
    lab.use_theme("JupyterLab Dark")
    picture(lab.page, "next cell, suggested-dark")
    expect_accessible(lab.page, ".acp-fix")
    _activate(nb, 0)
    lab.page.keyboard.press("Tab")
    expect(note).to_have_count(0)
    assert len(nb.cell_ids()) == 3
    expect(nb.cell(1).locator(".cm-content")).to_contain_text("total = sum(prices)")
    assert nb.outputs(1) == [], "it was not run"

    # The next one, in the same session; it goes along with its cell, and is declined by a key.
    note = _suggest(nb, 2)
    expect(note).to_contain_text("Suggested by suggests")
    moved = nb.cell_ids()[2]
    lab.page.keyboard.press("Control+Shift+ArrowUp")
    eventually(lambda: nb.cell_ids()[1] == moved, what="the move")
    expect(nb.cell(1).get_by_role("group", name="Next cell")).to_have_count(1)
    expect(note.get_by_role("button", name="Insert")).to_have_attribute("aria-disabled", "false")
    lab.page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    lab.page.keyboard.press("Tab")
    assert len(nb.cell_ids()) == 3
    assert len(_prompts(workspace)) == 2
    assert _sessions(lab, nb) == [("", f"Next cells of {nb.path}")]


@pytest.mark.long
def test_what_the_agent_tries_is_rejected_and_its_trouble_is_told_at_the_cell(
    lab: LabPage, workspace: Workspace
) -> None:
    _trusted(lab, workspace)
    os.mkfifo(workspace.folder / "go")
    nb = _open(lab, workspace, 'do = "ask"', 'do = "nothing"', 'do = "hold"', 'do = "forever"')
    note = _suggest(nb, 0)
    expect(note).to_contain_text("Suggested by suggests")
    assert _prompts(workspace)[0]["outcome"] == {"outcome": "selected", "optionId": "no"}
    assert not (workspace.folder / "acted").exists()
    note.get_by_role("button", name="Dismiss").click()

    note = _suggest(nb, 1)
    expect(note).to_contain_text("suggests suggested no cell.")
    note.get_by_role("button", name="Close").click()

    # Who types on meanwhile is not disturbed by a late answer.
    note = _suggest(nb, 2)
    expect(note).to_contain_text("is writing the next cell")
    eventually(lambda: len(_prompts(workspace)) == 3, what="the third prompt")
    nb.set_source(3, 'do = "forever"\n')
    (workspace.folder / "go").write_text("go")
    expect(note).to_contain_text("before your last changes")
    expect(note.locator("pre")).to_have_count(0)
    note.get_by_role("button", name="Show it").click()
    expect(note.locator("pre")).to_have_text(_CODE)
    note.get_by_role("button", name="Dismiss").click()

    note = _suggest(nb, 3)
    expect(note).to_contain_text("is writing the next cell")
    picture(lab.page, "next cell, asking")
    eventually(lambda: len(_prompts(workspace)) == 4, what="the fourth prompt")
    note.get_by_role("button", name="Stop").click()
    expect(note).to_have_count(0)

    # The agent is stopped: it takes the next prompt.
    note = _suggest(nb, 1)
    expect(note).to_contain_text("suggests suggested no cell.")


@pytest.mark.long
def test_after_each_run_where_the_settings_say_so(lab: LabPage, workspace: Workspace) -> None:
    _trusted(lab, workspace)
    nb = _open(lab, workspace, "prices = [3, 1, 2]", "1 / 0", "max(prices)", suggestNextCell=True)
    nb.run_to_end(1)
    nb.run_to_end(0)
    note = _note(nb)
    expect(note).to_contain_text("Suggested by suggests")
    expect(nb.cell(0).get_by_role("group", name="Next cell")).to_have_count(1)
    # One prompt: a cell that failed is fixed, not gone on from.
    assert len(_prompts(workspace)) == 1
    # The suggestion of the run before makes room.
    nb.run_to_end(2)
    expect(nb.cell(2).get_by_role("group", name="Next cell")).to_contain_text("Suggested by")
    expect(note).to_have_count(1)
    assert len(_prompts(workspace)) == 2
