"""The edits it can propose for a cell of a notebook."""

from __future__ import annotations

import ast

from acp_jupyter.agents.demo.edits import Edit, drop_iterrows, parses, use_comprehensions

__all__ = ["propose_for_cell"]


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
