"""The limit of a turn in a cell: the turn says that it was stopped, and the next cell works."""

from __future__ import annotations

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
