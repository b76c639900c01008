"""A batch in a notebook: a row for each agent while it runs, then its results as a table."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser import pictures
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

_BATCH = """\
import acp_jupyter

results = acp_jupyter.batch(
    "Create {city}.md",
    [{"city": "Basel"}, {"city": "Bern"}],
    ["demo"],
    policy=["accept-edits", "ask"],
    grade=lambda result: len(result.text) < 200,
    inputs=[],
)
results.to_frame().reset_index()[["city", "policy", "status", "reason", "grade"]]"""


@pytest.mark.long
def test_a_batch_has_a_row_for_each_agent_and_one_for_each_result(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(_BATCH))
    nb.wait_for_kernel()
    nb.run_to_end(0, seconds=200)
    jobs, results = (nb.output(0).get_by_role("table").nth(index) for index in (0, 1))
    expect(nb.output(0)).to_contain_text("4 of 4 jobs")
    expect(jobs.get_by_role("row").nth(1)).to_contain_text("demo22001")
    rows = results.get_by_role("row")
    expect(rows).to_have_count(5)
    expect(rows.filter(has_text="nobody_to_ask")).to_have_count(2)
    expect(rows.filter(has_text="accept-edits").filter(has_text="done")).to_have_count(2)
    expect(nb.output(0)).to_contain_text("NobodyToAsk")
    pictures.take_both("how-to/batch", nb.cell(0), lab)
