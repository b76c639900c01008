"""What the agent says about a file: a table by its columns, Python by what it defines."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Sequence
from pathlib import PurePath

from acp_jupyter.agents.demo.talk_tasks import code_block, one_line, plain_name

_MAX_LINES = 12
_MAX_COLUMNS = 20
_MAX_DEFINITIONS = 10
_MAX_ROWS = 50_000
_LANGUAGES = {
    ".py": "python",
    ".md": "markdown",
    ".json": "json",
    ".toml": "toml",
    ".js": "js",
    ".ts": "ts",
}


def describe(name: str, source: str) -> str:
    """Return what is in a file, as Markdown.

    Parameters
    ----------
    name
        Its path, as the user would type it.
    source
        Its text.
    """
    match PurePath(name).suffix.lower():
        case ".csv":
            words = _describe_table(name, source)
        case ".py":
            words = _describe_module(name, source)
        case _:
            words = ""
    return words or _describe_text(name, source)


def excerpt(name: str, source: str) -> str:
    """Return its first lines as a block of code."""
    lines = source.splitlines()[:_MAX_LINES]
    return code_block("\n".join(lines), _LANGUAGES.get(PurePath(name).suffix.lower(), ""))


def _describe_text(name: str, source: str) -> str:
    count = len(source.splitlines())
    lines = "1 line" if count == 1 else f"{count} lines"
    return f"`{plain_name(name)}` has {lines} and begins like this:\n\n{excerpt(name, source)}"


def _describe_table(name: str, source: str) -> str:
    try:
        header, *rows = list(csv.reader(io.StringIO(source), strict=True))[:_MAX_ROWS]
    except (csv.Error, ValueError):
        return ""
    if not rows or any(len(row) != len(header) for row in rows):
        return ""
    text = f"`{plain_name(name)}` is a table with {len(rows)} rows and {len(header)} columns:\n\n"
    text += "| Column | Smallest | Largest | Mean |\n| --- | ---: | ---: | ---: |\n"
    for index, title in enumerate(header[:_MAX_COLUMNS]):
        values = [row[index] for row in rows]
        text += f"| {plain_name(title)} | {' | '.join(_summary(values))} |\n"
    if len(header) > _MAX_COLUMNS:
        text += f"\n{len(header) - _MAX_COLUMNS} more columns are not shown.\n"
    return text


def _summary(values: Sequence[str]) -> tuple[str, str, str]:
    """Return the smallest, the largest and the mean; of words, how many there are."""
    try:
        numbers = [float(value) for value in values if value.strip()]
    except ValueError:
        numbers = []
    if not numbers:
        return (f"{len(set(values))} different", "", "")
    mean = sum(numbers) / len(numbers)
    return (f"{min(numbers):g}", f"{max(numbers):g}", f"{mean:.4g}")


def _describe_module(name: str, source: str) -> str:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    purpose = _first_line(tree)
    text = f"`{plain_name(name)}`" + (f": {purpose}\n" if purpose else " is a Python module.\n")
    for node in found[:_MAX_DEFINITIONS]:
        what = "class" if isinstance(node, ast.ClassDef) else "function"
        does = _first_line(node)
        text += f"\n- the {what} `{node.name}`" + (f": {does}" if does else "")
    return text + f"\n\n{excerpt(name, source)}"


def _first_line(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> str:
    lines = (ast.get_docstring(node) or "").splitlines()
    return one_line(lines[0], 200) if lines else ""
