"""Fences that stand behind text on their line open a block of code, here as in the page."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from acp_jupyter.transcript.escaping import agent_markdown
from acp_jupyter.transcript.glued_fences import fences_apart

CASES: dict[str, str] = json.loads(
    (Path(__file__).parents[1] / "golden" / "glued_fences.json").read_text("utf-8")
)
"""Each text with what it is read as; the page reads them, too (``glued_fences.test.ts``)."""


@pytest.mark.parametrize("text", CASES)
def test_each_fence_begins_its_line(text: str) -> None:
    assert fences_apart(text) == CASES[text]
    assert fences_apart(CASES[text]) == CASES[text]


def test_what_follows_such_a_block_is_text_in_what_is_saved() -> None:
    saved = agent_markdown("Here it is:```python\nx = 1\n```\nAfter *this* text.")
    assert saved == "Here it is:\n\n```python\nx = 1\n```\n\nAfter *this* text."


@pytest.mark.parametrize("line", ["a ```\n", "a ```py\n", "a ```py\n```\n", "a ```py\nb ~~~\n"])
def test_many_take_no_time(line: str) -> None:
    before = time.process_time()
    fences_apart(line * (128_000 // len(line)))
    assert time.process_time() - before < 5
