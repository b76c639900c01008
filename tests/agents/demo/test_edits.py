"""What the demo agent proposes, and which prompt asks for which kind of text."""

from __future__ import annotations

import ast

import pytest

from acp_jupyter.agents.demo import talk_tasks
from acp_jupyter.agents.demo.edits import propose
from acp_jupyter.agents.demo.prompt import Task, understand


def loops(count: int) -> str:
    return "".join(
        f"def f{n}(rows):\n    kept{n} = []\n    for row{n} in rows:\n"
        f"        kept{n}.append(row{n}.strip())\n    return kept{n}\n\n\n"
        for n in range(count)
    )


def test_one_loop_becomes_a_comprehension() -> None:
    edit = propose("clean.py", loops(1))
    assert edit is not None
    assert "    kept0 = [row0.strip() for row0 in rows]\n" in edit.text
    assert edit.summary == "Built `kept0` by a list comprehension instead of a loop."


def test_more_loops_are_one_edit() -> None:
    edit = propose("clean.py", loops(3))
    assert edit is not None
    assert edit.text.count(".append(") == 0
    assert len(ast.parse(edit.text).body) == 3
    names = "`kept0`, `kept1` and `kept2`"
    assert edit.summary == f"Built {names} by list comprehensions instead of loops."


def test_a_file_full_of_loops_takes_several_edits() -> None:
    edit = propose("clean.py", loops(30))
    assert edit is not None
    assert edit.text.count(".append(") == 22


@pytest.mark.parametrize("text", ["Show the markdown you know", "Write formulas", "/markdown"])
def test_every_kind_of_text_has_a_keyword(text: str) -> None:
    # What names a folder to look at is still that.
    expected = Task.EXPLORE if text.startswith("Show") else Task.MARKDOWN
    assert understand(text).task is expected


def test_every_kind_of_text_is_there() -> None:
    for kind in ("$$\n", "| --- |", "```python", "```mermaid", "- [x]", "](https://"):
        assert kind in talk_tasks.ONE_OF_EACH
