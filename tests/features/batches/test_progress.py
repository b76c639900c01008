"""The table of a batch that runs."""

from __future__ import annotations

from collections import Counter

import pytest

from acp_jupyter.features.batches.jobs import JobSpec
from acp_jupyter.features.batches.progress import progress_of, table_html
from acp_jupyter.features.batches.results import JobResult


def _order(agent: str, key: str) -> JobSpec:
    return JobSpec(agent=agent, key=key, out="/", notebook="n", inputs="i", name="n.ipynb")


def _result(agent: str, key: str, **more: object) -> JobResult:
    fields: dict[str, object] = {"status": "done", "seconds": 2.0, **more}
    return JobResult(key, {}, agent, "ask", None, **fields)  # type: ignore[arg-type]


def test_each_agent_has_a_row_and_each_error_a_line() -> None:
    specs = [_order(agent, f"{agent}{n}") for agent in ("a", "b") for n in range(4)]
    results = [
        _result("a", "a0", grade=0.5),
        _result("b", "b0", status="failed", error="<b>Log in</b>"),
        _result("b", "b1", status="not run", error="<b>Log in</b>"),
    ]
    page = table_html(specs, results, Counter({"a": 2}))
    assert "3 of 8 jobs" in page
    assert "<td>a</td><td>1</td><td>0</td><td>2</td><td>1</td><td>0.5</td>" in page
    assert "<td>b</td><td>0</td><td>2</td><td>0</td><td>2</td><td></td>" in page
    assert "<li>b: &lt;b&gt;Log in&lt;/b&gt; (2 jobs)</li>" in page


def test_a_program_without_a_terminal_shows_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    progress = progress_of([_order("a", "a0")], wanted=True)
    progress.show([], [])
    progress.close([_result("a", "a0")])
    assert capfd.readouterr() == ("", "")
