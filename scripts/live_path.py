"""Say which tests of the acceptance list rest on code that the product itself runs.

Some functions are required and called by nobody but tests. They are found by reading the
source; ``tests/acceptance/apart.txt`` says which decision keeps each of them apart, and the
code below it that the product runs too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

__all__ = ["Apart", "Code", "read_apart"]

ROOT = Path(__file__).resolve().parent.parent
APART = ROOT / "tests/acceptance/apart.txt"

_FOLDERS = ("acp_jupyter", "tests")

_STARTED = ("_", "load_", "main")
"""How names begin that other programs call, or nothing but their own module."""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Apart(NamedTuple):
    """A line of the table."""

    function: str
    """With its module."""
    row: str
    """Of the decisions."""
    shared: str
    """What it calls that the product runs too, with its module; ``-`` for nothing."""


def read_apart() -> dict[str, Apart]:
    """Return the table by its functions."""
    lines = [Apart(*line.split()) for line in APART.read_text().splitlines() if line]
    return {line.function: line for line in lines}


class Code:
    """What the definitions of the product and its tests name, by full names.

    Annotations and defaults of functions are left out: the product may pass other values.
    """

    def __init__(self) -> None:
        found = (path for folder in _FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
        files = [path for path in found if "published_agents" not in path.parts]
        self._trees = {_module(path): ast.parse(path.read_text()) for path in files}
        self._imported = {name: dict(_imports(tree)) for name, tree in self._trees.items()}
        self._own = {name: dict(_definitions(tree)) for name, tree in self._trees.items()}

    @cached_property
    def product(self) -> dict[str, set[str]]:
        """What each definition names; under a module's own name, what its other lines do."""
        modules = [module for module in self._own if module.startswith(_FOLDERS[0])]
        full = (f"{m}.{name}".rstrip(".") for m in modules for name in self._own[m])
        return {name: self._names(name) for name in full}

    def _names(self, name: str) -> set[str]:
        module, _, last = (name, "", "") if name in self._own else name.rpartition(".")
        nodes = self._own.get(module, {}).get(last, [])
        return {found for node in nodes for found in self._named(module, node)}

    @cached_property
    def unused(self) -> set[str]:
        """The definitions that nothing names but others of these."""
        users: dict[str, set[str]] = {name: set() for name in self.product}
        for user, found in self.product.items():
            for name in found - {user}:
                users.setdefault(name, set()).add(user)
        unused = {name for name in self._public() if not users.get(name, True)}
        used = {name for name in self.product if users[name]} - self._trees.keys()
        while True:
            more = {n for n in used if users[n] <= unused} | unused
            if more == unused:
                return unused
            unused = more

    def reached(self, name: str, module: str) -> set[str]:
        """Return what a definition names, also through others of its module."""
        return self._reached(name, lambda one: one.startswith(f"{module}."))

    def shares(self, function: str, shared: str) -> bool:
        """Return whether an unused function calls what the product runs."""
        return shared in self._reached(function, self.unused.__contains__) - self.unused

    def _reached(self, name: str, through: Callable[[str], bool]) -> set[str]:
        found: set[str] = set()
        new = {name}
        while new:
            one = new.pop()
            found.add(one)
            if through(one):
                new |= self._names(one) - found
        return found - {name}

    def _public(self) -> Iterator[str]:
        """Yield the functions and classes that no outer program calls by their names."""
        for module, tree in self._trees.items():
            for node in tree.body:
                if isinstance(node, _Definition) and not node.name.startswith(_STARTED):
                    yield f"{module}.{node.name}"

    def _named(self, module: str, node: ast.AST) -> Iterator[str]:
        for child in ast.walk(node):
            if isinstance(child, ast.Name):
                yield from self._resolved(module, child.id)
            elif isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name):
                for owner in self._resolved(module, child.value.id):
                    yield from self._resolved(owner, child.attr)

    def _resolved(self, module: str, name: str) -> Iterator[str]:
        if name and name in self._own.get(module, {}):
            yield f"{module}.{name}"
        elif name in self._imported.get(module, {}):
            source, original = self._imported[module][name]
            if f"{source}.{original}" in self._trees:
                yield f"{source}.{original}"
            else:
                yield from self._resolved(source, original)


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(tree: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                yield name.asname or name.name, (node.module, name.name)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, list[ast.AST]]]:
    others: list[ast.AST] = []
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                is_test = node.name.startswith("test_")
                fixtures = [ast.Name(a.arg) for a in node.args.args if is_test]
                yield node.name, [*node.body, *node.decorator_list, *fixtures]
            case ast.ClassDef():
                yield node.name, [node]
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, [node.value] if node.value else []
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                pass
            case _:
                others.append(node)
    yield "", others
