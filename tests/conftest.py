from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer

# How long an example takes says something of the machine only.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

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


TOGETHER = ("tests/real_agents/", "tests/e2e/")
"""Folders whose tests share a browser or a server that takes long to start."""


class _ByFile(LoadScopeScheduling):
    """Gives a worker a whole file, or one of these folders."""

    def _split_scope(self, nodeid: str) -> str:
        folder = next((name for name in TOGETHER if nodeid.startswith(name)), None)
        return folder or nodeid.split("::", 1)[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _ByFile(config, log)
