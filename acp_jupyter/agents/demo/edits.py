"""The edits that it can propose for files and cells: small and deterministic."""

from __future__ import annotations

import ast
import builtins
import difflib
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

_MAX_LOOPS = 8


@dataclass(frozen=True, slots=True)
class Edit:
    """A whole new text, and what it does as a verb phrase."""

    text: str
    summary: str


def propose(name: str, source: str) -> Edit | None:
    """Return the first edit that fits the file, or None."""
    match PurePath(name).suffix.lower():
        case ".py":
            return _edit_python(name, source)
        case ".md":
            return _add_heading(name, source)
        case _:
            return _strip_line_ends(source)


def new_file(name: str, content: str | None) -> Edit:
    """Return the text of a file that does not exist yet."""
    title = _title(name)
    if content is not None:
        text = content if content.endswith("\n") else content + "\n"
    elif name.endswith(".py"):
        text = _PROGRAM.format(title=title)
    elif name.endswith(".md"):
        text = f"# {title}\n\nWritten by the demo agent.\n"
    else:
        text = "Written by the demo agent.\n"
    return Edit(text, f"Created `{name}`.")


_PROGRAM = '''"""{title}, written by the demo agent."""


def main() -> None:
    """Say hello."""
    print("Hello from the demo agent.")


if __name__ == "__main__":
    main()
'''


def _title(name: str) -> str:
    return re.sub(r"[^\w]+|_", " ", PurePath(name).stem).strip().capitalize() or "Notes"


def _edit_python(name: str, source: str) -> Edit | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for edit in (
        drop_iterrows(source),
        use_comprehensions(source, tree),
        _document(name, source, tree),
    ):
        if edit is not None and parses(edit.text):
            return edit
    return None


def parses(source: str) -> bool:
    """Return whether it is valid Python."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


_ITERROWS = re.compile(r"^([ \t]*for )(\w+), (\w+)( in )([\w.]+)\.iterrows\(\):", re.M)


def drop_iterrows(source: str) -> Edit | None:
    """Iterate over a data frame as plain dictionaries, which is many times faster."""
    loop = _ITERROWS.search(source)
    if loop is None or re.search(rf"\b{loop[3]}\.", source):  # a dictionary has no `row.column`
        return None
    index, row, frame = loop[2], loop[3], loop[5]
    records = f'{frame}.to_dict("records")'
    head = (
        f"{row} in {records}"
        if index == "_"
        else f"{index}, {row} in zip({frame}.index, {records})"
    )
    text = f"{source[: loop.start()]}{loop[1]}{head}:{source[loop.end() :]}"
    return Edit(
        text, f"Replaced the row by row loop over `{frame}` by one over plain dictionaries."
    )


def use_comprehensions(source: str, tree: ast.Module) -> Edit | None:
    """Apply it wherever it fits, a few times; parse the text again after each change."""
    built: list[str] = []
    while len(built) < _MAX_LOOPS and (found := _use_comprehension(source, tree)) is not None:
        source, name = found
        built.append(name)
        if not parses(source):
            return None
        tree = ast.parse(source)
    match built:
        case []:
            return None
        case [name]:
            words = f"Built `{name}` by a list comprehension instead of a loop."
        case _:
            names = ", ".join(f"`{name}`" for name in built[:-1]) + f" and `{built[-1]}`"
            words = f"Built {names} by list comprehensions instead of loops."
    return Edit(source, words)


def _use_comprehension(source: str, tree: ast.Module) -> tuple[str, str] | None:
    """Turn ``xs = []`` and a loop that only appends into a list comprehension."""
    lines = source.splitlines(keepends=True)
    for start, loop in _neighbours(tree):
        built = _comprehension(start, loop, tree)
        block = lines[start.lineno - 1 : loop.end_lineno]
        if built is None or any(mark in "".join(block) for mark in ("#", ";", "\\\n")):
            continue
        end = block[-1][len(block[-1].rstrip("\r\n")) :]
        indent = block[0][: len(block[0]) - len(block[0].lstrip())]
        lines[start.lineno - 1 : loop.end_lineno] = [f"{indent}{built}{end}"]
        return "".join(lines), built.split(" ", 1)[0]
    return None


def _neighbours(tree: ast.Module) -> Iterator[tuple[ast.Assign, ast.For]]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.ClassDef) or not isinstance(body, list):
            continue  # a comprehension in a class body can't see its other names
        for first, second in itertools.pairwise(body):
            if isinstance(first, ast.Assign) and isinstance(second, ast.For):
                yield first, second


def _comprehension(start: ast.Assign, loop: ast.For, tree: ast.Module) -> str | None:
    test: ast.expr | None = None
    body = loop.body
    if len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse:
        test, body = body[0].test, body[0].body
    match start, body:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])),
            [
                ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=called), attr="append"),
                        args=[item],
                        keywords=[],
                    )
                )
            ],
        ) if called == name and not loop.orelse:
            pass
        case _:
            return None
    parts = [item, loop.iter, *([test] if test else [])]
    inner = [node for part in parts for node in ast.walk(part)]
    if any(
        isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr) for node in inner
    ):
        return None
    if name in _names(inner) or isinstance(item, ast.Starred):
        return None
    # The loop variable must not be read after it: a comprehension does not leave it behind.
    targets = _names(ast.walk(loop.target))
    inside = set(map(id, ast.walk(loop)))
    if targets & _names(node for node in ast.walk(tree) if id(node) not in inside):
        return None
    condition = f" if {ast.unparse(test)}" if test else ""
    target = ast.unparse(loop.target)
    if isinstance(loop.target, ast.Tuple):  # which `unparse` puts in parentheses
        target = target[1:-1]
    walk = f"for {target} in {ast.unparse(loop.iter)}"
    return f"{name} = [{ast.unparse(item)} {walk}{condition}]"


def _names(nodes: Iterator[ast.AST] | list[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _document(name: str, source: str, tree: ast.Module) -> Edit | None:
    """Add a module docstring, below a shebang and comments."""
    if ast.get_docstring(tree, clean=False) is not None:
        return None
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    text = f"{_title(name)}: {', '.join(defined[:3])}." if defined else f"{_title(name)}."
    lines = source.splitlines(keepends=True)
    at = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    newline = "\r\n" if "\r\n" in source else "\n"
    gap = [newline] if at < len(lines) and lines[at].strip() else []
    lines[at:at] = [f'"""{text}"""{newline}', *gap]
    return Edit("".join(lines), f"Added a docstring to `{name}`.")


def _add_heading(name: str, source: str) -> Edit | None:
    if re.search(r"^# ", source, re.M):
        return None
    return Edit(f"# {_title(name)}\n\n{source}", f"Added a heading to `{name}`.")


def _strip_line_ends(source: str) -> Edit | None:
    tidy = re.sub(r"[ \t]+(?=\r?$)", "", source, flags=re.M)
    if tidy and not tidy.endswith("\n"):
        tidy += "\n"
    return Edit(tidy, "Removed trailing whitespace.") if tidy != source else None


def propose_for_cell(source: str) -> Edit | None:
    """Return the first edit that fits a code cell, or None if it is not Python or nothing fits."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for edit in (drop_iterrows(source), use_comprehensions(source, tree), _comment(source, tree)):
        if edit is not None and parses(edit.text):
            return edit
    return None


def _comment(source: str, tree: ast.Module) -> Edit | None:
    """Add a comment with the names that a cell defines, unless it has a comment."""
    if "#" in source:
        return None
    comments = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    names = list(dict.fromkeys(comments))[:3]
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
    """Return a source that does not fail this way, or None if no fix is known."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None  # a magic, or an error that takes a reader
    kind, _, message = error.partition(":")
    edit: Edit | None
    match kind.strip():
        case "NameError":
            edit = _name(source, tree, message, names)
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
    """Divide only if the divisor, a plain name or a simple expression, is not zero."""
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
    """Replace nodes, each on one line; from the end backwards."""
    lines = source.splitlines(keepends=True)
    places = sorted(changes, key=lambda change: (change[0].lineno, change[0].col_offset))
    for node, words in reversed(places):
        line = lines[node.lineno - 1].encode()  # columns count bytes
        head, tail = line[: node.col_offset], line[node.end_col_offset :]
        lines[node.lineno - 1] = (head + words.encode() + tail).decode()
    return "".join(lines)
