"""Which functions the product itself calls, and which only those who use it as a library."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Apart", "LivePath", "read_apart"]

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ROOT / "acp_jupyter"
APART = ROOT / "tests/acceptance/apart.txt"
_ENTERED = {"__init__", "agents", "kernel", "notebook", "server"}
"""Where Jupyter, a shell or an agent calls what nothing here calls."""

Name = tuple[str, str]
"""A module, and what it defines at its top; nothing for the statements that it runs itself."""


@dataclass(frozen=True)
class Apart:
    """A function that the product does not call."""

    function: str
    row: str
    """Of the acceptance list: why not."""
    shared: tuple[str, ...]
    """The functions below it, which the product calls."""


def read_apart() -> list[Apart]:
    """Return what is listed: a function, a row, and what it shares, to a line."""
    lines = (line.split() for line in APART.read_text().splitlines() if line[:1] != "#")
    return [Apart(words[0], words[1], tuple(words[2:])) for words in lines if words]


class LivePath:
    """What calls what."""

    def __init__(self) -> None:
        self._uses: dict[Name, set[Name]] = {}
        for path in sorted(PRODUCT.rglob("*.py")):
            if path != PRODUCT / "packets/__init__.py":
                module = _module(path)
                self._uses |= dict(_uses_of(ast.parse(path.read_text()), module))
        entered = (name for name in self._uses if not name[1] or _package(name) in _ENTERED)
        self._live = self._below(entered)

    def is_live(self, function: str) -> bool:
        """Tell whether the product calls a function."""
        return any(name == function for _, name in self._live)

    def below(self, function: str) -> set[str]:
        """Return what a function calls, and what that calls."""
        return {name for _, name in self._below(n for n in self._uses if n[1] == function)}

    def only_called_from_outside(self) -> set[str]:
        """Return the public functions that the product does not call."""
        names = {name for _, name in self._uses.keys() - self._live}
        return {name for name in names if name.islower() and name[:1] not in {"", "_"}}

    def wrong(self, apart: Iterable[Apart], tested: set[str]) -> Iterator[str]:
        """Yield what is not true of the list; ``tested`` are the functions that proofs call."""
        outside = self.only_called_from_outside()
        listed = {each.function: each for each in apart}
        unlisted = sorted(tested & outside - {*listed})
        yield from (f"{name} is called by tests only" for name in unlisted)
        for name, each in listed.items():
            if name not in outside:
                yield f"{name} is called by the product, or is gone"
            for shared in each.shared:
                if shared not in self.below(name):
                    yield f"{name} does not call {shared}"
                if not self.is_live(shared):
                    yield f"the product does not call {shared}"

    def _below(self, names: Iterable[Name]) -> set[Name]:
        found: set[Name] = set()
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if name not in found and name in self._uses:
                found.add(name)
                waiting += self._uses[name]
        return found


def _package(name: Name) -> str:
    return name[0].split(".")[1] if "." in name[0] else name[0]


def _module(path: Path) -> str:
    names = path.relative_to(PRODUCT.parent).with_suffix("").parts
    return ".".join(names)


def _uses_of(tree: ast.Module, module: str) -> Iterator[tuple[Name, set[Name]]]:
    """Yield what is defined at a module's top, with the names that it uses."""
    imported = {
        known.asname or known.name: (node.module, known.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for known in node.names
    }
    defined: dict[str, list[ast.stmt]] = {"": []}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                defined.setdefault(name, []).append(node)
            case ast.ClassDef(name=name):
                defined.setdefault(name, []).append(node)
            case _:
                defined[""].append(node)
    for name, nodes in defined.items():
        yield (module, name), set(_names(nodes, module, defined, imported))


def _names(
    nodes: Iterable[ast.stmt],
    module: str,
    defined: Iterable[str],
    imported: dict[str, Name],
) -> Iterator[Name]:
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        match node:
            case ast.Name(id=name) if name in imported:
                yield imported[name]
            case ast.Name(id=name) if name in defined:
                yield module, name
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base in imported:
                yield ".".join(imported[base]), name
            case _:
                pass
