"""Finds the names that a code cell sets and uses at the top level, from its source alone.

No code runs. A name that the cell sets before it uses it doesn't count as used. The body of a
function counts as code of its cell, and may use names that the cell sets further down.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shlex
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

_MAX_CHARS = 200_000
"""Longest cell that is read."""
_MAGIC = re.compile(r"^[^#'\"\n]*%acp\b", re.M)
"""A cell with `%%acp` or `%acp`, also below or behind other magics; the page knows it alike."""
_BINDING = {"function", "class"}
"""Scopes in which an assignment binds a name of their own."""


@dataclass(frozen=True, slots=True)
class CellNames:
    """The names that a cell sets and uses."""

    sets: frozenset[str] = frozenset()
    """Names that are assigned, changed in place by an assignment, or deleted."""
    uses: frozenset[str] = frozenset()
    """Names that other cells must set; also builtins, as a cell may set one."""


@lru_cache(maxsize=4096)
def names_of(source: str) -> CellNames:
    """Return the names of a cell; none if it is not Python, or too long."""
    if len(source) > _MAX_CHARS:
        return CellNames()
    reader = _Reader()
    try:
        _read(source, reader)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return CellNames()
    return CellNames(frozenset(reader.sets), frozenset(reader.uses | (reader.later - reader.sets)))


@lru_cache(maxsize=4096)
def code_of(source: str) -> str:
    """Return a digest of a cell's code that ignores comments and formatting."""
    code = source
    if len(source) <= _MAX_CHARS:
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            code = ast.dump(_parsed(source))
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def is_prompt(source: str) -> bool:
    """Return whether a cell has an ``%acp`` magic: a prompt or a command."""
    return _MAGIC.search(source) is not None


_one_at_a_time = threading.Lock()


def _read(source: str, reader: _Reader) -> None:
    reader.visit(_parsed(source))


def _parsed(source: str) -> ast.Module:
    """Parse the Python code into which IPython transforms a cell."""
    from IPython.core.inputtransformer2 import TransformerManager

    # The cell's run shows such warnings. `catch_warnings` changes state that all threads share.
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformer = TransformerManager()  # type: ignore[no-untyped-call]
        return ast.parse(transformer.transform_cell(source))


_Kind = Literal["function", "class", "loop", "except"]


@dataclass(slots=True)
class _Scope:
    """A part of the cell with its own names."""

    kind: _Kind
    own: set[str] = field(default_factory=set)
    of_cell: set[str] = field(default_factory=set)
    """Names that a function declares as ``global``."""


class _Reader(ast.NodeVisitor):
    """Collects names in the order in which the code sets and uses them."""

    def __init__(self) -> None:
        self.sets: set[str] = set()
        self.uses: set[str] = set()
        self.later: set[str] = set()
        """Names that functions use when they are called."""
        self._scopes: list[_Scope] = []

    # -- names -------------------------------------------------------------

    def _use(self, name: str) -> None:
        innermost = True
        for scope in reversed(self._scopes):
            if name in scope.of_cell:
                break
            # Functions and comprehensions in a class don't see its names.
            if name in scope.own and (scope.kind != "class" or innermost):
                return
            innermost = innermost and scope.kind == "except"
        if any(scope.kind == "function" for scope in self._scopes):
            self.later.add(name)
        elif name not in self.sets:
            self.uses.add(name)

    def _set(self, name: str) -> None:
        scope = next((each for each in reversed(self._scopes) if each.kind in _BINDING), None)
        if scope is None or name in scope.of_cell:
            self.sets.add(name)
        else:
            scope.own.add(name)

    def _target(self, node: ast.expr) -> None:
        """Read an assignment to an item or attribute, which changes the named object."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            self._use(node.id)
            if not any(scope.kind == "function" or node.id in scope.own for scope in self._scopes):
                self.sets.add(node.id)

    def visit_Name(self, node: ast.Name) -> None:
        """Read one name."""
        if isinstance(node.ctx, ast.Load):
            self._use(node.id)
        elif isinstance(node.ctx, ast.Store):
            self._set(node.id)
        else:
            self._use(node.id)
            self._set(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Read ``a.b``, or an assignment to it."""
        if not isinstance(node.ctx, ast.Load):
            self._target(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Read ``a[b]``, or an assignment to it."""
        if not isinstance(node.ctx, ast.Load):
            self._target(node)
        self.generic_visit(node)

    # -- statements whose evaluation order differs from their source order --------

    def visit_Assign(self, node: ast.Assign) -> None:
        """Read an assignment, its value first."""
        self._visit([node.value, *node.targets])

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Read ``a += b``, which uses a."""
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self._use(node.target.id)
        self.visit(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Read ``a: b = c``; without a value it sets no name."""
        self._visit([node.annotation, *([node.value] if node.value is not None else [])])
        if node.value is not None:
            self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """Read ``(a := b)``."""
        self._visit([node.value, node.target])

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """Read a loop, its iterable first."""
        self._visit([node.iter, node.target, *node.body, *node.orelse])

    visit_AsyncFor = visit_For

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Read an import; the names of ``import *`` are unknown."""
        for alias in node.names:
            if alias.name != "*":
                self._set(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Read an except clause; Python deletes its name at the end."""
        if node.type is not None:
            self.visit(node.type)
        with self._scope("except", {node.name} if node.name else ()):
            self._visit(node.body)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        """Read a pattern that captures a name."""
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        self.generic_visit(node)
        if name is not None:
            self._set(name)

    visit_MatchStar = visit_MatchAs
    visit_MatchMapping = visit_MatchAs

    # -- scopes ------------------------------------------------------------

    @contextmanager
    def _scope(
        self, kind: _Kind, own: Iterable[str] = (), of_cell: Iterable[str] = ()
    ) -> Iterator[None]:
        self._scopes.append(_Scope(kind, set(own), set(of_cell)))
        try:
            yield
        finally:
            self._scopes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Read a function: decorators, defaults and annotations run now, its body later."""
        self._visit(node.decorator_list)
        self._arguments(node.args)
        with self._scope("loop", _type_names(node)):
            self._visit(_annotations(node.args) + ([node.returns] if node.returns else []))
        self._set(node.name)
        own, of_cell = bindings(node.body)
        own |= {each.arg for each in _all_arguments(node.args)} | _type_names(node)
        with self._scope("function", own, of_cell):
            self._visit(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Read a lambda as a function."""
        self._arguments(node.args)
        with self._scope("function", {each.arg for each in _all_arguments(node.args)}):
            self.visit(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Read a class; its body runs now."""
        self._visit(node.decorator_list)
        with self._scope("loop", _type_names(node)):
            self._visit([*node.bases, *node.keywords])
            _, of_cell = bindings(node.body)
            with self._scope("class", (), of_cell):
                self._visit(node.body)
        self._set(node.name)

    def visit_TypeAlias(self, node: Any) -> None:
        """Read ``type a = b``, whose value Python evaluates later (3.12)."""
        self._set(node.name.id)
        with self._scope("function", _type_names(node)):
            self.visit(node.value)

    def _comprehension(self, generators: list[ast.comprehension], *results: ast.expr) -> None:
        self.visit(generators[0].iter)
        own = {
            name.id
            for each in generators
            for name in ast.walk(each.target)
            if isinstance(name, ast.Name)
        }
        with self._scope("loop", own):
            for index, each in enumerate(generators):
                self._visit([*([each.iter] if index else []), *each.ifs])
            self._visit(results)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        """Read a comprehension; its loop variables are its own."""
        self._comprehension(node.generators, node.elt)

    visit_SetComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        """Read a comprehension of a dict."""
        self._comprehension(node.generators, node.key, node.value)

    # -- magics ------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> None:
        """Read a call; the text of a magic may hold code or names."""
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=kind)
            ):
                texts = [text.value for text in node.args if isinstance(text, ast.Constant)]
                self._magic(kind, [text for text in texts if isinstance(text, str)])
            case _:
                self.generic_visit(node)

    def _magic(self, kind: str, texts: list[str]) -> None:
        match kind, texts:
            case "run_cell_magic", [name, line, body]:
                self._cell_magic(name, line, body)
            case "run_line_magic", ["time", line]:
                self._code(line)
            case "run_line_magic", ["timeit" | "prun", line]:
                self._only_uses(line)
            case _:
                self._expanded(" ".join(texts))

    def _cell_magic(self, name: str, line: str, body: str) -> None:
        if name == "acp":
            self._prompt(line)
        elif name in {"time", "capture", "prun"}:
            self._code(body)
            target = line.split()[:1] if name == "capture" else []
            for word in target:
                if word.isidentifier():
                    self._set(word)
        elif name == "timeit":
            self._only_uses(body)
        else:
            self._expanded(line)

    def _prompt(self, line: str) -> None:
        try:
            words = shlex.split(line)
        except ValueError:
            return
        for option, value in pairwise(words):
            if option == "--var":
                self._use(value)
            elif option == "--out" and value.isidentifier():
                self._set(value)

    def _code(self, text: str) -> None:
        _read(text, self)

    def _only_uses(self, text: str) -> None:
        """Read code whose assignments other cells can't see."""
        with self._scope("class"):
            self._code(text)

    def _expanded(self, text: str) -> None:
        """Read the names that IPython expands in a magic or command: ``{name}`` and ``$name``."""
        for expression in re.findall(r"(?<!\{)\{([^{}]+)\}", text):
            try:
                self.visit(ast.parse(expression.strip(), mode="eval"))
            except SyntaxError:
                continue
        for name in re.findall(r"(?<!\$)\$([^\W\d]\w*)", text):
            self._use(name)

    def _arguments(self, arguments: ast.arguments) -> None:
        self._visit([*arguments.defaults, *filter(None, arguments.kw_defaults)])

    def _visit(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    more = filter(None, (arguments.vararg, arguments.kwarg))
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more]


def _annotations(arguments: ast.arguments) -> list[ast.expr]:
    return [each.annotation for each in _all_arguments(arguments) if each.annotation is not None]


def _type_names(node: Any) -> set[str]:
    """Return the type parameters of a function or class (3.12)."""
    return {each.name for each in getattr(node, "type_params", ())}


def bindings(body: list[ast.stmt]) -> tuple[set[str], set[str]]:
    """Return the names that a function's body binds, and those that it declares as global."""
    finder = _Bindings()
    for statement in body:
        finder.visit(statement)
    return finder.own - finder.of_cell, finder.of_cell


class _Bindings(ast.NodeVisitor):
    """Finds the names that the code of one function binds, without nested functions."""

    def __init__(self) -> None:
        self.own: set[str] = set()
        self.of_cell: set[str] = set()

    def visit_Global(self, node: ast.Global) -> None:
        """Read ``global a``."""
        self.of_cell.update(node.names)

    def visit_Name(self, node: ast.Name) -> None:
        """Read one name."""
        if not isinstance(node.ctx, ast.Load):
            self.own.add(node.id)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Read an import."""
        self.own.update(each.asname or each.name.partition(".")[0] for each in node.names)

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Read ``except … as a``."""
        if node.name:
            self.own.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        """Read a pattern that captures a name."""
        if node.name:
            self.own.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """Read ``**rest`` of a pattern."""
        if node.rest:
            self.own.add(node.rest)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """Read the name of a nested function or class, not its body."""
        self.own.add(node.name)

    visit_FunctionDef = visit_ClassDef
    visit_AsyncFunctionDef = visit_ClassDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Skip a lambda."""

    def _loop(self, node: ast.AST) -> None:
        """Read a comprehension's ``:=``; its loop variables are its own."""
        for each in ast.walk(node):
            if isinstance(each, ast.NamedExpr):
                self.own.add(each.target.id)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _loop
