"""Small alterations of a module: of each string, number and table entry, one at a time."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Mutation", "mutations_of"]

_SKIPPED_TARGETS = {"__all__"}
_SKIPPED_CALLS = {"TypeVar", "TypeAliasType"}


@dataclass(frozen=True)
class Mutation:
    """One alteration of a module."""

    module: str
    line: int
    what: str
    tree: ast.Module

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.what}"


Path = tuple[str | int, ...]


@dataclass(frozen=True)
class _Place:
    """Where in a tree something is altered: a field of a node, or an item of a list in it."""

    line: int
    what: str
    path: Path
    new: ast.expr | None
    """None takes an item out of its list."""


def mutations_of(module: str, source: str) -> Iterator[Mutation]:
    """Return every alteration of a module."""
    tree = ast.parse(source)
    finder = _Finder(_skipped(tree), _references(tree))
    for place in finder.places(tree, (), at_top=True):
        yield Mutation(module, place.line, place.what, _altered(tree, place))


def _altered(tree: ast.Module, place: _Place) -> ast.Module:
    altered = copy.deepcopy(tree)
    node: Any = altered
    for step in place.path[:-1]:
        node = node[step] if isinstance(step, int) else getattr(node, step)
    last, new = place.path[-1], place.new
    if isinstance(node, list) and isinstance(last, int):
        node[last : last + 1] = [] if new is None else [new]
    elif isinstance(node, ast.Dict) and isinstance(last, int):
        del node.keys[last], node.values[last]
    else:
        setattr(node, str(last), new)
    return ast.fix_missing_locations(altered)


# -- what is altered -----------------------------------------------------------


def _skipped(tree: ast.Module) -> set[int]:
    """Return the nodes that no program reads: docstrings, annotations, exported names."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node))
        elif isinstance(node, ast.AnnAssign) or (
            isinstance(node, ast.arg) and node.annotation is not None
        ):
            found.add(id(node.annotation))
        elif isinstance(node, ast.FunctionDef):
            # What no caller needs to say is mostly nothing, and says nothing either.
            empty = [d for d in node.args.defaults if isinstance(d, ast.Constant) and d.value == ""]
            found |= {id(node.returns), *map(id, empty)}
        elif isinstance(node, ast.Assign):
            names = {t.id for t in node.targets if isinstance(t, ast.Name)}
            is_type = isinstance(node.value, ast.Subscript) and "Callable" in ast.dump(node.value)
            found |= {id(node)} if names & _SKIPPED_TARGETS or is_type else set()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {id(node)} if node.func.id in _SKIPPED_CALLS else set()
    return found


def _references(tree: ast.Module) -> dict[str, list[str]]:
    """Return what tables refer to, by the module that it comes from (none: this one)."""
    found: dict[str, list[str]] = {}
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        for node in ast.walk(statement.value):
            values = node.args if isinstance(node, ast.Call) else []
            values = node.values if isinstance(node, ast.Dict) else values
            for value in values:
                if (name := _name_of(value)) is not None:
                    known = found.setdefault(name[0], [])
                    known += [] if name[1] in known else [name[1]]
    return found


def _name_of(node: ast.expr) -> tuple[str, str] | None:
    match node:
        case ast.Attribute(value=ast.Name(id=base), attr=name):
            return base, name
        case ast.Name(id=name) if name.startswith("_"):
            return "", name
        case _:
            return None


class _Finder:
    """Goes through a module."""

    def __init__(self, skipped: set[int], references: dict[str, list[str]]) -> None:
        self._skipped = skipped
        self._references = references

    def places(self, node: ast.AST, path: Path, *, at_top: bool) -> Iterator[_Place]:
        """Return the places below a node."""
        if id(node) in self._skipped or isinstance(node, ast.Import | ast.ImportFrom):
            return
        if isinstance(node, ast.Constant):
            yield from _constants(node, path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
            yield from _patterns(node.args[0], (*path, "args", 0))
        if at_top:
            yield from _entries(node, path)
            yield from self._others(node, path)
        inner = at_top and not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda)
        for field, value in ast.iter_fields(node):
            if field in {"decorator_list", "target", "targets"}:
                continue
            listed = value if isinstance(value, list) else [value]
            for i, child in enumerate(listed):
                if isinstance(child, ast.AST):
                    step = (field, i) if isinstance(value, list) else (field,)
                    yield from self.places(child, (*path, *step), at_top=inner)

    def _others(self, node: ast.AST, path: Path) -> Iterator[_Place]:
        """Refer to the table's next function or field in place of this one."""
        if not isinstance(node, ast.Attribute | ast.Name) or (found := _name_of(node)) is None:
            return
        base, name = found
        known = self._references.get(base, [])
        if name not in known or len(known) < 2:
            return
        other = known[(known.index(name) + 1) % len(known)]
        load = ast.Load()
        new = ast.Attribute(ast.Name(base, load), other, load) if base else ast.Name(other, load)
        yield _Place(node.lineno, f"{name} -> {other}", path, new)


def _constants(node: ast.Constant, path: Path) -> Iterator[_Place]:
    value = node.value
    new: str | float
    if isinstance(value, bool):
        new = not value
    elif isinstance(value, int | float):
        new = value + 1
    elif isinstance(value, str):
        new = f"{value}~"
    else:
        return
    yield _Place(node.lineno, f"{value!r} -> {new!r}", path, ast.Constant(new))


def _patterns(node: ast.expr, path: Path) -> Iterator[_Place]:
    """Leave each character out of a regular expression."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    for i in range(len(node.value)):
        new = node.value[:i] + node.value[i + 1 :]
        try:
            re.compile(new)
        except re.error:
            continue
        yield _Place(node.lineno, f"{node.value!r} -> {new!r}", path, ast.Constant(new))


def _entries(node: ast.AST, path: Path) -> Iterator[_Place]:
    """Take each entry out of a table."""
    if isinstance(node, ast.Dict):
        for i, key in enumerate(node.keys):
            if key is not None:
                yield _Place(key.lineno, f"without {ast.unparse(key)}", (*path, i), None)
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        for i, item in enumerate(node.elts):
            what = f"without {ast.unparse(item)[:60]}"
            yield _Place(item.lineno, what, (*path, "elts", i), None)
