"""Notebooks that pages hold, as agents read and change them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_jupyter.api.models.documents import (
    AcpMark,
    AnswerFrame,
    AskFrame,
    Cell,
    CellEdit,
    DeleteCell,
    DocumentState,
    EditNotebook,
    InsertCell,
    NotebookRefusal,
    NotebookState,
    ReplaceSource,
)
from acp_jupyter.api.pages import Page, Pages
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.notebooks import NotebooksInPages

ROOT = Path("/srv/root")
FILE = ROOT / "nb.ipynb"
MARK = AcpMark(turn="t", agent="demo")
STATE = NotebookState(
    cells=(
        Cell(id="a", cell_type="code", source="1"),
        Cell(id="b", cell_type="code", source="2"),
    )
)

Reply = Callable[[AskFrame], AnswerFrame | None]


class Holder:
    """A page that holds the notebook, and answers what it is told to."""

    def __init__(self, pages: Pages, *, edit: Reply, dirty: bool = True) -> None:
        self.edits: list[EditNotebook] = []
        self._edit = edit
        self.page: Page = pages.join(self._take)
        self.page.announce([DocumentState(path="nb.ipynb", dirty=dirty)])

    def _take(self, ask: AskFrame) -> None:
        answer: AnswerFrame | None = AnswerFrame(id=ask.id, notebook=STATE)
        if isinstance(ask.question, EditNotebook):
            self.edits.append(ask.question)
            answer = self._edit(ask)
        if answer is not None:
            self.page.answer(answer)


def pages() -> Pages:
    return Pages(lambda path: path.relative_to(ROOT).as_posix(), 0.05)


def done(ask: AskFrame) -> AnswerFrame | None:
    return AnswerFrame(id=ask.id, notebook=STATE)


def silent(_ask: AskFrame) -> AnswerFrame | None:
    return None


def replace(cell_id: str, old: str) -> ReplaceSource:
    return ReplaceSource(cell_id=cell_id, fingerprint=fingerprint(old), source="new", acp=MARK)


def apply(everybody: Pages, *edits: CellEdit) -> NotebookState | NotebookRefusal | None:
    return asyncio.run(NotebooksInPages(everybody).apply(FILE, edits))


def refused(answer: NotebookState | NotebookRefusal | None) -> NotebookRefusal:
    assert isinstance(answer, NotebookRefusal)
    return answer


def test_edits_go_to_the_page_with_the_sources_that_they_count_on() -> None:
    everybody = pages()
    holder = Holder(everybody, edit=done)
    insert = InsertCell(cell_id="n", after="b", cell_type="code", source="3", acp=MARK)
    again = ReplaceSource(cell_id="n", fingerprint=fingerprint("3"), source="4", acp=MARK)
    assert apply(everybody, replace("a", "1"), insert, again) == STATE
    assert holder.edits[0].expected == {"a": "1"}


@pytest.mark.parametrize(
    ("edit", "reason", "source"),
    [
        (replace("a", "what it was"), "stale", "1"),
        (replace("gone", "1"), "cell_gone", None),
        (DeleteCell(cell_id="gone", fingerprint=fingerprint(""), acp=MARK), "cell_gone", None),
        (
            InsertCell(cell_id="a", after=None, cell_type="raw", source="", acp=MARK),
            "invalid",
            None,
        ),
        (
            InsertCell(cell_id="n", after="gone", cell_type="raw", source="", acp=MARK),
            "cell_gone",
            None,
        ),
    ],
)
def test_edits_that_do_not_fit_are_refused_before_the_page_is_asked(
    edit: CellEdit, reason: str, source: str | None
) -> None:
    everybody = pages()
    holder = Holder(everybody, edit=done)
    refusal = refused(apply(everybody, replace("b", "2"), edit))
    assert (refusal.reason, refusal.source) == (reason, source)
    assert holder.edits == []


def test_of_two_turns_that_edit_one_cell_the_second_is_told_what_it_holds_now() -> None:
    stale = NotebookRefusal(reason="stale", message="Changed.", cell_id="a", source="theirs")
    everybody = pages()
    Holder(everybody, edit=lambda ask: AnswerFrame(id=ask.id, refusal=stale, error="Changed."))
    assert refused(apply(everybody, replace("a", "1"))) == stale


def test_a_page_that_does_not_answer_an_edit_may_still_make_it() -> None:
    everybody = pages()
    Holder(everybody, edit=silent, dirty=False)
    assert refused(apply(everybody, replace("a", "1"))).reason == "no_answer"


def test_a_page_that_could_not_save_says_so() -> None:
    everybody = pages()
    words = "It is read-only."
    Holder(everybody, edit=lambda ask: AnswerFrame(id=ask.id, error=words, reason="not_writable"))
    assert words in refused(apply(everybody, replace("a", "1"))).message


def test_what_no_page_holds_is_a_file() -> None:
    assert apply(pages(), replace("a", "1")) is None
    assert asyncio.run(NotebooksInPages(pages()).read(FILE)) is None


@pytest.mark.parametrize(("dirty", "expected"), [(False, None), (True, "no_answer")])
def test_a_page_that_never_answers(dirty: bool, expected: str | None) -> None:
    everybody = pages()
    page = everybody.join(lambda _ask: None)
    page.announce([DocumentState(path="nb.ipynb", dirty=dirty)])
    answer = apply(everybody, replace("a", "1"))
    assert (None if answer is None else refused(answer).reason) == expected


def test_a_notebook_that_is_open_as_text_is_a_file() -> None:
    refusal = NotebookRefusal(reason="no_notebook", message="Open as text.")
    everybody = pages()
    page = everybody.join(lambda ask: page.answer(AnswerFrame(id=ask.id, refusal=refusal)))
    page.announce([DocumentState(path="nb.ipynb")])
    assert asyncio.run(NotebooksInPages(everybody).read(FILE)) is None
