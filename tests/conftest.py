from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

FOLDERS = ("unit", "server", "notebooks", "agents")
"""From the fastest to the slowest, so that a simple mistake shows first."""


def _rank(item: pytest.Item) -> int:
    # The browser last of all: its session-wide event loop forbids asyncio tests after it.
    browser = bool(item.get_closest_marker("e2e"))
    if item.get_closest_marker("long"):
        return len(FOLDERS) + 1 + 2 * browser
    if browser:
        return len(FOLDERS) + 2
    if item.get_closest_marker("agents"):
        return FOLDERS.index("agents")
    folder = item.path.parent.name
    return FOLDERS.index(folder) if folder in FOLDERS else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)
