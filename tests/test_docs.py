"""The paths, functions and steps that the documentation names exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURE = ROOT / "docs/architecture.md"
PAGES = [ROOT / "CONTRIBUTING.md", ARCHITECTURE, *sorted((ROOT / "docs").rglob("*.md"))]
TOP = ("acp_jupyter/", "labextension/", "tests/", "scripts/", "notebooks/", "docs/")

_PATH = re.compile(r"`([\w./-]+)(?::[\w.]+)?`")
_HOP = re.compile(r"^(\d+)\. `([\w./]+):([\w.]+)`((?:.*\n(?:    .*\n)?))", re.M)
_BY_ANOTHER_WAY: tuple[str, ...] = (
    "over HTTP",
    "over the WebSocket",
    "it waited",
    "in a task of its own",
)
_BY_ANOTHER_WAY += ("is woken", "to the WebSocket", "found by its mark")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_paths_exist(page: Path) -> None:
    named = {path for path in _PATH.findall(page.read_text()) if path.startswith(TOP)}
    made_by_build = {"acp_jupyter/labextension/", "acp_jupyter/static/", "labextension/lib/"}
    missing = {path for path in named - made_by_build if not (ROOT / path).exists()}
    assert missing == set()


def hops() -> Iterator[tuple[str, str, str, bool]]:
    for number, path, name, words in _HOP.findall(ARCHITECTURE.read_text()):
        other_way = number == "1" or any(way in words for way in _BY_ANOTHER_WAY)
        yield path, name, words, other_way


def function_of(path: str, name: str) -> ast.AST:
    node: ast.AST = ast.parse((ROOT / path).read_text())
    for part in name.split("."):
        (node,) = (
            child
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and child.name == part
        )
    return node


def names_in(node: ast.AST) -> set[str]:
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return attributes | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def test_each_step_is_there_and_is_called_by_the_one_before() -> None:
    steps = list(hops())
    assert len(steps) > 50
    before: ast.AST | None = None
    for path, name, _, other_way in steps:
        if path.endswith((".ts", ".tsx")):
            text = (ROOT / path).read_text()
            assert all(re.search(rf"\b{part}\b", text) for part in name.split(".")), (path, name)
            before = None
            continue
        called = name.rpartition(".")[2]
        if before is not None and not other_way:
            assert called in names_in(before), f"{path}:{name} is not called by the step before"
        before = function_of(path, name)
