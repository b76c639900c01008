"""*Follow*: the page goes where the agent works, until its user goes on."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible, picture
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace

_LOAD = "%load_ext acp_jupyter"
_CELLS = 40
_WAITS = {"waits": True}


def _edit(nb: OpenNotebook, index: int) -> dict[str, Any]:
    cell_id = nb.cell_ids()[index]
    old = fingerprint(f"number_{index} = {index}")
    args = {"cell_id": cell_id, "fingerprint": old, "source": f"number_{index} = -{index}"}
    return {"tool": "edit_cell", "args": args}


def _ask(nb: OpenNotebook, calls: list[dict[str, Any]]) -> None:
    panel = nb.lab.panel
    panel.say(json.dumps(calls))


def _go_on(lab: LabPage) -> None:
    """Answer what the agent waits for."""
    lab.panel.choose("Yes")


def _tab(lab: LabPage, name: str) -> Locator:
    return lab.page.locator("#jp-main-dock-panel .lm-TabBar-tab").filter(has_text=name)


@pytest.fixture
def nb(lab: LabPage, workspace: Workspace) -> OpenNotebook:
    """A long notebook with a session that is done."""
    fillers = [f"number_{index} = {index}" for index in range(2, _CELLS)]
    notebook = lab.open(workspace.notebook(_LOAD, "pass", *fillers))
    notebook.load_extension()
    notebook.run_to_end(1, "%%acp notebook_user --trust\n[]")
    with lab.server.user() as client:
        (own,) = [
            each["session_id"]
            for each in client.get("sessions").json()
            if each["notebook_path"] == notebook.path
        ]
        changed = client.post(f"sessions/{own}/config", json={"policy": "allow-all"})
        changed.raise_for_status()
    return notebook


def _expect_followed_to(nb: OpenNotebook, index: int) -> None:
    expect(nb.cell(index)).to_be_in_viewport()
    expect(nb.cell(index)).to_have_class(re.compile("acp-mod-followed"))


def _follow(nb: OpenNotebook) -> Locator:
    follow = nb.lab.panel.button("Follow")
    follow.click()
    expect(follow).to_have_attribute("aria-pressed", "true")
    return follow


@pytest.mark.long
def test_the_page_goes_to_the_cells_and_files_at_which_the_agent_works(
    lab: LabPage, nb: OpenNotebook
) -> None:
    panel = lab.panel
    expect(panel.button("Follow")).to_have_attribute("aria-pressed", "false")
    # Off: the page stays.
    _ask(nb, [_edit(nb, 38), _WAITS])
    expect(panel.permission).to_be_visible()
    expect(nb.cell(38)).not_to_be_in_viewport()
    _go_on(lab)
    expect(panel.permission).to_have_count(0)

    _follow(nb)
    insert = {"cell_type": "code", "source": "added = 1", "after": nb.cell_ids()[20]}
    calls = [
        *(_edit(nb, 30), _WAITS, {"tool": "insert_cell", "args": insert}, _WAITS),
        *({"works_at": ["clean.py", 3]}, _WAITS),
        *({"works_at": ["../elsewhere.py", 1]}, _edit(nb, 5), _WAITS),
    ]
    _ask(nb, calls)
    _expect_followed_to(nb, 30)
    focused = lab.page.evaluate("document.activeElement.closest('#acp-jupyter-panel') !== null")
    assert focused, "the focus stays where it is"
    picture(lab.page, "follow, cell")
    expect_accessible(lab.page, "#acp-jupyter-panel")

    # An answer to the agent does not pause it.
    _go_on(lab)
    _expect_followed_to(nb, 21)
    expect(nb.cell(21)).to_contain_text("added = 1")
    _go_on(lab)
    expect(lab.page.locator(".jp-FileEditor")).to_be_visible()
    expect(_tab(lab, "clean.py")).to_have_class(re.compile("lm-mod-current"))
    expect(nb.cell(21)).to_be_visible()
    lab.use_theme("JupyterLab Dark")
    picture(lab.page, "follow, file-dark")
    _go_on(lab)
    # What is outside the folder is not opened.
    _expect_followed_to(nb, 5)
    expect(_tab(lab, "elsewhere")).to_have_count(0)
    _go_on(lab)
    # What is done is marked no more.
    expect(lab.page.locator(".acp-mod-followed")).to_have_count(0)


@pytest.mark.long
def test_a_user_who_goes_on_pauses_it(lab: LabPage, nb: OpenNotebook) -> None:
    panel = lab.panel
    follow = _follow(nb)
    # Between turns nobody is led anywhere.
    nb.cell(1).locator(".cm-content").press("End")
    expect(follow).to_have_attribute("aria-pressed", "true")
    _ask(nb, [_edit(nb, 30), _WAITS, _edit(nb, 10), _WAITS])
    _expect_followed_to(nb, 30)
    nb.cell(30).hover()
    lab.page.mouse.wheel(0, 40)
    paused = panel.button("Paused: resume")
    expect(paused).to_be_visible()
    picture(lab.page, "follow, paused")
    _go_on(lab)
    expect(panel.tool(re.compile("Edit cell 11"))).to_be_visible()
    expect(nb.cell(10)).not_to_be_in_viewport()
    expect(lab.page.locator(".acp-mod-followed")).to_have_count(0)
    paused.click()
    _expect_followed_to(nb, 10)
    # A key in the notebook pauses it, too; then it is turned off.
    nb.cell(10).locator(".cm-content").press("End")
    paused.click()
    expect(follow).to_have_attribute("aria-pressed", "true")
    follow.click()
    expect(follow).to_have_attribute("aria-pressed", "false")
    expect(lab.page.locator(".acp-mod-followed")).to_have_count(0)


_READ = '''\
def read(path):
    """Return the rows of a table."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))'''
_DRY = """\
dry = []
for row in rows:
    if float(row["mm"]) < 50:
        dry.append(row["month"])"""
_ANALYSIS = (
    "# Rainfall of two stations, by month\nimport csv",
    _READ,
    'rows = read("rainfall.csv")  # one for each month and station',
    "len(rows)",
    "rows[:3]",
    "rows[-3:]",
    'sorted({row["month"] for row in rows})',
    '{row["station"] for row in rows}',
    '[row for row in rows if row["mm"] == ""]',
    'sum(row["mm"] == "" for row in rows)',
    'min(float(row["mm"] or 0) for row in rows)',
    'max(float(row["mm"] or 0) for row in rows)',
    _DRY,
    "len(dry)",
    "dry[:3]",
)


@pytest.mark.long
def test_a_cell_that_the_agent_asks_to_change_is_in_view_and_marked(
    lab: LabPage, workspace: Workspace
) -> None:
    lab.page.set_viewport_size({"width": 1100, "height": 600})
    nb = lab.open(workspace.notebook(*_ANALYSIS))
    cell = _ANALYSIS.index(_DRY)
    nb.wait_for_kernel()
    lab.command("filebrowser:toggle-main")
    panel = lab.panel
    panel.choose_agent("Demo")
    panel.say("Look at rows")
    expect(panel.log).to_contain_text("There are no variables yet.")
    _follow(nb)
    expect(nb.cell(cell)).not_to_be_in_viewport()
    panel.say("Edit the notebook")
    expect(panel.permission).to_be_visible()
    _expect_followed_to(nb, cell)
    expect(nb.cell(cell)).to_contain_text("dry.append")
    shown = lab.page.locator("#jp-main-content-panel")
    pictures.take("how-to/follow", shown)
    # Another theme has cells of other heights, so the notebook moves.
    lab.use_theme("JupyterLab Dark")
    nb.cell(cell).scroll_into_view_if_needed()
    pictures.take("how-to/follow-dark", shown)
    panel.answer("Allow")
    expect(nb.cell(cell)).to_contain_text("for row in rows if")
