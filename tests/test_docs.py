"""The paths, functions and steps that the documentation names exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.list_texts import listed

ROOT = Path(__file__).resolve().parents[1]
_PACKAGE = ROOT / "acp_jupyter"
ARCHITECTURE = ROOT / "docs/architecture.md"
_BUILT = ROOT / "docs/_build"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES += [page for page in sorted((ROOT / "docs").rglob("*.md")) if _BUILT not in page.parents]
_MADE_BY_BUILD = (
    "acp_jupyter/labextension/",
    "acp_jupyter/static/",
    "labextension/lib/",
    "docs/_build/",
)
TOP = ("acp_jupyter/", "labextension/", "tests/", "scripts/", "notebooks/", "docs/")

_PATH = re.compile(r"`([\w./-]+)(?::[\w.]+)?`")
_DOTTED = re.compile(r"\bacp_jupyter((?:\.[a-z]\w*)+)")
_HOP = re.compile(r"^(\d+)\. `([\w./]+):([\w.#]+)`((?:.*\n(?:    .*\n)?))", re.M)
_BY_ANOTHER_WAY: tuple[str, ...] = (
    "over HTTP",
    "over the WebSocket",
    "it waited",
    "it listened",
    "is woken",
)
_BY_ANOTHER_WAY += ("in a task of its own", "found by its mark", "by the SDK")
_SRC = ROOT / "labextension/src"
_PACKAGES = sorted((ROOT / "acp_jupyter").rglob("__init__.py"))


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 5_000


def test_the_list_of_texts_has_those_of_python_page_and_settings() -> None:
    lines = list(listed())
    for text in (
        "send a file along: image",  # an option's help
        "There is no session yet.",  # an error
        "Waiting for your answer",  # the page
        "Every request is rejected, unless a rule of the prompt allows it.",  # the page, by a name
        "%1 files changed.",  # the page, of several
        "The other one starts a new line.",  # a setting
    ):
        assert any(text in line for line in lines), text


def test_what_is_said_not_to_be_here_is_not_here() -> None:
    would_say = {
        "a model behind LiteLLM (Jupyternaut)": r"litellm|jupyternaut",
        "a prompt cell that runs as *Ask*": r"\bask (a|the) model",
        "an environment for each notebook, and a window for packages": "install packages",
    }
    page = (ROOT / "docs/coming-from.md").read_text(encoding="utf-8")
    denied = re.findall(r"^\| (.+?) \| not here\b", page, re.M)
    assert set(denied) == would_say.keys()
    texts = "\n".join(listed())
    for row, words in would_say.items():
        found = re.search(words, texts, re.I)
        assert found is None, f"{row}: {found}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_paths_exist(page: Path) -> None:
    named = {path for path in _PATH.findall(page.read_text()) if path.startswith(TOP)}
    missing = {path for path in named if not (ROOT / path).exists()}
    assert {path for path in missing if not path.startswith(_MADE_BY_BUILD)} == set()


def test_paths_of_the_front_end_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text[text.index("In `labextension/src/`") : text.index("Some behaviours have")]
    named = set(_PATH.findall(table))
    assert len(named) > 20
    missing = {p for p in named if not (_SRC / p).exists() and not (ROOT / p).exists()}
    missing = {p for p in missing if not (ROOT / "labextension" / p).exists()}
    assert {p for p in missing if "/" in p or not [*_SRC.rglob(p)]} == set()


def test_folders_of_the_glossary_exist() -> None:
    text = (ROOT / "docs/glossary.md").read_text()
    cells = [row.split("|")[-2] for row in text.splitlines() if row.startswith("| ")]
    named = {path for cell in cells for path in _PATH.findall(cell) if "/" in path}
    assert len(named) > 20
    assert {p for p in named if not any((b / p).exists() for b in (ROOT, _PACKAGE))} == set()


def exists(dotted: str) -> bool:
    """Whether `acp_jupyter` and these names are a module, or a name that a module has."""
    path, names = _PACKAGE, dotted.strip(".").split(".")
    while names and (path / names[0]).is_dir():
        path /= names.pop(0)
    file = path / "__init__.py"
    if names and (path / f"{names[0]}.py").exists():
        file = path / f"{names.pop(0)}.py"
    return not names or re.search(rf"\b{names[0]}\b", file.read_text()) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_modules_exist(page: Path) -> None:
    assert {name for name in _DOTTED.findall(page.read_text()) if not exists(name)} == set()


@pytest.mark.parametrize("init", _PACKAGES, ids=lambda init: init.parent.name)
def test_each_package_says_what_lies_in_it(init: Path) -> None:
    words = ast.get_docstring(ast.parse(init.read_text())) or ""
    assert len(words) > 60
    assert {name for name in _DOTTED.findall(words) if not exists(name)} == set()


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


def is_defined(name: str, text: str) -> bool:
    """Whether TypeScript defines a class, a function, a method or a field of that name."""
    before = r"^\s*(?:(?:export|async|readonly|override|class|function|const) )*"
    return re.search(rf"{before}{re.escape(name)}(?=[ <(:=])", text, re.M) is not None


def test_each_step_is_there_and_is_called_by_the_one_before() -> None:
    steps = list(hops())
    assert len(steps) > 50
    called: set[str] = set()
    for path, name, words, other_way in steps:
        text, last = (ROOT / path).read_text(), name.rpartition(".")[2]
        step = f"{path}:{name}{words}".strip()
        assert other_way or last in called, f"{step}: not called by the step before"
        if path.endswith(".py"):
            called = names_in(function_of(path, name))
        else:
            # A whole file is taken for the step: callbacks stand in many functions.
            missing = [part for part in name.split(".") if not is_defined(part, text)]
            assert not missing, f"{step}: no {missing}"
            called = {*re.findall(r"#?\b\w+(?=\()|(?<=\.)\w+", text)}
