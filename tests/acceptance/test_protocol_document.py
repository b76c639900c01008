"""``docs/protocol.md`` names a test for every row, and every method and update has a row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hazard_agent import MODES
from hazards import lines, updates

from tests.conformance.shapes import DEFINITIONS, alternatives

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/protocol.md").read_text()
REFERENCE = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows() -> Iterator[list[str]]:
    for line in DOCUMENT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[-1] not in {"Test", "---"}:
            yield cells


ROWS = list(rows())


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text())
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:60] for row in ROWS])
def test_the_names_in_a_row_are_there(row: list[str]) -> None:
    assert len(row) == 3
    found = REFERENCE.findall(row[-1])
    assert found
    assert row[-1] == "<br>".join(f"`{file}::{name}`" for file, name in found)
    assert [(f, name) for f, name in found if name not in names_in(f)] == []


def test_every_method_and_every_update_has_a_row() -> None:
    named = set(re.findall(r"`([^`]+)`", " ".join(row[0] for row in ROWS)))
    methods = {schema["x-method"] for schema in DEFINITIONS.values() if "x-method" in schema}
    kinds = {
        flat["properties"]["sessionUpdate"]["const"]
        for flat in alternatives(DEFINITIONS["SessionUpdate"])
    }
    assert (methods | kinds) - named == set()
    assert len(methods | kinds) > 30


def test_every_mode_of_the_hazard_agent_is_met_by_a_test() -> None:
    tests = "".join(path.read_text() for path in (ROOT / "tests/hazards").glob("test_*.py"))
    assert 'parametrize("mode", updates.MODES)' in tests
    assert 'parametrize("mode", lines.NOISE)' in tests
    alone = MODES.keys() - updates.MODES.keys() - lines.NOISE.keys()
    assert [mode for mode in sorted(alone) if f'"{mode}"' not in tests] == []
