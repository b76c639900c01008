"""Parts of turns and sessions as widgets, in JupyterLab."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.lab import LabPage
from tests.support.browser.pictures import take
from tests.support.browser.roles import TurnView
from tests.support.kernel.notebook_file import WIDGET_MIME
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
PARTS = """import ipywidgets
from acp_jupyter import connect
from acp_jupyter.widgets import *
session = connect("demo")
composer = ComposerWidget(session, value="edit clean.py rate=20")
plan, calls, diffs = PlanWidget(session), ToolCallsWidget(session), DiffsWidget(session)
asked, text = PermissionWidget(session), TextWidget(session)
grid = ipywidgets.GridBox([plan, diffs, calls, asked], layout=ipywidgets.Layout(
    grid_template_columns="1fr 1fr", grid_gap="8px"))
tab = ipywidgets.Tab([text, TurnWidget(session)], titles=["Text", "Turn"])
accordion = ipywidgets.Accordion([PlanWidget(session)], titles=["Plan"], selected_index=0)
ipywidgets.VBox([composer, grid, tab, accordion])"""


def part(output: Locator, name: str) -> Locator:
    return output.locator(f".acp[data-part={name}]").first


@pytest.mark.long
def test_the_parts_of_a_turn_in_layouts(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 1400})
    nb = lab.open(workspace.notebook(LOAD, PARTS, "import time; time.sleep(600)"))
    nb.load_extension()
    nb.run_to_end(1)
    output = nb.output(1)
    expect(part(output, "plan")).to_have_text("No turn yet.")
    box = part(output, "composer").get_by_role("textbox", name="Message")
    expect(box).to_have_value("edit clean.py rate=20")
    expect(part(output, "composer").get_by_role("button", name="Stop")).to_have_count(0)
    # A busy kernel is no hindrance: the page talks to the server.
    nb.run(2)
    nb.wait_until_running(2)
    box.focus()
    box.press("Control+Enter")
    expect(box).to_have_value("")
    expect(part(output, "composer").get_by_role("button", name="Stop")).to_be_visible()
    expect(part(output, "plan").get_by_role("list", name="Plan")).to_be_visible()
    expect(part(output, "permission").get_by_role("button", name="Allow once")).to_be_visible()
    for name in ("plan", "tool_calls", "permission", "composer"):
        take(f"widgets/{name}", part(output, name))
    assert workspace.clean_py == CLEAN_PY
    TurnView(part(output, "permission")).answer("Allow once")
    expect(part(output, "permission")).to_contain_text("Nothing is asked.")
    expect(part(output, "diffs")).to_contain_text("1 file changed")
    expect(part(output, "tool_calls")).to_contain_text("clean.py")
    expect(part(output, "text")).to_contain_text("list comprehension")
    expect(part(output, "composer").get_by_role("button", name="Stop")).to_have_count(0)
    assert workspace.clean_py != CLEAN_PY
    for name in ("text", "diffs"):
        take(f"widgets/{name}", part(output, name))
    output.get_by_role("tab", name="Turn").click()
    take("widgets/turn", part(output, "turn"))
    nb.interrupt()


def test_a_session_in_a_cell_shows_whoever_sends(lab: LabPage, workspace: Workspace) -> None:
    """Keys, pickers, Stop; what a cell sends is there as well, and the draft is its own."""
    code = 'from acp_jupyter import connect\nconnect("demo").widget'
    nb = lab.open(workspace.notebook(LOAD, code, "%%acp demo\nplan rate=50"))
    nb.load_extension()
    nb.run_to_end(1)
    widget = part(nb.output(1), "session")
    box = widget.get_by_role("textbox", name="Message")
    box.fill("list rate=50")
    box.press("Enter")
    expect(widget.get_by_role("log")).to_contain_text("2 entries")
    nb.run_to_end(2)
    expect(widget.get_by_role("log")).to_contain_text("plan rate=50")
    expect(widget.get_by_role("combobox", name="Policy", exact=True)).to_be_visible()
    box.fill("slow rate=2")
    box.press("Control+Enter")
    stop = widget.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    take("widgets/session", widget)
    stop.click()
    expect(stop).to_have_count(0)
    expect(lab.notices.filter(has_text="deleted")).to_have_count(0)
    panel_box = lab.panel.root.get_by_role("textbox", name="Message")
    box.fill("mine")
    expect(panel_box).to_have_value("")


@pytest.mark.long
def test_a_turn_that_a_button_sent(lab: LabPage, workspace: Workspace) -> None:
    """It has no cell: its output is a live widget, and no cell is missed at its end."""
    code = """import ipywidgets
from IPython.display import display
from acp_jupyter import connect
out, button = ipywidgets.Output(), ipywidgets.Button(description="Go")
def go(_):
    turn = connect("demo").prompt("edit clean.py rate=20")
    with out:
        display(turn)
button.on_click(go)
ipywidgets.VBox([button, out])"""
    nb = lab.open(workspace.notebook(LOAD, code))
    nb.load_extension()
    nb.run_to_end(1)
    nb.output(1).get_by_role("button", name="Go").click()
    view = TurnView(nb.output(1).locator(".widget-vbox"))
    view.answer("Allow once")
    expect(view.root).to_contain_text("by a list comprehension")
    nb.save()
    expect(lab.notices.filter(has_text="deleted")).to_have_count(0)


@pytest.mark.long
def test_ten_views_of_a_turn_whose_kernel_dies(lab: LabPage, workspace: Workspace) -> None:
    """The server runs the turn: the buttons of every view work without the kernel."""
    send = """from acp_jupyter import connect
turn = connect("demo").prompt("edit clean.py rate=20")
print(turn.id)"""
    lab.page.set_viewport_size({"width": 1280, "height": 2400})
    nb = lab.open(workspace.notebook(LOAD, send, *["turn.widget"] * 10))
    nb.load_extension()
    for index in range(1, 12):
        nb.run_to_end(index)
    views = lab.page.locator(".acp[data-part=turn]")
    expect(views).to_have_count(10)
    allow = views.get_by_role("button", name="Allow once")
    expect(allow).to_have_count(10)
    lab.page.evaluate(
        """path => [...jupyterapp.shell.widgets('main')]
             .find(w => w.context && w.context.path === path)
             .sessionContext.session.kernel.requestExecute({code: 'import os; os._exit(1)'})""",
        nb.path,
    )
    lab.page.get_by_role("dialog").get_by_role("button", name="Ok").click()
    TurnView(views.nth(6)).answer("Allow once")
    expect(views.filter(has_text="by a list comprehension")).to_have_count(10)
    expect(allow).to_have_count(0)
    assert workspace.clean_py != CLEAN_PY


@pytest.mark.long
def test_fifty_finished_widgets_rest(lab: LabPage, workspace: Workspace) -> None:
    code = """import ipywidgets
from acp_jupyter import connect
session = connect("demo")
turns = [session.prompt("plan rate=0").wait() for _ in range(50)]
ipywidgets.VBox([turn.widget for turn in turns])"""
    nb = lab.open(workspace.notebook(LOAD, code))
    nb.load_extension()
    nb.run_to_end(1)
    expect(lab.page.locator(".acp[data-part=turn]")).to_have_count(50)
    expect(lab.page.locator(".acp[data-part=turn] .acp-foot")).to_have_count(50)
    devtools = lab.page.context.new_cdp_session(lab.page)
    devtools.send("Performance.enable")

    def busy() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        told = {each["name"]: each["value"] for each in metrics}
        return float(told["ScriptDuration"] + told["LayoutDuration"])

    lab.page.wait_for_timeout(1000)  # what began with the views is over
    before = busy()
    lab.page.wait_for_timeout(3000)  # what is measured is this time
    assert busy() - before < 0.1


def test_a_saved_widget_without_its_kernel_is_the_saved_turn(
    lab: LabPage, workspace: Workspace
) -> None:
    send = """from acp_jupyter import connect
turn = connect("demo").prompt("plan rate=0").wait()"""
    nb = lab.open(workspace.notebook(LOAD, send, "turn.widget"))
    nb.load_extension()
    nb.run_to_end(1)
    nb.run_to_end(2)
    expect(nb.output(2).locator(".acp[data-part=turn]")).to_contain_text("The plan is ticked off")
    nb.save()
    nb.wait_until_clean()
    (output,) = nb.read().cells[2].outputs
    assert "The plan is ticked off" in output.data["text/markdown"]
    assert WIDGET_MIME in output.data
    nb.restart()
    lab.reload()
    nb = lab.notebook(nb.path)
    saved = nb.output(2)
    expect(saved.locator(".acp")).to_contain_text("The plan is ticked off")
    expect(saved.locator(".acp")).to_contain_text("Saved turn")
    eventually(lambda: WIDGET_MIME not in nb.read().cells[2].outputs[0].data)
