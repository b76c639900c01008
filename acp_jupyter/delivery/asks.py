"""What the open pages hold, and reading it from them."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from acp_jupyter.delivery.frames import AnswerFrame, AskFrame, DocumentState

__all__ = ["Page", "Pages"]

_ASKS_PER_PAGE = 32


class Page:
    """One connected page; its socket announces, asks and answers through it.

    Parameters
    ----------
    send
        Takes a frame for the page from any thread, without waiting.
    """

    def __init__(self, send: Callable[[AskFrame], None]) -> None:
        self._send = send
        self._ids = itertools.count(1)
        self._asks: dict[int, Future[AnswerFrame | None]] = {}
        self._lock = threading.Lock()
        self._gone = False
        self.documents: tuple[DocumentState, ...] = ()

    def announce(self, documents: Sequence[DocumentState]) -> None:
        """Take note of what the page holds now."""
        self.documents = tuple(documents)

    def answer(self, frame: AnswerFrame) -> None:
        """Settle the ask of that id; an answer that nobody waits for is dropped."""
        with self._lock:
            ask = self._asks.pop(frame.id, None)
        if ask is not None and ask.set_running_or_notify_cancel():
            ask.set_result(frame)

    def leave(self) -> None:
        """Give up everything that waits for this page."""
        with self._lock:
            self._gone = True
            asks, self._asks = self._asks, {}
        self.documents = ()
        for ask in asks.values():
            if ask.set_running_or_notify_cancel():
                ask.set_result(None)

    async def read(self, path: str, seconds: float) -> str | None:
        """Return the document's text, or None when the page does not give it in time."""
        ask_id = next(self._ids)
        ask: Future[AnswerFrame | None] = Future()
        with self._lock:
            if self._gone or len(self._asks) >= _ASKS_PER_PAGE:
                return None
            self._asks[ask_id] = ask
        self._send(AskFrame(id=ask_id, path=path, deadline_seconds=seconds))
        try:
            answer = await asyncio.wait_for(asyncio.wrap_future(ask), seconds)
        except TimeoutError:
            return None
        finally:
            with self._lock:
                self._asks.pop(ask_id, None)
        return None if answer is None or answer.error is not None else answer.text


class Pages:
    """All connected pages. Joined and left on the server's loop, read from the host's.

    Parameters
    ----------
    to_server_path
        Maps an absolute path to the path that pages know the document by: relative to the
        server's root, with forward slashes. None outside the root.
    ask_seconds
        How long one page may be silent before the next is asked.
    """

    def __init__(
        self, to_server_path: Callable[[Path], str | None], ask_seconds: float = 5.0
    ) -> None:
        self._to_server_path = to_server_path
        self._ask_seconds = ask_seconds
        self._pages: tuple[Page, ...] = ()
        self._lock = threading.Lock()

    def join(self, send: Callable[[AskFrame], None]) -> Page:
        """Add a page."""
        page = Page(send)
        with self._lock:
            self._pages = (*self._pages, page)
        return page

    def leave(self, page: Page) -> None:
        """Remove a page; what was asked of it is asked of the next."""
        with self._lock:
            self._pages = tuple(other for other in self._pages if other is not page)
        page.leave()

    def holds(self, path: str) -> bool:
        """Tell whether any page has the document of that server path open."""
        return any(document.path == path for page in self._pages for document in page.documents)

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of a document, or None when the disk has the truth.

        The holder that had the focus last is asked first. A page where the document is clean
        shows what is on disk, and is not asked.
        """
        name = self._to_server_path(path)
        if name is None:
            return None
        holders = sorted(
            (
                (document.focused_at, index, page)
                for index, page in enumerate(self._pages)
                for document in page.documents
                if document.path == name and document.dirty
            ),
            key=lambda holder: holder[:2],
            reverse=True,
        )
        for _, _, page in holders:
            text = await page.read(name, self._ask_seconds)
            if text is not None:
                return text
        return None
