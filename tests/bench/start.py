"""What the extension adds to JupyterLab's start, as a browser loads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Browser, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.labextension_bundle import gzipped
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS

__all__ = ["Start", "measure_start"]

_OURS = "/extensions/acp-jupyter/"
_LOADED = "performance.getEntriesByType('resource').map(entry => entry.name)"
_REST = "new Promise(then => requestIdleCallback(then, {timeout: 10000}))"


@dataclass(frozen=True, slots=True)
class Start:
    """Bytes, each file compressed for itself."""

    at_start: int
    """Loaded until JupyterLab is restored and rests."""
    first_use: int
    """Loaded besides when the panel is shown for the first time."""
    files: int
    """Of those at the start."""


def measure_start(browser: Browser, folder: Path) -> Start:
    """Open JupyterLab with nothing in it, then the panel."""
    with JupyterServer(folder, app="jupyterlab", args=LAB_ARGS) as server:
        visitor = Visitor(browser, folder, traced=False)
        lab = LabPage(visitor, server)
        (server.root / "here").mkdir()
        lab.open_empty("here")
        lab.page.wait_for_timeout(2_000)  # what comes by itself has come
        lab.page.evaluate(_REST)
        before = _own(lab.page.evaluate(_LOADED))
        expect(lab.panel.message).to_be_visible()
        after = _own(lab.page.evaluate(_LOADED))
        start = Start(_weigh(before), _weigh(after - before), len(before))
        visitor.close()
    assert before, "JupyterLab has not loaded the extension"
    return start


def _own(addresses: Iterable[str]) -> set[str]:
    return {address for address in addresses if _OURS in urlsplit(address).path}


def _weigh(addresses: Iterable[str]) -> int:
    with httpx.Client() as client:
        return sum(gzipped(client.get(each).raise_for_status().content) for each in addresses)
