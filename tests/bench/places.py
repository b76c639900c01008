"""A session of 100,000 items in the side panel: opened, gone about in, searched, exported."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.log.long_log import ITEMS_OF_TURN, long_log
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS

__all__ = ["Places", "Way", "measure_places"]

_TURNS = 4_762
_MINUTES = 10
_ELEMENTS = "document.getElementsByTagName('*').length"
_SHOWS_TURN = """([log, from, to]) => {
  const { top, bottom } = log.getBoundingClientRect();
  return [...log.querySelectorAll('.acp-user')].some(each => {
    const box = each.getBoundingClientRect();
    const turn = Number(/Prompt (\\d+):/.exec(each.textContent)?.[1] ?? -1);
    return box.bottom > top && box.top < bottom && turn >= from && turn <= to;
  });
}"""


@dataclass(frozen=True, slots=True)
class Way:
    """To one place of a session."""

    seconds: float
    """Until a prompt of that place is seen."""
    requests: int
    """For items."""
    elements: int
    """In the whole page then."""


@dataclass(frozen=True, slots=True)
class Places:
    """What a person does in a very long session; seconds by the clock."""

    items: int
    open_seconds: float
    """From the click in the list to the last answer."""
    elements: int
    """In the whole page then."""
    kb: float
    """Over the socket by then."""
    to_beginning: Way
    """By the key Home."""
    to_middle: Way
    """By the scroll bar."""
    search_seconds: float
    """Until the search in all messages has found what is said once, in an old turn."""
    searches: int
    """Requests of it."""
    to_found: Way
    """By a click on what was found."""
    export_seconds: float
    export_mb: float


class _Socket:
    """Counts what goes over the page's socket."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.sent: list[str] = []
        page.on("websocket", self._on_socket)

    def commands(self, name: str) -> int:
        return sum(each == name for each in self.sent)

    def _on_socket(self, socket: WebSocket) -> None:
        if "/acp-jupyter/api/stream" in socket.url:
            socket.on("framesent", self._on_sent)
            socket.on("framereceived", self._on_received)

    def _on_sent(self, frame: str | bytes) -> None:
        said = json.loads(frame)
        if said["type"] == "command":
            self.sent.append(said["command"]["name"])

    def _on_received(self, frame: str | bytes) -> None:
        self.bytes += len(frame)


def measure_places(browser: Browser, folder: Path, turns: int = _TURNS) -> Places:
    """Import the session into a server, and go about in it."""
    with JupyterServer(folder, app="jupyterlab", args=LAB_ARGS) as server:
        visitor = Visitor(browser, folder, traced=False)
        try:
            return go_about(visitor, server, turns)
        finally:
            visitor.close()


def go_about(visitor: Visitor, server: JupyterServer, turns: int) -> Places:
    """Open the session in a panel, go to its beginning and middle, search it, export it."""
    lab = LabPage(visitor, server)
    socket, page = _Socket(lab.page), lab.page
    page.set_default_timeout(_MINUTES * 60_000)
    with server.user() as client:
        query = {"name": "very_long.jsonl"}
        answer = client.post("import", content=long_log(turns), params=query, timeout=600)
        session_id = answer.raise_for_status().json()["session_id"]
        (server.root / "here").mkdir(exist_ok=True)
        lab.open_empty("here")
        panel = lab.panel
        panel.show_list()
        row = panel.root.locator(f"[data-session='{session_id}'] button.s")
        expect(row).to_be_visible()
        before, began = socket.bytes, time.monotonic()
        row.click()
        page.wait_for_function(_said(f"Answer {turns - 1}.7"))
        opened = time.monotonic() - began
        elements, kb = int(page.evaluate(_ELEMENTS)), (socket.bytes - before) / 1e3
        tour = _Tour(page, panel, socket)
        to_beginning = tour.way(lambda: panel.log.press("Home"), 0, 0)
        middle = "log => { log.scrollTop = log.scrollHeight / 2; }"
        to_middle = tour.way(lambda: panel.log.evaluate(middle), turns // 4, 3 * turns // 4)
        searched = _search(panel, f"Prompt {turns // 5}: make")
        found = panel.root.get_by_role("region", name="In messages")
        first = found.get_by_role("button", name="Prompt").first
        to_found = tour.way(first.click, turns // 5, turns // 5)
        began = time.monotonic()
        exported = client.get(f"sessions/{session_id}/traffic", timeout=600).raise_for_status()
        return Places(
            items=turns * ITEMS_OF_TURN,
            open_seconds=opened,
            elements=elements,
            kb=kb,
            to_beginning=to_beginning,
            to_middle=to_middle,
            search_seconds=searched,
            searches=socket.commands("search_sessions"),
            to_found=to_found,
            export_seconds=time.monotonic() - began,
            export_mb=len(exported.content) / 1e6,
        )


@dataclass(frozen=True)
class _Tour:
    page: Page
    panel: PanelView
    socket: _Socket

    def way(self, act: Callable[[], object], first: int, last: int) -> Way:
        """Go somewhere, until a prompt of these turns is seen."""
        before, began = self.socket.commands("get_items"), time.monotonic()
        act()
        log = self.panel.log.element_handle()
        self.page.wait_for_function(_SHOWS_TURN, arg=[log, first, last])
        seconds = time.monotonic() - began
        requests = self.socket.commands("get_items") - before
        return Way(seconds, requests, int(self.page.evaluate(_ELEMENTS)))


def _search(panel: PanelView, words: str) -> float:
    """Look for words in all messages."""
    panel.show_list()
    began = time.monotonic()
    panel.root.get_by_role("searchbox", name="Search sessions").fill(words)
    expect(panel.root.locator(".acp-said mark").first).to_be_visible(timeout=_MINUTES * 60_000)
    return time.monotonic() - began


def _said(words: str) -> str:
    return f"document.querySelector('#acp-jupyter-panel .acp-log')?.textContent.includes('{words}')"
