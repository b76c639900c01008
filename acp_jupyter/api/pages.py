"""The connected pages: which documents they have open; reads, writes and saves these.

The page that had the focus last is asked first; a page that doesn't answer in time is skipped.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acp_jupyter.api.models.documents import (
    AnswerFrame,
    AskFrame,
    DocumentQuestion,
    DocumentState,
    ReadDocument,
    SaveDocument,
    Withdraw,
    WriteDocument,
)
from acp_jupyter.errors import DocumentConflict, FileRefused
from acp_jupyter.host.workspace.agent_files import SaveResult

_QUESTIONS_PER_PAGE = 64  # before a prompt, up to 50 documents are saved at once
_NOT_OPEN_REASONS = {"", "no_document"}


class Page:
    """One connected page, as its socket uses it: documents, requests and answers."""

    def __init__(self, send: Callable[[AskFrame], None]) -> None:
        self._send = send
        self._ids = itertools.count(1)
        self._questions: dict[int, Future[AnswerFrame | None]] = {}
        self._lock = threading.Lock()
        self._gone = False
        self.documents: tuple[DocumentState, ...] = ()

    def announce(self, documents: Sequence[DocumentState]) -> None:
        """Set the documents that the page has open."""
        self.documents = tuple(documents)

    def answer(self, frame: AnswerFrame) -> None:
        """Settle the request with the answer's id; drop an answer to no open request."""
        with self._lock:
            ask = self._questions.pop(frame.id, None)
        if ask is not None and ask.set_running_or_notify_cancel():
            ask.set_result(frame)

    def leave(self) -> None:
        """Cancel all requests that wait for this page."""
        with self._lock:
            self._gone = True
            questions, self._questions = self._questions, {}
        self.documents = ()
        for ask in questions.values():
            if ask.set_running_or_notify_cancel():
                ask.set_result(None)

    async def ask(
        self, path: str, question: DocumentQuestion, seconds: float
    ) -> AnswerFrame | None:
        """Send a request; return the answer, or None if there is none in time."""
        ask_id = next(self._ids)
        ask: Future[AnswerFrame | None] = Future()
        with self._lock:
            if self._gone or len(self._questions) >= _QUESTIONS_PER_PAGE:
                return None
            self._questions[ask_id] = ask
        self._send(AskFrame(id=ask_id, path=path, deadline_seconds=seconds, question=question))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(ask), seconds)
        except TimeoutError:
            return None
        finally:
            with self._lock:
                unanswered = self._questions.pop(ask_id, None) is not None
            if unanswered:
                # A page that was frozen would handle the request when it wakes up.
                self._send(AskFrame(id=ask_id, path=path, deadline_seconds=0, question=Withdraw()))


@dataclass(frozen=True, slots=True)
class PageReply:
    """The result of a request to the pages that have a document open."""

    answer: AnswerFrame | None
    """The first answer; None if no page answered, or no page has it open."""
    unsaved: bool = False
    """Whether a page that did not answer has unsaved changes."""


class Pages:
    """All connected pages. They join and leave on the server's loop; the host's loop reads.

    Parameters
    ----------
    to_server_path
        Converts an absolute path to a page's path of the document: relative to the server's root,
        with forward slashes. None outside the root.
    """

    def __init__(
        self, to_server_path: Callable[[Path], str | None], answer_seconds: float = 5.0
    ) -> None:
        self._to_server_path = to_server_path
        self._answer_seconds = answer_seconds
        self._pages: tuple[Page, ...] = ()
        self._lock = threading.Lock()

    def join(self, send: Callable[[AskFrame], None]) -> Page:
        """Add a page."""
        page = Page(send)
        with self._lock:
            self._pages = (*self._pages, page)
        return page

    def leave(self, page: Page) -> None:
        """Remove a page; its open requests go to the next page."""
        with self._lock:
            self._pages = tuple(other for other in self._pages if other is not page)
        page.leave()

    def holds(self, path: str) -> bool:
        """Return whether any page has the document of this server path open."""
        return any(document.path == path for page in self._pages for document in page.documents)

    def dirty_under(self, root: Path) -> tuple[str, ...]:
        """Return the server paths of unsaved documents below a folder."""
        name = self._to_server_path(root)
        if name is None:
            return ()
        below = "" if name in {"", "."} else f"{name}/"
        documents = (document for page in self._pages for document in page.documents)
        found = {each.path: None for each in documents if each.dirty}
        return tuple(path for path in found if path.startswith(below))

    async def ask(
        self, path: Path, question: DocumentQuestion, *, dirty: bool = False
    ) -> PageReply:
        """Ask the pages that have a document open, the one that had the focus last first."""
        name = self._name(path)
        return (
            PageReply(None) if name is None else await self.ask_by_name(name, question, dirty=dirty)
        )

    async def ask_by_name(
        self, name: str, question: DocumentQuestion, *, dirty: bool = False
    ) -> PageReply:
        """Ask as `ask` does, by the server path."""
        holders = sorted(
            (
                (document.focused_at, index, document.dirty, page)
                for index, page in enumerate(self._pages)
                for document in page.documents
                if document.path == name and (document.dirty or not dirty)
            ),
            key=lambda holder: holder[:2],
            reverse=True,
        )
        unsaved = False
        for _, _, is_dirty, page in holders:
            answer = await page.ask(name, question, self._answer_seconds)
            if answer is None:
                unsaved = unsaved or (is_dirty and page in self._pages)
            elif answer.error is None or answer.refusal or answer.reason not in _NOT_OPEN_REASONS:
                return PageReply(answer)
        return PageReply(None, unsaved)

    def _name(self, path: Path) -> str | None:
        """Return the server path of a file, however it was spelled."""
        plain = Path(os.path.normpath(path))
        name = self._to_server_path(plain)
        if name is None or not self.holds(name):
            return self._to_server_path(Path(os.path.realpath(plain))) or name
        return name


_MAX_SAVED = 50
_REASON_CHARS = 1000


class PageDocuments:
    """Reads, writes and saves open documents for the host. Used on the host's loop."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def read(self, path: Path) -> str | None:
        """Return the unsaved text of a document; None if the file is up to date.

        Pages without unsaved changes are not asked, as they show the file.
        """
        asked = await self._pages.ask(path, ReadDocument(), dirty=True)
        return None if asked.answer is None else asked.answer.text

    async def write(self, path: Path, text: str, base: str | None) -> bool:
        """Change a document in its editor and save it; False: write the file instead."""
        asked = await self._pages.ask(path, WriteDocument(text=text, base=base))
        name = path.name[:_REASON_CHARS]
        if asked.answer is None:
            if asked.unsaved:
                raise FileRefused(
                    f"{name} is open in an editor with changes that are not saved, and its page "
                    "does not answer. Nothing was written. Ask the user to save it, or try again."
                )
            return False
        if asked.answer.error is not None:
            refused = DocumentConflict if asked.answer.reason == "conflict" else FileRefused
            raise refused(f"{name} was not written: {asked.answer.error[:_REASON_CHARS]}")
        return True

    async def save(self, root: Path) -> SaveResult:
        """Save unsaved documents below a folder.

        The result leaves out documents that the user doesn't want to save, or has closed meanwhile.
        """
        paths = self._pages.dirty_under(root)
        ends = await asyncio.gather(*(self._save(path) for path in paths[:_MAX_SAVED]))
        ended = list(zip(paths, ends, strict=False))
        return SaveResult(
            done=tuple(path for path, end in ended if end == "done"),
            failed=(
                *(path for path, end in ended if end == "failed"),
                *paths[_MAX_SAVED:],
            ),
        )

    async def _save(self, path: str) -> Literal["done", "failed", "left"]:
        asked = await self._pages.ask_by_name(path, SaveDocument(), dirty=True)
        if asked.answer is None:
            return "failed" if asked.unsaved else "left"
        if asked.answer.error is None:
            return "done"
        return "left" if asked.answer.reason == "unwanted" else "failed"
