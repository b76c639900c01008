"""Limits of turns: one in a cell is stopped, and the panel sets them and shows what was used."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.support.browser import pictures
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace


def test_a_cell_is_stopped_at_its_limit(lab: LabPage, workspace: Workspace) -> None:
    limited = '%%acp demo --limit "1 call, 10 min"\nMake clean.py faster'
    nb = lab.open(workspace.notebook("pass", limited, "%%acp demo --limit '30 calls'\nhelp"))
    nb.load_extension()
    nb.run_to_end(1)
    turn = nb.turn(1).root
    expect(turn).to_contain_text("Stopped at the limit of 1 tool call.")
    expect(turn).to_contain_text("To go on, send a message")
    expect(turn).to_contain_text("Stopped at its limit of 1 tool call.")
    pictures.take_both("how-to/limits", nb.cell(1), lab)
    nb.run_to_end(2)
    expect(nb.turn(2).root).not_to_contain_text("Stopped")
    nb.set_source(2, "%%acp demo --limit 'ten minutes'\nhelp")
    nb.run(2)
    expect(nb.output(2)).to_contain_text("'ten minutes' is no limit. Type, for example")
    limits_are_set_in_the_panel(lab)
    usage_is_shown_in_the_panel(lab)


def limits_are_set_in_the_panel(lab: LabPage) -> None:
    """With the keys alone; the next message keeps to them."""
    panel = lab.panel
    limit = panel.root.get_by_role("button", name=re.compile("^(No limit|Limit: )"))
    expect(limit).to_have_text("No limit")
    limit.press("Enter")
    form = panel.root.get_by_role("dialog", name="Limits")
    each_turn = form.get_by_role("textbox", name="Each turn")
    expect(each_turn).to_be_focused()
    each_turn.press_sequentially("ten calls")
    each_turn.press("Enter")
    expect(form.get_by_role("alert")).to_contain_text("'ten calls' is no limit.")
    each_turn.press("ControlOrMeta+a")
    each_turn.press_sequentially("1 call")
    form.get_by_role("textbox", name="All turns of this session").fill("2 h, 500 calls")
    expect(form.get_by_role("alert")).to_have_count(0)
    pictures.take_both("how-to/limits-panel", form, lab)
    each_turn.press("Enter")
    expect(form).to_have_count(0)
    expect(limit).to_have_text("Limit: 1 call; 2 h, 500 calls")
    expect(limit).to_be_focused()
    panel.say("Make clean.py faster")
    expect(panel.root.get_by_text("Stopped at its limit of 1 tool call.")).to_have_count(2)


def usage_is_shown_in_the_panel(lab: LabPage) -> None:
    panel = lab.panel
    panel.root.locator(".acp-ring").press("Enter")
    usage = panel.root.get_by_role("group", name="Usage")
    turns = usage.get_by_role("row", name=re.compile("^Turns"))
    expect(turns.get_by_role("cell")).to_have_count(2)
    expect(turns).not_to_contain_text("…")
    expect(usage.get_by_role("row", name=re.compile("^Cost"))).to_contain_text("not reported")
    pictures.take_both("how-to/usage", usage, lab)
    panel.root.locator(".acp-ring").press("Escape")
    expect(usage).to_have_count(0)
