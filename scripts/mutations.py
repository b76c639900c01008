"""Small alterations of a module, one at a time.

Of its tables and words: each string, number and entry. Of its logic: conditions, comparisons,
``and`` and ``or``, returns, and errors that are swallowed.

Left out is what nobody can tell from the product: words that no program reads, names of encodings,
which Python reads without their signs, and regular expressions that are only written otherwise.
"""

from __future__ import annotations

import ast
import copy
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Mutation", "logic_of", "words_of"]

_SKIPPED_TARGETS = {"__all__"}
_SHOWN = 100
_SKIPPED_CALLS = {"TypeVar", "TypeAliasType"}
_CODECS = {"decode", "encode", "getincrementaldecoder", "getincrementalencoder"}
_TYPES = {"Callable", "Mapping", "dict", "list", "tuple"}
"""``Object = dict[str, Any]`` is a name for the type checker."""


@dataclass(frozen=True)
class Mutation:
    """One alteration of a module."""

    module: str
    place: _Place
    function: str
    """In which function or class it is; nothing at the top."""
    tree: ast.Module = field(compare=False, repr=False)
    """As it is."""

    def __str__(self) -> str:
        return f"{self.module}:{self.place.lines[0]} {self.key}"

    @property
    def file(self) -> str:
        """Relative to the checkout."""
        return f"{self.module.replace('.', '/')}.py"

    @property
    def key(self) -> str:
        """What is altered, by names that outlive a move."""
        return f"{self.function}: {self.place.what}" if self.function else self.place.what

    def altered(self, *, in_place: bool = False) -> ast.Module:
        """Return the altered module; ``in_place`` is for a process that ends after it."""
        altered = self.tree if in_place else copy.deepcopy(self.tree)
        node: Any = altered
        for step in self.place.path[:-1]:
            node = node[step] if isinstance(step, int) else getattr(node, step)
        last, new = self.place.path[-1], self.place.new
        if isinstance(node, list) and isinstance(last, int):
            node[last : last + 1] = [] if new is None else [new]
        elif isinstance(node, ast.Dict) and isinstance(last, int):
            del node.keys[last], node.values[last]
        else:
            setattr(node, str(last), new)
        return ast.fix_missing_locations(altered)


Path = tuple[str | int, ...]


@dataclass(frozen=True)
class _Place:
    """Where in a tree something is altered: a field of a node, or an item of a list in it."""

    lines: tuple[int, int]
    what: str
    path: Path
    new: ast.AST | list[ast.stmt] | None
    """None takes an item out of its list."""


def words_of(module: str, source: str) -> Iterator[Mutation]:
    """Return every alteration of a module's tables and words."""
    tree = ast.parse(source)
    finder = _Finder(_skipped(tree), _references(tree))
    return _named(module, tree, finder.places(tree, (), at_top=True))


def logic_of(module: str, source: str) -> Iterator[Mutation]:
    """Return every alteration of what a module's functions decide."""
    tree = ast.parse(source)
    return _named(module, tree, _decisions(tree, (), direct=False))


def _named(module: str, tree: ast.Module, places: Iterable[_Place]) -> Iterator[Mutation]:
    for place in places:
        names: list[str] = []
        node: Any = tree
        lines = place.lines
        for step in place.path:
            if step == "args" and isinstance(node, ast.FunctionDef):
                lines = _lines(node)  # a default counts where its function runs
            node = node[step] if isinstance(step, int) else getattr(node, step)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.append(node.name)
            if isinstance(node, ast.Dict):
                break  # what follows is the number of an entry
        yield Mutation(module, replace(place, lines=lines), ".".join(names), tree)


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
            value = node.value
            is_type = isinstance(value, ast.Subscript) and ast.unparse(value.value) in _TYPES
            found |= {id(node)} if names & _SKIPPED_TARGETS or is_type else set()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= {id(node)} if node.func.id in _SKIPPED_CALLS else set()
            # What is zipped strictly is of one length: the word only guards us.
            strict = [k.value for k in node.keywords if k.arg == "strict"]
            found |= {id(v) for v in strict if isinstance(v, ast.Constant) and v.value}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= {id(node.args[0])} if node.func.attr in _CODECS and node.args else set()
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
        for name, value in ast.iter_fields(node):
            if name in {"decorator_list", "target", "targets"}:
                continue
            listed = value if isinstance(value, list) else [value]
            for i, child in enumerate(listed):
                if isinstance(child, ast.AST):
                    step = (name, i) if isinstance(value, list) else (name,)
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
        yield _Place(_lines(node), f"{name} -> {other}", path, new)


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
    yield _Place(_lines(node), f"{value!r} -> {new!r}", path, ast.Constant(new))


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
        if _parsed(new) == _parsed(node.value):
            continue
        yield _Place(_lines(node), f"{node.value!r} -> {new!r}", path, ast.Constant(new))


def _parsed(pattern: str) -> tuple[str, dict[str, int]]:
    """Return what a regular expression means: its parts, and the names of its groups."""
    parts = importlib.import_module("re._parser").parse(pattern)
    return repr(parts), parts.state.groupdict


def _entries(node: ast.AST, path: Path) -> Iterator[_Place]:
    """Take each entry out of a table."""
    if isinstance(node, ast.Dict):
        for i, key in enumerate(node.keys):
            if key is not None:
                yield _Place(_lines(key), f"without {ast.unparse(key)}", (*path, i), None)
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        for i, item in enumerate(node.elts):
            what = f"without {ast.unparse(item)[:60]}"
            yield _Place(_lines(item), what, (*path, "elts", i), None)


def _lines(node: ast.AST) -> tuple[int, int]:
    first: int = getattr(node, "lineno", 0)
    return first, getattr(node, "end_lineno", None) or first


# -- decisions -----------------------------------------------------------------

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


def _decisions(node: ast.AST, path: Path, *, direct: bool) -> Iterator[_Place]:
    """Return the places below a node; ``direct``: it is a condition, and tried as one already."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.expr):
        yield from _of_expression(node, path, direct=direct)
    else:
        yield from _of_statement(node, path)
    for name, value in ast.iter_fields(node):
        if name in {"decorator_list", "annotation", "returns", "target", "targets"}:
            continue
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                step = (name, i) if isinstance(value, list) else (name,)
                direct = name in {"test", "ifs", "guard"}
                yield from _decisions(child, (*path, *step), direct=direct)


def _of_statement(node: ast.AST, path: Path) -> Iterator[_Place]:
    match node:
        case ast.If() | ast.While():
            yield from _conditions(node.test, (*path, "test"), ends=isinstance(node, ast.While))
        case ast.comprehension():
            for i, condition in enumerate(node.ifs):
                yield from _conditions(condition, (*path, "ifs", i))
        case ast.match_case(guard=ast.expr() as guard):
            yield from _conditions(guard, (*path, "guard"))
        case ast.Return(value=ast.expr() as value):
            yield from _returns(value, (*path, "value"))
        case ast.ExceptHandler() if not any(isinstance(each, ast.Raise) for each in node.body):
            what = f"except {ast.unparse(node.type) if node.type else ''}: raise"
            span = node.lineno, node.body[0].lineno
            yield _Place(span, what, (*path, "body"), [ast.Raise()])
        case _:
            pass


def _of_expression(node: ast.expr, path: Path, *, direct: bool) -> Iterator[_Place]:
    match node:
        case ast.IfExp():
            yield from _conditions(node.test, (*path, "test"))
        case ast.BoolOp():
            new = ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            yield _changed(node, path, new)
        case ast.Compare():
            yield from _comparisons(node, path, direct=direct)
        case ast.UnaryOp(op=ast.Not()) if not direct:
            yield _changed(node, path, node.operand)
        case ast.Call(func=ast.Attribute(attr="suppress") | ast.Name(id="suppress")):
            yield _changed(node, path, ast.Call(node.func, [], []))
        case _:
            pass


def _conditions(test: ast.expr, path: Path, *, ends: bool = False) -> Iterator[_Place]:
    if isinstance(test, ast.Constant) or ast.unparse(test) == "TYPE_CHECKING":
        return
    for new in (False,) if ends else (True, False):
        yield _changed(test, path, ast.Constant(new))


def _comparisons(node: ast.Compare, path: Path, *, direct: bool) -> Iterator[_Place]:
    for i, op in enumerate(node.ops):
        opposite = [] if direct else [_OPPOSITE[type(op)]]
        boundary = [_BOUNDARY[type(op)]] if type(op) in _BOUNDARY else []
        for other in (*opposite, *boundary):
            ops = [*node.ops[:i], other(), *node.ops[i + 1 :]]
            yield _changed(node, path, ast.Compare(node.left, ops, node.comparators))


def _returns(value: ast.expr, path: Path) -> Iterator[_Place]:
    if isinstance(value, ast.Constant) and value.value is None:
        return
    is_bool = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    new: ast.expr = ast.UnaryOp(ast.Not(), value) if is_bool else ast.Constant(None)
    yield _changed(value, path, new, "return ")


def _changed(node: ast.expr, path: Path, new: ast.expr, before: str = "") -> _Place:
    what = f"{before}{_short(node)} -> {_short(new)}"
    return _Place(_lines(node), what, path, new)


def _short(node: ast.expr) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
