"""A question is where one looks: it comes into view, and a key and a click lead to it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.accessibility import picture
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import PanelView, TurnView
from tests.support.scenes.stage import Stage
from tests.support.scenes.steps import NO, ONCE, Step, ask, diff, hold, plan, put_scene, say
from tests.support.server.workspace import Workspace

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
TO_REQUEST = "Alt+Shift+Y"
LONG = ["\n".join(f"value_{line} = {line}" for line in range(30))] * 3
PROMPT = "%%acp plays\nEdit."
HIGH = "\n".join([PROMPT, *(f"Line {line}" for line in range(60))])

HIDDEN = {
    "drawn": "() => null",
    "scrolled away": """panel => {
      panel.node.querySelector('.jp-WindowedPanel-outer').scrollTop = 0;
    }""",
    "output collapsed": "({ content }, index) => { content.widgets[index].outputHidden = true; }",
    "input collapsed": "({ content }, index) => { content.widgets[index].inputHidden = true; }",
    "heading collapsed": "({ content }) => { content.widgets[1].headingCollapsed = true; }",
    "output cleared": "({ content }, index) => content.widgets[index].model.outputs.clear()",
    "another tab": "() => jupyterapp.commands.execute('launcher:create').then(() => null)",
    "raw": """({ content }, index) => {
      content.deselectAll();
      content.activeCellIndex = index;
      return jupyterapp.commands.execute('notebook:change-cell-to-raw').then(() => null);
    }""",
    "deleted": "({ content }, index) => content.model.sharedModel.deleteCell(index)",
    "closed": "panel => { panel.dispose(); }",
}
"""What happens to the notebook, and to the cell at an index, while its question waits."""

AS_IT_WAS = """({ content }, source) => {
  const shared = content.model.sharedModel;
  if (shared.cells[5]?.cell_type === 'raw') {
    shared.deleteCell(5);
  }
  if (shared.cells.length === 5) {
    shared.addCell({ cell_type: 'code', source });
  }
  content.widgets[5].inputHidden = false;
}"""
"""Shows a cell with the prompt as before a test has hidden it."""

IN_THE_PANEL = {"raw", "deleted", "output cleared"}
"""Where no cell can show it."""

UNCOVERED = """() => {
  const cards = [...document.querySelectorAll('[data-request]')].filter(card => {
    const { left, top, right, bottom } = card.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return [[x, top + 6], [x, bottom - 6], [left + 6, y], [right - 6, y]].every(
      point => card.contains(document.elementFromPoint(...point)));
  });
  return cards.length > 0;
}"""
"""Whether a question can be clicked near each of its edges: nothing lies over it."""


APART = """() => {
  const cards = [...document.querySelectorAll('[data-request]')];
  return [...document.querySelectorAll('.Toastify__toast')].every(toast => {
    const one = toast.getBoundingClientRect();
    return cards.every(card => {
      const other = card.getBoundingClientRect();
      return one.right <= other.left || one.left >= other.right ||
        one.bottom <= other.top || one.top >= other.bottom;
    });
  });
}"""
"""Whether no notification lies over a question."""


def edit(lines: int = 2) -> Step:
    """A request for an edit."""
    new = "".join(f"value_{line} = {line}\n" for line in range(lines))
    details = {"rawInput": {"file_path": "a.py"}, "content": [diff("a.py", "old = 1\n", new)]}
    called = {"toolCallId": "e", "kind": "edit", "title": "Edit a.py"}
    return ask((called | details, [ONCE, NO]))


def stage_with(lab: LabPage, name: str, *sources: str) -> tuple[Stage, OpenNotebook]:
    stage = Stage(lab, f"in-view-{name}")
    nb = stage.open("# Heading", *LONG, *sources)
    return stage, nb


def use_window(nb: OpenNotebook) -> None:
    """Draw only the cells in view, as JupyterLab 4.2 to 4.4 do by themselves."""
    nb.evaluate(
        """({ content }) => {
          content.notebookConfig = { ...content.notebookConfig, windowingMode: 'full' };
        }"""
    )


def expect_uncovered(lab: LabPage) -> None:
    lab.page.wait_for_function(UNCOVERED)


def top_of(nb: OpenNotebook) -> float:
    return float(
        nb.evaluate("panel => panel.node.querySelector('.jp-WindowedPanel-outer').scrollTop")
    )


@pytest.mark.parametrize("windowed", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_question_at_the_foot_comes_into_view(lab: LabPage, windowed: bool) -> None:
    """Ctrl+Enter in the last cell, whose output is below the window."""
    stage, nb = stage_with(lab, f"foot-{windowed}", HIGH)
    if windowed:
        use_window(nb)
    put_scene(stage.folder, [plan(1, *(f"Step {each}" for each in range(6))), edit(12)])
    nb.scroll_to(5)
    nb.cell(5).locator(".cm-content").click()
    lab.page.keyboard.press("Control+Enter")
    expect(nb.turn(5).permission).to_have_count(1)
    expect_uncovered(lab)


@pytest.mark.long("the code that brings the question at the foot into view")
def test_a_form_at_the_foot_comes_into_view(lab: LabPage) -> None:
    _, nb = stage_with(lab, "form", HIGH.replace("plays\nEdit.", "demo\nask me rate=0"))
    nb.scroll_to(5)
    nb.cell(5).locator(".cm-content").click()
    lab.page.keyboard.press("Control+Enter")
    expect_uncovered(lab)


def notify(lab: LabPage) -> None:
    """Let JupyterLab say something that stays."""
    message = "The kernel was restarted, and so on. " * 4
    options = {"autoClose": False}
    lab.command("apputils:notify", {"message": message, "type": "info", "options": options})
    expect(lab.page.locator(".Toastify__toast")).to_be_visible()


@pytest.mark.long("the code that brings the question at the foot into view")
@pytest.mark.parametrize("place", ["cell", "panel"])
def test_a_notification_that_comes_later_is_not_over_it(lab: LabPage, place: str) -> None:
    """At the foot of a notebook, and in the panel, where JupyterLab shows notifications."""
    stage, nb = stage_with(lab, f"notified-{place}", PROMPT)
    shown: TurnView = nb.turn(5) if place == "cell" else lab.panel
    if place == "cell":
        put_scene(stage.folder, [edit(12)])
        nb.scroll_to(5)
        nb.cell(5).locator(".cm-content").click()
        lab.page.keyboard.press("Control+Enter")
    else:
        expect(stage.play(nb, 5, [say("Hello")]).text("Hello")).to_be_attached()
        stage.say(lab.panel, "Edit.", [edit(12)])
    expect(shown.permission).to_have_count(1)
    expect_uncovered(lab)
    notify(lab)
    lab.page.wait_for_function(APART)
    picture(lab.page, f"notified-{place}")
    shown.option("Allow once").click()
    expect(shown.permission).to_have_count(0)


@pytest.mark.long("the code that brings the question at the foot into view")
def test_the_panel_goes_to_a_new_question(lab: LabPage) -> None:
    """Though it was scrolled away from its end, long ago."""
    stage, nb = stage_with(lab, "panel", PROMPT)
    expect(stage.play(nb, 5, [say("Hello")]).text("Hello")).to_be_attached()
    panel = lab.panel
    lines = "\n\n".join(f"Line {number}." for number in range(100))
    stage.say(panel, "Edit.", [say(lines), hold("away"), edit()])
    expect(panel.text("Line 99.")).to_be_in_viewport()
    lab.page.evaluate("document.querySelector('.acp-log').scrollTop = 0")
    expect(panel.text("Line 99.")).not_to_be_in_viewport()
    # Who has just typed is left alone, for three seconds.
    lab.page.evaluate("() => new Promise(resolve => setTimeout(resolve, 3_200))")
    stage.go_on("away")
    expect(panel.permission).to_be_in_viewport()
    expect_uncovered(lab)
    lab.page.keyboard.press("Alt+Shift+Y")
    panel.option("Allow once").click()


@pytest.mark.long("the code that brings the question at the foot into view")
@pytest.mark.parametrize("act", ["scrolls", "types"])
def test_who_scrolls_or_types_is_left_alone(lab: LabPage, act: str) -> None:
    stage, nb = stage_with(lab, act, PROMPT, *LONG)
    put_scene(stage.folder, [say("Hello"), hold("acted"), edit()])
    nb.scroll_to(5)
    nb.cell(5).locator(".cm-content").click()
    lab.page.keyboard.press("Control+Enter")
    expect(nb.turn(5).text("Hello")).to_be_attached()
    nb.scroll_to(1)
    if act == "types":
        nb.cell(2).locator(".cm-content").click()
        lab.page.keyboard.type("x = 1\n")
    else:
        nb.cell(2).hover()
        lab.page.mouse.wheel(0, -20)
    before = top_of(nb)
    stage.go_on("acted")
    expect(lab.page.locator(".acp-StatusItem")).to_contain_text("1 waiting")
    nb.evaluate("() => new Promise(resolve => setTimeout(resolve, 1_000))")
    assert top_of(nb) <= before


@pytest.mark.parametrize("by", ["key", pytest.param("click", marks=pytest.mark.long)])
@pytest.mark.parametrize("windowed", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_key_and_a_click_lead_to_it(lab: LabPage, windowed: bool, by: str) -> None:
    """In every state; where no cell can show it, to the panel, which is closed."""
    stage, nb = stage_with(lab, f"lead-{windowed}-{by}", PROMPT)
    make_heading(nb)
    if windowed:
        use_window(nb)
    for state, hide in HIDDEN.items():
        show_nothing_else(lab)
        nb.evaluate(AS_IT_WAS, PROMPT)
        nb.save()
        nb.scroll_to(5)
        stage.play(nb, 5, [edit()])
        expect(nb.turn(5).permission).to_have_count(1)
        nb.evaluate(hide, 5)
        if state == "another tab":
            expect(lab.page.locator(".jp-Launcher:visible")).to_have_count(1)
        lead_to_it(lab, by)
        panel = PanelView(lab.page.locator("#acp-jupyter-panel"))
        shown: TurnView = panel if state in IN_THE_PANEL else nb.turn(5)
        expect(shown.permission, state).to_be_focused()
        expect_uncovered(lab)
        expect(shown.option("Allow once")).to_be_enabled()
        lab.page.keyboard.press("1")
        expect(shown.permission).to_have_count(0)
        expect(lab.page.locator(".acp-StatusItem button")).not_to_contain_text("waiting")
        expect(lab.page.locator("#jp-main-statusbar")).to_contain_text("| Idle")


def make_heading(nb: OpenNotebook) -> None:
    """Make the second cell one that the cells below can be folded into."""
    nb.evaluate(
        """({ content }) => {
          content.activeCellIndex = 1;
          return jupyterapp.commands.execute('notebook:change-cell-to-markdown').then(() => null);
        }"""
    )


def show_nothing_else(lab: LabPage) -> None:
    """Close the panel, the file browser, the launchers and what was notified."""
    lab.page.evaluate(
        """() => {
          const { shell } = jupyterapp;
          [...shell.widgets('main')].filter(widget => !widget.context).forEach(
            widget => widget.dispose());
          shell.collapseLeft();
          shell.collapseRight();
          document.querySelectorAll('.Toastify__close-button').forEach(close => close.click());
        }"""
    )


def lead_to_it(lab: LabPage, by: str) -> None:
    waiting = lab.page.locator(".acp-StatusItem button")
    expect(waiting).to_have_text("1 waiting")
    if by == "key":
        Keyboard(lab.page).press(TO_REQUEST)
    else:
        waiting.click()


@pytest.mark.long("the README's steps run the quickstart, and a key leads to its question")
@pytest.mark.parametrize("by", ["key", "click"])
def test_run_all_of_the_quickstart_asks_where_one_looks(
    lab: LabPage, workspace: Workspace, by: str
) -> None:
    """Nobody has scrolled: the question is brought into view. Who has scrolled is led to it."""
    for name in ("quickstart.ipynb", "rainfall.csv", "rainfall.py"):
        shutil.copy(NOTEBOOKS / name, workspace.folder)
    nb = lab.open(f"{workspace.name}/quickstart.ipynb")
    nb.wait_for_kernel()
    lab.command("notebook:run-all-cells", wait=False)
    expect_uncovered(lab)
    nb.evaluate(HIDDEN["scrolled away"])
    lead_to_it(lab, by)
    card = lab.page.locator(".jp-Notebook [data-request]")
    expect(card).to_be_focused()
    expect_uncovered(lab)
    expect(card.get_by_role("button", name=re.compile("^Allow")).first).to_be_enabled()
    lab.page.keyboard.press("2")
