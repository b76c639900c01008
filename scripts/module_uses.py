"""Which loaded modules of ours see which, and what to do when one of them is replaced."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Uses"]

PREFIX = "acp_jupyter."


@dataclass(frozen=True)
class _Use:
    importer: str
    module: str
    name: str
    """Nothing for the module itself."""
    alias: str
    early: bool
    """Whether it is needed while the importer is being imported, not only in its functions."""


class Uses:
    """The imports of every loaded module of ours."""

    def __init__(self) -> None:
        names = {name for name in sys.modules if name.startswith(PREFIX)}
        self._uses = [use for name in sorted(names) for use in _uses_of(name, names)]

    def importers(self, module: str) -> set[str]:
        """Return the modules that import it."""
        return {use.importer for use in self._uses if use.module == module}

    def replace(self, module: str) -> None:
        """Import a module anew, and what needs it to be imported; tell all others the new one."""
        anew = [module]
        for changed in anew:
            early = {use.importer for use in self._uses if use.module == changed and use.early}
            anew += sorted(early - {*anew})
        for name in anew:
            del sys.modules[name]
        for name in anew:
            importlib.import_module(name)
        for use in self._uses:
            if use.module in anew and use.importer not in anew:
                new: object = sys.modules[use.module]
                value = getattr(new, use.name) if use.name else new
                setattr(sys.modules[use.importer], use.alias, value)


def _uses_of(importer: str, names: set[str]) -> Iterator[_Use]:
    tree = ast.parse(Path(sys.modules[importer].__file__ or "").read_text())
    early = set(_early_names(tree))
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        for imported in node.names:
            alias = imported.asname or imported.name
            whole = f"{node.module}.{imported.name}"
            module, name = (whole, "") if whole in names else (node.module, imported.name)
            if module in names:
                yield _Use(importer, module, name, alias, alias in early)


def _early_names(node: ast.AST, *, in_class: bool = False) -> Iterator[str]:
    """Return the names that a module's import evaluates; annotations only of classes."""
    if isinstance(node, ast.Name):
        yield node.id
    skipped: list[ast.AST | None] = []
    if isinstance(node, ast.FunctionDef):
        skipped += node.body
        if not node.decorator_list:
            skipped += [node.args, node.returns]
            yield from (n for d in node.args.defaults for n in _early_names(d))
            yield from (n for d in node.args.kw_defaults if d for n in _early_names(d))
    elif isinstance(node, ast.AnnAssign) and not in_class:
        skipped.append(node.annotation)
    for child in ast.iter_child_nodes(node):
        if child not in skipped:
            yield from _early_names(child, in_class=isinstance(node, ast.ClassDef))
