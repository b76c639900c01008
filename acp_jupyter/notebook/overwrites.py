"""Which names a piece of code gives another value, by reading it alone."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

__all__ = ["bound_names"]

_MOST_CHARS = 200_000
_SPECIAL = re.compile(r"^(?P<indent>\s*+)(?:(?P<target>[\w,.\[\]][\w\s,.\[\]]*+)=\s*+)?[%!][^=].*$")
"""IPython's own lines: ``%magic``, ``!command``, and what is assigned from them."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def bound_names(code: str) -> frozenset[str]:
    """Return the names of the namespace that ``code`` binds, deletes, or stores something into.

    ``df["a"] = 1`` counts for ``df``. What a call changes, or ``exec``, or a star import, can't be
    seen so. Code that can't be read, or begins with a cell magic, gives no names.
    """
    if len(code) > _MOST_CHARS or code.lstrip().startswith("%%"):
        return frozenset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of "\d" and the like: they are not ours
            tree = ast.parse(_plain(code))
        return frozenset(_bound(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def _plain(code: str) -> str:
    return "\n".join(_SPECIAL.sub(_plain_line, line) for line in code.splitlines())


def _plain_line(found: re.Match[str]) -> str:
    target = found["target"]
    return f"{found['indent']}{f'{target.rstrip()} = None' if target else 'pass'}"


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        yield from _names_of(node)
        if isinstance(node, _Function):
            yield from _declared_global(node)
        elif isinstance(node, _Comprehension):
            yield from _walruses(node)  # its other names live in it alone
        elif not isinstance(node, ast.ClassDef):
            yield from _bound(node)


def _names_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name.partition(".")[0]
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case (
            ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del())
        ):
            yield from _base(node)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case _:
            return


def _base(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _declared_global(function: _Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from node.names


def _walruses(comprehension: _Comprehension) -> Iterator[str]:
    for node in ast.walk(comprehension):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
