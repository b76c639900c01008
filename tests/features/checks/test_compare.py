"""What differs between the outputs of a cell, the error that it ended in, and what is said."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.features.checks.compare import compare_outputs, error_of
from acp_jupyter.features.checks.report import CheckedCell, CheckReport, OutputDifference

MAX = 100_000
MAX_OF_A_PICTURE = 4_000_000


def shown(kind: str, value: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {kind: value}, "metadata": {}}


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (
            [shown("text/plain", "1")],
            [shown("text/plain", "2")],
            OutputDifference(kind="text/plain", old="1", new="2", counts=True),
        ),
        (
            [shown("text/plain", "1"), shown("text/plain", "2")],
            [],
            OutputDifference(kind="text/plain", old="1\n2", new=None, counts=True),
        ),
        (
            [],
            [shown("application/json", {"b": 1, "a": [2]})],
            OutputDifference(
                kind="application/json",
                old=None,
                new='{\n "a": [\n  2\n ],\n "b": 1\n}',
                counts=True,
            ),
        ),
        (
            [shown("text/plain", "a" * (MAX + 1))],
            [shown("text/plain", "b" * MAX)],
            OutputDifference(kind="text/plain", old="a" * MAX, new="b" * MAX, counts=True),
        ),
        (
            [shown("image/png", "AAAA\n")],
            [shown("image/png", "BBBB"), shown("image/png", "CCCC")],
            OutputDifference(kind="image/png", old="AAAA", new="BBBB CCCC", counts=False),
        ),
        (
            [shown("image/jpeg", "A" * MAX_OF_A_PICTURE)],
            [shown("image/jpeg", "B" * (MAX_OF_A_PICTURE + 1))],
            OutputDifference(kind="image/jpeg", old="A" * MAX_OF_A_PICTURE, new=None, counts=False),
        ),
        (
            [],
            [shown("image/png", "A" * (MAX + 1))],
            OutputDifference(kind="image/png", old=None, new="A" * (MAX + 1), counts=False),
        ),
    ],
)
def test_each_kind_of_output(
    old: list[dict[str, Any]], new: list[dict[str, Any]], difference: OutputDifference
) -> None:
    assert compare_outputs(old, new) == (difference,)


def test_what_counts_comes_first_and_each_kind_once() -> None:
    old = [shown("image/png", "A"), shown("text/plain", "1"), shown("text/html", "same")]
    new = [shown("image/png", "B"), shown("text/html", "same"), shown("text/latex", "2")]
    kinds = [each.kind for each in compare_outputs(old, new)]
    assert kinds == ["text/plain", "text/latex", "image/png"]


@pytest.mark.parametrize(
    ("outputs", "text"),
    [
        ([], None),
        ([shown("text/plain", "1")], None),
        (
            [
                shown("text/plain", "1"),
                {
                    "output_type": "error",
                    "ename": "ValueError",
                    "evalue": "no",
                    "traceback": ["\x1b[0;31mTraceback\x1b[0m", "ValueError: no"],
                },
            ],
            "Traceback\nValueError: no",
        ),
        ([{"output_type": "error", "ename": "E", "evalue": "no", "traceback": []}], "E: no"),
        ([{"output_type": "error", "traceback": ["t" * (MAX + 1)]}], "t" * MAX),
    ],
)
def test_the_error_of_a_cell(outputs: list[dict[str, Any]], text: str | None) -> None:
    expected = None if text is None else OutputDifference(kind="error", new=text)
    assert error_of(outputs) == expected


def test_a_report_as_text_shows_what_differs_where_outputs_differ() -> None:
    differences = (
        OutputDifference(kind="stdout", old="1\n", new="2\n3\n"),
        OutputDifference(kind="image/png", old="AAAA", new="BBBB", counts=False),
    )
    cells = (
        CheckedCell(cell_id="a", number=1, verdict="same", differences=differences),
        CheckedCell(cell_id="b", number=2, verdict="different", differences=differences),
        CheckedCell(cell_id="c", number=3, verdict="failed", reason="It ended in an error"),
    )
    report = CheckReport(path="a.ipynb", cells=cells, words="It was stopped.")
    assert str(report).splitlines() == [
        "a.ipynb: 1 same, 1 different, 1 failed",
        "  cell 1: same",
        "  cell 2: different",
        "    stdout",
        "    - 1",
        "    + 2",
        "    + 3",
        "  cell 3: failed (It ended in an error)",
        "It was stopped.",
    ]


def test_the_id_of_a_widget_is_no_difference() -> None:
    kind = "application/vnd.jupyter.widget-view+json"
    old, new = ([shown(kind, {"model_id": each})] for each in ("a", "b"))
    assert compare_outputs(old, new) == ()
