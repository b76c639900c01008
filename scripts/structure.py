"""Check the shape of the Python package: no import circles, no crowded folders.

A circle counts also where it is hidden behind ``TYPE_CHECKING`` or an import in a function.
"""

from __future__ import annotations

import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "acp_jupyter"
MODULES_IN_A_FOLDER = 15

sys.path.insert(0, str(ROOT))


def circle() -> list[str]:
    """Return the modules of one import circle; empty if there is none."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def crowded_folders() -> dict[str, int]:
    """Return the folders with too many modules, ``__init__.py`` included."""
    paths = (ROOT / PACKAGE).rglob("*.py")
    counted = Counter(path.parent.relative_to(ROOT).as_posix() for path in paths)
    return {folder: count for folder, count in counted.items() if count > MODULES_IN_A_FOLDER}


def main() -> int:
    """Run the command line."""
    found = circle()
    if found:
        print("import circle:", " -> ".join(found))
    crowded = crowded_folders()
    for folder, count in sorted(crowded.items()):
        print(f"{folder}: {count} modules, at most {MODULES_IN_A_FOLDER}")
    return 1 if found or crowded else 0


if __name__ == "__main__":
    sys.exit(main())
