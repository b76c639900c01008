"""A Chromium with real tabs: the one in front hides the others, which it may freeze."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.browser.chromium import FLAGS, executable
from tests.support.wait import eventually

__all__ = ["background", "tabs"]


@contextmanager
def tabs(browser: Browser, profile: Path) -> Iterator[BrowserContext]:
    """Start another Chromium, whose tabs are hidden and slowed down as people's are.

    Playwright shows all pages of a browser that it has started itself, whatever lies over them.
    """
    command = [executable(), "--headless", *FLAGS, "--remote-debugging-port=0"]
    port_file = profile / "DevToolsActivePort"
    with subprocess.Popen(
        [*command, f"--user-data-dir={profile}", "about:blank"], stderr=subprocess.DEVNULL
    ) as process:
        try:
            text = eventually(lambda: port_file.exists() and port_file.read_text(), "a Chromium")
            port = str(text).split()[0]
            url = f"http://127.0.0.1:{port}"
            yield browser.browser_type.connect_over_cdp(url, no_defaults=True).contexts[0]
        finally:
            process.terminate()
            process.wait()


@contextmanager
def background(page: Page, *, frozen: bool = False) -> Iterator[None]:
    """Have another tab in front of a page; at the end it is shown again.

    A frozen page runs nothing at all, as the browser does it after some minutes.
    """
    front = page.context.new_page()
    front.bring_to_front()
    page.wait_for_function("document.visibilityState === 'hidden'", polling=100)
    cdp = page.context.new_cdp_session(page)
    if frozen:
        cdp.send("Page.setWebLifecycleState", {"state": "frozen"})
    try:
        yield
    finally:
        if frozen:
            cdp.send("Page.setWebLifecycleState", {"state": "active"})
        page.bring_to_front()
        front.close()
