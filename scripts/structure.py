"""Check the shape of the Python package: no import circles.

An import counts also where it is under ``TYPE_CHECKING`` or in a function.
"""

from __future__ import annotations

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


def main() -> int:
    """Run the command line."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    found = circles({m: graph.find_modules_directly_imported_by(m) for m in graph.modules})
    for circle in found:
        print("import circle:", " <- ".join(circle))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
