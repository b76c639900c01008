"""Published agents in JupyterLab: stale cells, next cells, *Follow*, deleted cells, going back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.mockllm.parts import Say, Step, Use
from tests.support.mockllm.tool_names import WRITE
from tests.support.published.in_a_page import YES, Place
from tests.support.server.jupyterlab_server import stop_kernels, write_settings
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.long, pytest.mark.timeout(900)]

_RAW, _TOTAL, _SHOWN, _OTHER = "prices = [3, 1, 2]", "total = sum(prices)", "total", "'apart'"
_CODE = "mean = total / len(prices)\nmean"
_ASKED_FOR = "Suggest the next cell of this notebook"
_CELLS = 40


@pytest.fixture
def place(running: Place) -> Iterator[Place]:
    yield running
    stop_kernels(running.lab.server)


def _changed(nb: OpenNotebook, index: int, old: str, **more: Any) -> dict[str, Any]:
    """Return the arguments of a tool for a cell as it is."""
    return {"cell_id": nb.cell_ids()[index], "fingerprint": fingerprint(old), **more}


def _note(nb: OpenNotebook) -> Locator:
    return nb.lab.page.get_by_role("group", name="Next cell", exact=True)


def _suggest(nb: OpenNotebook, index: int) -> Locator:
    """Make a cell active, in command mode, and ask for the next one."""
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
    nb.lab.command("acp-jupyter:suggest-next-cell", wait=False)
    return _note(nb)


def test_what_it_changes_makes_cells_stale_and_the_check_finds_what_differs(place: Place) -> None:
    lab, name = place.lab, place.agent.name
    nb = lab.open(place.workspace("stale").notebook(_RAW, _TOTAL, _SHOWN, _OTHER, "pass"))
    nb.wait_for_kernel()
    for index in range(4):
        nb.run_to_end(index)
    nb.save()
    edit = _changed(nb, 0, _RAW, source="prices = [3, 1, 2, 4]")
    prompt = place.plays("edit", ("edit_cell", edit))
    place.run(nb, 4, f"{prompt} There is a fourth price.")
    marks = [nb.cell(index).get_by_role("note") for index in range(4)]
    expect(marks[0]).to_contain_text(f"changed by {name} after it ran")
    expect(marks[1]).to_contain_text("uses prices, which cell 1 sets")
    expect(marks[1]).to_contain_text(f"cell 1 was changed by {name}")
    expect(marks[2]).to_contain_text("uses total of cell 2, which depends on cell 1")
    expect(marks[3]).to_have_count(0)

    nb.cell(0).get_by_role("button", name="Check", exact=True).click()
    check = lab.page.get_by_role("region", name="Check", exact=True)
    expect(check.get_by_role("status")).to_contain_text("1 cell has a different output")
    rows = [row.get_attribute("data-verdict") for row in check.locator(".acp-checked").all()]
    assert rows == ["same", "same", "different", "same", "skipped"]

    nb.cell(0).get_by_role("button", name="Run 3 stale cells").click()
    expect(lab.page.locator(".acp-stale")).to_have_count(0)
    nb.wait_for_end(2)
    expect(nb.output(2)).to_contain_text("10")
    check.get_by_role("button", name="Check again").click()
    expect(check.get_by_role("status")).to_contain_text("are the same: 4 same")


def _answers(place: Place, *first: list[Step]) -> None:
    """Have the model suggest a cell, after what it does first."""
    place.model.prompts[_ASKED_FOR] = "scenario=next"
    place.model.scripts["next"] = lambda: [*first, [Say(f"```python\n{_CODE}\n```")]]


def _open(place: Place, workspace: Workspace, **settings: bool) -> OpenNotebook:
    """Open a notebook in which next cells are of the agent."""
    chosen = {"agent": place.agent.agent_id, **settings}
    write_settings(place.lab.server.root.parent, "acp-jupyter:plugin", chosen)
    nb = place.lab.open(workspace.notebook(_RAW, _TOTAL, _OTHER))
    nb.wait_for_kernel()
    return nb


def test_it_suggests_the_next_cell_and_no_prompt_is_sent_before(place: Place) -> None:
    page, model = place.lab.page, place.model
    _answers(place)
    before = len(model.begun)
    nb = _open(place, place.workspace("next"))
    for index in range(3):
        nb.run_to_end(index)
    assert model.begun[before:] == []

    note = _suggest(nb, 1)
    expect(note).to_contain_text(f"Suggested by {place.agent.name}")
    expect(note.locator("pre")).to_have_text(_CODE)
    assert model.begun[before:] == ["next"]
    assert _ASKED_FOR in model.request
    assert "total = sum(prices)" in model.request
    assert len(nb.cell_ids()) == 3
    expect(note.get_by_role("button", name="Insert")).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Tab")
    expect(note).to_have_count(0)
    expect(nb.cell(2).locator(".cm-content")).to_contain_text("mean = total")
    assert nb.outputs(2) == [], "it was not run"
    # One more run, and still nothing more was asked for.
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("2.0")
    assert model.begun[before:] == ["next"]


def test_it_may_change_nothing_while_it_suggests_a_cell(place: Place) -> None:
    workspace, agent = place.workspace("changes-nothing"), place.agent
    target = workspace.folder / "written.py"
    _answers(place, [Use(WRITE, {"path": str(target), "content": "written = True\n"})])
    nb = _open(place, workspace)
    ends = f"Suggested by {agent.name}" if agent.goes_on_after_no else "suggested no cell"
    expect(_suggest(nb, 0)).to_contain_text(ends)
    assert place.outcomes(f"Next cells of {nb.path}") == ["Rejected by policy: deny"]
    assert not target.exists()


def test_it_is_asked_after_each_run_where_the_settings_say_so(place: Place) -> None:
    _answers(place)
    before = len(place.model.begun)
    nb = _open(place, place.workspace("each-run"), suggestNextCell=True)
    for index, runs in ((0, 1), (1, 2)):
        nb.run_to_end(index)
        note = nb.cell(index).get_by_role("group", name="Next cell", exact=True)
        expect(note).to_contain_text(f"Suggested by {place.agent.name}")
        assert place.model.begun[before:] == ["next"] * runs


def test_the_page_follows_it_and_a_cell_that_it_deletes_comes_back(place: Place) -> None:
    lab, agent = place.lab, place.agent
    fillers = [f"number_{index} = {index}" for index in range(1, _CELLS)]
    nb = lab.open(place.workspace("follow").notebook("pass", *fillers))
    nb.wait_for_kernel()
    place.run(nb, 0, "[[mock scenario=hello]]")
    panel = lab.panel
    panel.button("Follow").click()
    edit = _changed(nb, 30, "number_30 = 30", source="number_30 = -30")
    delete = _changed(nb, 5, "number_5 = 5")
    ids = nb.cell_ids()
    prompt = place.plays("follow", ("edit_cell", edit), ("delete_cell", delete))
    panel.say(f"{prompt} Tidy up.")
    for index in (30, 5):
        expect(nb.cell(index)).to_be_in_viewport()
        expect(nb.cell(index)).to_have_class(re.compile("acp-mod-followed"))
        panel.permission.get_by_role("button", name=YES).click()
    line = lab.page.locator(".acp-cellchange").filter(has_text=f"Cell deleted by {agent.name}")
    expect(line).to_contain_text("number_5 = 5")
    expect(line).to_be_in_viewport()
    expect(panel.root).to_contain_text("That is done.")
    assert nb.cell_ids() == [*ids[:5], *ids[6:]]
    line.get_by_role("button", name="Undo").click()
    expect(line).to_have_count(0)
    assert nb.cell_ids() == ids
    expect(nb.cell(30)).to_contain_text("number_30 = -30")


def test_after_going_back_its_model_is_told_nothing_of_what_came_later(place: Place) -> None:
    lab, model = place.lab, place.model
    nb = lab.open(place.workspace("back").notebook("kept = 1", "pass", "pass", "pass"))
    nb.wait_for_kernel()
    edit = _changed(nb, 0, "kept = 1", source="kept = 2")
    prompt = place.plays("change", ("edit_cell", edit))
    hello = "[[mock scenario=hello]] The word is {}."
    place.run(nb, 1, hello.format("apricot"))
    place.run(nb, 2, f"{prompt} The word is blueberry.")
    place.run(nb, 3, hello.format("cranberry"))
    expect(nb.cell(0)).to_contain_text("kept = 2")
    place.run(nb, 2, hello.format("damson"))
    assert "blueberry" in model.request
    again = nb.turn(2).root
    expect(again).to_contain_text("remembers that run and the turn after it.")
    again.get_by_role("button", name="Go back to here").press("Enter")
    expect(nb.cell(0)).to_contain_text("kept = 1")
    words = ("apricot", "blueberry", "cranberry", "damson")
    eventually(
        lambda: [word for word in words if word in model.request] == ["apricot", "damson"],
        "the first request after going back",
    )
    nb.wait_for_end(2)
    expect(nb.turn(2).root.get_by_role("button", name="Go back to here")).to_have_count(0)
    assert "kept = 2" not in model.request
