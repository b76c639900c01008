from __future__ import annotations

import gc
import signal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from acp_jupyter.system.portable import is_portable
from tests.support.browser.chromium import chromium, new_profile
from tests.support.generated import TIMES
from tests.support.published.authors_told import PROPERTY, Told, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.terminal import TerminalReporter
    from playwright.sync_api import Browser, BrowserContext
    from xdist.remote import Producer

# A script's shell has its background commands ignore interrupts, and what they start inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says something of the machine only. `make test` takes the same examples
# each time; `make test-all` others, by the seed that it prints.
settings.register_profile("test", deadline=None, derandomize=TIMES == 1)
settings.load_profile("test")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; a process can drive one only."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile that tests share: what their pages keep is forgotten after each.

    What it has compiled of JupyterLab stays, which is half of what a page costs.
    """
    shared = new_profile(browser)
    yield shared
    shared.close()


FOLDERS = ("server", "hosts", "notebooks", "real_agents", "chaos", "e2e", "tools")
"""What comes last, in this order; the fastest, which show a simple mistake, come before.

The event loop of a process that drives a browser stays, so that no asyncio test may follow.
"""


_MANY = 500
_SKIPPED_AT_MOST = 50
"""One test of so many may be skipped for the portable layer."""


@cache
def _rank(path: Path) -> int:
    folders = path.relative_to(Path(__file__).parent).parts
    of = folders[2] if folders[0] == "features" and len(folders) > 3 else folders[0]
    return FOLDERS.index(of) + 1 if of in FOLDERS else 0


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep what is collected out of the garbage collector, which would walk it again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _rank(item.path))
    for item in items:
        rank = _rank(item.path)
        if rank > 0 and FOLDERS[rank - 1] == "e2e":
            item.add_marker(pytest.mark.e2e)
    if not is_portable():
        return
    left_out = [item for item in items if item.get_closest_marker("posix")]
    for item in left_out:
        marker = item.get_closest_marker("posix")
        assert marker is not None
        item.add_marker(pytest.mark.skip(reason=f"not in the portable layer: {marker.args[0]}"))
    if len(items) >= _MANY and len(left_out) * _SKIPPED_AT_MOST > len(items):
        raise pytest.UsageError(f"the portable layer skips {len(left_out)} of {len(items)} tests")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Count whose the changes of published agents were said to be."""
    reports = (report for group in terminalreporter.stats.values() for report in group)
    ended = (r for r in reports if isinstance(r, pytest.TestReport) and r.when == "teardown")
    found = (value for r in ended for name, value in r.user_properties if name == PROPERTY)
    told = [Told(*each) for value in found for each in value]  # type: ignore[attr-defined]
    if told:
        terminalreporter.section("whose changes of published agents are")
        for line in table(told):
            terminalreporter.line(line)


TOGETHER = (
    ("tests/real_agents/",),
    ("tests/notebook_tools/in_a_server/",),
)
"""What one worker does: a server is shared, or two at once would be too much."""


class _ByFile(LoadScopeScheduling):
    """Gives a worker a whole file, or one of these sets."""

    def _split_scope(self, nodeid: str) -> str:
        names = next((names for names in TOGETHER if nodeid.startswith(names)), None)
        return nodeid.split("::", 1)[0] if names is None else names[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _ByFile(config, log)
