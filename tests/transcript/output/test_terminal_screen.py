"""What saved notebooks show of a terminal: the same that the page shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.transcript.output.terminal_screen import plain_lines, terminal_tail

FILE = Path(__file__).parents[2] / "fixtures" / "terminals" / "screens.json"
EXAMPLES: list[dict[str, Any]] = json.loads(FILE.read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_a_terminal_shows(example: dict[str, Any]) -> None:
    assert plain_lines(example["input"]) == example["lines"]


@given(st.text(alphabet="ab\n\r\b\t\x1b[](;0123456789ABCDGHJKm😀", max_size=200))
def test_whatever_comes_is_shown(output: str) -> None:
    shown = "\n".join(plain_lines(output))
    assert "\x1b" not in shown
    assert "\r" not in shown


def test_a_long_output_gives_its_last_lines() -> None:
    output = "".join(f"\r{n:7d}" if n % 3 else f"{n:7d}\n" for n in range(200_000))
    tail = terminal_tail(output, 2_000)
    assert len(tail) < 2_100
    assert tail.startswith("… what came before is left out …\n")
    assert tail.endswith(" 199998\n 199999")
    assert terminal_tail("one\r\ntwo\n", 2_000) == "one\ntwo\n"
    assert terminal_tail("x" * 5_000, 2_000).endswith("x" * 1_000)
