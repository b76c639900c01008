"""What a batch returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.features.batches.jobs import TurnRecord
from acp_jupyter.features.batches.results import BatchResults, JobResult, graded
from acp_jupyter.host.bounds import LEVELS
from acp_jupyter.protocol.host_events.session import WallsInForce


def _turn(session: str = "s", **more: object) -> TurnRecord:
    fields = {"agent": "demo", "session_id": session, "stop_reason": "end_turn", **more}
    return TurnRecord.model_validate(fields)


def _result(**more: object) -> JobResult:
    fields: dict[str, object] = {
        **{"key": "k", "params": {"city": "Basel"}, "agent": "demo", "policy": "ask"},
        **{"seed": None, "status": "done", "folder": Path("jobs/k"), **more},
    }
    return JobResult(**fields)  # type: ignore[arg-type]


def test_a_result_of_several_turns() -> None:
    turns = (
        _turn(text="a", patch="p1\n", tokens=3, cost_amount=0.5, cost_currency="USD"),
        _turn(text="b", patch="p2\n", cost_amount=0.75, cost_currency="USD"),
        _turn("other", text="c", tokens=4, cost_amount=1.0, cost_currency="USD"),
    )
    result = _result(turns=turns)
    assert (result.text, result.patch, result.tokens, result.cost) == ("c", "p1\np2\n", 7, 1.75)
    euros = _turn("other", cost_amount=1.0, cost_currency="EUR")
    assert _result(turns=(*turns[:2], euros)).cost is None
    assert (_result().text, _result().tokens, _result().cost) == ("", None, None)


def test_a_result_says_how_well_its_sandbox_was_kept_at_worst() -> None:
    kept = [WallsInForce(sandbox="folder", level=level) for level in reversed(LEVELS)]
    turns = tuple(_turn(walls=walls) for walls in (None, *kept))
    row = _result(turns=turns, sandbox="folder").row()
    assert (row["sandbox"], row["sandbox_level"]) == ("folder", "none")
    row = _result(turns=(_turn(walls=None),)).row()
    assert (row["sandbox"], row["sandbox_level"]) == ("", "")


def test_a_table_for_each_number_of_jobs() -> None:
    pandas = pytest.importorskip("pandas")
    results = BatchResults((_result(grade=1.0), _result(key="l", status="failed", seed=2)))
    frame = results.to_frame()
    assert list(frame.index) == ["k", "l"]
    assert list(frame["city"]) == ["Basel", "Basel"]
    assert frame["seed"].dtype == pandas.Int64Dtype()
    assert BatchResults().to_frame().empty
    assert repr(results) == "<2 jobs: 1 done, 1 failed, mean grade 1>"
    assert repr(results.failed) == "<1 jobs: 1 failed>"


def test_parameters_that_are_named_as_columns_stay() -> None:
    row = _result(params={"agent": "x"}).row()
    assert (row["agent"], row["param_agent"]) == ("demo", "x")


def test_html_holds_no_markup_of_parameters_and_errors() -> None:
    results = BatchResults(
        _result(params={"<b>": "<script>"}, error="<img>" * 50) for _ in range(30)
    )
    page = results._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert page.count("<tr>") == 21
    assert "and 10 more" in page
    assert BatchResults()._repr_html_() == "<p>0 jobs: </p>"


def test_only_what_is_done_is_graded() -> None:
    assert graded(_result(status="failed"), lambda result: 1.0).grade is None
    assert graded(_result(), lambda result: True).grade == 1.0
    assert graded(_result(), None).grade is None


def test_what_did_not_run_to_its_end() -> None:
    results = BatchResults([_result(), _result(status="failed"), _result(status="not run")])
    failed = results.failed
    assert isinstance(failed, BatchResults)
    assert [each.status for each in failed] == ["failed", "not run"]
