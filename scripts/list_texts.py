"""List every text that people read, as ``file:line text``.

``python scripts/list_texts.py`` finds them in the Python code (messages, helps, labels), in the
page's code, in its schema of settings, and in the templates of HTML. It lists too much rather than
too little: what looks like words counts, unless it is a docstring. In the page's code that is what
``t`` and ``trans.__`` get, and any other string that reads like a sentence: it may get there by
name. Arguments are paths; only files below them are listed.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Text = tuple[int, str]

_WORDS = re.compile(r"[^\W\d_]{2,}[,:;.]? [^\W\d_]|^[A-Z][a-z]+[.…]?$")
_CODE = re.compile(r"^[\w.]+ = |\(\?|\\[swd]|^[-+]{1,3} |^\W*$|^SELECT |^import |^from .* import ")
_SILENT = {"compile", "match", "search", "sub", "findall", "fullmatch", "getLogger", "TypeVar"}
"""Calls whose arguments nobody reads."""
_TRANSLATED = re.compile(
    r"(?:\bt|\b__|\bwords|\btranslate)\(\s*"
    r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
)
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_SENTENCE = re.compile(r"^([A-Z]|%?\d ).* [^\W\d_]")
_ELEMENT = re.compile(r">([^<>{}%]*[a-zA-Z]{2}[^<>{}%]*)<")


def python_texts(source: str) -> Iterator[Text]:
    """Return the texts of a Python module."""
    tree = ast.parse(source)
    skipped = set(_docstrings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in _SILENT:
            skipped |= {id(each) for part in node.args for each in ast.walk(part)}
        if isinstance(node, ast.Assert) or _is_annotation(node):
            skipped |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
    for node in ast.walk(tree):
        if id(node) not in skipped and (text := _text(node)) and _is_read(text):
            assert isinstance(node, ast.expr)
            yield node.lineno, text


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else ():
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                yield id(each.value)


def _is_annotation(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and _name(node.value) == "Literal"


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values
        )
    return ""


def _is_read(text: str) -> bool:
    return bool(_WORDS.search(text)) and not _CODE.search(text)


def page_texts(source: str) -> Iterator[Text]:
    """Return the texts of a TypeScript module."""
    translated = {
        (source.count("\n", 0, found.start(1)) + 1, found[1][1:-1])
        for found in _TRANSLATED.finditer(source)
    }
    sentences = {
        (number, found[0][1:-1])
        for number, line in enumerate(source.splitlines(), 1)
        if not line.lstrip().startswith(("*", "/*", "//"))
        for found in _LITERAL.finditer(line)
        if _SENTENCE.search(found[0][1:-1])
    }
    yield from sorted(translated | sentences)


def schema_texts(source: str) -> Iterator[Text]:
    """Return the titles and descriptions of a JSON schema."""
    lines = source.splitlines()
    for number, line in enumerate(lines, 1):
        found = re.search(r'"(?:title|description|label)": ("(?:[^"\\]|\\.)*")', line)
        if found:
            yield number, json.loads(found[1])


def template_texts(source: str) -> Iterator[Text]:
    """Return the words between the elements of a template."""
    for found in _ELEMENT.finditer(source):
        yield source.count("\n", 0, found.start(1)) + 1, found[1].strip()


KINDS = (
    ("acp_jupyter", "*.py", python_texts),
    ("acp_jupyter", "*.html", template_texts),
    ("acp_jupyter", "*.html.j2", template_texts),
    ("labextension/src", "*.ts", page_texts),
    ("labextension/src", "*.tsx", page_texts),
    ("labextension/schema", "*.json", schema_texts),
)
"""Where texts are: the folder, its files, and how they are read."""

_BUILT = ("acp_jupyter/labextension", "acp_jupyter/static")


def listed(below: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Return a line for each text, with line breaks and runs of spaces as one space."""
    for folder, pattern, read in KINDS:
        for path in sorted((ROOT / folder).rglob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if ".test." in name or name.startswith(_BUILT) or not name.startswith(below):
                continue
            for line, text in read(path.read_text(encoding="utf-8")):
                yield f"{name}:{line} {' '.join(text.split())}"


def main() -> int:
    """Run the command line."""
    for line in listed(tuple(sys.argv[1:]) or ("",)):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
