"""``docs/protocol.md`` names a test for every row, and every method and update has a row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from fake_agent import MODES, NOUNS
from hazards import NOUNS as HAZARDS
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


def not_named(modes: Iterable[str], *folders: str) -> list[str]:
    """Return the modes that no file of these folders names."""
    files = [file for folder in folders for file in (ROOT / "tests" / folder).rglob("*.py")]
    text = "".join(file.read_text() for file in files)
    return [mode for mode in sorted(modes) if f'"{mode}"' not in text]


def hazards() -> list[str]:
    return [mode for noun in HAZARDS for mode in import_module(f"hazards.{noun}").MODES]


def test_every_hazard_is_met_by_a_test() -> None:
    tests = "".join(path.read_text() for path in (ROOT / "tests/hazards").glob("test_*.py"))
    assert 'parametrize("mode", updates.MODES)' in tests
    assert 'parametrize("mode", lines.NOISE)' in tests
    alone = {*hazards()} - updates.MODES.keys() - lines.NOISE.keys()
    assert not_named(alone, "hazards", "host") == []


def test_every_other_mode_of_the_fake_agent_is_there_and_is_used() -> None:
    names = [*(mode for modes in NOUNS.values() for mode in modes), *hazards()]
    assert len(set(names)) == len(names)
    for mode, noun in MODES.items():
        assert callable(getattr(import_module(f"modes.{noun}"), mode))
    folders = [path.name for path in (ROOT / "tests").iterdir() if path.name != "fake_agents"]
    assert not_named(MODES, *folders) == []
