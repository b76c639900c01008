"""Edits of a notebook's cell: improvements, and true repairs of a few classic mistakes."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
import sys
from collections.abc import Iterable

from .edits import Edit, drop_iterrows, parses, use_comprehensions


def propose_for_cell(source: str) -> Edit | None:
    """Return the first edit that fits a code cell, or None where it needs none or is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for edit in (drop_iterrows(source), use_comprehensions(source, tree), _comment(source, tree)):
        if edit is not None and parses(edit.text):
            return edit
    return None


def _comment(source: str, tree: ast.Module) -> Edit | None:
    """Say above a cell without a comment which names it makes."""
    if "#" in source:
        return None
    made = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    names = list(dict.fromkeys(made))[:3]
    if not names:
        return None
    words = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return Edit(f"# Makes {words}.\n{source}", "Added a comment that says what the cell makes.")


_SHORT_NAMES = {
    "np": "numpy",
    "pd": "pandas",
    "plt": "matplotlib.pyplot",
    "sns": "seaborn",
}
_LIKENESS = 0.6
_OTHER_LANGUAGES = {"true": "True", "false": "False", "null": "None", "nil": "None"}


def repair(source: str, error: str, names: Iterable[str]) -> Edit | None:
    """Return a source that does not fail so, or None where no mend is known.

    Parameters
    ----------
    error
        The last line of the traceback.
    names
        The variables of the kernel.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None  # a magic, or a mistake that needs a reader
    kind, _, told = error.partition(":")
    edit: Edit | None
    match kind.strip():
        case "NameError":
            edit = _name(source, tree, told, names)
        case "ZeroDivisionError":
            edit = _division(source, tree)
        case _:
            edit = None
    return edit if edit is not None and edit.text != source and parses(edit.text) else None


def _name(source: str, tree: ast.Module, message: str, names: Iterable[str]) -> Edit | None:
    found = re.search(r"name '([^\W\d]\w*)' is not defined", message)
    if found is None:
        return None
    missing = found[1]
    if missing in _SHORT_NAMES:
        line = f"import {_SHORT_NAMES[missing]} as {missing}"
        return Edit(f"{line}\n\n{source}", f"Added the missing `{line}`.")
    if missing in sys.stdlib_module_names:
        return Edit(f"import {missing}\n\n{source}", f"Added the missing `import {missing}`.")
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    known = {*names, *(node.id for node in used), *dir(builtins)} - {missing}
    near = difflib.get_close_matches(missing, sorted(known), 1, _LIKENESS)
    meant = _OTHER_LANGUAGES.get(missing) or next(iter(near), None)
    if meant is None:
        return None
    text = _replaced(source, [(node, meant) for node in used if node.id == missing])
    return Edit(text, f"`{missing}` is not known; `{meant}` was meant.")


def _division(source: str, tree: ast.Module) -> Edit | None:
    """Divide only where the divisor is not zero: a plain name or a simple expression."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.BinOp) or not isinstance(
            node.op, ast.Div | ast.FloorDiv | ast.Mod
        ):
            continue
        whole, divisor = ast.get_source_segment(source, node), ast.unparse(node.right)
        if whole is None or "\n" in whole or isinstance(node.right, ast.Constant):
            continue
        text = _replaced(source, [(node, f"({whole} if {divisor} else 0)")])
        return Edit(text, f"`{whole}` divides only where `{divisor}` is not zero.")
    return None


def _replaced(source: str, changes: list[tuple[ast.expr, str]]) -> str:
    """Put other words in the place of nodes that lie on one line each; from the end backwards."""
    lines = source.splitlines(keepends=True)
    places = sorted(changes, key=lambda change: (change[0].lineno, change[0].col_offset))
    for node, words in reversed(places):
        line = lines[node.lineno - 1].encode()  # columns count bytes
        head, tail = line[: node.col_offset], line[node.end_col_offset :]
        lines[node.lineno - 1] = (head + words.encode() + tail).decode()
    return "".join(lines)
