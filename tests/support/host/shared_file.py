"""A file that two pages have open as one shared document; both type in it, and it may be saved.

It answers the host as `OpenDocument` of the page does, by lines. What a page has typed and the
other has not got yet is to the host like something typed later, so there is one text here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path

from acp_jupyter.api.models.documents import (
    AnswerFrame,
    AskFrame,
    DocumentState,
    ReadDocument,
    SaveDocument,
    WriteDocument,
)
from acp_jupyter.api.pages import Page, PageDocuments, Pages
from acp_jupyter.host.workspace.authors import changed_at
from acp_jupyter.host.workspace.running_turns import SavedFile
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["SharedFile", "merged_texts"]


class SharedFile:
    """The document, in two pages.

    Parameters
    ----------
    path
        The file.
    spare
        A file beside its folder, written before it is put in the place of the other.
    may_save
        Whether the host may have it saved before a prompt.
    told
        Called with each save, as by the contents manager.
    """

    def __init__(
        self, path: Path, spare: Path, told: Callable[[SavedFile], None], *, may_save: bool
    ) -> None:
        self.path = path
        self._spare = spare
        self._may_save = may_save
        self._told = told
        self._lock = threading.RLock()
        self.text = self.saved = path.read_text()
        """What both pages show, and what of it was on disk when it was last loaded or saved."""
        self._focused = 0
        names = {path: path.name, path.parent: ""}
        pages = Pages(names.get, answer_seconds=PATIENCE_SECONDS)
        self._pages: list[Page] = [pages.join(partial(self._take, place)) for place in range(2)]
        self.documents = PageDocuments(pages)
        self._announce()

    @property
    def is_dirty(self) -> bool:
        """Whether something is not saved."""
        return self.text != self.saved

    def type(self, place: int, line: int, words: str, *, anew: bool) -> None:
        """Type in one of the pages: a new line, or at the end of one."""
        with self._lock:
            lines = self.text.splitlines()
            at = line % len(lines)
            if anew:
                lines.insert(at + 1, words)
            else:
                lines[at] += f" {words}"
            self.text = "".join(f"{each}\n" for each in lines)
            self._focused = place
            self._announce()

    def set(self, name: str, value: str) -> None:
        """Give a name another value, by hand."""
        with self._lock:
            self.text = re.sub(rf"{name}=\w+", f"{name}={value}", self.text)
            self._announce()

    @property
    def settled(self) -> str:
        """What both show once they have taken the file in."""
        with self._lock:
            merged = merged_texts(self.saved, self.text, self.path.read_text())
            return self.text if merged is None else merged

    def take_in(self) -> None:
        """Load what was changed on disk; what is not saved stays, also where that touches it."""
        with self._lock:
            on_disk = self.path.read_text()
            if on_disk != self.saved:
                merged = merged_texts(self.saved, self.text, on_disk)
                self.text, self.saved = self.text if merged is None else merged, on_disk
            self._announce()

    def save(self) -> None:
        """Save it, with what was changed on disk."""
        with self._lock:
            self.take_in()
            if self.is_dirty:
                path = self.path
                before, at = path.read_bytes(), changed_at(str(path))
                self._spare.write_text(self.text)
                self._spare.replace(path)
                self.saved = self.text
                self._told(SavedFile(str(path), before, self.text.encode(), at=at))
            self._announce()

    def open_again(self) -> None:
        """Load both pages anew: what was not saved is lost."""
        with self._lock:
            self.text = self.saved = self.path.read_text()
            self._announce()

    def _announce(self) -> None:
        for place, page in enumerate(self._pages):
            focused = float(place == self._focused)
            state = DocumentState(path=self.path.name, dirty=self.is_dirty, focused_at=focused)
            page.announce([state])

    def _take(self, place: int, ask: AskFrame) -> None:
        with self._lock:
            self._pages[place].answer(self._answer(ask))

    def _answer(self, ask: AskFrame) -> AnswerFrame:
        match ask.question:
            case ReadDocument():
                return AnswerFrame(id=ask.id, text=self.text)
            case SaveDocument() if not self._may_save:
                return AnswerFrame(id=ask.id, error="Switched off.", reason="unwanted")
            case SaveDocument():
                self.save()
            case WriteDocument(text=text, base=base):
                self.take_in()
                merged = merged_texts(self.saved if base is None else base, self.text, text)
                if merged is None:
                    return AnswerFrame(id=ask.id, error="It was changed.", reason="conflict")
                self.text = merged
                self.save()
            case _:
                return AnswerFrame(id=ask.id, error="It is a text.", reason="kind")
        return AnswerFrame(id=ask.id)


_Hunk = tuple[int, int, tuple[str, ...]]


def merged_texts(base: str, mine: str, theirs: str) -> str | None:
    """Return both changes of a text, line by line; None where they touch. As `mergeTexts`."""
    if mine == theirs or base == theirs:
        return mine
    if base == mine:
        return theirs
    lines = base.splitlines(keepends=True)
    own, other = _hunks(lines, mine), _hunks(lines, theirs)
    added = [hunk for hunk in other if hunk not in own]
    if any(one[0] <= two[1] and two[0] <= one[1] for one in own for two in added):
        return None
    made: list[str] = []
    at = 0
    for start, end, new in sorted([*own, *added]):
        made += [*lines[at:start], *new]
        at = end
    return "".join([*made, *lines[at:]])


def _hunks(lines: list[str], text: str) -> list[_Hunk]:
    new = text.splitlines(keepends=True)
    codes = SequenceMatcher(None, lines, new, autojunk=False).get_opcodes()
    return [(a, b, tuple(new[c:d])) for tag, a, b, c, d in codes if tag != "equal"]
