"""Finds the local names of a function: those that its code binds."""

from __future__ import annotations

import ast


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
