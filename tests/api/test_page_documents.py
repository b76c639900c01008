from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_jupyter.api.models.documents import AnswerFrame, AskFrame, DocumentState, WriteDocument
from acp_jupyter.api.pages import Page, PageDocuments, Pages
from acp_jupyter.errors import FileRefused
from acp_jupyter.host.workspace.agent_files import SaveResult
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS, eventually_async

ROOT = Path("/srv/root")
FILE = ROOT / "a.py"


def pages(seconds: float = FOREVER_SECONDS) -> Pages:
    def to_server_path(path: Path) -> str | None:
        return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None

    return Pages(to_server_path, seconds)


class Holder:
    """A page that holds ``a.py`` and does with an ask what ``reply`` says."""

    def __init__(
        self, all_pages: Pages, focused_at: float, reply: Callable[[AskFrame], AnswerFrame | None]
    ) -> None:
        self.asked: list[AskFrame] = []
        self._reply = reply
        self.page: Page = all_pages.join(self._take)
        state = DocumentState(path="a.py", dirty=True, focused_at=focused_at)
        self.page.announce([state])

    def _take(self, ask: AskFrame) -> None:
        self.asked.append(ask)
        answer = self._reply(ask)
        if answer is not None:
            self.page.answer(answer)


def says(text: str) -> Callable[[AskFrame], AnswerFrame | None]:
    return lambda ask: AnswerFrame(id=ask.id, text=text)


def refuses(ask: AskFrame) -> AnswerFrame | None:
    return AnswerFrame(id=ask.id, error="closed meanwhile")


def silent(_ask: AskFrame) -> AnswerFrame | None:
    return None


@pytest.mark.asyncio
async def test_the_last_focused_holder_is_asked() -> None:
    everybody = pages()
    old = Holder(everybody, 1, says("old"))
    new = Holder(everybody, 2, says("new"))
    assert await PageDocuments(everybody).read(FILE) == "new"
    assert (len(old.asked), len(new.asked)) == (0, 1)
    assert new.asked[0].path == "a.py"


@pytest.mark.asyncio
@pytest.mark.parametrize("reply", [refuses, silent])
async def test_silence_or_refusal_asks_the_next(
    reply: Callable[[AskFrame], AnswerFrame | None],
) -> None:
    everybody = pages(seconds=0.05)
    Holder(everybody, 2, reply)
    Holder(everybody, 1, says("from the other"))
    assert await PageDocuments(everybody).read(FILE) == "from the other"


@pytest.mark.asyncio
async def test_when_nobody_answers_the_file_counts() -> None:
    everybody = pages(seconds=0.05)
    holder = Holder(everybody, 1, silent)
    assert await PageDocuments(everybody).read(FILE) is None
    asked, withdrawn = holder.asked
    assert (withdrawn.id, withdrawn.question.op) == (asked.id, "withdraw")
    holder.page.answer(AnswerFrame(id=asked.id, text="too late"))
    holder.page.answer(AnswerFrame(id=4711, text="unasked"))


@pytest.mark.asyncio
async def test_a_page_that_leaves_is_not_waited_for() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, silent)
    reading = asyncio.create_task(PageDocuments(everybody).read(FILE))
    await eventually_async(lambda: holder.asked)
    everybody.leave(holder.page)
    assert await asyncio.wait_for(reading, PATIENCE_SECONDS) is None
    assert not everybody.holds("a.py")


@pytest.mark.asyncio
async def test_an_empty_document_is_an_answer() -> None:
    everybody = pages()
    Holder(everybody, 1, says(""))
    assert await PageDocuments(everybody).read(FILE) == ""


@pytest.mark.asyncio
async def test_a_clean_document_is_read_from_disk() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, says("x"))
    holder.page.announce([DocumentState(path="a.py", dirty=False)])
    assert await PageDocuments(everybody).read(FILE) is None
    assert holder.asked == []
    assert everybody.holds("a.py")


@pytest.mark.asyncio
async def test_what_lies_outside_the_root_is_no_document() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, says("x"))
    assert await PageDocuments(everybody).read(Path("/etc/a.py")) is None
    assert holder.asked == []


@pytest.mark.asyncio
async def test_a_page_is_asked_so_much_and_no_more() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, silent)
    reading = [asyncio.create_task(PageDocuments(everybody).read(FILE)) for _ in range(70)]
    await eventually_async(lambda: len(holder.asked) == 64)
    await eventually_async(lambda: sum(task.done() for task in reading) == 6)
    everybody.leave(holder.page)
    assert await asyncio.gather(*reading) == [None] * 70


def written(ask: AskFrame) -> AnswerFrame | None:
    return AnswerFrame(id=ask.id)


def conflicts(ask: AskFrame) -> AnswerFrame | None:
    return AnswerFrame(id=ask.id, error="It was changed in the editor.", reason="conflict")


@pytest.mark.asyncio
async def test_a_write_goes_to_the_holder_with_what_the_agent_had_read() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, written)
    holder.page.announce([DocumentState(path="a.py", dirty=False)])
    assert await PageDocuments(everybody).write(FILE, "new", "read before")
    question = holder.asked[0].question
    assert question == WriteDocument(text="new", base="read before")
    assert not await PageDocuments(everybody).write(ROOT / "b.py", "new", None)


@pytest.mark.asyncio
async def test_a_path_with_detours_is_the_same_document() -> None:
    everybody = pages()
    Holder(everybody, 1, written)
    assert await PageDocuments(everybody).write(ROOT / "x" / ".." / "a.py", "new", None)


@pytest.mark.asyncio
async def test_a_write_that_a_page_refuses_is_refused_in_its_words() -> None:
    everybody = pages()
    other = Holder(everybody, 1, written)
    Holder(everybody, 2, conflicts)
    with pytest.raises(FileRefused, match="It was changed in the editor"):
        await PageDocuments(everybody).write(FILE, "new", None)
    assert other.asked == []


@pytest.mark.asyncio
async def test_a_page_that_never_answers_is_no_reason_to_lose_what_is_typed() -> None:
    everybody = pages(seconds=0.05)
    holder = Holder(everybody, 1, silent)
    with pytest.raises(FileRefused, match=r"a\.py is open .* does not answer"):
        await PageDocuments(everybody).write(FILE, "new", None)
    # Where nothing is lost the file is written.
    holder.page.announce([DocumentState(path="a.py", dirty=False)])
    assert not await PageDocuments(everybody).write(FILE, "new", None)


@pytest.mark.asyncio
async def test_a_document_that_is_closed_in_the_middle_is_a_file() -> None:
    everybody = pages()
    holder = Holder(everybody, 1, silent)
    writing = asyncio.create_task(PageDocuments(everybody).write(FILE, "new", None))
    await eventually_async(lambda: holder.asked)
    everybody.leave(holder.page)
    assert not await asyncio.wait_for(writing, PATIENCE_SECONDS)


@pytest.mark.asyncio
async def test_a_page_with_many_documents_saves_them_all() -> None:
    everybody, loop = pages(), asyncio.get_running_loop()

    def take(ask: AskFrame) -> None:
        loop.call_soon(page.answer, AnswerFrame(id=ask.id))  # each while the others are asked

    page = everybody.join(take)
    names = tuple(f"{number}.py" for number in range(50))
    page.announce([DocumentState(path=name, dirty=True) for name in names])
    assert await PageDocuments(everybody).save(ROOT) == SaveResult(done=names)


@pytest.mark.asyncio
async def test_what_is_not_saved_below_a_folder_is_saved() -> None:
    everybody = pages()
    inside = Holder(everybody, 1, written)
    states = [DocumentState(path=path, dirty=True) for path in ("x/a.py", "x/b.py", "y.py")]
    inside.page.announce([*states, DocumentState(path="x/clean.py")])
    assert await PageDocuments(everybody).save(ROOT / "x") == SaveResult(done=("x/a.py", "x/b.py"))
    assert [ask.path for ask in inside.asked] == ["x/a.py", "x/b.py"]
    assert {ask.question.op for ask in inside.asked} == {"save_document"}
    assert await PageDocuments(everybody).save(ROOT) == SaveResult(
        done=("x/a.py", "x/b.py", "y.py")
    )
    assert len(inside.asked) == 5


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (silent, ("a.py",)),
        (lambda ask: AnswerFrame(id=ask.id, error="No room.", reason="not_saved"), ("a.py",)),
        (lambda ask: AnswerFrame(id=ask.id, error="Switched off.", reason="unwanted"), ()),
        (lambda ask: AnswerFrame(id=ask.id, error="Closed.", reason="no_document"), ()),
    ],
)
async def test_what_could_not_be_saved_is_told(
    reply: Callable[[AskFrame], AnswerFrame | None], left: tuple[str, ...]
) -> None:
    everybody = pages(seconds=0.05)
    Holder(everybody, 1, reply)
    assert await PageDocuments(everybody).save(ROOT) == SaveResult(failed=left)
