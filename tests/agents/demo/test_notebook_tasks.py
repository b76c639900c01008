"""What the demo agent mends in a failing cell, what it plots, and what it understands."""

from __future__ import annotations

import ast
import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.agents.demo.edits import repair
from acp_jupyter.agents.demo.mcp_client import Picture
from acp_jupyter.agents.demo.notebook_tasks import picture_text, plot_code
from acp_jupyter.agents.demo.notebook_tools import NotebookVariable
from acp_jupyter.agents.demo.prompt import Task, understand


@pytest.mark.parametrize(
    ("source", "error", "mended"),
    [
        ("cuont + cuont", "NameError: name 'cuont' is not defined", "count + count"),
        ("f('é', cuont)", "NameError: name 'cuont' is not defined", "f('é', count)"),
        ("x = true", "NameError: name 'true' is not defined", "x = True"),
        ("pritn(1)", "NameError: name 'pritn' is not defined", "print(1)"),
        ("json.dumps(1)", "NameError: name 'json' is not defined", "import json\n\njson.dumps(1)"),
        (
            "np.ones(2)",
            "NameError: name 'np' is not defined",
            "import numpy as np\n\nnp.ones(2)",
        ),
        ("m = a / n\n", "ZeroDivisionError: division by zero", "m = (a / n if n else 0)\n"),
        ("m = len(a) // len(b)", "ZeroDivisionError: x", "m = (len(a) // len(b) if len(b) else 0)"),
    ],
)
def test_classic_mistakes(source: str, error: str, mended: str) -> None:
    edit = repair(source, error, ["count", "total"])
    assert edit is not None
    assert edit.text == mended


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("%run x.py", "NameError: name 'x' is not defined"),
        ("zzz", "NameError: name 'zzz' is not defined"),
        ("x = 1", "NameError: name 'cuont' is not defined"),
        ("x = y", "ValueError: no"),
        ("x = y", ""),
    ],
)
def test_what_it_does_not_know_it_leaves(source: str, error: str) -> None:
    assert repair(source, error, ["count"]) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_source_and_no_error_trips_it(source: str, name: str) -> None:
    for error in (f"NameError: name '{name}' is not defined", f"ZeroDivisionError: {name}", name):
        edit = repair(source, error, [name])
        if edit is not None:
            ast.parse(edit.text)


@pytest.mark.parametrize(
    ("prompt", "task", "variable"),
    [
        ("look at df", Task.LOOK_AT, "df"),
        ("Look at `Sales`.", Task.LOOK_AT, "Sales"),
        ("plot df", Task.PLOT, "df"),
        ("query db: SELECT * FROM plot", Task.QUERY, "db"),
        ("query the folder", Task.HELP, "folder"),
        ("Plot the prices, please", Task.PLOT, "prices"),
        ("fix", Task.FIX_CELL, None),
        ("/fix it!", Task.FIX_CELL, None),
        ("Fix the last failing cell", Task.FIX_CELL, None),
        ("A cell of this notebook failed. Find out why.\n\nplot(x.py)", Task.FIX_CELL, None),
        ("Suggest the next cell of this notebook: one\n\nplot(x)", Task.NEXT_CELL, None),
        ("edit the notebook", Task.EDIT_NOTEBOOK, None),
        ("look at this folder", Task.EXPLORE, None),
        ("look at clean.py", Task.EXPLORE, None),
        ("fix clean.py", Task.EDIT, None),
        ("edit plot.py", Task.EDIT, None),
        ("fix the loop", Task.EDIT, None),
    ],
)
def test_what_a_prompt_asks_for(prompt: str, task: Task, variable: str | None) -> None:
    request = understand(prompt)
    assert request.task is task
    if task in {Task.LOOK_AT, Task.PLOT, Task.QUERY}:
        assert request.variable == variable


def test_a_fix_that_is_only_to_be_proposed_names_its_cell() -> None:
    of_button = "A cell of this notebook failed. Propose a fix of that one cell, whose id is `c-1`"
    assert understand(f"{of_button}.").cell_id == "c-1"
    assert understand(f"{of_button} and whose fingerprint is `f1`.").cell_id == "c-1"
    assert understand("A cell of this notebook failed. Find out why.").cell_id is None
    assert understand(f"Explain: {of_button}").cell_id is None


@pytest.mark.parametrize("values", ["[3, 1, 2]", "(0,)", "[-1, -2]", "range(100)"])
def test_bars_drawn_by_hand_are_a_picture(values: str) -> None:
    code = plot_code(NotebookVariable("values", "list", "", ""), has_matplotlib=False)
    drawing, _, last = code.rpartition("\n\n\n")
    names = {"values": eval(values)}
    exec(drawing, names)
    picture = Picture(base64.b64encode(eval(last, names).data).decode(), "image/png")
    width = 48 * min(60, len(eval(values)))
    assert picture_text(picture) == f"a PNG of {width} × 210 pixels"


@pytest.mark.parametrize("data", ["", "not base64!", "aGVsbG8="])
def test_a_picture_that_is_none_is_named_by_its_type(data: str) -> None:
    assert picture_text(Picture(data, "image/x")) == "a picture of the type image/x"


@pytest.mark.parametrize("kind", ["DataFrame", "Series", "list", "dict"])
def test_the_code_for_matplotlib_is_python(kind: str) -> None:
    code = plot_code(NotebookVariable("df", kind, "", ""), has_matplotlib=True)
    ast.parse(code)
    assert "matplotlib" in code
