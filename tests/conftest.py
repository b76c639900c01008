from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

FOLDERS = ("unit", "server", "notebooks", "agents", "e2e")
"""From the fastest to the slowest, so that a simple mistake shows first."""


def _rank(item: pytest.Item) -> int:
    if item.get_closest_marker("long") or item.get_closest_marker("bench"):
        return len(FOLDERS) + 1
    if item.get_closest_marker("e2e"):
        return FOLDERS.index("e2e")
    if item.get_closest_marker("agents"):
        return FOLDERS.index("agents")
    folder = item.path.parent.name
    return FOLDERS.index(folder) if folder in FOLDERS else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)
