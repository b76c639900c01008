"""A real Chromium, and pages that tell what went wrong in them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    WebSocket,
    expect,
    sync_playwright,
)

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["FLAGS", "PageLog", "Visitor", "chromium", "executable", "forget", "new_profile"]

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome-stable", "google-chrome", "chrome"),
)

# A loaded machine is slow; what is right comes in time, and what is wrong never comes.
expect.set_options(timeout=PATIENCE_SECONDS * 1000)


def executable() -> str:
    """Return the path of the system's Chromium."""
    wanted = os.environ.get("CHROME", "")
    found = next(filter(None, map(shutil.which, filter(None, (wanted, *_NAMES)))), None)
    assert found is not None, "no Chromium: set CHROME, or install Debian's package chromium"
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium; nothing is downloaded."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def new_profile(browser: Browser, *, dark: bool = False) -> BrowserContext:
    """Return a profile without a past; ``dark`` is what its system prefers."""
    return browser.new_context(
        viewport={"width": 1280, "height": 800},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )


def forget(profile: BrowserContext, origin: str) -> None:
    """Take from a profile all that pages of an origin have kept, but the code that it compiled."""
    page = profile.new_page()
    protocol = profile.new_cdp_session(page)
    protocol.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    profile.clear_cookies()
    page.close()


@dataclass
class PageLog:
    """What a page wrote to its console and sent to our routes."""

    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    commands: list[dict[str, Any]] = field(default_factory=list)
    """Commands sent over the page's WebSocket."""
    requests: list[str] = field(default_factory=list)
    """``METHOD URL`` of requests to our routes that are not GET."""
    answers: list[tuple[int, str]] = field(default_factory=list)
    """Status and URL of the answers to those."""
    replies: list[dict[str, Any]] = field(default_factory=list)
    """Reply frames of the WebSocket."""

    def watch(self, page: Page) -> None:
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)
        page.on("websocket", self._on_socket)

    def named(self, *names: str) -> list[dict[str, Any]]:
        """Return the commands of these names."""
        return [command for command in self.commands if command.get("name") in names]

    def _on_console(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text[:500]}")

    def _on_request(self, request: Request) -> None:
        if "/acp-jupyter/api/" in request.url and request.method != "GET":
            self.requests.append(f"{request.method} {request.url}")

    def _on_socket(self, socket: WebSocket) -> None:
        if "/acp-jupyter/api/stream" in socket.url:
            socket.on("framesent", self._on_sent)
            socket.on("framereceived", self._on_received)

    def _on_sent(self, payload: str | bytes) -> None:
        frame = json.loads(payload)
        if frame.get("type") == "command":
            self.commands.append(frame["command"])

    def _on_received(self, payload: str | bytes) -> None:
        frame = json.loads(payload)
        if frame.get("type") == "reply":
            self.replies.append(frame)


class Visitor:
    """One person with one browser profile; its pages close with it.

    Parameters
    ----------
    browser
        Chromium.
    traces
        Where pictures and traces of what failed are put.
    dark
        Whether the system prefers dark colours.
    traced
        Whether what happens is recorded, which slows pages down; default: with ``ACP_TRACE``.
    profile
        Where there is one already; whose it is closes it.
    """

    def __init__(
        self,
        browser: Browser,
        traces: Path,
        *,
        dark: bool = False,
        traced: bool = "ACP_TRACE" in os.environ,
        profile: BrowserContext | None = None,
    ) -> None:
        self._traces = traces
        self._traced = traced
        self._is_lent = profile is not None
        self.context = profile or new_profile(browser, dark=dark)
        self.context.set_default_timeout(PATIENCE_SECONDS * 1000)
        if traced:
            self.context.tracing.start(snapshots=True, screenshots=False)
        self.logs: list[PageLog] = []

    def page(self) -> tuple[Page, PageLog]:
        """Open a tab."""
        page = self.context.new_page()
        log = PageLog()
        log.watch(page)
        self.logs.append(log)
        # A dirty notebook asks before it is left.
        page.on("dialog", lambda dialog: dialog.accept())
        return page, log

    def close(self, *, keep_as: str | None = None) -> None:
        """Close all tabs; keep their pictures, and the trace, where a name is given."""
        if keep_as is not None:
            self._traces.mkdir(parents=True, exist_ok=True)
            for number, page in enumerate(self.context.pages):
                page.screenshot(path=self._traces / f"{keep_as}-{number}.png")
        if self._traced:
            path = None if keep_as is None else self._traces / f"{keep_as}.zip"
            self.context.tracing.stop(path=path)
        if not self._is_lent:
            self.context.close()
            return
        for page in self.context.pages:
            page.close()
