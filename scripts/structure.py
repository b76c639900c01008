"""Check the shape of the Python package: no import circles, no text without its encoding.

An import counts also where it is under ``TYPE_CHECKING`` or in a function. Ruff knows only
some of the calls that read or write text.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "acp_jupyter"

sys.path.insert(0, str(ROOT))


def circles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Return circles of imports, one for each pair of modules that closes one."""
    left, found = {name: set(of) for name, of in imports.items()}, []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle: list[str] = error.args[1]
            found.append(circle)
            left[circle[1]].discard(circle[0])
        else:
            return found


_PROCESSES = {"Popen", "call", "check_call", "check_output", "run"}
_TEXT_MODE = re.compile("[arwxt+]+")


def texts_without_encoding(source: str) -> list[int]:
    """Return the lines of calls whose text has the encoding of the locale."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if _is_text(call) and not _names_encoding(call)]


def _is_text(call: ast.Call) -> bool:
    words = {word.arg: word.value for word in call.keywords}
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    if name in _PROCESSES:
        return any(_value(words.get(each)) is True for each in ("text", "universal_newlines"))
    if name in {"read_text", "write_text"}:
        return len(call.args) <= (name == "write_text")
    given = [*call.args, *words.values()]
    modes = [m for m in map(_value, given) if isinstance(m, str) and _TEXT_MODE.fullmatch(m)]
    if name == "open":
        return bool(modes)
    return name == "TextIOWrapper" or (name == "fdopen" and (bool(modes) or len(given) == 1))


def _value(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _names_encoding(call: ast.Call) -> bool:
    return any(word.arg == "encoding" for word in call.keywords)


def main() -> int:
    """Run the command line."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    found = circles({m: graph.find_modules_directly_imported_by(m) for m in graph.modules})
    for circle in found:
        print("import circle:", " <- ".join(circle))
    texts = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / PACKAGE).rglob("*.py"))
        for line in texts_without_encoding(path.read_text(encoding="utf-8"))
    ]
    for place in texts:
        print("text without an encoding:", place)
    return 1 if found or texts else 0


if __name__ == "__main__":
    sys.exit(main())
